#!/bin/sh
# Line coverage of src/ by the tests that ran in a build with --coverage: cover.sh BUILD-DIRECTORY
# A line a folder; with -v a line a file, too.
set -eu
verbose=
[ "$1" = -v ] && verbose=1 && shift
cd "$(dirname "$0")/.."
find "$1" -name '*.gcno' ! -path '*/unit/*' ! -path '*/tools/*' | while read -r notes; do
	gcov -n "$notes" 2>/dev/null
done | awk -v verbose="$verbose" '
/^File / { split($0, part, "\047"); file = part[2]; next }
/^Lines executed:/ && file ~ /^src\/.*\.c$/ {
	split($0, part, /[:% ]+/) # "Lines executed:97.50% of 40"
	lines = $NF
	hit = part[3] * lines / 100
	folder = file
	if (!sub(/^src\//, "", folder) || !sub(/\/.*/, "/", folder)) folder = "(src)"
	total[folder] += lines; hits[folder] += hit
	all += lines; all_hits += hit
	if (verbose) printf "%6.1f %%  %5d lines  %s\n", 100 * hit / lines, lines, file
	file = ""
}
/^Lines executed:|^No executable lines/ { file = "" }
END {
	for (folder in total)
		printf "%6.1f %%  of %5d lines  src/%s\n", 100 * hits[folder] / total[folder],
		    total[folder], folder == "(src)" ? "*.c" : folder | "sort -k 6"
	close("sort -k 6")
	if (!all) { print "cover: no coverage data"; exit 1 }
	printf "%6.1f %%  of %5d lines  in all\n", 100 * all_hits / all, all
}'
