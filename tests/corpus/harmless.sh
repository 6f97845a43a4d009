#!/bin/bash
# Nobody who follows advice is worse off: for every situation that was recorded with both ends' settings, a
# target of three times the rate is asked for, with the settings and without, and in each form that machines
# run; then random questions are asked about hosts as stock kernels set them up.  No value lies below the one
# in that end's own dump, or, where none was given, below the largest default of any kernel; no ceiling is set
# where the truth holds no buffer, but where the peer's window was full, and none beyond twice the need; below a
# target that is not met "nothing to set" stands with its cause; the four forms agree; -o sysctl is what
# sysctl.d(5) takes, and what sysctl -p loads; -o sh is a script.
# Usage: [SEED=N] [QUESTIONS=N] BDP=./bdp tests/corpus/harmless.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"
BDP=$(realpath "$BDP") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$here/vivo" || exit 1
failed=0 count=0 lines=0
# net/ipv4/tcp.c tcp_init: 32 MiB since 6.16 for tcp_rmem, 4 MiB for tcp_wmem
declare -A largest=([net.ipv4.tcp_rmem]=33554432 [net.ipv4.tcp_wmem]=4194304)

fail() { echo "harmless: $1" && failed=1; }

# The third number, or the only one, of a key's value in a dump; nothing when it is not there.
last_of() { sed -n "s/^$2 = //p" "$1" | tr '\t' ' ' | sed 's/.* //' | tail -n 1; }

# The settings of a form, "KEY VALUE..." a line, without comments.
of_sysctl() { sed -n 's/^\([a-z][a-z0-9_.]*\) *= */\1 /p' "$1"; }
of_sh() { sed -n 's/^sudo sysctl -w \([a-z][a-z0-9_.]*\)="\{0,1\}\([^"]*\)"\{0,1\}$/\1 \2/p' "$1"; }

# check NAME ROLE DUMP ARGUMENTS...: the lines of one end
check() {
	local name=$1 role=$2 dump=$3 key value least json
	shift 3
	json=$("$BDP" --no-host --role "$role" "$@" -o json) || { fail "$name: exit $?"; return; }
	"$BDP" --no-host --role "$role" "$@" -o sysctl >"$work/sysctl" || fail "$name: -o sysctl"
	"$BDP" --no-host --role "$role" "$@" -o sh >"$work/sh" || fail "$name: -o sh"
	if ! bash -n "$work/sh" || ! dash -n "$work/sh"; then fail "$name: -o sh is no script"; fi
	grep -qvE '^(#|$|[a-z][a-z0-9_.]* = [^ ])' "$work/sysctl" && fail "$name: -o sysctl is no sysctl.d file"
	of_sysctl "$work/sysctl" | sort >"$work/a"
	of_sh "$work/sh" | sort >"$work/b"
	printf '%s' "$json" | jq -r --arg role "$role" \
		'.settings[] | select(.change and .host == $role) | "\(.key) \(.value)"' | sort >"$work/c"
	cmp -s "$work/a" "$work/c" || fail "$name, $role: sysctl and JSON differ: $(diff "$work/a" "$work/c" | head -n 3 | tr '\n' ' ')"
	cmp -s "$work/b" "$work/c" || fail "$name, $role: sh and JSON differ: $(diff "$work/b" "$work/c" | head -n 3 | tr '\n' ' ')"
	"$BDP" --no-host --role "$role" "$@" >"$work/text" || fail "$name: text"
	while read -r key value; do
		lines=$((lines + 1))
		grep -qF "${key}" "$work/text" || fail "$name, $role: the text does not say $key"
		value=${value##* }
		case $value in *[!0-9]*) continue ;; esac
		least=${largest[$key]:-0}
		[ -z "$dump" ] || least=$(last_of "$dump" "$key")
		[ "$value" -ge "${least:-0}" ] || fail "$name, $role: $key $value is below $least"
	done <"$work/c"
	# a ceiling where no buffer holds; a-jitter-hystart grows for most of its time, and has its window full then
	if [ -n "$dump" ] && [ -n "$(truth "$name")" ] && grep -qE '^net\.ipv4\.tcp_[rw]mem ' "$work/c" &&
		! truth_has "$name" receive-window send-buffer &&
		! printf '%s' "$json" | jq -e '.path | .in_flight_bytes >= 0.95 * .peer_window_bytes' >/dev/null; then
		fail "$name, $role: a ceiling, though in truth it is $(truth "$name")"
	fi
}

