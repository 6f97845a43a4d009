#!/bin/sh
# A wide-area path between network namespaces of this machine: a library for the other scripts here,
# and a command that runs one situation and keeps what the usual tools say of it.
#
# Everything it makes is named after its process and gone when the script is, however that ends.
# Sysctls are set inside its own namespaces only.

LAB_HERE=${LAB_HERE:-$(cd "$(dirname "$0")" && pwd)}
LAB=${LAB_NAME:-bdp-lab}-$$
LAB_NAMESPACES=
LAB_PIDS=
LAB_LINKS=0

lab_say() { printf '%s\n' "$*" >&2; }
lab_die() { lab_say "lab: $*"; exit 1; }

# Why the laboratory cannot be built here, or nothing.
lab_lacks() {
	[ "$(id -u)" = 0 ] || { echo "needs root"; return; }
	[ -c /dev/net/tun ] || { echo "no /dev/net/tun"; return; }
	for lab_tool in ip ss iperf3 jq sysctl "$@"; do
		command -v "$lab_tool" >/dev/null || { echo "no $lab_tool"; return; }
	done
	ip netns add "$LAB-try" 2>/dev/null || { echo "no network namespaces"; return; }
	ip netns exec "$LAB-try" unshare -m true 2>/dev/null || echo "no mount namespaces of their own"
	ip netns del "$LAB-try"
}

