#!/bin/sh
# Runs bdp on a terminal of 24 lines and 80 columns, as script(1) makes one: that long work says there what it
# is at, and leaves nothing of it; that nothing is said where standard error is a file; and that
# `sockets --watch` has its table first and fits.  Usage: tests/terminal.sh [PROGRAM].  Its connections are
# over the loopback interface.
# shellcheck disable=SC2016 # expanded on the terminal
set -u
bdp=$(realpath "${1:-./bdp}") || exit 1
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
started=
trap 'kill $started 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

fail() {
	echo "terminal.sh: $1"
	failed=1
}

on_terminal() { # ROWS COMMAND: what the terminal got, in $work/screen
	printf 'stty rows %s cols 80\n%s\n' "$1" "$2" >"$work/typed"
	TERM=xterm LC_ALL=C.UTF-8 script -qec "sh $work/typed" /dev/null </dev/null >"$work/screen" 2>&1
}

# The terminal as one sees it at the end: what stands behind the last return and erasure of each line.
left() {
	awk '{ sub(/\r$/, ""); count = split($0, part, "\r"); sub(/\033\[K/, "", part[count]); print part[count] }' \
		"$work/screen"
}

# ---- connections to look at: twelve that hold a little, one that moves
port=$(awk 'BEGIN { srand(); print 20000 + int(rand() * 10000) }')
socat -u "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" OPEN:/dev/null &
started=$!
tries=0
until socat -u OPEN:/dev/null "TCP:127.0.0.1:$port" 2>/dev/null; do
	tries=$((tries + 1))
	[ $tries -lt 50 ] || exit 1
	sleep 0.1
done
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	socat -u EXEC:'sleep 60' "TCP:127.0.0.1:$port" &
	started="$started $!"
done
(while head -c 20000 /dev/zero; do sleep 0.05; done) | socat -u - "TCP:127.0.0.1:$port" &
started="$started $!"
sleep 0.5

# ---- progress
on_terminal 24 "$bdp sockets --interval 1s >$work/report"
grep -q 'until the second reading: 0 s of 1 s' "$work/screen" || fail "--interval says nothing: $(cat -v "$work/screen")"
left | grep -q . && fail "--interval leaves something: $(left)"
on_terminal 24 "$bdp sockets --interval 200ms >$work/report 2>$work/err"
[ -s "$work/err" ] && fail "--interval writes to a file: $(cat "$work/err")"
on_terminal 24 "$bdp --socket 127.0.0.1:$port --interval 1s >$work/report"
grep -q 'watching the connection: 0 s of 1 s' "$work/screen" || fail "--socket says nothing: $(cat -v "$work/screen")"
left | grep -q . && fail "--socket leaves something: $(left)"
# a line wider than the terminal is cut, for a wrapped one could not be taken away
printf 'stty cols 20\n%s sockets --interval 200ms >/dev/null\n' "$bdp" >"$work/typed"
script -qec "sh $work/typed" /dev/null </dev/null >"$work/screen"
tr '\r' '\n' <"$work/screen" | sed 's/\x1b\[K//' | awk 'length > 19 { exit 1 }' || fail "a narrow terminal is overrun"

cp -r tests/hosts/lb-5.15 "$work/root" && chmod -R u+w "$work/root"
cat >"$work/run.sh" <<END
sleep 1
cat $PWD/tests/corpus/iperf3/unclamped.3.12.json
END
on_terminal 24 "$bdp sweep --run 'sh $work/run.sh' --role sender --sysroot $work/root --ceilings 17M,20M >$work/report"
grep -q 'running: 0 s' "$work/screen" || fail "sweep --run says nothing: $(cat -v "$work/screen")"
left | grep -q 'running:' && fail "sweep --run leaves something: $(left)"
left | grep -q '^1/2  17 MiB, run 1' || fail "sweep --run takes its own lines away: $(left)"

# ---- sockets --watch: frames begin at home
frames() { # ROWS
	on_terminal "$1" "timeout -s INT 2.5 $bdp sockets --port $port --watch 500ms"
	awk 'BEGIN { RS = "\033\\[H" } NR > 2 { last = $0 } END { printf "%s", last }' "$work/screen" |
		sed 's/\x1b\[[0-9;]*[mKJ]//g; s/\r//' >"$work/frame"
}
frames 24
[ -s "$work/frame" ] || fail "--watch shows nothing: $(head -c 300 "$work/screen")"
[ "$(wc -l <"$work/frame")" -le 23 ] || fail "--watch: $(wc -l <"$work/frame") lines of 24"
[ "$(grep -oE '^[A-Z]{4,}' "$work/frame" | head -n 1)" = LARGEST ] || fail "--watch: the table is not first: $(cat "$work/frame")"
[ "$(grep -c "127.0.0.1" "$work/frame")" = 10 ] || fail "--watch: not ten sockets: $(cat "$work/frame")"
# what is shown ends where a part of the report does
on_terminal 100 "timeout -s INT 2.5 $bdp sockets --port $port --watch 500ms"
last=$(tail -n 1 "$work/frame" | cut -c 1-30)
grep -qF "$last" "$work/screen" || [ -z "$last" ] || fail "--watch: an unknown last line: $last"
frames 9
[ "$(wc -l <"$work/frame")" -le 8 ] || fail "--watch: $(wc -l <"$work/frame") lines of 9"
grep -q LARGEST "$work/frame" || fail "--watch: no table on a small screen"

[ $failed = 0 ] && echo "terminal.sh: progress is shown and taken away; the repeated table fits"
exit $failed
