#!/bin/sh
# Stands for another tool in the manuals' examples: prints the recording that tests/examples/map has
# for this very command line.
tool=$(basename "$0")
words=$*
case "$tool $words" in
"ssh "*" sudo sysctl -p -")
	# What sysctl -p does with what it is given: comments, and "key = value" it says back.
	bad=$(grep -vE '^(#.*|[a-z][a-z0-9_.]* = [^"#]+)?$') && {
		echo "sysctl: not a line for it: $bad" >&2
		exit 1
	}
	exit 0
	;;
"sudo "*) exec "$@" ;;
"ssh lb.example sudo bdp "*) shift 2 && exec "$@" ;;
esac
path=$(awk -v tool="$tool" -v words="$words" '
$1 == "tool" && $2 == tool {
	line = $0
	sub(/^tool[ \t]+[^ \t]+[ \t]*/, "", line)
	at = index(line, " <- ")
	if (substr(line, 1, at - 1) == words) {
		print substr(line, at + 4)
		exit
	}
}' "$TESTS/examples/map")
[ -n "$path" ] || {
	echo "$tool $words: no recording of that in tests/examples/map" >&2
	exit 1
}
exec cat "$TESTS/$path"
