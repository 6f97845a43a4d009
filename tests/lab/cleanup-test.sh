#!/bin/sh
# Nothing of the laboratory stays behind: no namespace, process, file or sysctl of this machine,
# after a normal end, a failure, and a signal to the script alone or to its whole group.

CLEAN_HERE=$(cd "$(dirname "$0")" && pwd)
LAB_NAME=bdp-clean-$$
export LAB_NAME
clean_tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$clean_tmp"' EXIT
trap 'exit 130' INT TERM HUP
TMPDIR=$clean_tmp/tmp
export TMPDIR
mkdir "$TMPDIR"

clean_sysctls() { sysctl -a 2>/dev/null | grep '^net\.' | sort; }

# Processes that inherited the name, but for this one and those it asks with.
clean_processes() {
	grep -lszx "LAB_NAME=$LAB_NAME" /proc/[0-9]*/environ >"$clean_tmp/environs"
	while read -r clean_environ; do
		[ "$clean_environ" != "/proc/$$/environ" ] && [ -d "${clean_environ%/*}" ] &&
			tr '\0' ' ' <"${clean_environ%environ}cmdline" | sed 's/^/process /;s/$/\n/'
	done <"$clean_tmp/environs" | grep -v cleanup-test
}

clean_left() {
	ip netns list | grep "^$LAB_NAME" | sed 's/^/namespace /'
	clean_processes
	find "$TMPDIR" -mindepth 1 | sed 's/^/file /'
	clean_sysctls | diff "$clean_tmp/sysctls" - | sed 's/^/sysctl /'
}

# clean_case NAME STATUS COMMAND...
clean_case() {
	clean_name=$1 clean_wanted=$2
	shift 2
	"$@" >"$clean_tmp/out" 2>&1
	clean_status=$?
	if [ $clean_status = 77 ]; then
		cat "$clean_tmp/out" >&2
		exit 77
	fi
	clean_left >"$clean_tmp/left"
	if [ $clean_status = "$clean_wanted" ] && [ ! -s "$clean_tmp/left" ]; then
		echo "ok    $clean_name"
		return
	fi
	echo "FAIL  $clean_name: status $clean_status, expected $clean_wanted; left behind:"
	sed 's/^/      /' "$clean_tmp/left" "$clean_tmp/out"
	clean_failed=1
}

# Compiled once, so that a signal after four seconds finds a measurement under way.
LAB_WAN=$clean_tmp/wan
export LAB_WAN
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$LAB_WAN" "$CLEAN_HERE/wan.c" || exit 1
clean_failed=0
clean_sysctls >"$clean_tmp/sysctls"
clean_lab="$CLEAN_HERE/lab.sh -o $clean_tmp/results -p delay=5ms"
# shellcheck disable=SC2086
{
	clean_case "normal end" 0 $clean_lab -t 2
	clean_case "iperf3 fails" 1 $clean_lab -t 2 -- --no-such-option
	clean_case "no path" 1 "$CLEAN_HERE/lab.sh" -o "$clean_tmp/results" -p delay=soon
	clean_case "SIGINT to the script" 130 \
		timeout --foreground --preserve-status -s INT 4 $clean_lab -t 20
	clean_case "SIGINT to the group" 130 timeout --preserve-status -s INT 4 $clean_lab -t 20
	clean_case "SIGTERM to the script" 143 \
		timeout --foreground --preserve-status -s TERM 4 $clean_lab -t 20
	clean_case "SIGHUP to the group" 129 timeout --preserve-status -s HUP 4 $clean_lab -t 20
}
exit $clean_failed
