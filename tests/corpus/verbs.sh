#!/bin/sh
# advise, --each -o table, compare and sweep say one rate, one loss ratio and one limit of one run, for every
# recorded document that holds one run.  compare and sweep get it beside itself as another test would have given it.
# sockets and advise say one loss ratio of one connection.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
: "${OUT:=$here/../../build/score}"
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd)
BDP=$(cd "$(dirname "$BDP")" && pwd)/$(basename "$BDP")
export BDP OUT
"$here/score.sh" -l || exit 1
cd "$here" || exit 1
awk -F '\t' '$2 ~ /^(json|txt|server)$/ && $7 !~ / |=/ { print $7 }' "$OUT/list" >"$OUT/files"
tr '\n' '\0' <"$OUT/files" | "$BDP" --each -0 --no-host -o json | jq -r 'select(.runs | length == 1) |
	[.file, "json", .path.rate_bps, .path.loss_ratio // "-", .limit.factor, .limit.confidence,
	.limit.candidates[0] // "-"] | @tsv' >"$OUT/verbs"
tr '\n' '\0' <"$OUT/files" | COLUMNS=250 "$BDP" --each -0 --no-host -o table |
	sed -E '1d; s/  +/\t/g; s/ +(high|medium|low)\t/\t\1\t/; s/^(([^\t]*)\t)/\1table\t/' >>"$OUT/verbs"
cut -f 1 "$OUT/verbs" | sort | uniq -d >"$OUT/files"
while IFS= read -r file; do
	awk -f other-test.awk "$file" >"$OUT/other"
	printf '"%s"' "$file"
	"$BDP" compare -o json "this=$file" "other=$OUT/other"
	"$BDP" sweep -o json "1M=$file" "2M=$OUT/other"
done <"$OUT/files" 2>/dev/null | jq -nr 'foreach inputs as $i ({}; if $i | type == "string" then {file: $i} else .said = $i end;
	select(.said) | .file as $file | .said | (.compare.labels // .sweep.ceilings)[0] | select(.runs == 1) |
	[$file, (if .label then "compare" else "sweep" end), .rate_bps.median, .loss_ratio.median // "-", .limit,
	.limit_confidence] | @tsv)' >>"$OUT/verbs"
awk -F '\t' '
function differs(a, b) { return a != b && (a == "-" || b == "-" || (a - b) ^ 2 > (b > 1 ? 0.51 : 1e-8 * b) ^ 2) }
$2 == "json" { rate[$1] = $3; loss[$1] = $4; limit[$1] = $5; sure[$1] = $6; first[$1] = $7; next }
!($1 in rate) { next }
{ tried++ }
$2 == "table" {
	split($3, figure, " ")
	unit = figure[2] ~ /^G/ ? 1e9 : figure[2] ~ /^M/ ? 1e6 : figure[2] ~ /^k/ ? 1e3 : 1
	shown = limit[$1] == "unknown" && first[$1] != "-" ? first[$1] "?" : limit[$1] (sure[$1] == "low" ? "?" : "")
	if (rate[$1] > 0 && (figure[1] * unit / rate[$1] - 1) ^ 2 > 0.0051 ^ 2 || $4 != shown || $5 != sure[$1])
		if (++wrong <= 20) printf "%s: %s, %s (%s) in the table, %s, %s (%s) in JSON\n", $1, $3, $4, $5, rate[$1], shown, sure[$1]
	next
}
{ seen[$2]++ }
# whole bits in one document, digits in the other
differs($3, rate[$1]) || differs($4, loss[$1]) || $5 != limit[$1] || $6 != sure[$1] {
	if (++wrong <= 20) printf "%s: %s says %s, loss %s, %s (%s); advise %s, %s, %s (%s)\n", $1, $2, $3, $4, $5, $6,
		rate[$1], loss[$1], limit[$1], sure[$1]
}
END {
	printf "verbs.sh: %d runs in compare, %d in sweep, %d lines of a table: %d differ\n", seen["compare"],
		seen["sweep"], tried - seen["compare"] - seen["sweep"], wrong
	exit wrong > 0 || tried < 3 * seen["compare"] || seen["compare"] < 1000 || seen["sweep"] < 1000
}' "$OUT/verbs" || exit 1

awk -F '\t' '$2 == "ss-sender" && $7 !~ / |=/ { print $7 }' "$OUT/list" | while IFS= read -r file; do
	"$BDP" --no-host -o json "$file" && "$BDP" sockets -o json "$file"
done 2>/dev/null | jq -nr 'foreach inputs as $i ({}; if $i.path then {path: $i.path} else .sockets = $i.largest end;
	select(.sockets and .path.streams == 1 and .path.loss_ratio != null) |
	.path.loss_ratio as $advised | [.sockets[].retransmit_ratio | values] |
	if any(. == $advised) then "one" else "other" end)' |
	awk '{ count[$1]++ } END {
		printf "verbs.sh: %d connections of ss in sockets, %d differ\n", count["one"] + count["other"], count["other"]
		exit count["other"] > 0 || count["one"] < 200
	}'
