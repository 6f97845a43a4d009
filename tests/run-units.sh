#!/bin/sh
# Runs unit test programs one after another, all of them whatever fails; shows what a failed one
# printed, and the count.  VERBOSE=1 shows everything; EMULATOR runs programs of another machine.
. "$(dirname "$0")/sealed.sh"
seal "$0" "$@"
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM HUP
passed=0
failed=0
for program in "$@"; do
	${EMULATOR-} "$program" >"$log" 2>&1
	status=$?
	good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
	bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-0}))
	# A crash, a sanitizer's error or no count at all is a failure, too.
	if [ $status -ne 0 ] && [ "${bad:-0}" -eq 0 ]; then
		failed=$((failed + 1))
	fi
	if [ $status -ne 0 ] || [ -n "${VERBOSE-}" ]; then
		echo "== $program (exit $status)"
		grep -vE '^\[( RUN|       OK)' "$log" | tail -n 60
	fi
done
echo "unit: $passed passed, $failed failed"
[ $failed -eq 0 ]
