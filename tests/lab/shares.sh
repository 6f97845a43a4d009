#!/bin/sh
# How much of a send buffer is in flight in a flow that it holds: rate x RTT over tcp_wmem's maximum, for every
# size that bdp advises.  send_share_at() in src/model/window.c is made from what this prints.
#
#   shares.sh [-k KEEP-DIRECTORY] [-r "RTT..."] [-s "KIB..."]

. "$(dirname "$0")/lab.sh"

# More than this is for other machines to carry.
SHARES_RATE_MAX=2500000000

shares_size() {
	shares_bytes=$(($2 * 1024))
	# all of it in flight
	[ $((shares_bytes * 8000 / $1)) -le $SHARES_RATE_MAX ] || return 0
	lab_ceiling c tcp_wmem $shares_bytes
	lab_iperf "$SHARES_KEEP/$1ms-$2" c s -O $(($1 / 50 + 1)) -t 3
	jq -r --arg rtt "$1" --arg kib "$2" '
	(.end.streams[0].sender.min_rtt // ($rtt | tonumber * 1000)) as $us
	| (.end.sum_received.bits_per_second / 8e6 * $us) as $flight
	| [ $rtt, $kib, (.end.sum_received.bits_per_second / 1e6 | round),
	    ($flight / ($kib | tonumber * 1024) * 1000 | round / 1000) ] | @tsv' "$SHARES_KEEP/$1ms-$2.json"
}

SHARES_KEEP='' shares_rtts="10 20 52 100" shares_kib="512 768 1024 1280 1536 1792 2048 2560 3072 3584 4096 5120 6144 7168 8192 10240 12288 16384 20480"
while getopts k:r:s: shares_opt; do
	case $shares_opt in
	k) SHARES_KEEP=$OPTARG ;;
	r) shares_rtts=$OPTARG ;;
	s) shares_kib=$OPTARG ;;
	*) lab_say "usage: shares.sh [-k DIRECTORY] [-r RTTS] [-s KIB]"; exit 2 ;;
	esac
done
lab_begin
SHARES_KEEP=${SHARES_KEEP:-$LAB_TMP/shares}
mkdir -p "$SHARES_KEEP" || exit 1
printf 'RTT\tKiB\tMbit/s\tshare\n'
for shares_rtt in $shares_rtts; do
	lab_namespace c s
	lab_link c s -p delay="$(lab_half "$shares_rtt")ms"
	lab_server s
	lab_ceiling s tcp_rmem 134217728
	for shares_at in $shares_kib; do
		shares_size "$shares_rtt" "$shares_at"
	done
	lab_reset
done
