#!/bin/sh
# bdp sweep --run on the running kernel, between two network namespaces of its own: whatever way it
# ends, the settings are as they were.  SEED repeats the random moments of a run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
moments=20

. "$here/../namespaces.sh"
enter_namespaces "$0" ip iperf3 sysctl jq nsenter
env --default-signal=INT true 2>/dev/null || skip "env has no --default-signal"

# Namespaces and what is in them go when this and its children end.  Its own /run keeps its journals
# apart from those of the machine.
work=$(mktemp -d) || exit 1
server=
# shellcheck disable=SC2317 # the traps call it
cleanup() {
	trap '' HUP INT TERM
	[ -n "$server" ] && kill "$server" 2>/dev/null
	rm -rf "$work"
	trap - EXIT
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mount -t tmpfs tmpfs /run || skip "no tmpfs"

# The other end: a namespace that lives as long as its iperf3.
unshare -n sh -c 'until ip link set vb up 2>/dev/null; do sleep 0.05; done
	ip addr add 10.99.0.2/24 dev vb && exec iperf3 -s' >/dev/null 2>&1 &
server=$!
sleep 0.2
ip link add va type veth peer name vb netns "$server" || skip "no veth"
ip link set lo up
ip addr add 10.99.0.1/24 dev va
ip link set va up

failed=0
complain() {
	echo "sweep: $*" >&2
	sed 's/^/    /' "$work/err" >&2
	failed=1
}

settings() {
	sysctl -n net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_congestion_control |
		tr -s '\t\n' '  '
}
before=$(settings)

# sweep CODE MUST-SAY ARGS...: runs to its end
sweep() {
	want=$1 say=$2
	shift 2
	"$BDP" sweep "$@" >"$work/out" 2>"$work/err"
	code=$?
	[ "$code" = "$want" ] || complain "$*: exit $code, not $want"
	cat "$work/out" "$work/err" | tr -s ' \n' '  ' | grep -q -e "$say" || complain "$*: does not say: $say"
	[ "$(settings)" = "$before" ] || complain "$*: left $(settings), was $before"
}

# until the server listens
for _ in 1 2 3 4 5 6 7 8 9 10; do
	iperf3 -c 10.99.0.2 -n 1 >/dev/null 2>&1 && break
	sleep 0.2
done

sweep 0 'ceiling of net.ipv4.tcp_rmem, 2 values, 4 runs' \
	--run 'iperf3 -c 10.99.0.2 -t 1 -J -R' --ceilings 64K,2M --runs 2
[ "$(grep -c 'Gbit/s\|Mbit/s' "$work/err")" = 4 ] || complain "progress was not shown four times"
sweep 0 'ceiling of net.ipv4.tcp_wmem, 2 values, 2 runs' \
	--run 'iperf3 -c 10.99.0.2 -t 1 -J' --ceilings 64K,2M
# a larger window than 64 KiB allows was there to be had, and the smaller ceiling held it down
"$BDP" sweep --run 'iperf3 -c 10.99.0.2 -t 1 -J -R | cat' --ceilings 16K,4M -o json \
	>"$work/out" 2>"$work/err"
jq -e '.sweep.key == "net.ipv4.tcp_rmem" and
	.sweep.ceilings[1].rate_bps.median > 1.2 * .sweep.ceilings[0].rate_bps.median' \
	"$work/out" >/dev/null || complain "a ceiling of 16 KiB carried as much as one of 4 MiB"
algorithms=$(sysctl -n net.ipv4.tcp_allowed_congestion_control | awk '{ print $1 "," $2 }')
case $algorithms in
?*,?*) sweep 0 'COMPARE' --run 'iperf3 -c 10.99.0.2 -t 1 -J' --cc "$algorithms" ;;
esac

# streams and pacing set nothing, and need no privilege; commands take turns
sweep 0 'COMPARE' --run 'iperf3 -c 10.99.0.2 -t 1 -J | cat' --streams 1,2
grep -q '^1/2  1 stream, run 1$' "$work/err" || complain "--streams: no progress of one stream"
"$BDP" sweep --run 'iperf3 -c 10.99.0.2 -t 1 -J' --pacing 50M,200M -o json >"$work/out" 2>"$work/err"
jq -e '[.. | objects | select(.label? == "50.0 Mbit/s a stream")] | length > 0' "$work/out" >/dev/null ||
	complain "--pacing: $(jq -c . "$work/out")"
