#!/bin/sh
# What must hold for every recorded run, whatever its truth:
#
#   blanked   without any one field, a verdict above low is not replaced by another one above low
#   added     more true evidence of the same flow (ping, ss, settings) never makes an answer worse
#   forms     the same run as text and as JSON never contradict each other above low
#   words     no sentence and no ratio reasons from a value that is not known
#
#     invariants.sh [-l]      -l  list every breach, not only the first five of a kind
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
: "${OUT:=$here/../../build/score}"
most=5
while getopts l option; do
	case $option in
	l) most=100000 ;;
	*) echo "usage: invariants.sh [-l]" >&2; exit 2 ;;
	esac
done
mkdir -p "$OUT/blanked" && OUT=$(cd "$OUT" && pwd)
BDP=$(cd "$(dirname "$BDP")" && pwd)/$(basename "$BDP")
export BDP OUT
"$here/score.sh" -o "$OUT/score.tsv" >"$OUT/score.txt" || exit 1
cd "$here" || exit 1
: >"$OUT/breaches"

# ---- blanked: file, what it said whole, without which field, what it says then ------------------
for field in cwnd retransmits rtt window mss cpu version algorithm system; do
	rm -rf "$OUT/blanked/$field"
	mkdir "$OUT/blanked/$field"
done
awk -F '\t' '$2 == "json" && $17 !~ / / { print $17 }' "$OUT/score.tsv" >"$OUT/whole"
awk -v out="$OUT/blanked" -f blank.awk "$OUT/whole" >"$OUT/blanked/index"
cut -f 1 "$OUT/blanked/index" | tr '\n' '\0' | "$BDP" --each -0 --no-host -o json |
	jq -r '[.file, .limit.factor // "refused", .limit.confidence // "-"] | @tsv' >"$OUT/blanked/said"
awk -F '\t' '
FILENAME ~ /score.tsv$/ { factor[$17] = $6; sure[$17] = $7; next }
FILENAME ~ /index$/ { whole[$1] = $2; field[$1] = $3; next }
{
	tried++
	was = whole[$1]
	if (sure[was] ~ /high|medium/ && factor[was] != "unknown" && $3 ~ /high|medium/ && $2 != "unknown" && $2 != factor[was])
		printf "blanked\t%s without %s: %s (%s), was %s (%s)\n", was, field[$1], $2, $3, factor[was], sure[was]
}
END { print "tried\tblanked\t" tried > "/dev/stderr" }' \
	"$OUT/score.tsv" "$OUT/blanked/index" "$OUT/blanked/said" >>"$OUT/breaches" 2>"$OUT/tried"

# ---- added and forms: over the table that score.sh wrote ---------------------------------------
awk -F '\t' '
function rank(state) { return state == "right" ? 2 : state ~ /listed|open/ ? 1 : state == "wrong" ? 0 : -1 }
function worse(base, more,  text) {
	if (!(base in state) || !(more in state))
		return
	added++
	if (rank(state[base]) > rank(state[more]) && rank(state[more]) >= 0 && sure[more] ~ /high|medium/)
		text = sprintf("said %s (%s), then %s (%s)", factor[base], sure[base], factor[more], sure[more])
	else if (rtt[base] == "holds" && rtt[more] == "misses")
		text = "the RTT interval no longer holds the truth"
	else
		return
	sub(SUBSEP, " ", base)
	sub(/.* /, "", base)
	printf "added\t%s: from %s, %s\n", more_name, base, text
}
NR > 1 && $1 !~ /^cases/ {
	key = $1 "/" $3
	id = key SUBSEP $2
	state[id] = $8; factor[id] = $6; sure[id] = $7; rtt[id] = $14; names[key] = 1; same[key] = $1 ~ /^(wan|drawn)$/
}
END {
	for (name in names) {
		split("json+ping json+ss json+dumps all", more, " ")
		for (i = 1; i <= 4; i++) {
			more_name = name " " more[i]
			worse(name SUBSEP "json", name SUBSEP more[i])
			worse(name SUBSEP "ss-sender", name SUBSEP (i == 4 ? "all" : "none"))
		}
		more_name = name " txt+ping"; worse(name SUBSEP "txt", name SUBSEP "txt+ping")
		more_name = name " txt+dumps"; worse(name SUBSEP "txt", name SUBSEP "txt+dumps")
		more_name = name " ss+dumps"; worse(name SUBSEP "ss-sender", name SUBSEP "ss+dumps")
		j = name SUBSEP "json"; t = name SUBSEP "txt"
		if (!same[name] || !(j in state) || !(t in state))
			continue
		forms++
		if (sure[j] ~ /high|medium/ && sure[t] ~ /high|medium/ && factor[j] != factor[t] &&
		    factor[j] != "unknown" && factor[t] != "unknown")
			printf "forms\t%s: JSON says %s (%s), text %s (%s)\n", name, factor[j], sure[j], factor[t], sure[t]
	}
	print "tried\tadded\t" added "\ntried\tforms\t" forms > "/dev/stderr"
}' "$OUT/score.tsv" >>"$OUT/breaches" 2>>"$OUT/tried"

# ---- words: of the reports on single files -----------------------------------------------------
awk -F '\t' 'NR > 1 && $17 !~ / |=/ { print $17 }' "$OUT/score.tsv" >"$OUT/single"
while IFS= read -r file; do
	echo "@@ $file"
	"$BDP" --no-host "$file" 2>/dev/null
done <"$OUT/single" >"$OUT/reports"
jq -r 'select(.error == null) | (.report // .) as $r | [.key // .file, $r.path.retransmits // 0,
	$r.rfc6349.transfer_time_ratio // 1, $r.path.direction // "-"] | @tsv' "$OUT/said" >"$OUT/numbers"
awk -F '\t' '
FILENAME ~ /numbers$/ { resent[$1] = $2; ratio[$1] = $3; next }
/^@@ / {
	file = substr($0, 4)
	reports++
	# a name that says that the client receives
	receives = file ~ /-R|reverse|server\.txt|bidir/
	if (file in ratio && ratio[file] < 0.995)
		printf "words\t%s: a transfer-time ratio of %s\n", file, ratio[file]
	next
}
function breach() { sub(/^ +/, ""); printf "words\t%s: %s\n", file, $0 }
/(cwnd|flight|rests).*[^0-9.]0 B([^a-z]|$)|(^|[^a-z])(nan|inf)([^a-z]|$)/ { breach(); next }
# of a stretch it may be said beside retransmits elsewhere
/without a retransmit/ && !/over [0-9]+ intervals/ && resent[file] > 0 { breach(); next }
/receiver.s (output|log)/ && !receives && file ~ /\/(wan|drawn)\// { breach(); next }
END { print "tried\twords\t" reports > "/dev/stderr" }' "$OUT/numbers" "$OUT/reports" >>"$OUT/breaches" 2>>"$OUT/tried"

awk -F '\t' -v most=$most '
FILENAME ~ /tried$/ { tried[$2] = $3; order[++kinds] = $2; next }
{ if (++count[$1] <= most) print }
END {
	for (i = 1; i <= kinds; i++) {
		printf "%s: %d of %d broken\n", order[i], count[order[i]], tried[order[i]]
		if (count[order[i]] || !tried[order[i]]) bad = 1
	}
	exit bad
}' "$OUT/tried" "$OUT/breaches"
