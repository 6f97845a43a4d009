#!/bin/sh
# Holds every JSON document that the tests make against man/bdp.schema.json: those of the cases, of the
# corpus, and those made here.  BDP names the program.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BDP:=./bdp}"
BDP_UNDER_TEST=$(realpath "$BDP") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/kept"
KEPT=$work/kept
corpus=tests/corpus
export BDP_UNDER_TEST KEPT

# Stands for the program, and keeps what it prints where that is JSON and it succeeds.
cat >"$work/bdp" <<'END'
#!/bin/sh
case " $* " in
*" --output=json "* | *" json "* | *" -ojson "* | *" --each "*) ;;
*) exec "$BDP_UNDER_TEST" "$@" ;;
esac
out=$(mktemp "$KEPT/XXXXXX")
"$BDP_UNDER_TEST" "$@" >"$out"
code=$?
cat "$out"
case $(head -c 1 "$out") in '{') ;; *) rm "$out" ;; esac # another form, or nothing at all
exit $code
END
chmod +x "$work/bdp"
failed=0
BDP=$work/bdp tests/e2e/run.sh >"$work/log" 2>&1 || {
	tail -n 5 "$work/log"
	failed=1
}
BDP=$work/bdp tests/json-names.sh >"$work/log" 2>&1 || {
	cat "$work/log"
	failed=1
}
# the cases that print another form
for case in tests/e2e/cases/*/args; do
	grep -qx -e '-o' -e '--each' -e '--apply' -e '--run' -e apply -e rollback -e explain "$case" && continue
	set --
	while IFS= read -r word || [ -n "$word" ]; do set -- "$@" "$word"; done <"$case"
	input=$PWD/$(dirname "$case")/stdin
	[ -f "$input" ] || input=/dev/null
	(cd "$(dirname "$case")" && "$work/bdp" "$@" -o json <"$input") >/dev/null 2>&1
done
# every recording: runs, sessions, and what is refused
find $corpus/iperf3 $corpus/kernel-6.1 $corpus/lab $corpus/samples -type f \( -name '*.json' -o -name '*.txt' \) \
	-print0 | "$BDP_UNDER_TEST" --each -0 --no-host -c 1000 >"$KEPT/corpus" 2>/dev/null
for file in "$corpus"/ss/*.txt; do
	"$work/bdp" sockets --no-host --all -o json "$file" >/dev/null 2>&1
done
"$work/bdp" sockets -o json >/dev/null 2>&1
for root in tests/hosts/*/; do
	"$work/bdp" host -o json -t 3G -r 52ms --sysroot "$root" >/dev/null 2>&1
done
for dump in "$corpus"/hosts/*.txt tests/e2e/cases/*/*sysctl*.txt tests/e2e/cases/*/lb.txt; do
	"$work/bdp" host -o json "$dump" >/dev/null 2>&1
done
"$work/bdp" host -o json >/dev/null 2>&1
# what an apply comes to, in a tree of its own: well, changed by somebody, and not at all
cp -R tests/hosts/lb-5.15 "$work/host" && mkdir -p "$work/host/etc/sysctl.d" "$work/host/run"
echo 'net.ipv4.tcp_rmem = 4096 131072 33554432' >"$work/plan"
echo 'net.ipv4.tcp_congestion_control = nosuch' >"$work/none"
outcome() { "$work/bdp" "$@" --sysroot "$work/host" -o json >/dev/null 2>&1; }
outcome apply --dry-run "$work/plan"
outcome apply "$work/none"
outcome apply --persist --confirm 60s "$work/plan"
outcome apply --check "$work/plan"
outcome rollback --list
outcome confirm
echo '4096 131072 8388608' >"$work/host/proc/sys/net/ipv4/tcp_rmem"
outcome rollback --dry-run
outcome rollback
: >"$work/host/run/bdp/1.journal"
outcome rollback --list
outcome rollback
python=python3
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null && python=/usr/bin/python3
$python -c 'import jsonschema' 2>/dev/null || {
	echo "schema.sh: python3-jsonschema is not installed; make setup does"
	exit 1
}
$python tests/schema.py man/bdp.schema.json "$KEPT" || failed=1
exit $failed
