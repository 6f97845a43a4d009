#!/bin/sh
# How long and how much memory, beside what else could do the job: bench.sh ./bdp
#
# Every row is a ratio of two programs measured in this run, so that it says the same on any machine;
# times are the least of many, because noise only ever adds.  Nothing here fails: it is for reading.
# Needs hyperfine, GNU time, jq, awk and a C compiler.
set -eu
bdp=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
big=${BENCH_BYTES:-70000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export LC_ALL=C.UTF-8
small=$here/corpus/iperf3/policer500-bbr.3.1.7.json

# least RUNS COMMAND: seconds
least() {
	hyperfine -N -i --warmup 1 --runs "$1" --export-json "$work/times" "$2" >/dev/null 2>&1
	jq '.results[0].min' "$work/times"
}

# pair RUNS COMMAND OTHER: leaves both times in $first and $second.  One after the other again and
# again, so that a busy moment meets both.
pair() {
	first=9999 second=9999
	for _ in 1 2 3; do
		first=$(printf '%s\n%s\n' "$first" "$(least "$1" "$2")" | sort -g | head -n 1)
		second=$(printf '%s\n%s\n' "$second" "$(least "$1" "$3")" | sort -g | head -n 1)
	done
}

peak() { # COMMAND: KiB
	command time -f %M -o "$work/peak" sh -c "exec $1" >"$work/out" 2>&1 || true
	tail -n 1 "$work/peak"
}

# row WHAT BDP-TIME OTHER OTHER-TIME GOAL
row() {
	awk -v what="$1" -v ours="$2" -v other="$3" -v theirs="$4" -v goal="$5" 'BEGIN {
		word = theirs > ours ? "quicker" : "longer"
		ratio = theirs > ours ? theirs / ours : ours / theirs
		printf "%-24s bdp %9.2f ms   %-12s %9.2f ms   %5.1f x %-7s   (goal: %s)\n",
		    what, ours * 1000, other, theirs * 1000, ratio,
		    word, goal }'
}

# shellcheck disable=SC2016 # these are awk's
sums='{ sub(/\[ *[0-9]+\]/, ""); bytes += $3; retransmits += $7 } END { print bytes, retransmits }'

echo "== one capture of $(($(wc -c <"$small") / 1000)) KB, start to end"
printf '#include <stdio.h>\nint main(void) { return puts("hello, world") < 0; }\n' >"$work/hello.c"
${CC:-cc} -O2 -static -o "$work/hello" "$work/hello.c"
pair 200 "$bdp -o json $small" "$work/hello"
row "JSON report" "$first" hello-world "$second" "at most 2 x longer"
pair 30 "$bdp -o json $small" "jq .end.sum_sent.bits_per_second $small"
row "JSON report" "$first" jq "$second" "at least 15 x quicker"

echo "== $((big / 1000000)) MB of one test"
for kind in json text; do
	"$here/bench-input.sh" $kind "$big" >"$work/big.$kind"
done
pair 2 "$bdp -o json $work/big.json" "jq .end.sum_sent.bits_per_second $work/big.json"
row "iperf3 -J" "$first" jq "$second" "at least 10 x quicker"
pair 2 "$bdp -o json $work/big.text" "awk '$sums' $work/big.text"
row "iperf3 text" "$first" awk "$second" "none slower"
rm "$work/big.text"

echo "== peak memory"
printf '%-24s bdp %6d KiB   jq %8d KiB\n' \
	"5 KB of JSON" "$(peak "$bdp -o json $small")" "$(peak "jq .end $small")" \
	"$((big / 1000000)) MB of JSON" "$(peak "$bdp -o json $work/big.json")" \
	"$(peak "jq .end $work/big.json")"
echo "  (goal: at most 4096 KiB, and within 1024 KiB of each other)"
rm "$work/big.json"

echo "== growth with the input: time for 4 and 16 times as much, over 4 and 16 (goal: below 1.5)"
for kind in json stream text ss ping nstat tc sysctl; do
	set --
	for size in 2 8 32; do
		"$here/bench-input.sh" $kind $((size * big / 70)) >"$work/part"
		set -- "$@" "$(least 8 "$bdp -o json --no-host $work/part")"
	done
	awk -v kind=$kind -v one="$1" -v four="$2" -v sixteen="$3" -v mb=$((32 * big / 70000000)) 'BEGIN {
		printf "  %-8s %7.2f ms for 1x   4x %4.2f   16x %4.2f   (%.0f MB/s)\n",
		    kind, one * 1000, four / one / 4, sixteen / one / 16, mb / sixteen }'
done

echo "== 10,000 captures of $(($(wc -c <"$small") / 1000)) KB in one call"
mkdir "$work/many"
awk -v many="$work/many" -v RS='\001' '{ for (i = 0; i < 10000; i++) {
	name = many "/" i ".json"; printf "%s", $0 >name; close(name) } }' "$small"
find "$work/many" -type f -print0 >"$work/names"
command time -f '%e %M' -o "$work/peak" "$bdp" advise --each -0 <"$work/names" >"$work/lines"
read -r seconds kib <"$work/peak"
echo "  $seconds s (goal: below 2), $kib KiB, $(wc -l <"$work/lines") lines"
