#!/bin/sh
# Holds bdp against recorded runs whose truth is known: reads every one, and compares the verdict, the
# RTT and the mean rate with the truth and with the file's own bytes and seconds.  Prints the table of
# what differs and the figures; fails when they are below what the manual promises.
#
#     check.sh [DIRECTORY TRUTH]...       default: every recorded set beside this script
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../sealed.sh"
seal "$0" "$@"
: "${BDP:=$here/../../bdp}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM HUP

if [ $# -eq 0 ]; then
	set -- "$here/iperf3" "$here/truth.tsv" "$here/kernel-6.1" "$here/truth.tsv"
	[ -d "$here/lab" ] && set -- "$@" "$here/lab" "$here/lab/truth.tsv"
fi

# The mean rate by the file's own summary, when one direction is in it: receiver's / sender's.  The
# receiver's counts, by what the receiver itself printed where that is in the file, too; but with -O old
# releases add the warm-up's last flight to it.
own_rate() {
	case $1 in
	*.json)
		jq -r '((.server_output_text // "" | [scan("0.00-([0-9.]+) +sec +([0-9.]+) MBytes .* receiver")] | last
			| select(.) | map(tonumber) | {start: 0, end: .[0], bytes: (.[1] * 1048576)})
			// .server_output_json.end.sum_received // {}) as $own
		    | (if ($own.bytes // 0) > 0 then $own else .end.sum_received // {} end) as $r | (.end.sum_sent // {}) as $s
		    | [$r, $s] | map(if (.bytes // 0) > 0 then .bytes * 8 / (.end - .start) else 0 end)
		    | "\(.[0])/\(.[1])"' "$1"
		;;
	*)
		awk '/^Server output:/ { server = 1 }
		/ (sender|receiver) *$/ && /bits\/sec|Bytes\/sec/ {
			who = $NF
			sum = /^\[SUM\]/
			for (i = 2; i <= NF; i++) if ($i ~ /Bytes$/) { bytes = $(i - 1); unit = $i; break }
			match($0, /[0-9.]+-[0-9.]+ +sec/)
			split(substr($0, RSTART, RLENGTH), t, /[- ]+/)
			scale = unit ~ /^K/ ? 1024 : unit ~ /^M/ ? 1024 ^ 2 : unit ~ /^G/ ? 1024 ^ 3 : 1
			if (t[2] - t[1] <= 0) next
			if (sum && !(who in total)) total[who] = bytes * scale * 8 / (t[2] - t[1])
			else if (!sum && (!(who in single) || (server && who == "receiver"))) single[who] = bytes * scale * 8 / (t[2] - t[1])
		}
		END {
			r = total["receiver"] ? total["receiver"] : single["receiver"]
			s = total["sender"] ? total["sender"] : single["sender"]
			printf "%.0f/%.0f\n", r, s
		}' "$1"
		;;
	esac
}

# RTT of the idle path in ms, as the truth has it: idle_of TRUTH FILE-NAME
idle_of() {
	printf '%s\n' "$2" | awk -F '\t' -v truth="$1" '{
		scenario = $1
		sub(/(\.3\.[0-9.]+)?\.(json|txt)$/, "", scenario)
		while ((getline < truth) > 0)
			if ($1 == scenario && $2 > 0) print $2
	}'
}

mkdir "$work/out"
: >"$work/failed"
: >"$work/own"
while [ $# -ge 2 ]; do
	for file in "$1"/*.json "$1"/*.txt; do
		name=$(basename "$file")
		case $name in *udp* | *.server.txt | *ss-* | *.tc.txt | *nstat* | *ping* | '*'*) continue ;; esac
		if ! "$BDP" --no-host -o json "$file" >"$work/out/$name" 2>"$work/err"; then
			echo "$name: exit $?: $(head -n 1 "$work/err")" >>"$work/failed"
			rm "$work/out/$name"
			continue
		fi
		rate=0/0
		case $name in *bidir*) ;; *) rate=$(own_rate "$file") ;; esac
		printf '%s\t%s\t%s\n' "$name" "$rate" "$2" >>"$work/own"
		case $name in *.json) continue ;; esac
		# text again, as read with a ping of the idle path beside it
		idle=$(idle_of "$2" "$name")
		[ -n "$idle" ] || continue
		"$BDP" --no-host --idle-rtt "${idle}ms" -o json "$file" >"$work/out/$name+ping" ||
			echo "$name: exit $? with --idle-rtt" >>"$work/failed"
		printf '%s\t%s\t%s\n' "$name+ping" "$rate" "$2" >>"$work/own"
	done
	shift 2
done
jq -r '[(input_filename | split("/") | last), .limit.factor, .limit.confidence,
	(.limit.candidates | join(",")), (.limit.evidence | length), .path.rtt.us // 0,
	.path.rtt.low_us // 0, .path.rtt.high_us // 0, .path.rtt.method // "-",
	.path.mean_rate_bps // 0, .path.peer_window_bytes // 0] | @tsv' "$work"/out/* | sort >"$work/said"
sort "$work/own" | join -t "$(printf '\t')" "$work/said" - >"$work/rows"

awk -F '\t' '
function near(got, want, tolerance) {
	return want > 0 && got > want * (1 - tolerance) && got < want * (1 + tolerance)
}
function load(file,   line, cell) {
	if (file in loaded) return
	loaded[file] = 1
	while ((getline line < file) > 0) {
		if (line ~ /^#/) continue
		split(line, cell, "\t")
		rtt[file, cell[1]] = cell[2]
		factors[file, cell[1]] = cell[3]
	}
}
NF < 13 { next } # several documents in one: no rate of its own to hold it against
{
	load($13)
	kind = $1 ~ /json$/ ? "JSON" : $1 ~ /ping$/ ? "text and ping" : "text"
	scenario = $1
	sub(/\+ping$/, "", scenario)
	sub(/\.3\.[0-9.]+\.(json|txt)$/, "", scenario)
	sub(/\.(json|txt)$/, "", scenario)
	if (!(($13, scenario) in factors)) next # recorded for its form, not for a truth
	n[kind]++
	truth = factors[$13, scenario]
	ok = 0
	count = split(truth, t, ",")
	for (i = 1; i <= count; i++) {
		if ($2 == t[i]) ok = 1
		# Only what shows no peer window (text, receivers, releases before 3.10) may leave it open.
		if ($2 == "unknown" && $11 == 0 && index("," $4 ",", "," t[i] ",")) ok = 1
	}
	if ($2 == "unknown") unknown[kind]++
	if ($3 == "high") high[kind]++
	if (ok) right[kind]++
	else printf "%-44s said %s (%s), is %s\n", $1, $2, $3, truth
	if (!ok && $3 == "high") { print $1 ": marked high, and wrong"; bad = 1 }
	if ($5 == 0) { print $1 ": no evidence given"; bad = 1 }

	# text rounds to three digits: bytes and the times of a short test
	tolerance = kind == "JSON" ? 0.01 : 0.015
	split($12, own, "/")
	if (own[1] + own[2] > 0) {
		rates[kind]++
		if (!near($10, own[1], tolerance) && !(own[1] == 0 || $1 ~ /omit/ ? near($10, own[2], tolerance) : 0)) {
			printf "%s: mean rate %.0f, by its own bytes %.0f (receiver), %.0f (sender)\n", $1, $10, own[1], own[2]
			bad = 1
		}
	}
	true_us = rtt[$13, scenario] * 1000
	# A queue that stands when the first sample is taken hides the RTT of the path from tcp_info, and
	# on paths below 10 ms so do the hosts: there the truth is only a lower bound.
	if (true_us > 0 && $9 == "tcp_info") {
		hidden = truth ~ /queue|policer|cpu/ || true_us < 10000
		slack = truth ~ /application/ ? 1.05 : 1.03
		if ($6 < true_us * 0.97 || (!hidden && $6 > true_us * slack)) {
			printf "%s: RTT %.1f ms, is %.1f\n", $1, $6 / 1000, true_us / 1000
			rtt_bad[kind]++
		} else rtt_good[kind]++
	} else if (true_us > 0 && $9 == "cwnd/rate") {
		if (true_us >= $7 && true_us <= $8) rtt_good[kind]++
		else {
			rtt_bad[kind]++
			printf "%s: RTT %.1f to %.1f ms, is %.1f\n", $1, $7 / 1000, $8 / 1000, true_us / 1000
		}
	}
}
END {
	for (kind in n) {
		printf "%s: %d of %d right (%.1f %%), %d of them marked high, %d unknown; mean rate right in %d",
		    kind, right[kind], n[kind], 100 * right[kind] / n[kind], high[kind], unknown[kind],
		    rates[kind]
		if (rtt_good[kind] + rtt_bad[kind])
			printf ", RTT in %d of %d", rtt_good[kind], rtt_good[kind] + rtt_bad[kind]
		printf "\n"
		if (right[kind] < (kind == "JSON" ? 0.93 : 0.92) * n[kind]) bad = 1
		if (rtt_good[kind] < 0.97 * (rtt_good[kind] + rtt_bad[kind])) bad = 1
	}
	exit bad
}' "$work/rows"
status=$?
if [ -s "$work/failed" ]; then
	echo "not read:"
	cat "$work/failed"
	status=1
fi
exit $status
