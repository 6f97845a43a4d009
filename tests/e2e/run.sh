#!/bin/sh
# Runs every case below tests/e2e/cases, or those named as arguments.  A case is a directory:
#
#     args      the command line, one word a line ("bdp" left out); paths are relative to the case
#     stdin     what it reads (else nothing)
#     stdin.awk a program that prints what it reads; it is given the name of a file to write the
#               figures to that must come out, and check has both as $IN and $FIGURES
#     stdout    what must be written, byte for byte (else it is not compared)
#     has       a line each that must occur somewhere in standard output, blanks folded
#     lacks     a line each that must not
#     stderr    the same as has, for standard error; an empty file: nothing at all may be written
#     exit      the exit code (else 0)
#     partial   it writes to standard output though it fails: what could be answered is
#     sandboxed the program locks itself in (Landlock): the leak checker of a sanitizer build, which
#               reads /proc, is left out of it
#     check     a shell script, run in the case with $OUT and $ERR naming the outputs
#
# FIRST=1 ends at the first case that fails.
#
# refused.tsv beside this script holds what is refused, a line each; they run when no case is named.
#
# A status above 125 is a crash, whatever the case expects.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../sealed.sh"
seal "$0" "$@"
: "${BDP:=$here/../../bdp}"
export BDP
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM HUP
asan_options=${ASAN_OPTIONS-}
passed=0
failed=0
unset NO_COLOR COLUMNS
export LC_ALL=C.UTF-8 TERM=dumb

complain() {
	printf 'FAILED %s: %s\n' "$name" "$1"
	bad=1
}

count() {
	if [ $bad = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	[ $bad = 0 ] || [ -z "${FIRST-}" ] || exit 1
}

folded() {
	tr -s ' \t\n' '   ' <"$1"
}

lines_in() { # FILE WITH-LINES, TEXT, must|must-not
	while IFS= read -r line || [ -n "$line" ]; do
		[ -n "$line" ] || continue
		line=$(printf '%s' "$line" | tr -s ' \t' '  ')
		case "$2" in
		*"$line"*) [ "$3" = must ] || complain "should not say: $line" ;;
		*) [ "$3" = must-not ] || complain "does not say: $line" ;;
		esac
	done <"$1"
}

run_case() {
	name=$(basename "$1")
	bad=0
	cd "$1" || return
	ASAN_OPTIONS=$asan_options
	[ -f sandboxed ] && ASAN_OPTIONS=$asan_options:detect_leaks=0
	export ASAN_OPTIONS
	OUT=$work/out ERR=$work/err
	IN=$work/in FIGURES=$work/figures
	export OUT ERR IN FIGURES
	set --
	while IFS= read -r word || [ -n "$word" ]; do
		set -- "$@" "$word"
	done <args
	if [ -f stdin.awk ]; then
		awk -v figures="$FIGURES" -f stdin.awk >"$IN"
		"$BDP" "$@" <"$IN" >"$OUT" 2>"$ERR"
	elif [ -f stdin ]; then
		"$BDP" "$@" <stdin >"$OUT" 2>"$ERR"
	else
		"$BDP" "$@" </dev/null >"$OUT" 2>"$ERR"
	fi
	code=$?
	want=0
	[ -f exit ] && want=$(cat exit)
	[ "$code" = "$want" ] || complain "exit $code, not $want: $(head -n 3 "$ERR")"
	[ "$code" -le 125 ] || complain "crashed"
	if [ "$want" != 0 ] && [ "$want" != 5 ] && [ ! -f partial ] && [ -s "$OUT" ]; then
		complain "wrote to standard output though it failed"
	fi
	if [ -f stdout ] && ! cmp -s stdout "$OUT"; then
		complain "standard output differs:"
		diff stdout "$OUT" | head -n 20
	fi
	[ -f has ] && lines_in has "$(folded "$OUT")" must
	[ -f lacks ] && lines_in lacks "$(folded "$OUT")" must-not
	if [ -f stderr ]; then
		if [ -s stderr ]; then
			lines_in stderr "$(folded "$ERR")" must
			[ "$(wc -l <"$ERR")" -le 2 ] || complain "more than a line or two on standard error"
		elif [ -s "$ERR" ]; then
			complain "standard error: $(head -n 3 "$ERR")"
		fi
	fi
	if [ -f check ] && ! message=$(sh ./check 2>&1); then
		complain "check: $message"
	fi
	count
	cd "$here" || exit 1
}

# EXIT WORDS TEXTS: a line of refused.tsv; TEXTS are separated by tabs
run_refused() {
	name="bdp $2"
	bad=0
	cd "$here/cases" || exit 1
	want=$1 texts=$3
	eval "set -- $2"
	"$BDP" "$@" </dev/null >"$work/out" 2>"$work/err"
	code=$?
	[ "$code" = "$want" ] || complain "exit $code, not $want: $(head -n 3 "$work/err")"
	[ -s "$work/out" ] && complain "wrote to standard output"
	grep -qv '^bdp: ' "$work/err" && complain "a line without the program's name"
	printf '%s\n' "$texts" | tr '\t' '\n' >"$work/texts"
	lines_in "$work/texts" "$(folded "$work/err")" must
	count
}

if [ $# -gt 0 ]; then
	for case_name in "$@"; do run_case "$here/cases/$case_name"; done
else
	for directory in "$here"/cases/*/; do run_case "${directory%/}"; done
	tab=$(printf '\t')
	grep -v '^#' "$here/refused.tsv" >"$work/refused"
	while IFS=$tab read -r code words texts; do run_refused "$code" "$words" "$texts"; done <"$work/refused"
fi
echo "e2e: $passed passed, $failed failed"
[ $failed -eq 0 ]
