#!/bin/sh
# Lints the manuals, and sees that they fit 80 columns and have a page header under mandoc and groff.  Usage: tests/man.sh [MANUAL ...]
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
pages=0

# shellcheck disable=SC2317 # called by name
render_mandoc() {
	mandoc -T utf8 -O width=80 "$1" 2>/dev/null
}

# shellcheck disable=SC2317
render_groff() { # 80 columns, text and titles
	groff -k -mandoc -Tutf8 -ww -rLL=80n -rLT=80n -P-c "$1"
}

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
	name=$(basename "$page")
	head=$(echo "${name%.*}" | tr '[:lower:]' '[:upper:]')"(${name##*.})"
	for tool in mandoc groff; do
		render_$tool "$page" 2>"$work/warnings" | col -bx >"$work/page"
		if [ $tool = groff ] && [ -s "$work/warnings" ]; then
			sed "s|^|$page: groff: |" "$work/warnings"
			failed=1
		fi
		# Continuation bytes of UTF-8 take no column.
		LC_ALL=C awk -v page="$page" -v tool=$tool -v head="$head" '
		NF && !seen++ && index($0, head) != 1 {
			print page ": " tool " prints no page header: " $0
			bad = 1
		}
		{
			text = $0
			gsub(/[\200-\277]/, "", text)
			if (length(text) > 80) {
				print page ": wider than 80 columns under " tool ": " $0
				bad = 1
			}
		}
		END { exit bad }' "$work/page" || failed=1
	done
done
[ $failed = 0 ] && echo "man.sh: $pages manuals, no warning, none wider than 80 columns under mandoc or groff"
exit $failed
