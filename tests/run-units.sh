#!/bin/sh
# Runs unit test programs one after another; all of them, whatever fails.
failed=0
for program in "$@"; do
	"$program" || failed=1
done
exit $failed
