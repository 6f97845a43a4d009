#!/bin/sh
# Nothing outlives a verb: no process, no lock, no descriptor; also when it is started with 2,000
# descriptors open and SIGCHLD ignored, and with a full table of journals.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"

. "$here/../namespaces.sh"
# a PID namespace of its own: what is left in it can be counted
NAMESPACES="-p -f --mount-proc --kill-child"
enter_namespaces "$0"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mount -t tmpfs tmpfs /run || skip "no tmpfs"
ip link set lo up
failed=0
fail() {
	echo "leftovers: $1" >&2
	sed 's/^/    /' "$work/err" >&2
	failed=1
}

# shellcheck disable=SC2016,SC2317 # the inner shell expands it; called by name
crowd() { # with 2,000 descriptors and SIGCHLD ignored
	bash -c 'ulimit -n 4096 && trap "" CHLD || exit 99
		for _ in {1..2000}; do exec {fd}<&0; done
		exec "$0" "$@"' "$BDP" "$@"
}
# shellcheck disable=SC2317 # by name
plain() { "$BDP" "$@"; }

# Processes but for this shell and what it asks with; zombies count.
processes() {
	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" != $$ ] && [ -r "$process/comm" ] && cat "$process/comm"
	done 2>/dev/null | grep -c -e bdp -e bdp-guard -e sleep -e iperf3
}

# verb HOW CODE ARGUMENTS...: runs it, and looks what is left
verb() {
	how=$1 want=$2
	shift 2
	$how "$@" </dev/null >"$work/out" 2>"$work/err"
	code=$?
	[ $code = "$want" ] || fail "$how $*: exit $code, not $want"
	left=$(processes)
	[ "$left" = "${guards:-0}" ] || fail "$how $*: $left processes are left"
	[ ! -e /run/bdp/lock ] || flock -n /run/bdp/lock true || fail "$how $*: the lock is held"
}

echo "net.ipv4.tcp_rmem = 4096 131072 67108864" >"$work/plan"
cp "$here/../corpus/iperf3/rwnd-clamp.3.12.json" "$work/run.json"
cp "$here/../corpus/iperf3/bufferbloat.3.12.json" "$work/a.json"
cp "$here/../corpus/iperf3/bufferbloat-bbr.3.12.json" "$work/b.json"
for how in plain crowd; do
	verb "$how" 0 --no-host "$work/run.json"
	verb "$how" 0 compare a="$work/a.json" b="$work/b.json"
	verb "$how" 0 sockets
	verb "$how" 0 explain rwnd
	verb "$how" 0 apply --dry-run "$work/plan"
	verb "$how" 5 apply --check "$work/plan"
	verb "$how" 0 apply "$work/plan"
	verb "$how" 4 confirm
	verb "$how" 0 rollback --list
	verb "$how" 0 rollback
	# the guard, and it alone, is meant to outlive the apply; not what ends its wait
	guards=1
	verb "$how" 0 apply --confirm 60s "$work/plan"
	guards=0
	verb "$how" 0 confirm
	verb "$how" 0 rollback
	guards=1
	verb "$how" 0 apply --confirm 60s "$work/plan"
	guards=0
	verb "$how" 0 rollback
	verb "$how" 3 sweep --run 'sleep 30' --role receiver --timeout 1s --ceilings 64K,2M
	verb "$how" 3 sweep --run 'sleep 30 & sleep 30' --role receiver --timeout 1s --ceilings 64K,2M
	verb "$how" 3 compare --run a='sleep 30' b='sleep 30' --timeout 1s
	verb "$how" 0 host
	verb "$how" 0 help record
	verb "$how" 0 record --host
	verb "$how" 0 record --script
	verb "$how" 3 --socket 127.0.0.1:9 --interval 100ms
	verb "$how" 0 sockets --interval 100ms
	if command -v iperf3 >/dev/null; then
		iperf3 -s -p 5299 >/dev/null 2>&1 &
		server=$!
		sleep 0.3
		guards=1
		verb "$how" 0 record -t 1s -p 5299 --far sh 127.0.0.1
		# the far end's command outlasts every step, and leaves a child of its own
		verb "$how" 0 record -t 1s -p 5299 --no-reverse --far 'sleep 30 & sleep 30' 127.0.0.1
		guards=0
		kill $server
		wait $server 2>/dev/null
		# nobody listens any more: the transcript says so, and the rest is recorded
		verb "$how" 3 record -t 1s -p 5299 127.0.0.1
	fi
done

# what repeats until it is interrupted
for how in plain crowd; do
	$how sockets --watch 1s </dev/null >"$work/out" 2>"$work/err" &
	watch=$!
	sleep 1
	# TERM, for a shell's background commands ignore INT; the shell's child is bdp
	pkill -TERM -P $watch
	timeout 10 tail --pid=$watch -f /dev/null || {
		fail "$how sockets --watch: does not end"
		pkill -KILL -P $watch
	}
	wait $watch 2>/dev/null
	[ "$(processes)" = 0 ] || fail "$how sockets --watch: processes are left"
done

# a command gets none of the descriptors that bdp itself has open
find /proc/self/fd -mindepth 1 >"$work/before"
"$BDP" sweep --run "find /proc/self/fd -mindepth 1 >$work/fds; false" --role receiver --ceilings 64K,2M \
	>"$work/out" 2>"$work/err" </dev/null
if [ ! -s "$work/fds" ] || [ "$(wc -l <"$work/fds")" -gt "$(wc -l <"$work/before")" ]; then
	fail "a command inherits: $(tr '\n' ' ' <"$work/fds")"
fi

# a full table: met before anything is written, and no dead end
before=$(cat /proc/sys/net/ipv4/tcp_rmem)
n=0
while [ $n -lt 512 ]; do
	n=$((n + 1))
	echo "net.ipv4.tcp_rmem = 4096 131072 $((8388608 + n))" >"$work/next"
	"$BDP" apply --allow-lower "$work/next" >/dev/null 2>"$work/err" || break
done
[ $n = 512 ] || fail "apply $n of 512"
full=$(cat /proc/sys/net/ipv4/tcp_rmem)
for how in plain crowd; do
	verb "$how" 4 apply "$work/plan"
	grep -q '512 applies can be taken back' "$work/err" || fail "$how: a full table is not said"
	[ "$(cat /proc/sys/net/ipv4/tcp_rmem)" = "$full" ] || fail "$how: a full table was written past"
	verb "$how" 0 rollback --list
	verb "$how" 4 confirm
done
# one is taken back, and there is room for one more
verb plain 0 rollback
verb plain 0 apply "$work/plan"
verb plain 4 apply --allow-lower "$work/next"
verb crowd 0 rollback --all
[ "$(cat /proc/sys/net/ipv4/tcp_rmem)" = "$before" ] || fail "512 applies were not taken back"
verb plain 0 apply "$work/plan"
verb plain 0 rollback
exit $failed
