#!/bin/sh
# Who may know what, who may print, and where something is kept.
#
# A file may include headers of its own folder and of folders above it in this order; report and
# apply know nothing of each other, but that report prints outcomes; main.c may include all.
#
# Standard output is written by report/.  Errors (warn, report_error) are made anywhere but in the
# stages that only compute.  Sentences of reports stand in report/, so diagnosis/ and advice/ hold none.
# Nothing is kept between two calls: no variable lives longer but those that are named.
# What reads bytes asks the running system for nothing: that is for system/ and apply/.
#
# layers.list names what is not so today.  It only gets shorter: what is no longer true must go.
# Usage: layers.sh [DIRECTORY], where the objects of src/ were built; without it what is kept is not
# looked at.
set -eu
objects=$(realpath "${1:-/nowhere}" 2>/dev/null) || objects=/nowhere
cd "$(dirname "$0")/../src"
list=../tests/layers.list
order="base evidence system model diagnosis advice apply report options verbs"
bad=0

rank() {
	n=0
	for folder in $order; do
		n=$((n + 1))
		[ "$folder" = "$1" ] && break
	done
	echo "$n"
}

for file in */*.c */*.h; do
	folder=${file%%/*}
	own=$(rank "$folder")
	# shellcheck disable=SC2013 # header names hold no blanks
	for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
		target=${header%%/*}
		if [ "$target" = "$header" ]; then
			echo "$file includes $header, which has no folder"
			bad=1
		elif [ "$header" = apply/outcome.h ] && [ "$folder" = report ]; then
			continue
		elif [ "$(rank "$target")" -gt "$own" ] || { [ "$folder" = report ] && [ "$target" = apply ]; }; then
			echo "$file includes $header: $target/ is below $folder/"
			bad=1
		fi
	done
	case $file in
	*.c)
		first=$(sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$file" | head -n 1)
		own_header=${file%.c}.h
		if [ -f "$own_header" ] && [ "$first" != "$own_header" ]; then
			echo "$file does not include its own header first"
			bad=1
		fi
		;;
	esac
done
# ---- what is true of today's files: KIND FILE [NAME] on a line

found() {
	grep -lE '(^|[^a-z_])(f?printf|v?f?printf|puts|fputs|putchar|fputc|putc|fwrite|v?dprintf)\(' \
		[!r]*/*.c | grep -v '^report/' | sed 's/^/prints /'
	# err(1, NULL) is what everybody does who gets no memory
	grep -E '(^|[^a-z_])(v?warnx?|v?errx?|perror|report_error)\(' model/*.c diagnosis/*.c advice/*.c |
		grep -v 'err(1, NULL)' | sed 's/:.*//; s/^/errors /' || :
	# a text of two words or more, whatever is in it beside them
	grep -lE '"[^"]*[A-Za-z,] [A-Za-z][^"]*"' diagnosis/*.[ch] advice/*.[ch] | sed 's/^/sentences /'
	[ -d "$objects" ] || return 0
	for file in evidence/*.c model/*.c diagnosis/*.c advice/*.c report/*.c; do
		nm -u "$objects/${file%.c}.o" | grep -qxE ' *U (open|openat|opendir|ioctl|socket|recv|uname|sysconf|gethostname|getifaddrs|clock_gettime|time|fork|execvp|execl|popen|waitpid|kill)(64)?' &&
			echo "asks $file"
	done
	for file in */*.c; do
		# .data.rel.ro is of constants
		objdump -t "$objects/${file%.c}.o" | awk -v file="$file" '
			$3 == "O" && $4 ~ /^\.(data|bss)/ && $4 !~ /^\.data\.rel\.ro/ {
				name = $NF
				sub(/\.[0-9]+$/, "", name)
				print "keeps", file, name
			}'
	done
}

found | sort -u >"${TMPDIR:-/tmp}/layers.$$"
trap 'rm -f "${TMPDIR:-/tmp}/layers.$$"' EXIT
if [ ! -d "$objects" ]; then
	grep -vE '^(keeps|asks)' $list
else
	cat $list
fi | grep '^[a-z]' | cut -d ' ' -f 1-3 | sed 's/ -$//' | sort -u | comm -3 "${TMPDIR:-/tmp}/layers.$$" - |
	awk '
	/^\t/ { print substr($0, 2) ": no longer so: take the line out of tests/layers.list"; next }
	/^prints/ { print $2 " prints: that is for report/" }
	/^errors/ { print $2 " prints an error: it is to return what it found, and its caller says it" }
	/^sentences/ { print $2 " holds a sentence: those of reports stand in report/" }
	/^asks/ { print $2 " asks the running system: that is for system/" }
	/^keeps/ { print $2 " keeps " $3 " between calls: hand it in, or name it in tests/layers.list" }
	' | grep . && bad=1

[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
