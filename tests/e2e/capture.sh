#!/bin/sh
# Records what bdp reads of this machine below /proc and /sys into a directory for --sysroot.
#
#     capture.sh DIR [ROOT]
#
# DIR must not exist.  ROOT is where the tree to record is mounted, "/" when left out.  No root is
# needed; what cannot be read is left out, as it is for bdp.  Addresses and secrets are not recorded;
# the host's name is.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: capture.sh DIR [ROOT]" >&2
	exit 2
fi
to=$1
root=${2:-}
root=${root%/}
mkdir "$to"

# Copies one file by reading it: /proc and /sys files have no size to go by.
record() {
	path=$1
	mkdir -p "$to/${path%/*}"
	if ! cat "$root/$path" >"$to/$path" 2>/dev/null; then
		rm -f "$to/$path"
	fi
}

record proc/sys/kernel/osrelease
record proc/sys/kernel/hostname
record proc/meminfo
for name in sockstat sockstat6 netstat snmp; do
	record "proc/net/$name"
done

for file in "$root"/proc/sys/net/ipv4/tcp_* "$root"/proc/sys/net/core/*; do
	case $file in
	*/tcp_fastopen_key | */netdev_rss_key) continue ;; # secrets
	esac
	if [ -f "$file" ]; then
		record "${file#"$root"/}"
	fi
done

# The page size, in one line of any mapping: the others tell programs' paths and addresses.
mkdir -p "$to/proc/self"
grep -m 1 '^KernelPageSize:' "$root/proc/self/smaps" >"$to/proc/self/smaps" 2>/dev/null ||
	rm -f "$to/proc/self/smaps"

for interface in "$root"/sys/class/net/*; do
	[ -f "$interface/type" ] || continue
	below=${interface#"$root"/}
	for name in type operstate speed mtu; do
		record "$below/$name"
	done
	for queue in "$interface"/queues/tx-*; do
		[ -d "$queue" ] || continue
		# git keeps no empty directories
		mkdir -p "$to/$below/queues/${queue##*/}"
		echo 0 >"$to/$below/queues/${queue##*/}/tx_timeout"
	done
done
