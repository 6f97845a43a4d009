#!/bin/sh
# The closed loop: measure a path that a buffer holds, ask bdp, apply what it says where it says,
# measure again, take it back.
#
#   loop.sh [--short] [-b BDP] [-k KEEP-DIRECTORY] [-r "RTT..."] [-c "ALGORITHM..."] [-h "HELD..."]
#
# HELD: receiver, sender, proxy (both its buffers, between two connections over the same RTT).
# Passes when at least 95 % of the cells that this machine can carry reach 95 % of their target (85 %
# with --short, which runs beside whatever else a build machine does) without a setting left behind.
# A cell that fails is run once more.

. "$(dirname "$0")/lab.sh"

LOOP_MIB=1048576

# A target that two cores carry, and a ceiling that holds the path to about a quarter of it.
loop_scale() {
	case $1 in
	10) loop_target=1000000000 loop_ceiling=$((LOOP_MIB / 2)) ;;
	52) loop_target=1000000000 loop_ceiling=$((2 * LOOP_MIB)) ;;
	100) loop_target=800000000 loop_ceiling=$((4 * LOOP_MIB)) ;;
	*) loop_target=500000000 loop_ceiling=$((4 * LOOP_MIB)) ;;
	esac
	# Slow start, and the receiver's autotuning, take about 20 round trips.
	loop_omit=$(($1 / 50 + 1))
	loop_time=3
}

# Every host has ceilings out of the way, but for the one that holds the path.
loop_hosts() {
	lab_namespace c s
	[ "$1" = proxy ] && lab_namespace p
	for loop_host in $LAB_NAMESPACES; do
		lab_ceiling "$loop_host" tcp_rmem $((64 * LOOP_MIB))
		lab_ceiling "$loop_host" tcp_wmem $((64 * LOOP_MIB))
	done
	case $1 in
	receiver) lab_ceiling s tcp_rmem $loop_ceiling ;;
	sender) lab_ceiling c tcp_wmem $loop_ceiling ;;
	proxy)
		lab_ceiling p tcp_rmem $loop_ceiling
		lab_ceiling p tcp_wmem $loop_ceiling
		;;
	esac
}

# The proxy sends with the algorithm of the cell too (13 is TCP_CONGESTION, 6 the protocol).
loop_paths() {
	if [ "$1" != proxy ]; then
		lab_link c s -p delay="$loop_delay"
		lab_server s
		return
	fi
	lab_link c p -p delay="$loop_delay"
	lab_link p s -p delay="$loop_delay"
	lab_server s
	lab_exec p socat -b 262144 TCP-LISTEN:5201,fork,reuseaddr \
		"TCP:10.77.1.2:5201,setsockopt-string=6:13:$3" 2>"$LAB_TMP/socat.txt" &
	lab_keep $!
	lab_wait_for 5 lab_listens p 5201 || lab_die "no relay"
}

loop_iperf() { lab_iperf "$1" c s -C "$loop_cc" -O $loop_omit -t $loop_time; }

loop_settings() { lab_in "$1" sysctl -a 2>/dev/null | grep '^net\.' | sort; }

# The hosts of a kind of cell, as host:role.
loop_roles() {
	case $1 in
	proxy) echo p:proxy ;;
	*) echo s:receiver c:sender ;;
	esac
}

loop_advise() {
	set -- "$1" "$2" -t $loop_target --no-host "$2-before.json"
	case $1 in
	proxy)
		lab_dump p "$2-p.sysctl"
		set -- "$@" --role proxy --sysctl "$2-p.sysctl"
		;;
	*)
		lab_dump s "$2-s.sysctl"
		lab_dump c "$2-c.sysctl"
		set -- "$@" "receiver=$2-s.sysctl" "sender=$2-c.sysctl"
		;;
	esac
	loop_plan=$2-plan.json
	shift 2
	"$BDP" "$@" -o json >"$loop_plan" || lab_die "bdp $*"
	"$BDP" "$@" >"${loop_plan%.json}.txt"
}

# loop_each HELD bdp-words...: on each host that the plan may be for.
loop_each() {
	loop_held=$1
	shift
	for loop_pair in $(loop_roles "$loop_held"); do
		loop_host=${loop_pair%:*} loop_role=${loop_pair#*:}
		loop_bdp_on "$loop_host" "$loop_role" "$@" || return 1
	done
}

# A host without a setting of its own in the plan is left alone.
loop_bdp_on() {
	loop_count=$(jq --arg role "$2" '[.settings[] | select(.host == $role and .change)] | length' \
		"$loop_plan")
	[ "$loop_count" -gt 0 ] || return 0
	case $3 in
	apply) lab_host "$1" "$BDP" apply --role "$2" "$loop_plan" ;;
	rollback) lab_host "$1" "$BDP" rollback ;;
	esac >>"$loop_log" 2>&1
}

