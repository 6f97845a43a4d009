#!/bin/sh
# apply, confirm and rollback against the kernel that runs, in network and mount namespaces of their
# own: they go when this ends, whichever way.  Uses the program in $BDP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BDP:=$here/../../bdp}"

. "$here/../namespaces.sh"
enter_namespaces "$0"

failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mount -t tmpfs tmpfs /run || skip "no tmpfs"

fail() {
	echo "apply: $1" >&2
	sed 's/^/    /' "$work/out" "$work/err" >&2
	failed=1
}

# Runs bdp and holds its exit code against the one expected; then words that it must say.
expect() {
	code=$1
	shift
	"$BDP" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" -eq "$code" ] || fail "bdp $*: exit $got, expected $code"
}

says() {
	cat "$work/out" "$work/err" | tr -s ' \n' '  ' | grep -qF -e "$1" || fail "does not say '$1'"
}

ipv4=/proc/sys/net/ipv4
value() {
	tr '\t' ' ' <"$ipv4/$1"
}

all_values() {
	for key in tcp_rmem tcp_wmem tcp_congestion_control tcp_shrink_window tcp_sack; do
		[ -e "$ipv4/$key" ] && echo "$key $(value $key)"
	done
}

is() {
	[ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', expected '$2'"
}

unchanged() {
	[ "$(all_values)" = "$old" ] || fail "values are not the old ones: $(all_values | tr '\n' ' ')"
}

old=$(all_values)
congestion=$(value tcp_congestion_control)
other=
for name in $(value tcp_allowed_congestion_control); do
	[ "$name" = "$congestion" ] || other=$name
done

# --- set, prove, again, and back ------------------------------------------------------------
{
	echo "net.ipv4.tcp_rmem = 8192 262144 67108864"
	echo "net.ipv4.tcp_wmem = 8192 262144 67108864"
	[ -n "$other" ] && echo "net.ipv4.tcp_congestion_control = $other"
	[ -e $ipv4/tcp_shrink_window ] && echo "net.ipv4.tcp_shrink_window = 1"
} >"$work/plan"

expect 5 apply --check "$work/plan"
expect 0 apply --dry-run "$work/plan"
says "nothing was written"
unchanged
[ ! -e /run/bdp ] || fail "a dry run made /run/bdp"

expect 0 apply "$work/plan"
says "set and verified as apply 1"
is tcp_rmem "8192 262144 67108864"
is tcp_wmem "8192 262144 67108864"
[ -z "$other" ] || is tcp_congestion_control "$other"
[ ! -e $ipv4/tcp_shrink_window ] || is tcp_shrink_window 1

expect 0 apply "$work/plan"
says "already so: nothing was written"
[ ! -e /run/bdp/2.journal ] || fail "the second apply left a journal"
expect 0 apply --check "$work/plan"

expect 0 rollback --list
says "4096" # an old value
expect 0 rollback
unchanged
expect 4 rollback
says "nothing to roll back"

# --- changed since ------------------------------------------------------------------------------
expect 0 apply "$work/plan"
echo "8192 262144 33554432" >$ipv4/tcp_rmem
expect 5 apply --check "$work/plan"
expect 4 rollback --dry-run
says "changed since"
is tcp_wmem "8192 262144 67108864"
# what is still as it was set goes back, the other stays, and nothing is left in the way
expect 4 rollback
says "changed since"
says "sysctl -w net.ipv4.tcp_rmem="
is tcp_rmem "8192 262144 33554432"
echo "$old" | sed -n 's/^tcp_rmem //p' >$ipv4/tcp_rmem
unchanged
expect 4 rollback
says "nothing to roll back"
expect 0 apply "$work/plan"
echo "8192 262144 33554432" >$ipv4/tcp_rmem
expect 0 rollback --force
unchanged

# --- lower only when permitted --------------------------------------------------------------------
echo "net.ipv4.tcp_rmem = 4096 4096 8192" >"$work/lower"
expect 4 apply "$work/lower"
says "would lower"
unchanged
expect 0 apply --allow-lower "$work/lower"
is tcp_rmem "4096 4096 8192"
expect 0 rollback
unchanged

# --- what a namespace does not have -----------------------------------------------------------------
if [ ! -e /proc/sys/net/core/default_qdisc ]; then
	cp "$work/plan" "$work/more"
	echo "net.core.default_qdisc = fq" >>"$work/more"
	expect 4 apply "$work/more"
	says "does not exist in a network namespace"
	echo "net.ipv4.tcp_mem = 94500 126000 189000" >"$work/more"
	expect 4 apply "$work/more"
	says "does not exist in a network namespace"
	unchanged
fi

# --- a congestion control that is not there, behind settings that are --------------------------------
sed '/congestion/d' "$work/plan" >"$work/none"
echo "net.ipv4.tcp_congestion_control = bdp_none" >>"$work/none"
for how in --dry-run ""; do
	expect 4 apply $how "$work/none"
	says "nothing was written"
	says "available: $(value tcp_available_congestion_control)"
	unchanged
done
[ ! -e /run/bdp/5.journal ] || fail "an apply that was undone left a journal"

# ... and one that is there, but not allowed in this namespace (since 5.13)
for name in $(value tcp_available_congestion_control); do
	case " $(value tcp_allowed_congestion_control) " in
	*" $name "*) ;;
	*)
		sed '/congestion/d' "$work/plan" >"$work/none"
		echo "net.ipv4.tcp_congestion_control = $name" >>"$work/none"
		expect 4 apply --dry-run "$work/none"
		says "not allowed in this network namespace"
		expect 4 apply "$work/none"
		says "not allowed in this network namespace"
		unchanged
		;;
	esac
