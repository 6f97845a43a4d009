#!/bin/sh
# bdp record between two network namespaces of its own, whose settings differ: what it writes is read
# back as both ends' facts; the far script runs under dash and busybox; whatever way it ends there is no
# process left and what it wrote can be read.  SEED repeats the random moments of a run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
moments=${MOMENTS:-3}

. "$here/../namespaces.sh"
enter_namespaces "$0" ip iperf3 sysctl jq nsenter ss dash busybox
env --default-signal=INT true 2>/dev/null || skip "env has no --default-signal"

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

near_max=4194304 far_max=5242880
unshare -n sh -c "until ip link set vb up 2>/dev/null; do sleep 0.05; done
	sysctl -qw net.ipv4.tcp_rmem='4096 131072 $far_max'
	ip addr add 10.99.0.2/24 dev vb && exec iperf3 -s" >/dev/null 2>&1 &
server=$!
sleep 0.2
ip link add va type veth peer name vb netns "$server" || skip "no veth"
ip link set lo up
ip addr add 10.99.0.1/24 dev va
ip link set va up
sysctl -qw net.ipv4.tcp_rmem="4096 131072 $near_max"
far="nsenter -t $server -n"
tries=100
until [ -n "$($far ss -Hltn 'sport = :5201')" ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || skip "no iperf3 server"
	sleep 0.05
done

failed=0
complain() {
	echo "record: $*" >&2
	sed 's/^/    /' "$work/err" >&2
	failed=1
}

# Processes in the two namespaces, but for the server and this script with what it runs to look.
left_over() {
	for link in /proc/[0-9]*/ns/net; do
		pid=${link#/proc/}
		pid=${pid%%/*}
		case " $$ $server " in *" $pid "*) continue ;; esac
		space=$(readlink "$link" 2>/dev/null) || continue
		if [ "$space" = "$near_space" ] || [ "$space" = "$far_space" ]; then
			name=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)
			case $name in "sh $0 "* | *"/record.sh "* | '') ;; *) echo "$pid $name" ;; esac
		fi
	done
}
near_space=$(readlink /proc/$$/ns/net)
far_space=$(readlink "/proc/$server/ns/net")

# says FILTER: a jq filter of the report on the last transcript
says() {
	"$BDP" -o json "$@" "$work/out" 2>>"$work/err"
}

# ---- both ends, by either shell
for shell in dash "busybox sh"; do
	"$BDP" record -t 1 --far "$far $shell" 10.99.0.2 >"$work/out" 2>"$work/err" ||
		complain "$shell: exit $?"
	[ "$(says | jq '[.runs[].path.direction] | unique | length')" = 2 ] || complain "$shell: not both directions in it"
	for run in "1:5 MiB" "2:4 MiB"; do
		says --run "${run%:*}" | jq -e --arg text "maximum ${run#*:} on the receiver" \
			'[.findings[].text | select(contains($text))] | length == 1' >/dev/null ||
			complain "$shell: run ${run%:*}: the receiver's tcp_rmem is not ${run#*:}"
	done
	says | jq -e '[.inputs[] | select(.kind == "ss")] | length == 3' >/dev/null ||
		complain "$shell: not the sockets of two tests here and of the far end"
	grep -q '^[^ $]*\$ cat /proc/net/netstat' "$work/out" || complain "$shell: no counters"
	[ "$(left_over)" = "" ] || complain "$shell: left $(left_over)"
done

# ---- what cannot be had does not stop the rest
"$BDP" record -t 1 --no-reverse --far false 10.99.0.2 >"$work/out" 2>"$work/err" ||
	complain "far without a shell: exit $?"
grep -q 'shows nothing of its host' "$work/err" || complain "far without a shell: not said"
says | jq -e '.runs | length == 1' >/dev/null || complain "far without a shell: no run"
"$BDP" record -t 1 -p 5299 10.99.0.2 >"$work/out" 2>"$work/err"
[ $? = 3 ] || complain "no server: not exit 3"
grep -q 'no test was made: unable to connect' "$work/err" || complain "no server: not said"
grep -q '^/proc/sys/net/ipv4/tcp_rmem:' "$work/out" || complain "no server: no settings"
(
	PATH=$work
	"$BDP" record -t 1 10.99.0.2 >"$work/out" 2>"$work/err"
	[ $? = 3 ]
) || complain "no iperf3: not exit 3"
grep -q '^iperf3: not found' "$work/out" || complain "no iperf3: not in the transcript"

# ---- the script by hand: interrupted, it shows the counters once more
"$BDP" record --script >"$work/script"
for shell in dash "busybox sh"; do
	# shellcheck disable=SC2086 # the shell may be two words
	env --default-signal=INT $shell "$work/script" >"$work/out" 2>"$work/err" &
	script=$!
	sleep 2
	kill -INT $script
	wait $script || complain "script: $shell: exit $?"
	[ "$(grep -c '\$ cat /proc/net/netstat' "$work/out")" = 2 ] || complain "script: $shell: no counters"
	[ -s "$work/err" ] && complain "script: $shell: it complains"
done
"$BDP" record --host >"$work/out" 2>"$work/err" || complain "--host: exit $?"
"$BDP" -r 50ms -b 10G --sysctl "$work/out" -o json 2>>"$work/err" |
	jq -e '.settings[0].current == "4096 131072 4194304"' >/dev/null || complain "--host: not read as a dump"

# ---- as the command of a sweep
"$BDP" sweep --role sender --ceilings 2M,8M --run "$BDP record -t 1 --no-reverse 10.99.0.2" -o json \
	>"$work/sweep" 2>"$work/err" || complain "sweep --run: exit $?"
jq -e '[.. | objects | select(has("congestion_control")) | .runs] | length == 2' "$work/sweep" >/dev/null ||
	complain "sweep --run: not two ceilings"

# ---- ^C at any moment
seed=${SEED:-$$}
i=0
while [ $i -lt "$moments" ]; do
	i=$((i + 1))
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	pause=$((seed / 1000 % 100))
	env --default-signal=INT "$BDP" record -t 1 --far "$far dash" 10.99.0.2 >"$work/out" 2>"$work/err" &
	measure=$!
	sleep "$((pause / 10)).$((pause % 10))"
	kill -INT $measure 2>/dev/null
	wait $measure
	code=$?
	[ $code = 130 ] || [ $code = 0 ] || complain "^C after 0.$pause x 10 s: exit $code"
	[ "$(left_over)" = "" ] || complain "^C after $pause/10 s: left $(left_over)"
	[ -z "$(tail -c 1 "$work/out")" ] || complain "^C after $pause/10 s: the last line has no end"
	"$BDP" "$work/out" >/dev/null 2>>"$work/err"
	code=$?
	[ $code = 0 ] || [ $code = 3 ] || complain "^C after $pause/10 s: reading it: exit $code"
done
exit $failed
