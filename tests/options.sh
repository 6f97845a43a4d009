#!/bin/sh
# Compares the verbs, options and values that the help of each verb knows with the manual and the three
# completion files, and prints what differs; and sees that the help fits.  Usage: tests/options.sh [PROGRAM]
# Needs bash, zsh and fish: their completions are asked, not read.
set -u
program=$(realpath "${1:-./bdp}") || exit 1
cd "$(dirname "$0")/.." || exit 1
root=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/empty"
failed=0

# compare NAME HELP FILE: both are sorted lists
compare() {
	if [ ! -s "$3" ]; then
		echo "$1: nothing found"
		failed=1
		return
	fi
	comm -23 "$2" "$3" | sed "s|^|$1: lacks: |" >"$work/diff"
	comm -13 "$2" "$3" | sed "s|^|$1: not in --help: |" >>"$work/diff"
	if [ -s "$work/diff" ]; then
		cat "$work/diff"
		failed=1
	fi
}

# ---- what the program says: "verb", "verb option" and "verb option value" on a line
"$program" --help >"$work/overview" || exit 1
awk '/^Verbs/ { on = 1; next } !NF { on = 0 } on { print $1 }' "$work/overview" >"$work/verbs.named"
while read -r verb; do
	"$program" help "$verb" >"$work/help" || exit 1
	"$program" "$verb" --help | cmp -s - "$work/help" || {
		echo "bdp $verb --help differs from bdp help $verb"
		failed=1
	}
	awk -v verb="$verb" '
	BEGIN { print verb }
	/^Options of/ { on = 1; next }
	!NF { on = 0 }
	on && /^  +-/ {
		line = $0
		sub(/^ +/, "", line)
		sub(/   *[^ ].*$/, "", line)
		words = split(line, word, /[ ,]+|\[=/)
		list = word[words] ~ /^[a-z0-9]+(\|[a-z0-9]+)+$/ ? word[words] : ""
		values = split(list, value, "|")
		for (i = 1; i <= words && word[i] ~ /^-/; i++) {
			print verb, word[i]
			for (k = 1; k <= values; k++)
				print verb, word[i], value[k]
		}
	}
	/^Examples:/ { examples = 1; next }
	examples && /^  [^ ]/ { shown++ }
	END { if (shown != 3) print "bdp help " verb " has " shown + 0 " examples, not 3" >"/dev/stderr" }
	' "$work/help" 2>>"$work/faults"
	awk -v verb="$verb" 'length > 79 { print "bdp help " verb ": wider than 79: " $0 }' "$work/help" \
		>>"$work/faults"
done <"$work/verbs.named" | sort -u >"$work/known"
# two screens of 24 lines
awk 'length > 79 { print "bdp --help: wider than 79: " $0 }
	END { if (NR > 48) print "bdp --help: " NR " lines, more than two screens" }' "$work/overview" >>"$work/faults"
# an option of the overview is one of advise
sed -n 's/^ \{2,6\}\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/advise \2/p' "$work/overview" |
	sort -u | comm -13 "$work/known" - | sed 's/^/bdp --help: no option of /' >>"$work/faults"
if [ -s "$work/faults" ]; then
	cat "$work/faults"
	failed=1
fi
awk 'NF == 1' "$work/known" >"$work/verbs"
awk 'NF == 2 { print $2 }' "$work/known" | sort -u >"$work/options"
if [ ! -s "$work/verbs" ] || [ ! -s "$work/options" ]; then
	echo "help: no verbs or no options found"
	exit 1
fi

# ---- the manual: options in ".It Fl", verbs in the synopsis or in ".It" and ".Ss"
manual=man/bdp.1
if [ -f "$manual" ]; then
	awk '
	/^\.It/ {
		for (i = 2; i < NF; i++) {
			if ($i != "Fl")
				continue
			dashes = "-"
			while ($(i + 1) == "Fl") { dashes = dashes "-"; i++ }
			print dashes $(i + 1)
		}
	}' "$manual" | sed 's/\\-/-/g; s/=.*//' | sort -u >"$work/man-options"
	compare "$manual: options" "$work/options" "$work/man-options"
	awk '
	/^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
	synopsis || /^\.(It|Ss)/ { for (i = 1; i <= NF; i++) print $i }
	' "$manual" |
		sort -u | comm -12 - "$work/verbs" >"$work/man-verbs"
	compare "$manual: verbs" "$work/verbs" "$work/man-verbs"
	awk '
	/^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
	synopsis { for (i = 1; i < NF; i++)
		if ($i ~ /^\.?(Cm|Ic)$/ && $(i + 1) ~ /^[a-z]+$/) print $(i + 1) }
	' "$manual" | sort -u | comm -13 "$work/verbs" - |
		sed "s|^|$manual: synopsis names what is no verb: |" >"$work/diff"
	[ -s "$work/diff" ] && cat "$work/diff" && failed=1
	# the kernels and the month that --version says are those of CAVEATS
	facts=$("$program" --version | sed -n 's/^kernel facts: //p')
	caveats=$(sed -n '/^\.Sh CAVEATS/,$p' "$manual" | tr '\n' ' ')
	case $caveats in
	*" ${facts%,*},"*" ${facts#*, },"*) [ -n "$facts" ] ;;
	*) false ;;
	esac || {
		echo "$manual: CAVEATS speaks of other kernels than --version: '$facts'"
		failed=1
	}
