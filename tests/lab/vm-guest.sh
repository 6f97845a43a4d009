#!/bin/sh
# The first process of vm.sh's machine: a held path of 200 ms between two namespaces, measured,
# advised on, applied, measured again and taken back.  Files for the host go out as a tar archive
# on the second serial line.

PATH=/bin:/sbin:/usr/bin:/usr/sbin
export PATH
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /run /out /tmp
mount -t tmpfs run /run
for module in /modules/*.ko; do
	# Twice: one may need another that comes later.
	insmod "$module" 2>/dev/null
done
for module in /modules/*.ko; do
	insmod "$module" 2>/dev/null
done
# Ceiling, target, delay in ms, seconds, omit: as arguments of the kernel's command line.
eval "$(tr ' ' '\n' </proc/cmdline | sed -n 's/^bdp\.\([a-z_]*=[0-9]*\)$/\1/p')"
: "${ceiling:?}" "${target:?}" "${delay_ms:?}" "${seconds:?}" "${omit:?}"

# The shell would take its own applet.
ip() { /bin/ip "$@"; }
in_a() { ip netns exec a "$@"; }
in_b() { ip netns exec b "$@"; }

measure() {
	in_a iperf3 -c 10.78.0.2 -J -C cubic -O "$omit" -t "$seconds" >"/out/$1.json" 2>"/out/$1.err"
	sleep 1
}

echo "guest: $(uname -r)"
ip netns add a
ip netns add b
ip link add va netns a type veth peer name vb netns b
ip -n a address add 10.78.0.1/24 dev va
ip -n b address add 10.78.0.2/24 dev vb
for end in a b; do
	ip -n $end link set lo up
	ip -n $end link set v$end up
	ip netns exec $end tc qdisc add dev v$end root netem delay "${delay_ms}ms" limit 100000
	ip netns exec $end sysctl -qw net.ipv4.tcp_no_metrics_save=1 \
		net.ipv4.tcp_rmem="4096 131072 67108864" net.ipv4.tcp_wmem="4096 16384 67108864"
done
in_b sysctl -qw net.ipv4.tcp_rmem="4096 131072 $ceiling"
in_b iperf3 -s >/dev/null 2>&1 &
sleep 2
in_a ping -c 3 10.78.0.2 >/out/ping.txt
in_a sysctl -a >/out/sender.sysctl 2>/dev/null
in_b sysctl -a >/out/receiver.sysctl 2>/dev/null
echo "guest: recording both ends"
in_a bdp record -t "$seconds" --no-reverse --far 'ip netns exec b busybox sh' 10.78.0.2 \
	>/out/record.txt 2>/out/record.err
echo "$?" >/out/record.status
echo "guest: measuring the held path"
measure before
bdp -t "$target" --no-host /out/before.json receiver=/out/receiver.sysctl sender=/out/sender.sysctl \
	-o json >/out/plan.json 2>/out/bdp.err
echo "$?" >/out/advise.status
echo "guest: applying"
in_b bdp apply --role receiver /out/plan.json >/out/apply.txt 2>&1
echo "$?" >/out/apply.status
in_b sysctl -n net.ipv4.tcp_rmem >/out/rmem.applied
measure after
in_b bdp rollback >/out/rollback.txt 2>&1
echo "$?" >/out/rollback.status
in_b sysctl -n net.ipv4.tcp_rmem >/out/rmem.restored
stty -F /dev/ttyS1 raw
tar -C /out -c . >/dev/ttyS1
sync
echo "guest: done"
poweroff -f
