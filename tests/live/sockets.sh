#!/bin/sh
# bdp sockets against the kernel that runs, in a network namespace of its own: what it reads itself
# is what ss prints; 40,000 sockets take little memory and no longer than ss; Ctrl-C leaves the
# terminal as it was.  Uses the program in $BDP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"

. "$here/../namespaces.sh"
enter_namespaces "$0"

work=$(mktemp -d) || exit 1
crowd=
# shellcheck disable=SC2317 # by the trap
finish() {
	exec 3>&-
	[ -z "$crowd" ] || kill "$crowd" 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
failed=0
fail() {
	echo "sockets: $*" >&2
	failed=1
}

for tool in crowd peak; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$work/$tool" "$here/../tools/$tool.c" || exit 1
done
ip link set lo up

# gather ARGUMENTS-OF-CROWD: until release
gather() {
	rm -f "$work/hold"
	mkfifo "$work/hold"
	"$work/crowd" "$@" <"$work/hold" >"$work/ready" &
	crowd=$!
	exec 3>"$work/hold"
	left=600
	until grep -q ready "$work/ready"; do
		left=$((left - 1))
		if [ $left -eq 0 ] || ! kill -0 "$crowd"; then
			echo "sockets: the crowd did not gather" >&2
			exit 1
		fi
		sleep 0.1
	done
}

release() {
	exec 3>&-
	wait "$crowd"
	crowd=
}

# ---- the kernel's answer and ss's text are the same sockets --------------------------------
gather 40 zoo
"$BDP" sockets --state all --all -o json </dev/null >"$work/live.json" || fail "live: exit $?"
ss -tmina >"$work/ss.txt"
"$BDP" sockets --state all --all -o json "$work/ss.txt" >"$work/text.json" || fail "ss: exit $?"
for side in live text; do
	# where the listener of both families is, ss and the kernel name no peer
	jq -c '.sockets | map(select(.state != "TIME-WAIT")) | sort_by([.local, .local_port, .peer,
		.peer_port]) | .[]' "$work/$side.json" >"$work/$side"
	jq -c '[.state, .local, .local_port, .peer, .peer_port, .congestion_control, .snd_wscale,
		.rcv_wscale]' "$work/$side" >"$work/$side.same"
done
cmp -s "$work/live.same" "$work/text.same" || {
	fail "the kernel and ss name different sockets:"
	diff "$work/live.same" "$work/text.same" | head -n 10 >&2
}
counted=$(ss -Htna state all | grep -vc TIME-WAIT)
listed=$(wc -l <"$work/live")
if [ "$listed" -ne "$counted" ] || [ "$counted" -lt 108 ]; then
	fail "$listed listed, ss counts $counted"
fi
for state in ESTAB LISTEN CLOSE-WAIT FIN-WAIT-2; do
	grep -q "\"state\":\"$state\"" "$work/live" || fail "no socket in $state"
done
grep -q '"peer":"::1"' "$work/live" || fail "no IPv6 socket"
# all but the one over which data moves stand still; its RTT and buffers may differ
paste -d '\n' "$work/live" "$work/text" | jq -s '
	def near($a; $b): $a == $b or (($a != null) and ($b != null)
		and ([$a - $b, $b - $a] | max) <= 0.25 * ([$a, $b] | max) + 64);
	[range(0; length; 2) as $i | [.[$i], .[$i + 1]]
	 | select((.[0].receive.buffer_bytes != .[1].receive.buffer_bytes)
		or (.[0].send.buffer_bytes != .[1].send.buffer_bytes)
		or (near(.[0].rtt_us; .[1].rtt_us) | not)
		or (near(.[0].min_rtt_us; .[1].min_rtt_us) | not)
		or (near(.[0].receive.held_bytes; .[1].receive.held_bytes) | not)
		or (near(.[0].send.held_bytes; .[1].send.held_bytes) | not)
		or (near(.[0].peer_window_bytes; .[1].peer_window_bytes) | not))]' >"$work/differ.json"
[ "$(jq length "$work/differ.json")" -le 2 ] || {
	fail "figures differ between the kernel and ss:"
	jq -c '.[0]' "$work/differ.json" >&2
}

# ---- two readings: rates, and who does not read ---------------------------------------------
"$BDP" sockets --interval 2 -o json >"$work/two.json" </dev/null || fail "--interval: exit $?"
jq -e '.seconds > 1.9 and .seconds < 3 and .totals.stalled_readers == 1
	and .slow_readers[0].reader == "stalled" and .slow_readers[0].recv_queue_bytes > 60000
	and .counters.TcpExtPruneCalled != null and .runaway.remedy != "shrink-window"' \
	"$work/two.json" >/dev/null ||
	fail "--interval: $(jq -c '[.seconds, .totals, .slow_readers[0].reader]' "$work/two.json")"
