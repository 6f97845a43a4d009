#!/bin/sh
# A file may include headers of its own folder and of folders above it in this order; report and
# apply know nothing of each other; main.c may include all.
set -eu
cd "$(dirname "$0")/../src"
order="base evidence model diagnosis advice apply report options verbs"
bad=0

rank() {
	n=0
	for folder in $order; do
		n=$((n + 1))
		[ "$folder" = "$1" ] && break
	done
	echo "$n"
}

for file in */*.c */*.h; do
	folder=${file%%/*}
	own=$(rank "$folder")
	# shellcheck disable=SC2013 # header names hold no blanks
	for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
		target=${header%%/*}
		if [ "$target" = "$header" ]; then
			echo "$file includes $header, which has no folder"
			bad=1
		elif [ "$(rank "$target")" -gt "$own" ] || { [ "$folder" = report ] && [ "$target" = apply ]; }; then
			echo "$file includes $header: $target/ is below $folder/"
			bad=1
		fi
	done
	case $file in
	*.c)
		first=$(sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$file" | head -n 1)
		own_header=${file%.c}.h
		if [ -f "$own_header" ] && [ "$first" != "$own_header" ]; then
			echo "$file does not include its own header first"
			bad=1
		fi
		;;
	esac
done
[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
