#!/bin/sh
# Shows bdp at work on a recorded run: demo.sh BDP
set -eu
here=$(dirname "$0")
bdp=$1
run="$here/corpus/iperf3/rwnd-clamp.3.12.json"

color=never
[ -t 1 ] && color=auto
echo "\$ iperf3 -c 10.77.0.2 -J | bdp -t 3.34G --role receiver --sysroot lb -c 10000"
echo
"$bdp" -t 3.34G --role receiver --sysroot "$here/hosts/lb-5.15" -c 10000 --color $color "$run"
