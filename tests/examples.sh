#!/bin/sh
# Runs the commands that README.md, the manuals and the help of each verb show, and compares what they print with what is
# shown.  Usage: tests/examples.sh [-v] [DOCUMENT ...]; BDP names the program.
#
# What is an example:
#
#     manual   ".Dl $ command", or a ".Bd -literal" block that begins with "$ "
#     README   a fenced block that begins with "$ "
#
# In a block each line that begins with "$ " is a command, and lines behind it that are indented by
# four blanks continue it.  The lines below are what it prints, on either stream, blanks and line ends
# folded; "..." alone stands for anything.  Where nothing is shown, nothing is compared.  Every
# command must exit with 0.
#
# A comment on the line before changes that (.\" in a manual, <!-- --> in the README):
#
#     example: not run: REASON   it needs a network, root, or time
#     example: exit N            it exits with N
#     example: namespace         it sets something: the block runs in a network namespace of its own
#
# The help shows a command at two blanks under "Examples:", and nothing of what it prints.  One that sets
# something, confirms or takes it back finds in its namespace what must have been done before.
#
# Files and recordings of other tools are named in tests/examples/map.
set -u
. "$(dirname "$0")/sealed.sh"
seal "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
root=$PWD
: "${BDP:=$root/bdp}"
BDP=$(realpath "$BDP") || exit 1
verbose=0
[ "${1:-}" = -v ] && verbose=1 && shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
[ $# -gt 0 ] || set -- README.md man/*.[1-9] man/*/*.[1-9] help

# ---- the scratch directory: files as the manuals call them, tools that replay recordings
mkdir "$work/bin" "$work/cases"
ln -s "$BDP" "$work/bin/bdp"
lay_out() { # a fresh one for each document
	rm -rf "$work/here"
	mkdir "$work/here"
	while read -r kind name rest; do
		case $kind in
		file)
			mkdir -p "$work/here/$(dirname "$name")"
			cp -R "$root/tests/$rest" "$work/here/$name" || exit 1
			;;
		tool) ln -sf "$root/tests/examples/replay.sh" "$work/bin/$name" ;;
		'' | '#'*) ;;
		*) echo "tests/examples/map: $kind?" && exit 1 ;;
		esac
	done <tests/examples/map
}
unset NO_COLOR COLUMNS MANPATH
export LC_ALL=C.UTF-8 TERM=dumb PATH="$work/bin:$PATH" TESTS="$root/tests"

# ---- the help as a document of fenced blocks, one a command
for verb in $("$BDP" --help | awk '/^Verbs/ { on = 1; next } !NF { on = 0 } on { print $1 }'); do
	"$BDP" help "$verb" | awk -v verb="$verb" '
	/^Examples:/ { on = 1; next }
	!NF { on = 0 }
	!on || !/^  [^ ]/ { next }
	{
		sub(/^ */, "")
		if (/(sweep|compare) --run/)
			print "<!-- example: not run: it makes runs over a network -->"
		else if (/--watch/)
			print "<!-- example: not run: it does not end by itself -->"
		else if (/--persist/)
			print "<!-- example: not run: what a namespace sets, no file sets at boot -->"
		else if (verb ~ /^(apply|confirm|rollback)$/)
			print "<!-- example: namespace -->"
		print "```"
		if (verb ~ /^(apply|confirm|rollback)$/)
			print "$ bdp -o json -t 3.34G --role receiver lb.json >plan.json"
		if (verb == "confirm")
			print "$ bdp apply --confirm 60s plan.json >/dev/null"
		if (verb == "rollback")
			print "$ bdp apply plan.json >/dev/null"
		print "$ " $0
		print "```"
	}'
done >"$work/help.md"

