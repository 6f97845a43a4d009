#!/bin/sh
# Would a test notice?  Makes small changes to src/, one at a time, runs the tests on each, and prints
# which were caught and by what, those that were not, and the score.
#
#     run.sh [--only FOLDER] [--count N] [--again] [--least PERCENT] [--work DIR]
#
#     --only FOLDER   changes in src/FOLDER alone; may be given several times
#     --count N       how many changes, spread over the folders by their size (default: 120)
#     --again         try those once more that were not caught before
#     --least PERCENT fail when the score is below
#     --work DIR      where the copy and the results are (default: build/mutants)
#
# The choice is always the same, however often it runs: `mutate list` gives each change a key, and the
# smallest keys are taken.  A change that was tried is not tried again: an interrupted run goes on.
# The copy of the tree in DIR is as the tree was when this began.  The tests nearest to the change go
# first; the first that fails ends it.  tests/mutants/same names, with reasons, changes that change
# nothing that anybody could see.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/sealed.sh"
seal "$0" "$@"
cd "$root" || exit 1
folders='' count=120 again=0 least=0 work=build/mutants

while [ $# -gt 0 ]; do
	case $1 in
	--only) folders="$folders $2" && shift ;;
	--count) count=$2 && shift ;;
	--again) again=1 ;;
	--least) least=$2 && shift ;;
	--work) work=$2 && shift ;;
	*) sed -n '2,17s/^# \{0,1\}//p' "$0" && exit 2 ;;
	esac
	shift
done
[ -n "$folders" ] || folders=$(cd src && for f in */; do echo "${f%/}"; done)

mkdir -p "$work/tree"
work=$(cd "$work" && pwd)
results=$work/results.tsv
touch "$results"
exec 9>"$work/lock"
flock -n 9 || {
	echo "mutants: another run works in $work" >&2
	exit 1
}
rm -rf "$work/tree/src" "$work/tree/tests"
git ls-files -z --cached --others --exclude-standard -- Makefile src tests man |
	tar --null -T - --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$work/tree" || exit 1
cd "$work/tree" || exit 1

# ---- building: its own objects, hardly optimised, for the changes are many
B=build/mutants
build() { # TARGET [VARIABLE=...]
	make -s -j"$(nproc)" -f tests/mutants/build.mk B=$B CFLAGS=-O1 HARDEN=-fPIC STATIC= "$@"
}
if ! make -s B=build/tools build/tools/tools/mutate >"$work/log" 2>&1 || ! build ready >>"$work/log" 2>&1; then
	tail -n 20 "$work/log"
	echo "mutants: it does not build" >&2
	exit 1
fi
mutate=build/tools/tools/mutate
export BDP="$PWD/$B/bdp" LC_ALL=C FIRST=1