"$BDP" compare --run a='iperf3 -c 10.99.0.2 -t 1 -J' b='iperf3 -c 10.99.0.2 -t 1 -J --fq-rate 50M' \
	>"$work/out" 2>"$work/err" || complain "compare --run: exit $?"
[ "$(sed -n 's/^[1-4]\/4  \(.\), run .*/\1/p' "$work/err" | tr -d '\n')" = abab ] ||
	complain "compare --run: not in turn"
[ "$(settings)" = "$before" ] || complain "compare --run: left $(settings), was $before"

# failures, in the command's own words
sweep 3 'unable to connect to server.*Connection refused' \
	--run 'iperf3 -c 10.99.0.2 -p 5999 -t 1 -J -R' --ceilings 64K,2M
sweep 3 'unable to connect to server.*Connection refused' \
	--run 'iperf3 -c 10.99.0.2 -p 5999 -t 1 -R' --ceilings 64K,2M
sweep 1 'No such file or directory' --run "$work/nothing" --role receiver --ceilings 64K,2M
sweep 3 'not done after 1 s: stopped' --run 'sleep 60' --role receiver --timeout 1 --ceilings 64K,2M
# what the kernel does not have is said before the first run
sweep 4 'nothing was written.*congestion control nosuch' --run "touch $work/ran" --role sender --cc reno,nosuch
[ ! -e "$work/ran" ] || complain "--cc reno,nosuch: a run was made"
# all the steps of a sweep are one entry
"$BDP" rollback --list >"$work/out" 2>"$work/err"
grep -q 'sweep of 4 steps by .* undone by rollback' "$work/out" || complain "--list: $(cat "$work/out")"

# SIGCHLD ignored, as under Python or after trap '' CHLD: it ends, and so does its limit
(
	trap '' CHLD
	exec timeout 60 "$BDP" sweep --run 'iperf3 -c 10.99.0.2 -t 1 -J -R' --ceilings 64K,2M
) >"$work/out" 2>"$work/err" || complain "SIGCHLD ignored: exit $?"
(
	trap '' CHLD
	exec timeout 60 "$BDP" sweep --run 'sleep 50' --role receiver --timeout 1 --ceilings 64K,2M
) >"$work/out" 2>"$work/err"
[ $? = 3 ] || complain "SIGCHLD ignored: --timeout did not end it"
[ "$(settings)" = "$before" ] || complain "SIGCHLD ignored: left $(settings), was $before"

# begin ARGS...: in the background, with the default handling of signals that sh takes away
begin() {
	env --default-signal=INT,QUIT "$BDP" sweep "$@" >"$work/out" 2>"$work/err" &
	job=$!
}

# ended SIGNAL-NUMBER WHAT
ended() {
	wait "$job" 2>/dev/null
	code=$?
	[ "$code" = $((128 + $1)) ] || [ "$code" = 0 ] || complain "$2: exit $code"
	[ "$(settings)" = "$before" ] || complain "$2: left $(settings), was $before"
}

for signal in INT:2 HUP:1 QUIT:3; do
	begin --run 'iperf3 -c 10.99.0.2 -t 5 -J -R' --ceilings 64K,2M
	sleep 0.7
	kill -"${signal%:*}" "$job"
	ended "${signal#*:}" "SIG${signal%:*} during a run"
	[ "$code" = 0 ] && complain "SIG${signal%:*} did not end it"
done

seed=${SEED:-$(date +%s)}
echo "sweep: $moments random moments of SIGTERM, SEED=$seed"
awk -v seed="$seed" -v n=$moments 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++) printf "%.3f\n", rand() * 2.2 }' >"$work/moments"
while read -r wait; do
	begin --run 'iperf3 -c 10.99.0.2 -t 1 -J -R' --ceilings 64K,2M
	sleep "$wait"
	kill -TERM "$job" 2>/dev/null
	ended 15 "SIGTERM after $wait s"
done <"$work/moments"

# nothing can be done about SIGKILL; but what was set before the first write is on record
begin --run 'iperf3 -c 10.99.0.2 -t 5 -J -R' --ceilings 64K,2M
sleep 0.7
kill -KILL "$job"
wait "$job" 2>/dev/null
[ "$(settings)" != "$before" ] || complain "SIGKILL: nothing was set yet"
"$BDP" rollback >"$work/out" 2>"$work/err" || complain "SIGKILL: rollback failed"
[ "$(settings)" = "$before" ] || complain "SIGKILL: left $(settings), was $before"

exit $failed
