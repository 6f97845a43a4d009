#!/bin/sh
# A live connection as a run: bdp advise --socket, over paths whose limit is known.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
LAB_HERE=$here/../lab
LAB_NAME=bdp-live-sample
# shellcheck source=tests/lab/lab.sh
. "$LAB_HERE/lab.sh"
lab_begin "$@"

# one NAME WHAT-HOLDS-IT: watches the client's connection while iperf3 runs, both ends with 64 MiB
# but for what the caller has set.
one() {
	lab_server s
	lab_exec c iperf3 -c 10.77.0.2 -t 8 -C cubic >"$LAB_TMP/run.txt" 2>&1 &
	lab_keep $!
	sleep 2
	lab_in c "$BDP" --socket 10.77.0.2:5201 --interval 4 -o json </dev/null >"$LAB_TMP/$1.json"
	# delay of 52.0 ms, TUN and two schedulers on top
	jq -e --arg factor "$2" '
		(.limit.factor == $factor) and .path.direction == "client-to-server"
		and .path.rtt.method == "tcp_info" and .path.rtt.us > 51500 and .path.rtt.us < 60000
		and .path.seconds > 3.5 and .path.seconds < 4.6
		and .path.sender == "10.77.0.1" and .path.receiver == "10.77.0.2"
		and .path.congestion_control == "cubic" and .plan.here == "sender"
		and (.inputs[0].detail | test("live connection"))' "$LAB_TMP/$1.json" >/dev/null || {
		echo "sample: $1: not held by $2 as expected:"
		jq -c '.answer, .limit, .path.rtt, .path.seconds, .plan.here' "$LAB_TMP/$1.json"
		exit 1
	}
	jq -r '"sample: " + .answer' "$LAB_TMP/$1.json"
	lab_reset
}

path() {
	lab_namespace c s
	lab_link c s -p delay=26ms
	for side in c s; do
		lab_ceiling $side tcp_rmem 67108864
		lab_ceiling $side tcp_wmem 67108864
	done
}

# the same at the end that receives: it has the path's RTT and its own ceiling to go by
other_end() {
	lab_server s
	lab_exec c iperf3 -c 10.77.0.2 -t 8 -C cubic >"$LAB_TMP/run.txt" 2>&1 &
	lab_keep $!
	sleep 2
	lab_in s "$BDP" --socket 10.77.0.1 --interval 4 -o json </dev/null >"$LAB_TMP/other.json"
	jq -e '([.limit.candidates[], .limit.factor] | index("receive-window") != null)
		and .path.direction == "client-to-server" and .plan.here == "receiver"
		and .path.rtt.us > 51500 and .path.rtt.us < 60000
		and .path.rate_bps > 150e6 and .path.rate_bps < 260e6' "$LAB_TMP/other.json" >/dev/null || {
		echo "sample: at the receiver:"
		jq -c '.answer, .limit, .path.rtt, .path.rate_bps, .plan.here' "$LAB_TMP/other.json"
		exit 1
	}
	lab_reset
}

path
lab_ceiling s tcp_rmem 2097152
one receiver receive-window

path
lab_ceiling s tcp_rmem 2097152
other_end

path
lab_ceiling c tcp_wmem 2097152
one sender send-buffer

# none there, none that moves, and a name
path
lab_server s
status=0
lab_in c "$BDP" --socket 10.77.0.2:5201 --interval 1 </dev/null 2>"$LAB_TMP/err" || status=$?
if [ $status != 3 ] || ! grep -q 'no connection to it' "$LAB_TMP/err"; then
	echo "sample: exit $status without a connection: $(cat "$LAB_TMP/err")"
	exit 1
fi
lab_exec c sh -c 'sleep 5 | socat - TCP:10.77.0.2:5201' >/dev/null 2>&1 &
lab_keep $!
sleep 1
status=0
lab_in c "$BDP" --socket 10.77.0.2:5201 --interval 1 </dev/null 2>"$LAB_TMP/err" || status=$?
if [ $status != 3 ] || ! grep -q 'next to nothing moved' "$LAB_TMP/err"; then
	echo "sample: exit $status on an idle connection: $(cat "$LAB_TMP/err")"
	exit 1
fi

# one that has just ended: its remains have no counters on any kernel, first closing, then in TIME-WAIT
lab_exec s socat -u TCP-LISTEN:5299,reuseaddr /dev/null >/dev/null 2>&1 &
lab_keep $!
sleep 0.5
lab_in c sh -c 'head -c 100000 /dev/zero | socat -u - TCP:10.77.0.2:5299' >/dev/null 2>&1
status=0
lab_in c "$BDP" --socket 10.77.0.2:5299 --interval 1 </dev/null 2>"$LAB_TMP/err" || status=$?
if [ $status != 3 ] || ! grep -q 'ended' "$LAB_TMP/err"; then
	echo "sample: exit $status right after a connection: $(cat "$LAB_TMP/err")"
	exit 1
fi
tries=0
until lab_in c ss -tanH state time-wait dst 10.77.0.2:5299 | grep -q . || [ $tries -ge 30 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
status=0
lab_in c "$BDP" --socket 10.77.0.2:5299 --interval 1 </dev/null 2>"$LAB_TMP/err" || status=$?
if [ $status != 3 ] || ! grep -q 'ended' "$LAB_TMP/err"; then
	echo "sample: exit $status on a connection in TIME-WAIT: $(cat "$LAB_TMP/err")"
	exit 1
fi
