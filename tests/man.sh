#!/bin/sh
# Lints the manuals and sees that they fit 80 columns.  Usage: tests/man.sh [MANUAL ...]
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
pages=0

[ $# -gt 0 ] || set -- man/*.[1-9] man/*/*.[1-9]
for page in "$@"; do
	[ -f "$page" ] || continue
	pages=$((pages + 1))
	warnings=$(mandoc -T lint -W warning "$page")
	# The names of sections in another language are not those that mandoc knows.
	case $page in
	man/*/*) warnings=$(printf '%s\n' "$warnings" | grep -vE 'first section is not|outside NAME') ;;
	esac
	[ -z "$warnings" ] || {
		printf '%s\n' "$warnings"
		failed=1
	}
	# Continuation bytes of UTF-8 take no column.
	wide=$(mandoc -T utf8 -O width=80 "$page" 2>/dev/null | col -bx | LC_ALL=C awk '{
		text = $0
		gsub(/[\200-\277]/, "", text)
		if (length(text) > 80)
			print "    " $0
	}')
	[ -z "$wide" ] || {
		printf '%s: wider than 80 columns:\n%s\n' "$page" "$wide"
		failed=1
	}
done
[ $failed = 0 ] && echo "man.sh: $pages manuals, no warning, none wider than 80 columns"
exit $failed
