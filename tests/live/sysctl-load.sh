#!/bin/sh
# What -o sysctl prints must load with sysctl -p - in a network namespace, and what -o sh prints must run.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
: "${BDP:=$here/../bdp}"
if [ "$(id -u)" -ne 0 ] || ! unshare -n true 2>/dev/null; then
	echo "sysctl-load: needs root and network namespaces"
	exit 77
fi
export BDP here
unshare -n sh -eu <<'INSIDE'
host=$here/hosts/lb-5.15
sysctl -qw net.ipv4.tcp_rmem="4096 131072 4194304" net.ipv4.tcp_wmem="4096 16384 4194304"
"$BDP" --sysroot "$host" -b 703M -w 4.36M -t 3.34G --role proxy -o sysctl | sysctl -q -p -
[ "$(sysctl -n net.ipv4.tcp_rmem | tr '\t' ' ')" = "4096 131072 20971520" ]
[ "$(sysctl -n net.ipv4.tcp_wmem | tr '\t' ' ')" = "4096 262144 20971520" ]
sysctl -qw net.ipv4.tcp_rmem="4096 131072 4194304" net.ipv4.tcp_wmem="4096 16384 4194304"
sudo() { "$@"; }
"$BDP" --sysroot "$host" -b 703M -w 4.36M -t 3.34G --role proxy -o sh >/tmp/bdp-load.$$
. /tmp/bdp-load.$$ >/dev/null
rm -f /tmp/bdp-load.$$
[ "$(sysctl -n net.ipv4.tcp_rmem | tr '\t' ' ')" = "4096 131072 20971520" ]
INSIDE
