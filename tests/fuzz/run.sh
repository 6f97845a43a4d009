#!/bin/sh
# Runs each fuzz target for SECONDS: run.sh SECONDS TARGET...  Finds are kept in build/fuzz/finds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../sealed.sh"
seal "$0" "$@"
seconds=$1
shift
finds=build/fuzz/finds
mkdir -p "$finds"
failed=0
for target in "$@"; do
	name=$(basename "$target")
	reader=${name#fuzz_}
	mkdir -p "build/fuzz/corpus/$reader"
	set -- "build/fuzz/corpus/$reader"
	[ -d "$here/corpus/$reader" ] && set -- "$@" "$here/corpus/$reader"
	# what takes every kind of input takes every dictionary
	dict=$here/$reader.dict
	if [ ! -f "$dict" ]; then
		dict=build/fuzz/all.dict
		cat "$here"/*.dict >"$dict"
	fi
	log=build/fuzz/$reader.log
	if ! "$target" -dict="$dict" -max_total_time="$seconds" -timeout=5 -report_slow_units=1 -rss_limit_mb=512 -max_len=65536 \
		-artifact_prefix="$finds/$reader-" "$@" >"$log" 2>&1; then
		echo "fuzz: $reader FAILED"
		tail -n 30 "$log"
		failed=1
	else
		echo "fuzz: $reader ok, $(grep -E '^#[0-9]+.*DONE' "$log" | sed 's/DONE//')"
	fi
done
exit $failed
