# shellcheck shell=sh
# Sourced by live tests: `enter_namespaces "$0" TOOL...` as the first thing begins the test again, as root in
# namespaces of its own (network and mounts; what NAMESPACES adds).  Where that cannot be had, or a tool
# is missing, it ends with 77 and the reason: skipped.

skip() { # REASON
	echo "$(basename "$0" .sh): skipped: $1" >&2
	exit 77
}

enter_namespaces() {
	[ -z "${BDP_INSIDE-}" ] || return 0
	script=$1
	shift
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for tool in unshare "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	# shellcheck disable=SC2086 # several options
	unshare -n -m ${NAMESPACES-} true 2>/dev/null || skip "cannot make namespaces here"
	BDP=$(readlink -f "$BDP")
	export BDP
	# shellcheck disable=SC2086
	BDP_INSIDE=1 exec unshare -n -m ${NAMESPACES-} sh "$script"
}
