#!/bin/bash
# Nobody who follows advice is worse off: for every situation that was recorded with both ends' settings, a
# target of three times the rate is asked for, with the settings and without, and in each form that machines
# run.  No value lies below the one in that end's own dump, or, where none was given, below the largest
# default of any kernel; no ceiling is set where the truth holds no buffer, but where the peer's window was
# full; the four forms agree; -o sysctl is what sysctl.d(5) takes, and -o sh is a script.
# Usage: BDP=./bdp tests/corpus/harmless.sh
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
	while read -r key value; do
		# shellcheck disable=SC2016 # the inner shell expands
		got=$(unshare -n sh -c 'sysctl -q -p "$1" && sysctl -n "$2"' sh "$work/sysctl" "$key" | tr '\t' ' ')
		[ "$got" = "$value" ] || fail "$1: $key is '$got' after sysctl -p, not '$value'"
		loaded=$((loaded + 1))
	done <"$work/a"
}

# stock KERNEL RMEM-MIB DEFAULT: as net/ipv4/tcp.c tcp_init sets that kernel up, by RAM / 128 up to a maximum
stock() {
	local ram question role
	for ram in 512 2048 8192 1048576; do
		awk -v ram=$ram -v most="$2" -v initial="$3" 'BEGIN {
			share = ram / 128 * 1048576
			rmem = share < most * 1048576 ? share : most * 1048576
			wmem = share < 4194304 ? share : 4194304
			printf "net.ipv4.tcp_rmem = 4096 %d %d\nnet.ipv4.tcp_wmem = 4096 16384 %d\n", initial, rmem, wmem }' >"$work/stock"
		for question in "100M 5ms" "1G 5ms" "500M 65ms" "10G 100ms"; do
			for role in receiver sender; do
				check "$1, $ram MiB, $question" $role "$work/stock" -b "${question% *}" -r "${question#* }" \
					"receiver=$work/stock" "sender=$work/stock"
				[ -z "$namespaces" ] || loads "$1, $ram MiB, $question"
				stocks=$((stocks + 1))
			done
		done
	done
}
stocks=0 loaded=0 namespaces=
[ "$(id -u)" -ne 0 ] || ! unshare -n true 2>/dev/null || namespaces=1
stock 2.6.32 4 87380
stock 4.4 6 87380
stock 5.15 6 131072
stock 6.18 32 131072

[ $count -ge 50 ] || fail "$count situations only"
[ $failed = 0 ] && echo "harmless: $count situations, $lines lines, none below what is set there, no needless ceiling, the forms agree; $stocks questions on stock hosts, $loaded settings loaded"
exit $failed
