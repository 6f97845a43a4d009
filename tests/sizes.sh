#!/bin/sh
# The sizes in the manual's table beside those of guides: the BDP is rate x RTT, the maximum is twice that
# (half of a buffer is window), rounded up to three significant bits, for each of as many streams as it
# takes; and bdp says so.
# Usage: BDP=./bdp tests/sizes.sh
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BDP:=./bdp}"
rows=$(awk '/^\.Ss Sizes beside/ { on = 1 } on && /^\.It [0-9]/ { sub(/^\.It /, ""); gsub(/ Ta /, "|"); print } /^\.Ss Setting/ { exit }' man/bdp.1)
failed=0
n=0
while IFS='|' read -r path bdp size _; do
	n=$((n + 1))
	rate=$(echo "${path%%,*}" | sed 's/ \([kMG]\)bit\/s/\1/')
	rtt=$(echo "${path#*, }" | tr -d ' ')
	json=$("$BDP" --no-host -b "$rate" -r "$rtt" -o json) || exit 1
	wanted=$(awk -v rate="$rate" -v rtt="$rtt" '
	function text(bytes,   u, i) {
		split("B KiB MiB GiB", u)
		for (i = 1; bytes >= 1024 && i < 4; i++) bytes /= 1024
		return (bytes < 10 ? sprintf("%.2f", bytes) : bytes < 100 ? sprintf("%.1f", bytes) : sprintf("%.0f", bytes)) " " u[i]
	}
	BEGIN {
		unit["k"] = 1e3; unit["M"] = 1e6; unit["G"] = 1e9
		bytes = rate * unit[substr(rate, length(rate))] * rtt / 1000 / 8
		streams = int((bytes + 2 ^ 30 - 1) / 2 ^ 30)
		step = 1
		while (step * 8 <= 2 * bytes / streams) step *= 2
		if (step * 4 > 2 * bytes / streams) step /= 2
		buffer = int((2 * bytes / streams + step - 1) / step) * step
		print text(bytes) "|" (streams > 1 ? streams " x " : "") text(buffer)
	}')
	if [ "$bdp" != "${wanted%%|*}" ]; then
		echo "sizes.sh: $path: BDP $bdp, and ${wanted%%|*} by arithmetic"
		failed=1
	fi
	said=$(printf '%s' "$json" | jq -r '.answer')
	case $said in
	*"BDP $bdp:"*) ;;
	*) echo "sizes.sh: $path: $bdp is not said: $said" && failed=1 ;;
	esac
	if [ "$size" = default ]; then
		case $said in *"every Linux default covers it"*) continue ;; esac
		echo "sizes.sh: $path: $said"
		failed=1
		continue
	fi
	norm=$(echo "$size" | sed 's/\.00 / /')
	if [ "$norm" != "$(echo "${wanted#*|}" | sed 's/\.0*\( \)/\1/')" ]; then
		echo "sizes.sh: $path: $size, and ${wanted#*|} by arithmetic"
		failed=1
	fi
	case $said in
	*" ceiling of ${norm#* x } on "*) ;;
	*) echo "sizes.sh: $path: $size is not said: $said" && failed=1 ;;
	esac
done <<ROWS
$rows
ROWS
[ $n -ge 7 ] || { echo "sizes.sh: $n rows in man/bdp.1" && failed=1; }
[ $failed = 0 ] && echo "sizes.sh: $n sizes beside those of guides"
exit $failed