done

# --- a dry run says what the kernel will do ------------------------------------------------------------------
# Of every key the ends of what bdp takes, and a name that no kernel has.
for line in "tcp_rmem = 4096 4096 4096" "tcp_rmem = 4096 131072 2147483647" \
	"tcp_wmem = 4096 4096 4096" "tcp_wmem = 4096 16384 2147483647" "tcp_mem = 1 2 3" \
	"tcp_adv_win_scale = -31" "tcp_adv_win_scale = 31" "tcp_moderate_rcvbuf = 0" \
	"tcp_window_scaling = 0" "tcp_timestamps = 2" "tcp_sack = 0" "tcp_shrink_window = 1" \
	"tcp_no_metrics_save = 1" "tcp_slow_start_after_idle = 0" "tcp_mtu_probing = 2" \
	"tcp_base_mss = 48" "tcp_base_mss = 65535" "tcp_notsent_lowat = 0" \
	"tcp_limit_output_bytes = 1" "tcp_ecn = 1" "tcp_congestion_control = bogus" \
	"tcp_congestion_control = reno" "rmem_max = 2304" "wmem_max = 4608" \
	"default_qdisc = fq" "default_qdisc = bogus" "netdev_max_backlog = 2000"; do
	case $line in
	tcp_*) echo "net.ipv4.$line" ;;
	*) echo "net.core.$line" ;;
	esac >"$work/one"
	"$BDP" apply --allow-lower --dry-run "$work/one" >"$work/out" 2>"$work/err"
	told=$?
	"$BDP" apply --allow-lower "$work/one" >"$work/out" 2>"$work/err"
	did=$?
	[ $told = $did ] || fail "$line: a dry run ends with $told, the apply with $did"
	if [ -s "$work/out" ] && grep -q 'set and verified' "$work/out"; then
		expect 0 rollback
	fi
done
unchanged

# --- a plan that is not all good ------------------------------------------------------------------------
cp "$work/plan" "$work/bad"
echo "kernel.sysrq = 1" >>"$work/bad"
expect 3 apply "$work/bad"
says "'kernel.sysrq' is not a setting that bdp knows"
unchanged

# --- the timed undo ---------------------------------------------------------------------------------
expect 0 apply --confirm 1 "$work/plan"
is tcp_rmem "8192 262144 67108864"
sleep 2
unchanged
expect 4 confirm
says "too late"

expect 0 apply --confirm 2 "$work/plan"
expect 4 apply --allow-lower "$work/lower"
says "still waits"
expect 0 confirm
sleep 3
is tcp_rmem "8192 262144 67108864"
expect 0 rollback
unchanged

