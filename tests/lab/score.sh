#!/bin/sh
# How often bdp names what truly limits: over a directory that draw.sh filled.
#
#   score.sh [-b BDP] [-m PERCENT of JSON runs that must be right] DIRECTORY
#
# Right: the factor named is one that the truth allows.  "unknown" is weak, not wrong: its candidates
# are looked through too and counted beside.  At most one run in twenty may be plainly wrong.

SCORE_HERE=$(cd "$(dirname "$0")" && pwd)
BDP=${BDP:-$SCORE_HERE/../../bdp}
score_least=85
while getopts b:m: score_opt; do
	case $score_opt in
	b) BDP=$OPTARG ;;
	m) score_least=$OPTARG ;;
	*) echo "usage: score.sh [-b BDP] [-m PERCENT] DIRECTORY" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
score_dir=${1:?a directory of draw.sh}
[ -s "$score_dir/truth.tsv" ] || { echo "score: no truth.tsv in $score_dir" >&2; exit 1; }

# score_form json|txt: one line a run, then the sums; the last line is right, weak, wrong, all.
score_form() {
	while IFS='	' read -r name rtt factors where note; do
		case $name in '#'*) continue ;; esac
		"$BDP" --no-host -o json "$score_dir/$name.$1" 2>/dev/null |
			jq -r --arg name "$name" --arg truth "$factors" --arg where "$where" \
				--arg rtt "$rtt" --arg note "$note" '
			($truth | split(",")) as $truth | .limit as $limit
			| [ (if $limit.factor == null then "wrong"
			     elif $limit.factor | IN($truth[]) then "right"
			     elif $limit.factor != "unknown" then "wrong"
			     elif [$limit.candidates[]? | IN($truth[])] | any then "listed"
			     else "weak" end),
			    $name, $limit.factor, ($truth | join(",")), $where,
			    ($rtt + " ms"), (.path.rtt.us // 0) / 1000, $note ] | @tsv' ||
			printf 'wrong\t%s\tno report\n' "$name"
	done <"$score_dir/truth.tsv"
}

for score_kind in json txt; do
	score_form $score_kind | awk -F '\t' -v kind=$score_kind -v least="$score_least" '
	$1 != "right" { print kind ": " $0 }
	{ count[$1]++; all++ }
	END {
		printf "%s: %d runs, %d right, %d unknown with the right one listed, %d unknown, %d wrong\n",
		    kind, all, count["right"], count["listed"], count["weak"], count["wrong"]
		if (count["wrong"] * 20 > all || (kind == "json" && count["right"] * 100 < least * all))
			exit 1
	}' || score_failed=1
done
exit "${score_failed:-0}"
