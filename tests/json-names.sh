#!/bin/sh
# Compares the members of the JSON reports with those that bdp-json(5) promises, and sees that what
# is promised is there in every report, null when unknown.  BDP names the program.
set -u
. "$(dirname "$0")/sealed.sh"
seal "$0" "$@"
cd "$(dirname "$0")/.." || exit 1
: "${BDP:=./bdp}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
corpus=tests/corpus
failed=0

report() { # NAME arguments of bdp...
	name=$1
	shift
	"$BDP" "$@" -o json >"$work/$name.json" </dev/null || {
		echo "json-names.sh: bdp $* failed"
		failed=1
	}
}

# Very different evidence: numbers, a text run, a run with everything, a receiver's, two directions.
report numbers --no-host -b 3G -r 52ms
report text --no-host $corpus/iperf3/rwnd-clamp.3.12.txt
report full --role receiver -t 3G --sysroot tests/hosts/lb-5.15 -c 100 \
	$corpus/iperf3/rwnd-clamp.3.12.json
report reverse --no-host $corpus/iperf3/reverse-rwnd-clamp.3.12.json
report bidir --no-host $corpus/iperf3/bidir.3.12.json
report loss --no-host $corpus/iperf3/lossy2pct-p4.3.12.json
report sweep sweep 17M=tests/examples/sweep/17M.txt 20M=tests/examples/sweep/20M.txt \
	32M=tests/examples/sweep/32M.txt
report compare compare cubic=$corpus/iperf3/lossy2pct-p4.3.12.json \
	bbr=$corpus/iperf3/lossy2pct-p4-bbr.3.12.json
cp -R tests/hosts/lb-5.15 "$work/lb" && mkdir -p "$work/lb/etc/sysctl.d" &&
	echo net.ipv4.tcp_sack=0 >"$work/lb/etc/sysctl.d/60-lb.conf"
report host host --sysroot "$work/lb" -t 3G -r 52ms
report sockets sockets --no-host --all $corpus/ss/iproute2-6.1.all-kinds.txt \
	$corpus/counters/slow-reader-before.txt $corpus/counters/slow-reader-after.txt

# What is set is set in a tree of its own.
cp -R tests/hosts/lb-5.15 "$work/host" && mkdir -p "$work/host/etc/sysctl.d" "$work/host/run" || exit 1
echo 'net.ipv4.tcp_rmem = 4096 131072 33554432' >"$work/plan"
report apply apply --sysroot "$work/host" --persist "$work/plan"
report list rollback --sysroot "$work/host" --list
report rollback rollback --sysroot "$work/host"

# Members whose names are data are left out.
cat >"$work/names.jq" <<'END'
[paths | select((.[-1] | type) == "string")
	| select(.[0] != "counters" or length == 1)
	| select((.[-2] // "") != "by_state") | .[-1]] | unique[]
END
"$BDP" --each --no-host $corpus/iperf3/bidir.3.12.json $corpus/iperf3/udp.3.12.json \
	>"$work/each.json"
jq -r -f "$work/names.jq" "$work"/*.json | sort -u >"$work/printed"
awk '
/^\.Ss The document/ { on = 1 }
/^\.Sh EXAMPLES/ { on = 0 }
on && /^\.(It )?Sy / {
	for (i = 2; i <= NF; i++) {
		name = $i
		sub(/\[\]$/, "", name)
		if (name ~ /^[a-z0-9_]+$/)
			print name
	}
}' man/bdp-json.5 | sort -u >"$work/promised"
comm -23 "$work/printed" "$work/promised" | sed 's/^/man\/bdp-json.5: lacks: /' >"$work/diff"
comm -13 "$work/printed" "$work/promised" | sed 's/^/man\/bdp-json.5: printed nowhere: /' >>"$work/diff"

# The same members everywhere: of the document, of every path, of every element of an array.
shape() { # jq expression of objects
	for file in "$work"/numbers.json "$work"/text.json "$work"/full.json "$work"/reverse.json \
		"$work"/bidir.json "$work"/loss.json; do
		jq -r "[$1] | .[] | keys | join(\" \")" "$file"
	done | sort -u >"$work/shapes"
	[ "$(wc -l <"$work/shapes")" = 1 ] || {
		echo "json-names.sh: $1 does not have the same members everywhere:"
		cat "$work/shapes"
	} >>"$work/diff"
}
shape .
shape '.path, .runs[].path'
shape '.runs[]'
shape '.limit, .runs[].limit | select(. != null)'
shape '.settings[]'
shape '.commands[]'
shape '.findings[]'
shape .memory
shape .rfc6349
shape .plan
if [ -s "$work/diff" ]; then
	cat "$work/diff"
	failed=1
fi
[ $failed = 0 ] &&
	echo "json-names.sh: $(wc -l <"$work/printed") members are printed as bdp-json(5) says"
exit $failed