truth() { awk -F '\t' -v n="$1" '$1 == n { print $2 }' truth.tsv; }
truth_has() {
	local all name=$1
	all=,$(truth "$name"),
	shift
	for cause in "$@"; do case $all in *",$cause,"*) return 0 ;; esac; done
	return 1
}

for run in *.json; do
	name=${run%.json}
	client=$name.sysctl-client.txt server=$name.sysctl-server.txt
	if [ ! -f "$client" ] || [ ! -f "$server" ]; then continue; fi
	case $name in *-R*) sender=$server receiver=$client ;; *) sender=$client receiver=$server ;; esac
	rate=$("$BDP" --no-host -o json "$run" 2>/dev/null | jq '.path.rate_bps // .path.mean_rate_bps // 0')
	[ "${rate%.*}" -gt 1000 ] 2>/dev/null || continue
	target=$(awk -v r="$rate" 'BEGIN { printf "%.0f", 3 * r }')
	count=$((count + 1))
	for role in sender receiver; do
		dump=$sender
		[ $role = receiver ] && dump=$receiver
		check "$name" $role "$dump" -t "$target" "sender=$sender" "receiver=$receiver" "$run"
		check "$name" $role "" -t "$target" "$run"
	done
done
# loads NAME: what check left is taken by sysctl -p, in a network namespace of its own, to the last number
loads() {
	local key value got
	# default_qdisc is no namespace's own, and bbr a module that need not be there
	grep -vE '^net\.core\.default_qdisc|= bbr$' "$work/sysctl" >"$work/own"
	while read -r key value; do
		case "$key $value" in net.core.default_qdisc\ * | *\ bbr) continue ;; esac
		# shellcheck disable=SC2016 # the inner shell expands
		got=$(unshare -n sh -c 'sysctl -q -p "$1" && sysctl -n "$2"' sh "$work/own" "$key" | tr '\t' ' ')
		[ "$got" = "$value" ] || fail "$1: $key is '$got' after sysctl -p, not '$value'"
		loaded=$((loaded + 1))
	done <"$work/a"
}

# ---- random questions about hosts as stock kernels set them up ----------------------------------
# net/ipv4/tcp.c tcp_init of each: RAM / 128 up to a maximum; release, tcp_rmem's maximum in MiB and default
kernels=("2.6.32 4 87380" "3.4 6 87380" "3.10 6 87380" "4.4 6 87380" "4.19 6 87380" "4.20 6 131072" "5.4 6 131072"
	"5.15 6 131072" "6.1 6 131072" "6.8 6 131072" "6.12 6 131072" "6.15 6 131072" "6.16 32 131072" "6.18 32 131072")
: "${SEED:=$(date +%s)}"
RANDOM=$((SEED % 32768))
pick() { eval "$1=\${$((2 + RANDOM % ($# - 1)))}"; }
# between two powers of ten, in hundredths: figures of every size are as likely
log_uniform() { awk -v low="$1" -v high="$2" -v r=$RANDOM 'BEGIN { printf "%.0f", exp(log(low) + r / 32767 * log(high / low)) }'; }

stock() { # FILE
	local release most initial ram
	pick kernel "${kernels[@]}"
	read -r release most initial <<<"$kernel"
	ram=$((1 << (9 + RANDOM % 12)))
	kernel="Linux $release, $ram MiB"
	awk -v release="$release" -v ram=$ram -v most="$most" -v initial="$initial" 'BEGIN {
		share = ram / 128 * 1048576
		rmem = share < most * 1048576 ? share : most * 1048576
		wmem = share < 4194304 ? share : 4194304
		printf "kernel.osrelease = %s\nnet.ipv4.tcp_rmem = 4096 %d %d\nnet.ipv4.tcp_wmem = 4096 16384 %d\n", release, initial,
			rmem < initial ? initial : rmem, wmem < 65536 ? 65536 : wmem }' >"$1"
}

