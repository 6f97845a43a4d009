#!/bin/sh
# Runs every live test beside this file; each makes its own network namespaces.  77 is "skipped".
set -u
here=$(cd "$(dirname "$0")" && pwd)
failed=0
for test in "$here"/*.sh; do
	name=$(basename "$test" .sh)
	[ "$name" = run ] && continue
	timeout 120 sh "$test"
	case $? in
	0) echo "live: $name ok" ;;
	77) echo "live: $name skipped" ;;
	*)
		echo "live: $name FAILED"
		failed=1
		;;
	esac
done
exit $failed
