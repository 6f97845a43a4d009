#!/bin/sh
# Compares the DIAGNOSTICS of the manuals with the tables that the program names limits and findings
# from: every row has an entry, with the same severity, and no entry is without a row.
# Usage: tests/diagnostics.sh [MANUAL ...]; default: man/bdp.1
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# A row begins at "[FACTOR_...] = {" or "[FINDING_...] = {" and names itself before the next begins.
cat src/diagnosis/*.c | awk '
/^[ \t]*\[(FACTOR|FINDING)_[A-Z0-9_]+\] = \{/ {
	kind = /\[FACTOR_/ ? "limit" : "finding"
	name = ""
}
kind != "" && match($0, /\.(id|name) = "[a-z0-9-]+"/) {
	name = substr($0, RSTART, RLENGTH)
	gsub(/^[^"]*"|"$/, "", name)
	if (kind == "limit")
		print "limit", name
}
kind == "finding" && name != "" && match($0, /SEVERITY_[A-Z]+/) {
	print "finding", name, tolower(substr($0, RSTART + 9, RLENGTH - 9))
	kind = ""
}
/^};/ { kind = "" }' | sort >"$work/rows"

for kind in limit finding; do
	[ "$(grep -c "^$kind " "$work/rows")" -ge 5 ] || {
		echo "diagnostics.sh: no table of ${kind}s found in src/diagnosis"
		exit 1
	}
done
duplicates=$(uniq -d "$work/rows")
[ -z "$duplicates" ] || {
	echo "src/diagnosis: twice: $duplicates"
	failed=1
}

# The first list of "Limits" and "Findings", which are the first and second .Ss of DIAGNOSTICS
# whatever the language; severities stay in English, as they are printed.
[ $# -gt 0 ] || set -- man/bdp.1
for manual in "$@"; do
	awk '
	/^\.Sh / { in_diagnostics = 0; subsection = 0 }
	/^\.\\" diagnostics: begin/ { in_diagnostics = 1 }
	in_diagnostics && /^\.Ss / { subsection++ }
	in_diagnostics && /^\.It Sy / && subsection == 1 { print "limit", $3 }
	in_diagnostics && /^\.It Sy / && subsection == 2 { print "finding", $3, $5 }
	' "$manual" | sort >"$work/entries"
	comm -23 "$work/rows" "$work/entries" | sed "s|^|$manual: lacks: |" >"$work/diff"
	comm -13 "$work/rows" "$work/entries" | sed "s|^|$manual: not in src/diagnosis: |" >>"$work/diff"
	if [ -s "$work/diff" ]; then
		cat "$work/diff"
		failed=1
	fi
done
[ $failed = 0 ] && echo "diagnostics.sh: $(grep -c '^limit' "$work/rows") limits and" \
	"$(grep -c '^finding' "$work/rows") findings are explained in $*"
exit $failed
