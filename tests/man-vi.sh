#!/bin/sh
# Compares the manuals in another language with the English ones: the same sections, lists, options,
# verbs and examples in the same order, and the same diagnostics; and has man find them.
# Usage: tests/man-vi.sh [LANGUAGE]
set -u
cd "$(dirname "$0")/.." || exit 1
language=${1:-vi}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
pages=0

# What must not depend on the language, a line each.  The synopsis is laid out by hand elsewhere, since
# its form hangs on the section's English name: of it, only the verbs count.
skeleton() {
	awk -v synopsis="$(grep -c '^\.Sh SYNOPSIS' "$english")" '
	/^\.Sh / { section++; print "Sh"; next }
	section == 2 && synopsis {
		for (i = 1; i < NF; i++)
			if ($i ~ /^\.?Cm$/ && $(i + 1) ~ /^[a-z]+$/)
				print "verb", $(i + 1)
		next
	}
	/^\.Ss / { print "Ss"; next }
	/^\.\\" (example|diagnostics): / { print; next }
	/^\.Bd -literal/ { literal = 1; first = 1; print "Bd"; next }
	/^\.Ed/ { literal = 0; print "Ed"; next }
	literal && first { first = 0; transcript = /^\$ / }
	literal { if (transcript) print; next }
	/^\.Dl / { print; next }
	/^\.Bl / { print $1, $2; next }
	/^\.El/ { print; next }
	/^\.It Fl / { # the names of options, and the words that they take
		line = "It"
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl")
				line = line " -" $(i + 1)
			else if ($i == "Cm")
				line = line " " $(i + 1)
		}
		print line
		next
	}
	/^\.It Cm / { print; next }
	/^\.It/ { print "It"; next }
	/^\.%R/ { print }
	' "$1"
}

for page in "man/$language"/*.[1-9]; do
	[ -f "$page" ] || continue
	pages=$((pages + 1))
	english=man/$(basename "$page")
	skeleton "$english" >"$work/english"
	skeleton "$page" >"$work/other"
	if ! diff -U 2 "$work/english" "$work/other" >"$work/diff"; then
		echo "$page is not built as $english is:"
		sed 1,2d "$work/diff"
		failed=1
	fi
	if grep -q '^\.\\" diagnostics: begin' "$english"; then
		tests/diagnostics.sh "$page" >"$work/diff" || {
			cat "$work/diff"
			failed=1
		}
	fi
done

# Installed as the Makefile does, man -L finds them.
if command -v man >/dev/null 2>&1; then
	for page in "man/$language"/*.[1-9]; do
		section=${page##*.}
		mkdir -p "$work/man/$language/man$section"
		cp "$page" "$work/man/$language/man$section/"
	done
	for page in "man/$language"/*.[1-9]; do
		name=$(basename "$page")
		found=$(MANPATH=$work/man man -L "$language" -w "${name##*.}" "${name%.*}" 2>&1)
		[ "$found" = "$work/man/$language/man${name##*.}/$name" ] || {
			echo "man -L $language ${name%.*} does not find it: $found"
			failed=1
		}
	done
fi
[ $pages -gt 0 ] || {
	echo "man/$language: no manuals"
	exit 1
}
[ $failed = 0 ] && echo "man-vi.sh: $pages manuals in '$language' are built as the English ones are"
exit $failed
