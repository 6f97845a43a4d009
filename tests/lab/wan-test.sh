#!/bin/sh
# The emulator does what it says: built with the address and undefined-behaviour sanitizers, it
# delays, loses, polices, queues and carries IPv4 and IPv6, and its counters add up.

. "$(dirname "$0")/lab.sh"

wan_failed=0

wan_check() {
	if test "$2" "$3" "$4"; then
		echo "ok    $1: $2 $3 $4"
	else
		echo "FAIL  $1: $2 $3 $4"
		wan_failed=1
	fi
}

# wan_path WAN-OPTIONS...: a new path with a server behind it.
wan_path() {
	lab_reset
	lab_namespace c s
	lab_link c s "$@"
	for wan_side in c s; do
		lab_ceiling $wan_side tcp_rmem 67108864
		lab_ceiling $wan_side tcp_wmem 67108864
	done
	lab_server s
}

wan_run() { lab_iperf "$LAB_TMP/run" c s -t 3 "$@"; }
wan_of_run() { jq "$1 | round" "$LAB_TMP/run.json"; }
wan_counter() { jq "$1" "$LAB_TMP/counters"; }
wan_count() { lab_counters >"$LAB_TMP/counters"; }

# What came in was delivered, dropped, or is still under way.
wan_adds_up() {
	sleep 0.5
	wan_count
	wan_check "$1: nothing unaccounted for" "$(wan_counter '[.forward, .reverse
		| .packets - .delivered - .dropped_loss - .dropped_policer - .dropped_queue
		- .dropped_device] | add')" = 0
	wan_check "$1: refused by a device that was not up yet, at most" \
		"$(wan_counter '.forward.dropped_device + .reverse.dropped_device')" -le 4
	wan_check "$1: sanitizers are silent" "$(wc -c <"$LAB_TMP/wan0.err")" = 0
}

wan_build() {
	LAB_WAN=$LAB_TMP/wan-asan
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=all -o "$LAB_WAN.bin" "$LAB_HERE/wan.c" ||
		lab_die "no sanitizers here"
	printf '#!/bin/sh\nexec "%s" "$@" 2>"%s"\n' "$LAB_WAN.bin" "$LAB_TMP/wan0.err" >"$LAB_WAN"
	chmod +x "$LAB_WAN"
}

lab_begin
wan_build

wan_path -p delay=20ms
wan_run
wan_check "RTT of 40 ms, at least (us)" "$(wan_of_run '.end.streams[0].sender.min_rtt')" -ge 40000
wan_check "RTT of 40 ms, at most (us)" "$(wan_of_run '.end.streams[0].sender.min_rtt')" -le 46000
wan_check "no retransmits" "$(wan_of_run '.end.sum_sent.retransmits')" = 0
wan_adds_up "delay"

wan_path -p delay=5ms -f rate=200M,queue=512K
wan_run -C cubic -O 2
wan_check "200 Mbit/s at least 180 of payload" "$(wan_of_run '.end.sum_received.bits_per_second / 1e6')" -ge 180
wan_check "200 Mbit/s at most 194 of payload" "$(wan_of_run '.end.sum_received.bits_per_second / 1e6')" -le 194
wan_adds_up "queue"
wan_check "the queue overflowed" "$(wan_counter .forward.dropped_queue)" -gt 0
wan_check "the queue held its bytes" "$(wan_counter .forward.queue_max_bytes)" -le 524288

wan_path -p delay=5ms -f police=100M,burst=64K
wan_run -C bbr
wan_adds_up "policer"
wan_check "the policer dropped" "$(wan_counter .forward.dropped_policer)" -gt 0
wan_check "100 Mbit/s policed, at most (Mbit/s)" "$(wan_of_run '.end.sum_received.bits_per_second / 1e6')" -le 100

wan_path -s 7 -p delay=2ms -f loss=0.01
wan_run -C bbr -P 2
wan_adds_up "loss"
wan_check "1 % lost, at least 0.8 (ppm)" \
	"$(wan_counter '.forward.dropped_loss * 1e6 / .forward.packets | floor')" -ge 8000
wan_check "1 % lost, at most 1.2 (ppm)" \
	"$(wan_counter '.forward.dropped_loss * 1e6 / .forward.packets | floor')" -le 12000

wan_path -p delay=5ms,jitter=1ms -f loss=0.002,rate=500M,queue=1M -r police=400M,burst=256K
for wan_side in c:1 s:2; do
	ip -n "$LAB-${wan_side%:*}" address add "fd77::${wan_side#*:}/64" dev wan0 nodad
done
wan_run --bidir
lab_run c iperf3 -6 -c fd77::2 -t 2 -J >"$LAB_TMP/run.json"
wan_check "IPv6 passes (Mbit/s)" "$(wan_of_run '.end.sum_received.bits_per_second / 1e6')" -ge 10
wan_adds_up "everything at once"
exit $wan_failed