# confirmed, but somebody had changed it
expect 0 apply --confirm 60 "$work/plan"
echo "8192 262144 33554432" >$ipv4/tcp_wmem
expect 4 confirm
says "is not as it made it"
says "net.ipv4.tcp_wmem"
expect 4 rollback
echo "$old" | sed -n 's/^tcp_wmem //p' >$ipv4/tcp_wmem
unchanged

# SIGCHLD ignored, 2,000 descriptors open: the guard undoes, and keeps nobody from anything
# shellcheck disable=SC2016 # the inner shell expands it
crowd() {
	bash -c 'ulimit -n 4096 && trap "" CHLD || exit 99
		for _ in {1..2000}; do exec {fd}<&0; done
		exec "$0" "$@"' "$BDP" "$@" </dev/null >"$work/out" 2>"$work/err"
}
crowd apply --confirm 1 "$work/plan" || fail "not applied with 2,000 descriptors open"
sleep 2
unchanged
crowd apply --confirm 60 "$work/plan" || fail "not applied with 2,000 descriptors open"
guards=0
for process in /proc/[0-9]*; do
	[ "$(readlink "$process/ns/net")" = "$(readlink /proc/self/ns/net)" ] || continue
	[ "$(cat "$process/comm" 2>/dev/null)" = bdp-guard ] || continue
	guards=$((guards + 1))
	open=$(find "$process/fd" -type l | wc -l)
	[ "$open" -lt 20 ] || fail "the guard keeps $open descriptors"
done
[ $guards = 1 ] || fail "$guards guards"
crowd confirm || fail "not confirmed with 2,000 descriptors open"
expect 0 rollback
unchanged

# the journals are removed while an undo waits: it comes all the same, and the log says so
expect 0 apply --confirm 2 "$work/plan"
rm -rf /run/bdp
sleep 3
unchanged

# --- an inode that is used again ------------------------------------------------------------------------
# A namespace ends, and the next one gets its number: what was set in the first means nothing there.
# shellcheck disable=SC2016 # the inner shell expands it
unshare -n sh -c 'stat -Lc %i /proc/self/ns/net; "$0" apply "$1" >/dev/null' "$BDP" "$work/plan" >"$work/first"
reused=
for _ in 1 2 3 4 5 6 7 8 9 10; do
	# shellcheck disable=SC2016
	unshare -n sh -c '[ "$(stat -Lc %i /proc/self/ns/net)" = "$1" ] || exit 9
		echo "8192 262144 67108864" >/proc/sys/net/ipv4/tcp_rmem
		"$0" rollback; code=$?
		[ "$(tr "\t" " " </proc/sys/net/ipv4/tcp_rmem)" = "8192 262144 67108864" ] || exit 8
		exit $code' "$BDP" "$(cat "$work/first")" >"$work/out" 2>"$work/err"
	code=$?
	[ $code = 9 ] && continue
	reused=yes
	[ $code = 4 ] || fail "a rollback in a namespace with a used number: $code"
	says "in another network namespace"
	break
done
[ -n "$reused" ] || echo "apply: no number of a namespace was used again; not tested"

# --- in another namespace ---------------------------------------------------------------------------
expect 0 apply "$work/plan"
unshare -n "$BDP" rollback >"$work/out" 2>"$work/err" && fail "rolled back in another namespace"
says "in another network namespace"
is tcp_rmem "8192 262144 67108864"
expect 0 rollback
unchanged

# --- a file that holds ------------------------------------------------------------------------------
expect 0 apply --persist="$work/90-test.conf" "$work/plan"
grep -q '^net.ipv4.tcp_rmem = 8192 262144 67108864$' "$work/90-test.conf" || fail "not persisted"
expect 0 rollback
[ ! -e "$work/90-test.conf" ] || fail "the persisted file is still there"
unchanged

# --- without the right ------------------------------------------------------------------------------
if command -v setpriv >/dev/null; then
	chmod 755 "$work" && chmod 644 "$work/plan"
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		"$BDP" apply "$work/plan" >"$work/out" 2>"$work/err" && fail "applied as nobody"
	says "sudo"
	unchanged
fi
mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && {
	expect 4 apply --dry-run "$work/plan"
	says "mounted read-only"
	expect 4 apply "$work/plan"
	says "mounted read-only"
	umount /proc/sys
}
unchanged

exit $failed
