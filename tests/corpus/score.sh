#!/bin/sh
# How often bdp names what truly limits, over every run whose truth is known, in every form that it
# was recorded or can be rendered in; whether the RTT's interval holds the true RTT and how wide it
# is; and whether "high", "medium" and "low" mean what they promise.
#
#     score.sh [-a] [-l] [-w] [-t] [-o TSV] [SET...]     sets: wan vivo iperf3 kernel-6.1 lab ss drawn policed ndt7 sockets cases cases2
#           -w  list what was wrong        -a  list all that was not right
#           -t  fail when a figure misses what targets.tsv wants of it
#
# The TSV has one row a document; its first line names the columns.  BDP says which program is asked,
# OUT where rendered files go (build/score).
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
: "${OUT:=$here/../../build/score}"
list=none
assert=0
table=
only_list=
while getopts alwto: option; do
	case $option in
	a) list=all ;;
	l) only_list=1 ;;
	w) list=wrong ;;
	t) assert=1 ;;
	o) table=$OPTARG ;;
	*) echo "usage: score.sh [-a] [-l] [-w] [-t] [-o TSV] [SET...]" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- wan vivo iperf3 kernel-6.1 lab ss drawn policed ndt7 sockets cases cases2
mkdir -p "$OUT/wan" "$OUT/drawn" || exit 1
BDP=$(cd "$(dirname "$BDP")" && pwd)/$(basename "$BDP")
case $OUT in /*) ;; *) OUT=$(pwd)/$OUT ;; esac

# Every document to ask about, a line each: set, form, name, split, accepted causes, RTT in ms, files.
for set in "$@"; do
	if [ "$set" = wan ]; then
		awk -F '\t' -v out="$OUT/wan" -f "$here/iperf-text.awk" \
			-f "$here/wan/render.awk" "$here/wan/runs.tsv"
	fi
	if [ "$set" = drawn ]; then
		jq -r -f "$here/text-rows.jq" "$here"/drawn/*.json |
			awk -v out="$OUT/drawn" -f "$here/iperf-text.awk" -f "$here/text.awk"
	fi
	(cd "$here" && find "./$set" -type f ! -path '*/rejected/*' | sed 's|^\./||' | sort) >"$OUT/files"
	truths=
	for file in accept.tsv truth.tsv "$set/truth.tsv" "$set/truth-ss.tsv" "$set/runs.tsv"; do
		[ ! -f "$here/$file" ] || truths="$truths $file"
	done
	# shellcheck disable=SC2086
	(cd "$here" && awk -v set="$set" -v out="$OUT" -f score-list.awk "$OUT/files" $truths)
done >"$OUT/list" || exit 1
[ -z "$only_list" ] || exit 0 # the documents only, for tests/corpus/weights.sh

# Single files in one go; several together, one process each.
cd "$here" || exit 1
awk -F '\t' '$7 !~ / |=/ { printf "%s%c", $7, 0 }' "$OUT/list" |
	"$BDP" --each -0 --no-host -o json >"$OUT/said"
awk -F '\t' '$7 ~ / |=/ { print $7 }' "$OUT/list" | while IFS= read -r files; do
	printf '{"key":"%s","report":' "$files"
	# shellcheck disable=SC2086
	"$BDP" --no-host -o json $files 2>"$OUT/refused" ||
		printf '{"error":"%s"}' "$(head -n 1 "$OUT/refused" | tr -d '\042\134')"
	echo '}'
done >>"$OUT/said"
jq -r '(.key // .file) as $key | (.report // .) | [$key, .limit.factor // "refused",
	.limit.confidence // "-", .path.rtt.us // 0, .path.rtt.low_us // 0, .path.rtt.high_us // 0,
	(.limit.candidates // [] | join(",")), .path.rate_bps // 0, .error // "-",
	([.limit.evidence[]? | objects | select(.id | startswith("bucket"))] | first // {} | .value // 0, .reference // 0),
	([.settings[]? | select(.change) | "\(.key | split(".") | last)=\(.value)"] | join(","))] | @tsv' \
	"$OUT/said" >"$OUT/verdicts" || exit 1

awk -v list="$list" -v assert=$assert -v table="${table:-$OUT/score.tsv}" -f "$here/score.awk" \
	"$OUT/verdicts" targets.tsv "$OUT/list"
