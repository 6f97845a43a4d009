#!/bin/sh
# Advice that is carried to another host: the recipes of README.md that go through ssh, the commands that
# reports print under NEXT, and plans applied at either end of a run, at both and at neither, in three
# network namespaces.  The ends have the addresses of the recorded run, 10.77.0.1 and 10.77.0.2.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"

. "$here/../namespaces.sh"
enter_namespaces "$0" ip jq

failed=0
work=$(mktemp -d) || exit 1
receiver=
stranger=
server=
# shellcheck disable=SC2317 # called by the trap
stop() {
	for pid in $server $receiver $stranger; do kill "$pid" 2>/dev/null; done
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM
mount -t tmpfs tmpfs /run || skip "no tmpfs"

# This namespace sends; two more receive, and have no part in it.
unshare -n sleep 300 &
receiver=$!
unshare -n sleep 300 &
stranger=$!
in_receiver() { nsenter -t "$receiver" -n "$@"; }
in_stranger() { nsenter -t "$stranger" -n "$@"; }
own=$(readlink /proc/self/ns/net)
for pid in $receiver $stranger; do
	tries=0
	while [ "$(readlink "/proc/$pid/ns/net")" = "$own" ] && [ $tries -lt 50 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
done
ip link set lo up
ip link add sender type veth peer name receiver netns "$receiver" || exit 77
ip addr add 10.77.0.1/24 dev sender
ip link set sender up
in_receiver ip link set lo up
in_receiver ip addr add 10.77.0.2/24 dev receiver
in_receiver ip link set receiver up
in_stranger ip link set lo up
in_stranger ip addr add 10.99.0.1/24 dev lo

# What a remote shell does with its words, and root that is root already.
mkdir "$work/bin"
cat >"$work/bin/ssh" <<SSH
#!/bin/sh
case \$1 in
10.77.0.2 | lb.example | proxy.example) shift && exec nsenter -t $receiver -n sh -c "\$*" ;;
*) echo "ssh: no such host here: \$1" >&2; exit 255 ;;
esac
SSH
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(readlink -f "$BDP")" >"$work/bin/bdp"
chmod +x "$work/bin/ssh" "$work/bin/sudo" "$work/bin/bdp"
PATH=$work/bin:$PATH
export PATH

fail() {
	echo "carry: $1" >&2
	sed 's/^/    /' "$work/out" >&2
	failed=1
}

old="4096 131072 4194304"
reset() {
	sysctl -qw net.ipv4.tcp_rmem="$old" net.ipv4.tcp_wmem="4096 16384 4194304"
	in_receiver sysctl -qw net.ipv4.tcp_rmem="$old" net.ipv4.tcp_wmem="4096 16384 4194304"
	in_stranger sysctl -qw net.ipv4.tcp_rmem="$old" net.ipv4.tcp_wmem="4096 16384 4194304"
	rm -rf /run/bdp
}

# has NAMESPACE KEY VALUE
has() {
	case $1 in
	sender) got=$(sysctl -n "net.ipv4.$2") ;;
	*) got=$("in_$1" sysctl -n "net.ipv4.$2") ;;
	esac
	got=$(printf '%s' "$got" | tr '\t' ' ')
	[ "$got" = "$3" ] || fail "$what: $2 of the $1 is '$got', not '$3'"
}

# exits CODE COMMAND...
exits() {
	want=$1
	shift
	"$@" >"$work/out" 2>&1
	got=$?
	[ $got -eq "$want" ] || fail "$what: exit $got, not $want"
}

says() {
	tr -s ' \n' '  ' <"$work/out" | grep -qF -e "$1" || fail "$what: does not say '$1'"
}

run=$here/../corpus/iperf3/rwnd-clamp.3.12.json
text=$here/../corpus/iperf3/rwnd-clamp.3.12.txt

reset
what="a plan made on the sender, applied on the receiver"
in_receiver sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem >"$work/receiver.sysctl"
exits 0 bdp -t 3G -o json "$run" receiver="$work/receiver.sysctl"
cp "$work/out" "$work/plan.json"
exits 0 in_receiver bdp apply "$work/plan.json"
# 4 MiB x 3000 / 423 = 28.4 -> 32 MiB
has receiver tcp_rmem "4096 131072 33554432"
has sender tcp_rmem "$old"

reset
what="the same on the sender"
exits 0 bdp apply "$work/plan.json"
has sender tcp_rmem "$old"
what="the same, with a role that the addresses contradict"
exits 4 bdp apply --role receiver "$work/plan.json"
says "this host has the address of the plan's sender"
has sender tcp_rmem "$old"
exits 4 in_receiver bdp apply --role sender "$work/plan.json"
has receiver tcp_rmem "$old"
what="the same on a host that is neither"
exits 4 in_stranger bdp apply "$work/plan.json"
says "neither the sender 10.77.0.1 nor the receiver 10.77.0.2"
has stranger tcp_rmem "$old"
what="the same there, when a role says which end it is behind another address"
exits 0 in_stranger bdp apply --role receiver "$work/plan.json"
has stranger tcp_rmem "4096 131072 33554432"

reset
what="a saved run applied on a host that is no end of it"
exits 4 in_stranger bdp --apply -t 3G "$text"
has stranger tcp_rmem "$old"
what="a run whose sender is here, advised on with the other role"
exits 2 bdp -t 3G --role receiver "$run"
says "this machine is the sender of that run, 10.77.0.1"
what="the machine whose settings were used"
exits 0 bdp -t 3G "$run"
says "settings of the sender, by its address"

# ---- README.md: every recipe that goes through ssh, as it is printed ----
cp "$here/../e2e/cases/story-a-proxy/direct.txt" "$work/direct.txt"
cp "$here/../e2e/cases/story-a-proxy/lb-run.txt" "$work/proxy-run.txt"
cp "$here/../e2e/cases/story-a-proxy/lb.txt" "$work/proxy-sysctl.txt"
awk '/^```/ { inside = !inside; next }
    inside && /^\$ / { line = substr($0, 3); while (line ~ /[|\\]$/ && (getline more) > 0) line = line "\n" more
	if (line ~ /ssh /) { print line; print "---" } }' "$here/../../README.md" >"$work/recipes"
reset
what="README.md's recipe for the load balancer"
grep -q 'ssh proxy.example sudo sysctl -p -' "$work/recipes" || fail "README.md has no such recipe"
sed '/^---/d' "$work/recipes" >"$work/recipe.sh"
# a namespace has no default_qdisc, which sysctl says; nothing else may go wrong
(cd "$work" && sh -e ./recipe.sh) >"$work/all" 2>&1
grep -v -e '^net\.' -e 'default_qdisc: No such file' "$work/all" >"$work/out" && fail "$what failed"
has receiver tcp_rmem "4096 131072 20971520"
has receiver tcp_wmem "4096 262144 20971520"
has sender tcp_rmem "$old"

# ---- what a report prints under NEXT, pasted ----
reset
what="the command that sets the other host from here"
exits 0 bdp -t 3G -o json "$run" receiver="$work/receiver.sysctl"
jq -r '.commands[].command | select(startswith("ssh "))' "$work/out" >"$work/next.sh"
[ "$(wc -l <"$work/next.sh")" = 1 ] || fail "$what: not one command"
sh -e "$work/next.sh" >"$work/out" 2>&1 || fail "$what failed"
has receiver tcp_rmem "4096 131072 33554432"
has sender tcp_rmem "$old"

exit $failed
