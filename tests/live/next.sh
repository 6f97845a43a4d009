#!/bin/sh
# Every kind of command that reports print under NEXT, pasted where the report says: the measuring ones run
# against a live iperf3, and what they print is read again; the queueing ones leave the queue that they name.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"

. "$here/../namespaces.sh"
enter_namespaces "$0" ip tc jq iperf3 ss

failed=0
work=$(mktemp -d) || exit 1
server=
# shellcheck disable=SC2317 # called by the trap
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

# Both ends' addresses of the recorded runs are here, so that every command finds its host.
ip link set lo up
ip addr add 10.77.0.1/32 dev lo
ip addr add 10.77.0.2/32 dev lo
ip addr add fd77::1/128 dev lo nodad
ip addr add fd77::2/128 dev lo nodad
iperf3 -s >"$work/server" 2>&1 &
server=$!
tries=0
until ss -tln | grep -q ':5201 ' || [ $tries -ge 50 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
mkdir "$work/bin"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
PATH=$work/bin:$PATH
cd "$here/../corpus" || exit 1

fail() {
	echo "next: $1" >&2
	[ ! -s "$work/out" ] || head -n 5 "$work/out" | sed 's/^/    /' >&2
	failed=1
}

# The commands of every recorded run, each kind once: what to measure, and what the plan runs.
find iperf3 vivo policed -name '*.json' | sort | while read -r run; do
	"$BDP" --no-host -o json "$run" 2>/dev/null
	rate=$("$BDP" --no-host -o json "$run" 2>/dev/null | jq -r '.path.rate_bps // 0 | . * 3 | floor' 2>/dev/null)
	[ "${rate:-0}" -gt 1000 ] 2>/dev/null && "$BDP" --no-host -t "$rate" -o json "$run" 2>/dev/null
done | jq -r '.commands[].command, (.limit.decide_with // empty)' 2>/dev/null |
	sed -E 's/ +# .*//; s/10\.[0-9]+\.[0-9]+\.[0-9]+/10.77.0.2/g; s/[0-9]+kbit/50000kbit/' |
	sort -u >"$work/commands"

# ran COMMAND PATTERN: it succeeds, and prints that
ran() {
	command -v "${1%% *}" >/dev/null || { kind="no-$kind" && return; }
	timeout 60 sh -c "$1" >"$work/out" 2>&1 || fail "$1: exit $?"
	grep -qE "$2" "$work/out" || fail "$1: does not print $2"
}

kinds=
while read -r line; do
	case $line in
	"iperf3 "*-u*) kind=udp && ran "$(printf '%s' "$line" | sed 's/RATE/5M/') -t 1" 'iperf Done' ;;
	"iperf3 "*)
		kind=iperf3
		# a second is enough to see that it runs and is read
		line=$(printf '%s' "$line" | sed -E 's/ -t [0-9]+//')
		ran "$line -t 1" '"bits_per_second"'
		"$BDP" --no-host -o json "$work/out" >"$work/read" || fail "$line: bdp does not read it"
		jq -e '.path.rate_bps > 0 or .path.mean_rate_bps > 0' "$work/read" >/dev/null || fail "$line: no rate in it"
		;;
	"ping "*) kind=ping && ran "$(printf '%s' "$line" | sed 's/-c 10/-c 2/')" 'min/avg/max' ;;
	"mtr "*) kind=mtr && ran "$(printf '%s' "$line" | sed 's/-c 200/-c 3/')" 'Loss%' ;;
	"ss "*) kind=ss && ran "$line" 'State|Recv-Q' ;;
	"sysctl "*) kind=sysctl && ran "$line" ' = ' ;;
	"sudo tc "*)
		kind=tc
		line=$(printf '%s' "$line" | sed 's/ DEV / lo /')
		# 1: tc does not take the words; 2: this kernel has no fq
		sh -c "$line" >"$work/out" 2>&1
		case $? in
		0) ran "tc qdisc show dev lo" "qdisc fq .*$(printf '%s' "$line" | grep -o 'maxrate')" ;;
		2)
			kind=tc-without-fq
			grep -q 'kind is unknown' "$work/out" || fail "$line"
			;;
		*) fail "$line: no command for tc" ;;
		esac
		tc qdisc del dev lo root 2>/dev/null
		;;
	# set at the far end by carry.sh; a module is the whole machine's
	"ssh "* | "sudo modprobe "*)
		kind=elsewhere
		sh -n -c "$line" || fail "$line: no command"
		;;
	"top "*) kind=top ;;
	*) kind=unknown && fail "a kind of command that this test does not know: $line" ;;
	esac
	kinds="$kinds $kind"
done <"$work/commands"
for kind in iperf3 elsewhere; do
	case " $kinds " in *" $kind "*) ;; *) fail "no report printed a command of the kind $kind" ;; esac
done
[ "$(wc -l <"$work/commands")" -ge 5 ] || fail "only $(wc -l <"$work/commands") commands"
[ $failed = 0 ] && printf 'next: %s commands, kinds:%s\n' "$(wc -l <"$work/commands")" \
	"$(printf '%s' "$kinds" | tr ' ' '\n' | sed '/^$/d' | sort | uniq -c | awk '{ printf " %s %s", $1, $2 }')"
exit $failed