# ---- the tests, those nearest to the changed source first
patience=300
slow='test_command|test_sandbox|test_apply_faults'
unit_order() { # FILE: the names of the unit tests; those that wait for something only when they are near
	header=${1#src/}
	header=${header%.*}.h
	{
		grep -lF "\"$header\"" tests/unit/test_*.c
		grep -lF "\"${header%/*}/" tests/unit/test_*.c | grep -vE "$slow"
		printf '%s\n' tests/unit/test_*.c | grep -vE "$slow"
		case $header in apply/* | verbs/*) printf '%s\n' tests/unit/test_*.c ;; esac
	} | awk '!seen[$0]++ { sub(/.*\//, ""); sub(/\.c$/, ""); print }'
}
catcher() { # FILE: prints what fails, and ends there; nothing when all passes
	for name in $(unit_order "$1"); do
		# a change that makes an endless loop is caught, too; a busy machine is not to look like one
		timeout -k 5 "$patience" "$B/shared/$name" >"$work/said" 2>&1 || {
			code=$?
			[ $code = 124 ] || [ $code = 137 ] && name="$name, which did not end in $patience s"
			echo "$name"
			return
		}
	done
	timeout -k 5 $((2 * patience)) tests/e2e/run.sh >"$work/said" 2>&1 || {
		echo "e2e $(sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$work/said" | head -n 1)"
		return
	}
	# it looks at the verdict, the RTT and the rate, which the other folders do not make
	case $1 in src/evidence/* | src/model/* | src/diagnosis/* | src/main.c)
		if ! timeout -k 5 $((4 * patience)) tests/corpus/check.sh >"$work/said" 2>&1 ||
			! OUT=$work/score timeout -k 5 $patience tests/corpus/recorded.sh >"$work/said" 2>&1; then
			echo corpus
			return
		fi
		;;
	esac
	# the weights are what the labelled runs say of the features
	case $1 in src/diagnosis/weights.c) table=$B/mutant/diagnosis/weights.c ;; *) table=src/diagnosis/weights.c ;; esac
	case $1 in src/diagnosis/* | src/model/*)
		[ -f "$table" ] || table=src/diagnosis/weights.c
		OUT=$work/score TOOLS=$PWD/$B/shared-tools WEIGHTS_FILE=$PWD/$table timeout -k 5 $patience \
			tests/corpus/weights.sh >"$work/said" 2>&1 || echo "the weights"
		;;
	esac
}

if [ ! -f "$work/proved" ] || [ -n "$(find src tests -newer "$work/proved" -type f | head -n 1)" ]; then
	failing=$(catcher src/main.c)
	if [ -n "$failing" ]; then
		cat "$work/said"
		echo "mutants: $failing fails before anything is changed" >&2
		exit 1
	fi
	touch "$work/proved"
fi

# ---- the choice: of each folder its share, the smallest keys first
: >"$work/chosen"
all=0
for folder in $folders; do
	"$mutate" list "src/$folder"/*.c "src/$folder"/*.h | sort >"$work/of-$folder"
	all=$((all + $(wc -l <"$work/of-$folder")))
done
for folder in $folders; do
	share=$(((count * $(wc -l <"$work/of-$folder") + all - 1) / all))
	grep -v '^#' tests/mutants/same | cut -f 1 | grep -vFf - "$work/of-$folder" |
		head -n "$share" >>"$work/chosen"
done

# ---- trying
try() { # KEY FILE LINE OFFSET LENGTH OLD NEW
	rm -rf "$B/mutant"
	mkdir -p "$B/mutant/$(dirname "${2#src/}")"
	"$mutate" make "$2" "$4" "$5" "$7" >"$B/mutant/${2#src/}"
	by=compiler
	if build mutant-objects "F=$2" >"$work/log" 2>&1; then
		build mutant "F=$2" >"$work/log" 2>&1 || {
			cat "$work/log"
			exit 1
		}
		by=$(catcher "$2")
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2:$3" "$6" "$7" "${by:-nothing}" "$(sed -n "$3p" "$2" | tr '\t' ' ')" \
		>>"$results"
}
tab=$(printf '\t')
while IFS=$tab read -r key file line offset length old new; do
	if [ $again = 1 ]; then
		grep -v "^$key$tab.*${tab}nothing$tab" "$results" >"$work/kept"
		mv "$work/kept" "$results"
	fi
	grep -q "^$key$tab" "$results" || try "$key" "$file" "$line" "$offset" "$length" "$old" "$new" </dev/null
done <"$work/chosen"

# ---- the answer
cut -f 1 "$work/chosen" | grep -Ff - "$results" | awk -F '\t' -v least="$least" '
{
	split($2, path, "/")
	tried[path[2]]++
	n++
	if ($5 != "nothing") { caught[path[2]]++; k++ }
	printf "%-9s %s: %s -> %s", $5 == "nothing" ? "UNCAUGHT" : "caught", $2, $3, $4
	print $5 == "nothing" ? ":" $6 : " by " $5
}
END {
	for (folder in tried)
		printf "mutants: %-10s %3d of %3d caught\n", folder, caught[folder], tried[folder]
	printf "mutants: %d of %d caught, %.1f %%\n", k, n, n ? 100 * k / n : 0
	exit n == 0 || 100 * k < least * n
}'
