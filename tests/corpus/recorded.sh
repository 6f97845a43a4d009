#!/bin/sh
# Every recorded document's verdict, confidence, RTT with its interval (in microseconds) and rate, held
# against the table of them, so that no change to the diagnosis moves one unseen.
#
#     recorded.sh [--update]      --update writes the table anew; look at its diff before it is kept
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${OUT:=$here/../../build/score}"
table=$here/recorded.tsv
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd)
export OUT
"$here/score.sh" -o "$OUT/score.tsv" >"$OUT/score.txt" || exit 1
{
	printf '# set\tform\tname\tfactor\tconfidence\trtt_us\trtt_low_us\trtt_high_us\trate_bps\n'
	awk -F '\t' -v OFS='\t' 'NR > 1 {
		print $1, $2, $3, $6, $7, sprintf("%.0f", $11), sprintf("%.0f", $12), sprintf("%.0f", $13),
			sprintf("%.4g", $16)
	}' "$OUT/score.tsv" | LC_ALL=C sort
} >"$OUT/recorded.tsv"
case ${1:-} in
--update) cp "$OUT/recorded.tsv" "$table" && echo "recorded.sh: $(wc -l <"$table") rows" ;;
'')
	if cmp -s "$table" "$OUT/recorded.tsv"; then
		echo "recorded.sh: $(($(wc -l <"$table") - 1)) verdicts as recorded"
	else
		diff "$table" "$OUT/recorded.tsv" | grep '^[<>]' | head -n 40
		echo "recorded.sh: differs (< recorded, > now); --update if that is meant"
		exit 1
	fi
	;;
*) echo "usage: recorded.sh [--update]" >&2; exit 2 ;;
esac
