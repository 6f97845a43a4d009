#!/bin/sh
# Proves a source archive: what is in it builds and passes the tests, and building it twice, in two
# places, gives the same bytes.  dist.sh ARCHIVE.tar.gz
set -eu
archive=$(realpath "$1")
name=$(basename "$archive" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for place in one "another place"; do
	mkdir "$work/$place"
	tar -xzf "$archive" -C "$work/$place"
done
first=$work/one/$name second=$work/another\ place/$name
make -s -C "$first" B=build/release
make -s -C "$second" B=build/elsewhere BIN=bdp CC="${CC:-cc}"
cmp "$first/bdp" "$second/bdp" || {
	echo "dist: two builds differ" >&2
	exit 1
}
make -s -C "$first" unit e2e
echo "dist: $name builds, passes, and is the same wherever it is built:"
sha256sum <"$first/bdp"