# 6000 bytes at most each ms: and both ends must tell the same
"$BDP" sockets --interval 2 --all -o json </dev/null | jq -e '[.sockets[]
	| select(.send_now_bps > 1e6) .send_now_bps] as $out | [.sockets[]
	| select(.receive_now_bps > 1e6) .receive_now_bps] as $in
	| ($out | length) == 1 and ($in | length) == 1 and $out[0] < 48e6
	and ($out[0] / $in[0] | . > 0.98 and . < 1.02)' >/dev/null || fail "--interval: no rate"

# ---- filters --------------------------------------------------------------------------------
count() { "$BDP" sockets -o json "$@" </dev/null | jq .totals.sockets; }
same() { # WHAT GOT WANTED
	[ "$2" = "$3" ] || fail "$1: $2 sockets, not $3"
}
same "--port" "$(count --port 5010)" 80
same "--peer ::1" "$(count --peer ::1)" 20
same "--peer of IPv4" "$(count --peer 127.0.0.0/8)" "$(($(count) - 20))"
same "--state close-wait" "$(count --state close-wait)" 1
same "--min-held" "$(count --min-held 1M)" 1

# ---- repeated in place ------------------------------------------------------------------------
"$BDP" sockets --watch 1 -o json </dev/null >"$work/watch.json" &
watch=$!
sleep 2.5
kill -INT $watch
wait $watch
status=$?
[ $status -eq 0 ] || fail "--watch: exit $status after an interrupt"
rounds=$(jq -s 'map(select(.schema == "bdp-sockets/1")) | length' "$work/watch.json")
if [ "$(wc -l <"$work/watch.json")" != "$rounds" ] || [ "$rounds" -lt 2 ]; then
	fail "--watch: $rounds rounds of JSON"
fi
if command -v script >/dev/null; then
	cat >"$work/watch.sh" <<-END
		stty rows 24 cols 80
		"$BDP" sockets --watch 1 & watch=\$!
		sleep 2.5
		kill -INT \$watch
		wait \$watch
		echo "left \$?"
	END
	TERM=xterm script -qec "sh '$work/watch.sh'" "$work/terminal" >/dev/null 2>&1 </dev/null
	esc=$(printf '\033')
	tr -d '\r' <"$work/terminal" | sed "s/$esc\\[[JK]//g" | grep -qx 'left 0' ||
		fail "--watch: no clean line after Ctrl-C: $(tail -n 3 "$work/terminal")"
	# home and erase only: no mode that would have to be undone
	grep -q "$esc\\[H" "$work/terminal" || fail "--watch: not in place"
	! grep -q "$esc\\[?" "$work/terminal" || fail "--watch: changes a mode of the terminal"
fi
release

# ---- a crowd: memory and time -----------------------------------------------------------------
gather 20000
for _ in 1 2 3; do
	"$work/peak" "$BDP" sockets -o json </dev/null >"$work/crowd.json" 2>>"$work/peak.bdp"
	"$work/peak" ss -tmin >/dev/null 2>>"$work/peak.ss"
done
[ "$(jq .totals.sockets "$work/crowd.json")" = 40000 ] ||
	fail "$(jq .totals.sockets "$work/crowd.json") sockets of 20,000 connections listed"
"$work/peak" "$BDP" sockets --interval 1 -o json </dev/null >/dev/null 2>"$work/peak.two"
"$work/peak" "$BDP" sockets --all </dev/null 2>"$work/peak.all" | grep -c '^127\.' >"$work/rows"
[ "$(cat "$work/rows")" -ge 40000 ] || fail "--all: $(cat "$work/rows") rows"
best() { sort -n -k 2 "$1" | head -n 1; }
for file in bdp two all; do
	peak=$(sort -n "$work/peak.$file" | tail -n 1 | cut -d ' ' -f 1)
	[ "$peak" -lt 8192 ] || fail "$file: $peak KiB for 40,000 sockets"
done
printf 'sockets: 40,000 sockets: bdp %s KiB, %s ms (two readings: %s KiB); ss -tmin %s KiB, %s ms\n' \
	"$(best "$work/peak.bdp" | cut -d ' ' -f 1)" "$(best "$work/peak.bdp" | cut -d ' ' -f 2)" \
	"$(cut -d ' ' -f 1 "$work/peak.two")" \
	"$(best "$work/peak.ss" | cut -d ' ' -f 1)" "$(best "$work/peak.ss" | cut -d ' ' -f 2)"
release
exit $failed
