#!/bin/sh
# Runs the situations of grid-list.awk and writes down what truly limits each, for tests/corpus/drawn.
#
#     grid.sh [-j WORKERS] [-o DIRECTORY] [-m REGEX] [-l (list only)]
#
# Leaves, beside each NAME.json: both ends' sockets in mid-run, pings of the empty and the loaded
# path, the TCP settings of both.  truth.tsv gets a row when the emulator's and the kernel's own
# counters agree with what was set up, rejected.tsv the others.  A name that either table has is not
# run again.  iperf3's text is rendered from the JSON by tests/corpus/score.sh.

. "$(dirname "$0")/lab.sh"

grid_usage() { lab_say "usage: grid.sh [-j WORKERS] [-o DIRECTORY] [-m REGEX] [-l]"; exit 2; }

# With a loss every few seconds a share of the time goes to recovery: that must be small.
grid_doubt() {
	jq -rs --arg kind "$2" --argjson bound "$3" --argjson rtt "$4" --arg event "$5" \
		--arg rwnd "$(grid_share rwnd_limited "$1")" --arg sndbuf "$(grid_share sndbuf_limited "$1")" '
	.[0] as $run | .[1].forward as $way
	| ($run.end.sum_received.bits_per_second // 0) as $rate
	| [$run.intervals[] | select(.sum.seconds > 0.5)] as $rows
	| ([$rows[] | select(.sum.retransmits > 0)] | length) as $lossy
	| ([$rows[3:][] | .sum.retransmits // 0] | add) as $late
	| if $run.error then "iperf3: \($run.error)"
	  elif $way.late_max_us > 200000 then "late by \($way.late_max_us) us"
	  elif ($kind | IN("link", "shaper", "slow-reader", "stalled") | not) and ($run.end.streams[0].sender.min_rtt // 0) > 1100 * $rtt + 1000
	  then "never below \($run.end.streams[0].sender.min_rtt) us"
	  # Where nothing queues, the machine makes RTTs above the delay; below four segments, delayed ACKs do, too.
	  elif ($kind | IN("policer", "random-loss", "receive-window")) and
	      ([$run.intervals[].streams[] | select(.snd_cwnd > 6000) | .rtt] | sort | length > 4 and
	       .[length * 8 / 10 | floor] > 1200 * $rtt + 2000)
	  then "the machine delays"
	  elif $way.dropped_overflow > 0 then "emulator full"
	  elif ($kind | IN("receive-window", "send-buffer", "application", "application-window", "slow-reader"))
	  then if $rate < 0.6 * $bound or $rate > 1.35 * $bound then "\($rate / $bound) of the bound"
	       elif $kind == "receive-window" and ($rwnd | tonumber) < 20 then "rwnd_limited only \($rwnd) %"
	       elif $kind == "send-buffer" and ($sndbuf | tonumber) < 5 and $rate < 0.9 * $bound
	       then "sndbuf_limited only \($sndbuf) %"
	       elif $event == "-" and $way.dropped_queue + $way.dropped_loss > 0 then "losses" else empty end
	  elif $kind == "socket-option"
	  then if $rate < 0.5 * $bound or $rate > 2 * $bound then "\($rate / $bound) of the bound" else empty end
	  elif ($kind | IN("link", "shaper"))
	  then if $rate < 0.75 * $bound or $rate > 1.4 * $bound then "\($rate / $bound) of the link" else empty end
	  elif $kind == "policer"
	  then if $lossy < 3 then "losses in \($lossy) intervals only" elif $rate > 3 * $bound then "the bucket was not emptied" else empty end
	  elif $kind == "random-loss"
	  then if $way.dropped_loss < 5 or $lossy < 3 then "hardly any loss" else empty end
	  elif $kind == "loss-recovery"
	  then if $lossy == 0 then "no loss" elif $late > 0 then "lost later, too" else empty end
	  else empty end' "$1.json" "$1.wan.json"
}

# grid_share STATE STEM: the largest share of busy time in that state, of any socket at either end.
grid_share() {
	cat "$2.ss-client-mid.txt" "$2.ss-server-mid.txt" |
		sed -n "s/.* $1:[0-9]*ms(\([0-9.]*\)%).*/\1/p" | sort -n | tail -n 1 |
		awk '{ v = $1 } END { print v + 0 }'
}

# What a tuner would look at, as `sysctl` prints it.
grid_dump() {
	lab_in "$1" sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.core.rmem_max net.core.wmem_max \
		net.ipv4.tcp_congestion_control net.ipv4.tcp_window_scaling net.ipv4.tcp_timestamps \
		net.ipv4.tcp_sack net.ipv4.tcp_moderate_rcvbuf net.ipv4.tcp_adv_win_scale \
		net.ipv4.tcp_mtu_probing net.ipv4.tcp_slow_start_after_idle net.ipv4.tcp_notsent_lowat \
		net.ipv4.tcp_no_metrics_save kernel.osrelease >"$2" 2>/dev/null
}

grid_throttled() {
	[ "$1" = - ] || { LD_PRELOAD=$GRID_THROTTLE export LD_PRELOAD "${1?}"; }
}

grid_server() {
	(
		grid_throttled "$1"
		lab_exec s iperf3 -s -p 5201 --forceflush >"$LAB_TMP/server.txt" 2>&1
	) &
	GRID_SERVER=$!
	lab_keep $GRID_SERVER
	lab_wait_for 5 lab_listens s 5201 || lab_die "no iperf3 server"
}

# What happens to the path or to the server, in the background: dark or stop, AT, FOR.
grid_event() {
	[ "$1" != - ] || return 0
	sleep "$2"
	case $1 in
	dark)
		kill -USR2 "$LAB_WAN_PID"
		sleep "$3"
		kill -USR2 "$LAB_WAN_PID"
		;;
	stop)
		grid_pids=$(for grid_pid in $(ip netns pids "$LAB-s"); do
			[ "$(cat "/proc/$grid_pid/comm")" != iperf3 ] || echo "$grid_pid"
		done)
		# shellcheck disable=SC2086
		kill -STOP $grid_pids
		sleep "$3"
		# shellcheck disable=SC2086
		kill -CONT $grid_pids
		;;
	esac
}

grid_sample() {
	sleep "$2"
	lab_in c ss -tmin >"$1.ss-client-mid.txt"
	lab_in s ss -tmin >"$1.ss-server-mid.txt"
	lab_ping c 3 >"$1.ping-loaded.txt" 2>/dev/null
}

# grid_measure STEM SECONDS ALGORITHM OPTIONS THROTTLE EVENT
grid_measure() {
	lab_ping c 3 >"$1.ping-idle.txt"
	# shellcheck disable=SC2086
	grid_event $6 &
	lab_keep $!
	grid_sample "$1" "$(lab_half "$2")" &
	grid_sampler=$!
	lab_keep $grid_sampler
	[ "$4" = - ] && set -- "$1" "$2" "$3" "" "$5" "$6"
	(
		grid_throttled "$5"
		# shellcheck disable=SC2086
		lab_exec c timeout -s INT $(($2 + 15)) iperf3 -c 10.77.0.2 -t "$2" -J -C "$3" $4
	) | jq -c . >"$1.json"
	wait $grid_sampler
	lab_counters >"$1.wan.json"
	for grid_side in client server; do
		grid_dump "$(echo $grid_side | cut -c1)" "$1.sysctl-$grid_side.txt"
	done
}

grid_path() {
	lab_namespace c s
	# shellcheck disable=SC2086
	lab_link c s -s "$2" $1
	for grid_side in c s; do
		lab_ceiling $grid_side tcp_rmem "$3"
		lab_ceiling $grid_side tcp_wmem "$4"
	done
}

# Every WORKERSth situation of the list, beginning with the FIRSTth.
grid_work() {
	grid_number=0
	while IFS='	' read -r name rtt seconds shape rmem wmem cc options client server event factors where bound split; do
		grid_number=$((grid_number + 1))
		[ $((grid_number % grid_workers)) = "$grid_first" ] || continue
		! grep -qs "^$name	" "$grid_dir/truth.tsv" "$grid_dir/rejected.tsv" || continue
		stem=$grid_dir/$name
		grid_path "$shape" "$grid_number" "$rmem" "$wmem"
		grid_server "$server"
		grid_measure "$stem" "$seconds" "$cc" "$options" "$client" "$event" </dev/null
		lab_reset
		kind=$(echo "$name" | grep -oE '^(policer|random-loss|shaper|link|receive-window|send-buffer|application-window|application|slow-reader|socket-option|stalled|loss-recovery)')
		doubt=$(grid_doubt "$stem" "$kind" "$bound" "$rtt" "$event" 2>&1)
		note="$shape rmem $rmem wmem $wmem $cc $options client $client server $server event $event"
		# A policer that took something once: what holds the rest of the run is the recovery.
		case $doubt in
		"losses in "[12]*) doubt='' factors=policer,loss-recovery,unknown ;;
		# A queue of some packets leaves CUBIC much below the link's rate.
		0.[2-7]*" of the link") [ "$factors" != link,policer ] || doubt='' factors=policer,link ;;
		esac
		if [ -z "$doubt" ]; then
			rm -f "$stem.wan.json"
			printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$rtt" "$factors" "$where" "$note" "$split" \
				>>"$grid_dir/truth.tsv"
		else
			mkdir -p "$grid_dir/rejected"
			mv "$stem".*json "$stem".*txt "$grid_dir/rejected"
			printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$rtt" "$factors" "$doubt" "$note" \
				>>"$grid_dir/rejected.tsv"
		fi
	done <"$1"
}