# No ceiling beyond twice the need, rounded up: half of a buffer is in flight by what is planned with, a third
# with BBR, and a ceiling that is scaled may give a third more; where nothing is known of a host, its largest
# default may be all of it.  And where nothing is to be set below a target, the cause is said.
judge() { # NAME ARGUMENTS...
	local name=$1
	shift
	"$BDP" --no-host "$@" -o json 2>/dev/null >"$work/json" || { fail "$name: exit $?"; return; }
	jq -r '.path as $p | ($p.streams // 1) as $measured | (.plan.streams // $measured) as $streams
		| ($p.target_bps / $streams / 8e6 * ($p.rtt.high_us // 0)) as $flight
		| (if .runs | length > 0 then 3 else 2 end) as $least
		| ([.settings[] | select(.change)] | length) as $changes
		| (.settings[] | select(.change and (.key | test("tcp_[rw]mem"))) | . as $s
			| (.value | split(" ")[2] | tonumber) as $new
			| (if .current then .current | split(" ")[2] | tonumber else null end) as $now
			| ([$least * $flight, ($now // 0) * $p.target_bps / ($p.rate_bps // $p.target_bps) * 1.34,
				$p.peer_window_max_bytes // 0, $p.in_flight_bytes // 0] | max * 1.25 * 2) as $most
			| select($new > $most and $new > ($now // 0))
			| "\(.key) \($new) where \($flight | round) are in flight"),
		(select($changes == 0 and $p.target_bps > 1.02 * ($p.rate_bps // 0)
			and (.plan.reason == null or (.plan.reason_text // "") == "")) | "nothing to set, and no cause"),
		(select(.plan.reason == "target-met" and $p.target_bps > 1.03 * $p.rate_bps) | "met, it says"),
		(select($changes == 0 and .plan.reason != null and .plan.reason != "target-met"
			and (.answer | contains("nothing")) and (.answer | test(", (probably )?all that ") | not)
			and (. as $d | .answer | contains($d.plan.reason_text) | not))
			| "the answer does not say why: \(.answer)")' "$work/json" >"$work/said"
	while IFS= read -r line; do fail "$name: $line"; done <"$work/said"
}

runs=(*.json ../iperf3/*.json ../lab/*.json ../policed/*.json ../kernel-6.1/*.json)
stocks=0 loaded=0 namespaces='' ran=0 role=''
[ "$(id -u)" -ne 0 ] || ! unshare -n true 2>/dev/null || namespaces=1
while [ $stocks -lt "${QUESTIONS:-150}" ]; do
	stocks=$((stocks + 1))
	ask=() dump=
	if [ $((RANDOM % 2)) = 0 ]; then
		pick run "${runs[@]}"
		rate=$("$BDP" --no-host -o json "$run" 2>/dev/null |
			jq --argjson tenths $((RANDOM % 80 + 5)) '(.path.rate_bps // 0) * $tenths / 10 | round')
		[ "${rate:-0}" -gt 1000 ] || continue
		ask=(-t "$rate" "$run")
	else
		ask=(-b "$(log_uniform 100000 400000000000)" -r "$(log_uniform 100 1000000)us")
		[ $((RANDOM % 4)) != 0 ] || ask+=(-l "0.00$RANDOM")
	fi
	[ $((RANDOM % 4)) != 0 ] || ask+=(-P $((RANDOM % 16 + 1)))
	ran=$((ran + 1))
	stock "$work/stock"
	pick role receiver sender proxy
	name="seed $SEED, question $stocks ($kernel): $role ${ask[*]}"
	if [ $((RANDOM % 3)) != 0 ]; then
		dump=$work/stock
		if [ "$role" = proxy ]; then ask+=(--sysctl "$dump"); else ask+=("$role=$dump"); fi
	fi
	check "$name" "$role" "$dump" "${ask[@]}"
	[ -z "$namespaces" ] || loads "$name"
	judge "$name" "${ask[@]}"
done

[ $count -ge 50 ] || fail "$count situations only"
[ $failed = 0 ] && echo "harmless: $count situations, $lines lines, none below what is set there, no needless ceiling, the forms agree; $ran random questions on stock hosts (seed $SEED), $loaded settings loaded"
exit $failed
