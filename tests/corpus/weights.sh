#!/bin/sh
# Fits the weights of the features to the labelled runs and compares them with src/diagnosis/weights.c.
# The runs of half of the situations are for the fit; tests/corpus/score.sh prints what the table does on
# the others.  WEIGHTS_FILE names another file than that.  Usage: weights.sh [--update]
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${TOOLS:=$here/../../build/release/tools}"
: "${OUT:=$here/../../build/score}"
export OUT
table=${WEIGHTS_FILE:-$here/../../src/diagnosis/weights.c}
"$here/score.sh" -l || exit 1
cd "$here" || exit 1
"$TOOLS/features" <"$OUT/list" 2>/dev/null | awk -f fit-labels.awk wan/runs.tsv - >"$OUT/features" || exit 1
"$TOOLS/fit" experts.txt <"$OUT/features" >"$OUT/weights.c" || exit 1
if [ "${1:-}" = --update ]; then
	cp "$OUT/weights.c" "$table"
elif ! diff -U 0 "$table" "$OUT/weights.c" >"$OUT/weights.diff"; then
	echo "the weights differ from what the labelled runs say; if they should, run: make weights WEIGHTS=--update"
	sed -n '/^[-+][^-+]/p' "$OUT/weights.diff" | head -n 20
	exit 1
fi
echo "weights: as $(grep -c . "$OUT/features") labelled documents have them"