grid_workers=1 grid_first=all grid_dir=$LAB_HERE/../corpus/drawn grid_only=no grid_match=.
while getopts j:w:o:m:l grid_opt; do
	case $grid_opt in
	j) grid_workers=$OPTARG ;;
	w) grid_first=$OPTARG ;;
	o) grid_dir=$OPTARG ;;
	m) grid_match=$OPTARG ;;
	l) grid_only=yes ;;
	*) grid_usage ;;
	esac
done
if [ $grid_only = yes ]; then
	awk -f "$LAB_HERE/grid-list.awk" /dev/null | grep -E "$grid_match"
	exit
fi

mkdir -p "$grid_dir" || exit 1
lab_begin
if [ "$grid_first" = all ]; then
	GRID_THROTTLE=$LAB_TMP/throttle.so
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$GRID_THROTTLE" "$LAB_HERE/throttle.c" ||
		lab_die "throttle.c does not compile"
	export LAB_WAN GRID_THROTTLE
	[ -s "$grid_dir/truth.tsv" ] || printf '# %s\t%s\t%s\t%s\t%s\t%s\n' scenario rtt_ms \
		'factor(s) that are right, best first' where 'note (path as tests/lab/wan was told, ...)' split \
		>"$grid_dir/truth.tsv"
	i=0
	while [ $i -lt "$grid_workers" ]; do
		"$0" -w $i -j "$grid_workers" -m "$grid_match" -o "$grid_dir" &
		lab_keep $!
		i=$((i + 1))
	done
	wait
else
	awk -f "$LAB_HERE/grid-list.awk" /dev/null | grep -E "$grid_match" >"$LAB_TMP/list"
	grid_work "$LAB_TMP/list"
fi
