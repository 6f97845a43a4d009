# shellcheck shell=sh
# Sourced by the runners of tests: `seal "$0" "$@"` as the first thing.
#
# What is tested sets kernel parameters, and the tests often run as root: one wrong condition, and
# they would set those of this machine.  So a runner that could write below /proc/sys begins again in
# namespaces of its own (network, mounts, processes), with /proc/sys, /etc and what is in /run out of
# reach.  Where that is not permitted it stops: an ordinary user needs none of this.

# True when this process may write kernel parameters.
can_set() {
	[ -w /proc/sys/net/ipv4/tcp_rmem ]
}

seal() {
	can_set || return 0
	if [ -n "${BDP_SEALED-}" ]; then
		echo "$1: /proc/sys can still be written in namespaces of its own; nothing was run" >&2
		exit 1
	fi
	unshare -n -m -p true 2>/dev/null || {
		echo "$1: as root these tests need namespaces of their own, which this machine refuses;" \
			"run them as an ordinary user" >&2
		exit 1
	}
	# The runner is not the first process in there, to which no signal comes that it does not await.
	# shellcheck disable=SC2016 # the inner shell expands it
	BDP_SEALED=1 exec unshare -n -m -p --fork --kill-child --mount-proc sh -c '
		mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys &&
		mount --bind /etc /etc && mount -o remount,bind,ro /etc &&
		mount -t tmpfs none /run && ip link set lo up || exit 1
		sh "$@"
		exit $?' sealed "$@"
}
