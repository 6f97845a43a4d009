# For tests/corpus/weights.sh: what a line of the list may teach.  A run of the public set whose cwnd loss
# governs may be many things; where losses came several times, with intervals without one between, it was no
# single loss that it recovered from.
BEGIN { FS = OFS = "\t" }
FILENAME ~ /runs.tsv$/ {
	rows = split($11, row, ";")
	lossy = 0
	for (i = 1; i <= rows; i++) {
		split(row[i], cell, ",")
		events[$1] += cell[3] > 0 && !lossy
		lossy = cell[3] > 0
	}
	next
}
# One reading of a socket cannot show a recovery.
$2 == "ss-sender" || $2 == "ss+dumps" {
	gsub(/,loss-recovery|^loss-recovery,/, "", $5)
	if ($5 == "loss-recovery")
		next
}
$1 == "wan" && events[$3] > 1 { sub(/,loss-recovery/, "", $5) }
{ print }