# A directory for this run ($LAB_TMP), the emulator ($LAB_WAN) and the way out.
lab_begin() {
	lab_reason=$(lab_lacks "$@")
	if [ -n "$lab_reason" ]; then
		lab_say "lab: skipped: $lab_reason"
		exit 77
	fi
	LAB_TMP=$(mktemp -d "${TMPDIR:-/tmp}/$LAB.XXXXXX") || exit 1
	trap 'lab_end' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	LAB_WAN=${LAB_WAN:-}
	if [ -z "$LAB_WAN" ]; then
		LAB_WAN=$LAB_TMP/wan
		${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$LAB_WAN" "$LAB_HERE/wan.c" ||
			lab_die "wan.c does not compile"
	fi
}

lab_end() {
	trap '' HUP INT TERM
	lab_reset
	rm -rf "$LAB_TMP"
	trap - EXIT
}

# Ends the processes and removes the namespaces, so that another path can be made.
lab_reset() {
	for lab_pid in $LAB_PIDS; do
		kill "$lab_pid" 2>/dev/null
	done
	for lab_pid in $LAB_PIDS; do
		wait "$lab_pid" 2>/dev/null
	done
	for lab_ns in $LAB_NAMESPACES; do
		for lab_pid in $(ip netns pids "$LAB-$lab_ns" 2>/dev/null); do
			kill -KILL "$lab_pid" 2>/dev/null
		done
		ip netns del "$LAB-$lab_ns" || lab_say "lab: namespace $LAB-$lab_ns stays behind"
		rm -rf "$LAB_TMP/run.$lab_ns"
	done
	LAB_PIDS='' LAB_NAMESPACES='' LAB_LINKS=0
}

# lab_namespace NAME...: with the values a namespace has on this kernel, but nothing remembered of
# earlier connections.
lab_namespace() {
	for lab_ns in "$@"; do
		LAB_NAMESPACES="$LAB_NAMESPACES $lab_ns"
		ip netns add "$LAB-$lab_ns" || lab_die "no namespace $lab_ns"
		ip -n "$LAB-$lab_ns" link set lo up
		lab_sysctl "$lab_ns" net.ipv4.tcp_no_metrics_save=1
	done
}

# lab_in NAME COMMAND...
lab_in() {
	lab_ns=$1
	shift
	ip netns exec "$LAB-$lab_ns" "$@"
}

# lab_exec NAME COMMAND...: for the background, so that $! is the command itself.
lab_exec() {
	lab_ns=$1
	shift
	exec ip netns exec "$LAB-$lab_ns" "$@"
}

# lab_host NAME COMMAND...: with a /run of its own too, which is where a host keeps its state.
lab_host() {
	lab_ns=$1
	shift
	mkdir -p "$LAB_TMP/run.$lab_ns"
	# shellcheck disable=SC2016
	ip netns exec "$LAB-$lab_ns" unshare -m \
		sh -c 'mount --bind "$0" /run && exec "$@"' "$LAB_TMP/run.$lab_ns" "$@"
}

# lab_dump NAME FILE: `sysctl -a` of that host.
lab_dump() {
	lab_in "$1" sysctl -a >"$2" 2>"$LAB_TMP/dump.txt"
	[ -s "$2" ] || lab_die "no sysctls of $1: $(head -n 1 "$LAB_TMP/dump.txt")"
}

# lab_sysctl NAME KEY=VALUE...
lab_sysctl() {
	lab_ns=$1
	shift
	ip netns exec "$LAB-$lab_ns" sysctl -qw "$@" || lab_die "sysctl $* in $lab_ns"
}

# lab_ceiling NAME tcp_rmem|tcp_wmem BYTES: the maximum; the other two stay.
lab_ceiling() {
	lab_low=$(lab_in "$1" sysctl -n "net.ipv4.$2" | awk '{ print $1, $2 }')
	lab_sysctl "$1" "net.ipv4.$2=$lab_low $3"
}

lab_keep() { LAB_PIDS="$LAB_PIDS $1"; }

# lab_wait_for SECONDS COMMAND...: until it succeeds.
lab_wait_for() {
	lab_left=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		lab_left=$((lab_left - 1))
		[ $lab_left -gt 0 ] || return 1
		sleep 0.05
	done
}

# lab_link A B WAN-OPTIONS...: the Nth link is 10.77.N.1 in A and 10.77.N.2 in B, device wanN.
lab_link() {
	lab_a=$1 lab_b=$2 lab_device=wan$LAB_LINKS lab_net=10.77.$LAB_LINKS
	shift 2
	"$LAB_WAN" -k -d "$lab_device" "$@" "$LAB-$lab_a" "$LAB-$lab_b" \
		>"$LAB_TMP/$lab_device.json" &
	LAB_WAN_PID=$!
	lab_keep $LAB_WAN_PID
	lab_wait_for 5 lab_link_made || lab_die "the link did not come up"
	ip -n "$LAB-$lab_b" link show "$lab_device" >/dev/null || lab_die "the link did not come up"
	lab_last=1
	for lab_ns in "$lab_a" "$lab_b"; do
		# The queue of the device must not be the bottleneck.
		ip -n "$LAB-$lab_ns" link set "$lab_device" txqueuelen 20000 mtu 1500 up
		ip -n "$LAB-$lab_ns" address add "$lab_net.$lab_last/24" dev "$lab_device"
		lab_last=2
	done
	LAB_LINKS=$((LAB_LINKS + 1))
}

# The device is there, or the emulator has given up.
lab_link_made() {
	ip -n "$LAB-$lab_b" link show "$lab_device" || ! kill -0 "$LAB_WAN_PID"
}

# The emulator's counters so far, as JSON, of link N (0 unless given).
lab_counters() {
	lab_file=$LAB_TMP/wan${1:-0}.json
	lab_before=$(wc -l <"$lab_file")
	kill -USR1 "${2:-$LAB_WAN_PID}"
	lab_wait_for 2 test "$(wc -l <"$lab_file")" -gt "$lab_before" ||
		lab_wait_for 2 lab_grew "$lab_file" "$lab_before"
	tail -n 1 "$lab_file"
}

lab_grew() { [ "$(wc -l <"$1")" -gt "$2" ]; }

lab_listens() { [ -n "$(lab_in "$1" ss -Hltn "sport = :$2")" ]; }

# lab_server NAME [PORT]
lab_server() {
	lab_port=${2:-5201}
	lab_exec "$1" iperf3 -s -p "$lab_port" --forceflush >"$LAB_TMP/server.$1.txt" 2>&1 &
	lab_keep $!
	lab_wait_for 5 lab_listens "$1" "$lab_port" || lab_die "no iperf3 server in $1"
}

# lab_run NAME COMMAND...: in the background and waited for, so that a signal ends it at once.
lab_run() {
	lab_exec "$@" &
	lab_job=$!
	LAB_PIDS="$LAB_PIDS $lab_job"
	wait $lab_job
	lab_status=$?
	LAB_PIDS=${LAB_PIDS% "$lab_job"}
	return $lab_status
}

# lab_ping NAME COUNT: iputils where it is, else busybox.
lab_ping() {
	if command -v ping >/dev/null; then
		lab_in "$1" ping -n -i 0.3 -c "$2" -W 2 10.77.0.2
	else
		lab_in "$1" busybox ping -c "$2" -W 2 10.77.0.2
	fi
}

# lab_sample FILE-STEM CLIENT SERVER SECONDS: both ends' sockets, and pings, once mid-run.
lab_sample() {
	sleep "$4" &
	lab_sleep=$!
	trap 'kill $lab_sleep 2>/dev/null; exit' TERM
	wait $lab_sleep
	lab_in "$2" ss -tmin >"$1.ss-client.txt"
	lab_in "$3" ss -tmin >"$1.ss-server.txt"
	lab_ping "$2" 3 >"$1.ping-loaded.txt"
}

# lab_measure FILE-STEM CLIENT SERVER SECONDS IPERF3-OPTIONS...: JSON with samples, then text.
lab_measure() {
	lab_stem=$1 lab_client=$2 lab_peer=$3 lab_seconds=$4
	shift 4
	lab_ping "$lab_client" 2 >"$lab_stem.ping-idle.txt"
	lab_sample "$lab_stem" "$lab_client" "$lab_peer" "$(lab_half "$lab_seconds")" &
	lab_sampler=$!
	lab_keep $lab_sampler
	lab_run "$lab_client" iperf3 -c 10.77.0.2 -t "$lab_seconds" -J "$@" >"$lab_stem.json" ||
		lab_say "$lab_stem: iperf3: $(jq -r .error "$lab_stem.json")"
	wait $lab_sampler
	lab_counters >"$lab_stem.wan.json"
	[ "${LAB_TEXT:-yes}" = yes ] || return 0
	lab_run "$lab_client" iperf3 -c 10.77.0.2 -t "$lab_seconds" --forceflush "$@" \
		>"$lab_stem.txt" 2>&1
}

# lab_iperf FILE-STEM CLIENT SERVER IPERF3-OPTIONS...: one JSON run, and nothing beside it.
lab_iperf() {
	lab_stem=$1 lab_client=$2 lab_peer=$3
	shift 3
	lab_run "$lab_client" iperf3 -c 10.77.0.2 -J "$@" >"$lab_stem.json" ||
		lab_say "$lab_stem: iperf3: $(jq -r '.error // "failed"' "$lab_stem.json")"
	lab_settle "$lab_peer"
}

# What the receiver of FILE-STEM's run got, bit/s.
lab_rate() { jq '.end.sum_received.bits_per_second // 0 | round' "$1.json"; }

lab_half() { awk -v s="$1" 'BEGIN { print s / 2 }'; }

# lab_settle SERVER: the last test is over at both ends (iperf3's server takes one at a time).
lab_settle() {
	lab_wait_for 10 lab_quiet "$1"
}

lab_quiet() { [ -z "$(lab_in "$1" ss -Htn state established "sport = :5201")" ]; }

lab_usage() {
	cat >&2 <<-END
	usage: lab.sh [-o DIRECTORY] [-n NAME] [-t SECONDS] [-p SHAPE] [-f SHAPE] [-r SHAPE]
	              [-R RECEIVER-TCP_RMEM-MAX] [-S SENDER-TCP_WMEM-MAX] [-C ALGORITHM]
	              [-- IPERF3-OPTIONS]
	Runs iperf3 over a path of that shape and leaves NAME.json, NAME.txt, NAME.ss-*.txt,
	NAME.ping-*.txt and NAME.wan.json in DIRECTORY.  SHAPE: see wan.c; sizes in bytes.
	END
	exit 2
}

# The side that is not held gets 64 MiB.
lab_main() {
	lab_dir=. lab_name=run lab_time=6 lab_rmem=67108864 lab_wmem=67108864 lab_cc=cubic
	lab_shapes=
	while getopts o:n:t:p:f:r:R:S:C:h lab_opt; do
		case $lab_opt in
		o) lab_dir=$OPTARG ;;
		n) lab_name=$OPTARG ;;
		t) lab_time=$OPTARG ;;
		p | f | r) lab_shapes="$lab_shapes -$lab_opt $OPTARG" ;;
		R) lab_rmem=$OPTARG ;;
		S) lab_wmem=$OPTARG ;;
		C) lab_cc=$OPTARG ;;
		*) lab_usage ;;
		esac
	done
	shift $((OPTIND - 1))
	mkdir -p "$lab_dir" || exit 1
	lab_begin
	lab_namespace c s
	# shellcheck disable=SC2086
	lab_link c s $lab_shapes
	for lab_side in c s; do
		lab_ceiling $lab_side tcp_rmem "$lab_rmem"
		lab_ceiling $lab_side tcp_wmem "$lab_wmem"
	done
	lab_server s
	# By socket option: a namespace may set only what net.ipv4.tcp_allowed_congestion_control has.
	lab_measure "$lab_dir/$lab_name" c s "$lab_time" -C "$lab_cc" "$@"
}

case ${0##*/} in
lab.sh) lab_main "$@" ;;
esac
