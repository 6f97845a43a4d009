#!/bin/sh
# Keeps the list of the first sentences that reports begin with: every one that the recorded runs and the
# cases lead to, once, with its numbers and names replaced.  Compares it with tests/sentences.txt, and
# sees that the table at the head of the runbook has a row for each.
# Usage: tests/sentences.sh [--update]; BDP names the program.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BDP:=./bdp}"
BDP=$(realpath "$BDP") || exit 1
kept=tests/sentences.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# shellcheck disable=SC2016 # the backquotes are those of the sentences
{
	find tests/corpus -type f \( -name '*.json' -o -name '*.txt' \) ! -path '*/counters/*' -print0 |
		"$BDP" --each -0 --no-host 2>/dev/null
	# of cases, those that print a report without setting anything
	for case in tests/e2e/cases/*/args; do
		case $(head -n 1 "$case") in
		sweep | compare | sockets | apply | confirm | rollback | explain | help | record | host) continue ;;
		esac
		grep -qx -e '-o' -e '--apply' -e '--each' -e '--socket' "$case" && continue
		set --
		while IFS= read -r word || [ -n "$word" ]; do set -- "$@" "$word"; done <"$case"
		input=$PWD/$(dirname "$case")/stdin
		[ -f "$input" ] || input=/dev/null
		(cd "$(dirname "$case")" && "$BDP" "$@" -o json <"$input" 2>/dev/null) |
			awk 'NR == 1 && !/^\{/ { exit } 1' # another form than asked for
	done
} | jq -r '.answer // empty' | sed -E '
	s/[0-9][0-9.,]* [kMGTP]?bit\/s/RATE/g
	s/[0-9][0-9.,]* ([KMGTP]i)?B\b/SIZE/g
	s/[0-9][0-9.,]* [mun]?s\b/TIME/g
	s/[0-9][0-9.,]* %/PERCENT/g
	s/\b([0-9]{1,3}\.){3}[0-9]{1,3}\b/HOST/g
	s/\b[0-9a-f]{1,4}:[0-9a-f:]*:[0-9a-f]+\b/HOST/g
	s/\bof [a-z0-9.-]+\.(example|net|org|com)\b/of HOST/g
	s/\b(sender|receiver|proxy|on) HOST/\1/g
	s/[0-9]+( [0-9]+)+/NUMBERS/g
	s/\b[0-9]+ (more|others|findings)/N \1/g
	s/, and N more settings?//
	s/, not [^;]*; `/, not ...; `/
	s/; `[^\`]*` would tell\.$/; COMMAND would tell./
	s/ \(now [^)]*\)//
' | sort -u >"$work/now"

# A finding without a run is told in its own words.
sed -E 's/^(One finding|N findings)( in the settings alone| in what was given)[^;]*;(.*; a run)?/\1\2 ...;/' "$work/now" | sort -u >"$work/list"
if [ "${1:-}" = --update ]; then
	cp "$work/list" "$kept"
elif ! diff -U 0 "$kept" "$work/list" >"$work/diff"; then
	echo "the first sentences differ from $kept; if they should, run: tests/sentences.sh --update"
	sed -n '/^[-+][^-+]/p' "$work/diff"
	failed=1
fi

# Rows of the table: what stands before "Ta" in the first list of columns.
awk '/^\.Bl -column/ { on = 1; next } on && /^\.El/ { exit }
	on && /^\.It/ && !/^\.It Em/ { sub(/^\.It /, ""); sub(/ Ta .*/, ""); print tolower($0) }' \
	man/bdp-runbook.7 >"$work/rows"
# what two numbers give is no case of a slow path
grep -vE '^(RTT TIME: SIZE in flight|RATE at most|BDP SIZE: )|^Nothing is amiss' "$work/list" |
	awk -v rows="$work/rows" '
	BEGIN { while ((getline line < rows) > 0) row[++count] = line }
	{
		for (i = 1; i <= count; i++)
			if (index(tolower($0), row[i])) next
		print "man/bdp-runbook.7: no row of the first table fits: " $0
		bad = 1
	}
	END { exit bad }' || failed=1
[ $failed = 0 ] && echo "sentences.sh: $(wc -l <"$work/list") first sentences, as listed, each in the runbook's table"
exit $failed