# ---- extraction: a directory each with command, output, and what the marker says
for document in "$@"; do
	awk -v document="$document" -v cases="$work/cases/$(echo "$document" | tr / _)" '
	function plain(line) { # of roff, what examples need
		if (!manual)
			return line
		gsub(/\\&/, "", line)
		gsub(/\\-/, "-", line)
		gsub(/\\\(aq/, "\047", line)
		gsub(/\\\(dq/, "\"", line)
		gsub(/\\e/, "\\", line)
		return line
	}
	function begin(command) {
		finish()
		file = sprintf("%s.%03d", cases, ++count)
		system("mkdir " file)
		print document ":" NR >(file "/where")
		print document "." blocks >(file "/block")
		print document >(file "/document")
		if (marker != "")
			print marker >(file "/marker")
		print command >(file "/command")
		continued = 1
	}
	function finish() {
		if (file == "")
			return
		close(file "/where"); close(file "/block"); close(file "/document")
		close(file "/marker")
		close(file "/command"); close(file "/output")
		file = ""
	}
	BEGIN { manual = document !~ /\.md$|^help$/ }
	manual && /^\.\\" example: / { marker = $0; sub(/^.*example: /, "", marker); next }
	!manual && /^<!-- example: / {
		marker = $0
		sub(/^.*example: /, "", marker)
		sub(/ *-->$/, "", marker)
		next
	}
	manual && /^\.Dl \$ / {
		begin(plain(substr($0, 7)))
		finish()
		marker = ""
		next
	}
	manual ? /^\.Bd -literal/ : /^```/ && !block {
		block = 1
		first = 1
		blocks++
		next
	}
	block && (manual ? /^\.Ed/ : /^```/) {
		block = 0
		transcript = 0
		marker = ""
		finish()
		next
	}
	!block { if ($0 !~ /^(\.Pp)?$/) marker = ""; next }
	{ line = plain($0) }
	first { first = 0; transcript = line ~ /^\$ / }
	!transcript { next }
	continued && line ~ /^    / { print line >(file "/command"); next }
	line ~ /^\$ / { begin(substr(line, 3)); next }
	{ continued = 0 }
	{ print line >(file "/output") }
	' "$(case $document in help) echo "$work/help.md" ;; *) echo "$document" ;; esac)" || exit 1
done

# ---- running
# True when the text in file 1 holds the lines of file 2 in order; "..." stands for anything.
shown_matches() {
	awk '
	function fold(text) { gsub(/[ \t\n]+/, " ", text); sub(/^ /, "", text); sub(/ $/, "", text); return text }
	FNR == NR { got = got "\n" $0; next }
	/^[ \t]*\.\.\.$/ { part[++parts] = ""; gap[parts] = 1; next }
	{
		if (parts == 0 || gap[parts])
			parts++
		part[parts] = part[parts] "\n" $0
	}
	END {
		got = fold(got)
		for (i = 1; i <= parts; i++) {
			if (gap[i])
				continue
			text = fold(part[i])
			at = index(got, text)
			if (at == 0 || (at > 1 && !(i > 1 && gap[i - 1]))) {
				print "shown, but not printed there: " text
				exit 1
			}
			got = substr(got, at + length(text))
			sub(/^ /, "", got)
		}
		if (got != "" && !gap[parts]) {
			print "printed, but not shown: " got
			exit 1
		}
	}' "$1" "$2"
}

# A namespace for a block: a process that sleeps in it, entered for each command.  The seal of this
# runner is off in there: nothing but the block's own network can be set.
unsealed() {
	if [ "$(id -u)" = 0 ]; then
		# shellcheck disable=SC2016 # expanded in there
		exec unshare -m sh -c 'umount /proc/sys; exec "$@"' sh "$@"
	fi
	exec "$@"
}
sleeper=
space_of=
open_space() { # BLOCK; false where there is none to be had
	[ "$1" = "$space_of" ] && return
	close_space
	# shellcheck disable=SC2016 # expanded in there
	unsealed unshare -rnm sh -c '
		mount -t tmpfs none /run && mount -t tmpfs none /etc/sysctl.d &&
		printf "4096 131072 4194304" >/proc/sys/net/ipv4/tcp_rmem &&
		: >"$1" && exec sleep 600' sh "$work/ready" >/dev/null 2>&1 &
	sleeper=$!
	space_of=$1
	tries=0
	while [ ! -e "$work/ready" ]; do
		tries=$((tries + 1))
		if [ $tries -gt 50 ] || ! kill -0 $sleeper 2>/dev/null; then
			close_space
			return 1
		fi
		sleep 0.1
	done
	rm "$work/ready"
}
close_space() {
	[ -n "$sleeper" ] && kill $sleeper 2>/dev/null
	sleeper=
	space_of=
}
trap 'close_space; rm -rf "$work"' EXIT
in_space() {
	nsenter -t $sleeper -U -n -m --preserve-credentials --wd=. sh "$1"
}

ran=0 compared=0 skipped=0 failed=0 document=
for case in "$work"/cases/*; do
	where=$(cat "$case/where")
	[ "$document" = "$(cat "$case/document")" ] || {
		document=$(cat "$case/document")
		lay_out
	}
	marker=$(cat "$case/marker" 2>/dev/null)
	want=0
	runner=.
	case $marker in
	'not run: '?*)
		skipped=$((skipped + 1))
		[ $verbose = 1 ] && echo "$where: $marker: $(head -n 1 "$case/command")"
		continue
		;;
	'exit '[0-9]*) want=${marker#exit } ;;
	namespace)
		if ! open_space "$(cat "$case/block")"; then
			skipped=$((skipped + 1))
			[ $verbose = 1 ] && echo "$where: no namespace to be had here"
			continue
		fi
		runner=in_space
		;;
	'') ;;
	*)
		echo "$where: what does the marker '$marker' mean?"
		failed=$((failed + 1))
		continue
		;;
	esac
	# Every example of a document works on what the ones before left behind.
	(cd "$work/here" && $runner "$case/command") </dev/null >"$case/got" 2>&1
	code=$?
	ran=$((ran + 1))
	bad=
	if [ $code != "$want" ]; then
		bad="exit $code, not $want: $(tail -n 3 "$case/got")"
	elif [ -s "$case/output" ]; then
		compared=$((compared + 1))
		bad=$(shown_matches "$case/got" "$case/output") || :
	fi
	if [ -n "$bad" ]; then
		failed=$((failed + 1))
		printf '%s: %s\n    %s\n' "$where" "$(cat "$case/command")" "$bad"
	elif [ $verbose = 1 ]; then
		echo "$where: ok: $(head -n 1 "$case/command")"
	fi
done
echo "examples.sh: $ran ran, $compared of them against what is shown; $skipped cannot run here;" \
	"$failed failed"
[ $failed = 0 ] && [ $ran -gt 0 ]