# One cell: leaves its figures in loop_before, loop_after, ... and why it failed in loop_fault.
loop_try() {
	loop_fault=
	loop_stem=$LOOP_KEEP/$1-$2ms-$3
	loop_log=$loop_stem-apply.txt
	loop_cc=$3
	: >"$loop_log"
	loop_delay=$(lab_half "$2")ms
	loop_scale "$2"
	loop_hosts "$1"
	loop_paths "$@"
	for loop_host in $LAB_NAMESPACES; do
		loop_settings "$loop_host" >"$LAB_TMP/settings.$loop_host"
	done
	loop_iperf "$loop_stem-before"
	loop_advise "$1" "$loop_stem"
	loop_each "$1" apply || loop_fault="apply failed"
	loop_iperf "$loop_stem-after"
	loop_each "$1" rollback || loop_fault="rollback failed"
	for loop_host in $LAB_NAMESPACES; do
		loop_settings "$loop_host" | cmp -s - "$LAB_TMP/settings.$loop_host" ||
			loop_fault="settings of $loop_host differ after rollback"
	done
	loop_before=$(lab_rate "$loop_stem-before")
	loop_after=$(lab_rate "$loop_stem-after")
	[ "$loop_before" -lt $((loop_target / 2)) ] || loop_fault="the path was not held"
	[ $((loop_after * 100)) -ge $((loop_target * loop_least)) ] || loop_fault=${loop_fault:-short}
}

# Whether the path carries the target with every ceiling out of the way.
loop_carries() {
	for loop_host in $LAB_NAMESPACES; do
		lab_ceiling "$loop_host" tcp_rmem $((64 * LOOP_MIB))
		lab_ceiling "$loop_host" tcp_wmem $((64 * LOOP_MIB))
	done
	loop_iperf "$loop_stem-open"
	[ "$(lab_rate "$loop_stem-open")" -ge $loop_target ]
}

loop_cell() {
	loop_try "$@"
	loop_tries=1
	if [ -n "$loop_fault" ]; then
		lab_reset
		loop_try "$@"
		loop_tries=2
	fi
	loop_verdict=ok
	if [ "$loop_fault" = short ] && ! loop_carries; then
		loop_verdict=beyond-this-machine
	elif [ -n "$loop_fault" ]; then
		loop_verdict="FAIL: $loop_fault"
		loop_failed=$((loop_failed + 1))
	fi
	[ "$loop_verdict" = beyond-this-machine ] || loop_cells=$((loop_cells + 1))
	loop_print "$@"
	lab_reset
}

loop_print() {
	jq -r --arg held "$1" --arg rtt "$2" --arg cc "$3" --arg verdict "$loop_verdict" \
		--arg tries "$loop_tries" --slurpfile before "$loop_stem-before.json" \
		--slurpfile after "$loop_stem-after.json" '
	def mbit: if . == null then "-" else . / 1e6 | round | tostring end;
	def percent: if . == null then "-" else . * 1000 | round / 10 | tostring + "%" end;
	def rate: .[0].end.sum_received.bits_per_second;
	(.path.target_bps) as $target | (.plan.predicted_bps) as $predicted
	| [ $held, $rtt, $cc, .limit.factor, ($before | rate | mbit), ($target | mbit),
	    ($after | rate | mbit), (($after | rate) / $target * 100 | round / 100),
	    $after[0].end.sum_sent.retransmits, ($predicted | mbit),
	    (if $predicted then ($after | rate) / $predicted - 1 else null end | percent),
	    ([.settings[] | select(.change) | "\(.key | sub("net.ipv4."; "")) \(.value | split(" ")[-1])"]
	        | join("; ")),
	    $verdict + (if $tries == "2" then " (second try)" else "" end) ]
	| @tsv' "$loop_plan"
}

BDP=${BDP:-$LAB_HERE/../../bdp}
LOOP_KEEP=
loop_rtts="10 52 100 200" loop_algorithms="cubic bbr" loop_held_by="receiver sender proxy"
loop_least=95
if [ "${1:-}" = --short ]; then
	loop_least=85
	loop_rtts=52 loop_algorithms=cubic loop_held_by="receiver sender"
	shift
fi
while getopts b:k:r:c:h: loop_opt; do
	case $loop_opt in
	b) BDP=$OPTARG ;;
	k) LOOP_KEEP=$OPTARG ;;
	r) loop_rtts=$OPTARG ;;
	c) loop_algorithms=$OPTARG ;;
	h) loop_held_by=$OPTARG ;;
	*) lab_say "usage: loop.sh [--short] [-b BDP] [-k DIRECTORY] [-r RTTS] [-c ALGORITHMS] [-h HELD]"; exit 2 ;;
	esac
done
[ -x "$BDP" ] || lab_die "no $BDP: run make first"
case " $loop_held_by " in *" proxy "*) lab_begin socat unshare ;; *) lab_begin unshare ;; esac
LOOP_KEEP=${LOOP_KEEP:-$LAB_TMP/loop}
mkdir -p "$LOOP_KEEP" || exit 1
loop_failed=0 loop_cells=0
printf 'held\tRTT\tcc\tfound\tbefore\ttarget\tafter\tratio\tretr\tpredict\terror\tset\tverdict\n'
for loop_rtt in $loop_rtts; do
	for loop_side in $loop_held_by; do
		for loop_algorithm in $loop_algorithms; do
			loop_cell "$loop_side" "$loop_rtt" "$loop_algorithm"
		done
	done
done
echo "$loop_cells cells this machine can carry, $loop_failed failed"
[ $loop_cells -gt 0 ] && [ $((loop_failed * 20)) -le $loop_cells ]
