#!/bin/sh
# Sees that `bdp explain` knows the words that reports use: the labels of their lines, and the words that
# stand for causes, findings, methods, roles and the like.  BDP names the program.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BDP:=./bdp}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
corpus=tests/corpus

# ---- words of the reports for programs, and the settings' short names
find $corpus -type f \( -name '*.json' -o -name '*.txt' \) ! -path '*/counters/*' -print0 |
	"$BDP" --each -0 --no-host -t 3G 2>/dev/null |
	jq -r 'select(.schema) | (
		(.limit // {} | .factor, .where, .confidence, .candidates[]?),
		(.findings[]? | .id, .severity),
		(.path // {} | .rtt.method?, .loaded_rtt_method, .window.kind?, .congestion_control),
		(.settings[]? | .key, .host, .sized_by),
		(.settings[]? | select(.key | test("congestion|qdisc")) | .value),
		(.not_advised[]? | .key | select(test("^net\\."))),
		(.plan.role)
	) | select(. != null)' | sort -u >"$work/words"

# ---- labels of the reports for people
label() { # sections are in capitals; what follows a label is told apart by two blanks, or a number
	"$BDP" "$@" </dev/null 2>/dev/null | awk '
	/^[A-Z]/ { section = $1 }
	section ~ /^(PATH|MEMORY|RFC)$/ && /^  [A-Za-z]/ {
		line = substr($0, 3, 10)
		sub(/  .*/, "", line)
		sub(/ +[0-9].*$/, "", line)
		sub(/ +$/, "", line)
		print line
	}'
}
{
	label --role receiver -t 3G --sysroot tests/hosts/lb-5.15 -c 100 -v $corpus/iperf3/rwnd-clamp.3.12.json
	label --role receiver -t 3G --sysroot tests/hosts/lb-5.15 -c 100 $corpus/iperf3/rwnd-clamp.3.12.json
	label --no-host $corpus/iperf3/bufferbloat.3.12.json
	label --no-host $corpus/iperf3/lossy2pct-p4.3.12.json
} | sort -u >>"$work/words"

unknown=0
while IFS= read -r word; do
	"$BDP" explain "$word" >/dev/null 2>&1 && continue
	echo "words.sh: bdp explain does not know '$word'"
	unknown=1
done <"$work/words"
[ $unknown = 0 ] && [ "$(wc -l <"$work/words")" -gt 30 ] &&
	echo "words.sh: bdp explain knows the $(wc -l <"$work/words") words of reports"