else
	echo "$manual: missing"
	failed=1
fi

# ---- completions: a line of the known list is asked as a command line
cat >"$work/ask.bash" <<'END'
source "$1/completions/bdp.bash"
ask() { # words...
	COMP_WORDS=(bdp "$@") COMP_CWORD=$#
	COMP_TYPE=37 # words without their meanings
	COMPREPLY=()
	_bdp
	((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
}
ask '' | sort >"$2/verbs.now"
cat "$2/verbs.now"
while read -r verb; do
	ask "$verb" - | while read -r option; do
		echo "$verb $option"
		ask "$verb" "$option" '' | sed "s/^/$verb $option /"
	done
done <"$2/verbs.now"
END
cat >"$work/ask.fish" <<'END'
source $argv[1]/completions/bdp.fish
function ask
    complete -C "$argv" | string replace -r '\t.*' ''
end
for verb in (ask 'bdp ')
    echo $verb
    for option in (ask "bdp $verb -"; ask "bdp $verb --")
        set option (string trim -r -c = -- $option)
        echo $verb $option
        for value in (ask "bdp $verb $option ")
            echo $verb $option $value
        end
    end
end
END
# the arguments that _arguments gets, in full: "(others)--name=[meaning]:message:(values)"
cat >"$work/ask.zsh" <<'END'
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "${(P@)@[-1]}" }
words=(bdp '') CURRENT=2 PREFIX=
found=$(source $1/completions/_bdp)
for verb in ${(f)"$(print -r -- $found | sed -n '/^[a-z]*:/s/:.*//p')"}; do
	print -r -- $verb
	words=(bdp $verb -) CURRENT=3
	source $1/completions/_bdp | sed -n 's/^([^)]*)//; /^-[0-9a-zA-Z-]*[+=]\{0,1\}-\{0,1\}\[/p' |
	while read -r spec; do
		option=${${${spec%%\[*}%-}%[+=]}
		print -r -- $verb $option
		if [[ $spec == *:\(*\) ]]; then
			for value in ${=${${spec##*:\(}%\)}}; do
				print -r -- $verb $option $value
			done
		fi
	done
done
END
for shell in bash zsh fish; do
	case $shell in
	bash) file=completions/bdp.bash flags=--norc ;;
	zsh) file=completions/_bdp flags=-f ;;
	fish) file=completions/bdp.fish flags=--no-config ;;
	esac
	if ! command -v "$shell" >/dev/null; then
		echo "$file: not compared: there is no $shell here"
		failed=1
		continue
	fi
	(cd "$work/empty" && HOME=$work "$shell" "$flags" "$work/ask.$shell" "$root" "$work") \
		>"$work/$shell.raw" 2>"$work/$shell.err"
	if [ -s "$work/$shell.err" ]; then
		sed "s|^|$file: |" "$work/$shell.err"
		failed=1
	fi
	# values that hang on the host, or are words of ss: tests/completions.sh
	grep -Ev ' --(cc|state|to) .' "$work/$shell.raw" | sort -u >"$work/$shell.known"
	compare "$file" "$work/known" "$work/$shell.known"
done

if [ $failed = 0 ]; then
	echo "options.sh: $(wc -l <"$work/options") options and $(wc -l <"$work/verbs") verb(s)" \
		"agree in the help, the manual and the completions"
fi
exit $failed
