#!/bin/sh
# Situations drawn at random, run for real, and written down with what truly limits each.
#
#   draw.sh [-s SEED] [-n COUNT] [-o DIRECTORY] [-l (list only)]
#
# A situation has a path, two ceilings and a way of sending; each puts a bound on the rate.  It is
# kept only if one bound is well below every other, and after the run only if the kernel's and the
# emulator's own counters agree (rejected.tsv has the rest).  truth.tsv: scenario, RTT of the empty
# path in ms, the factors that are right (best first), where, and how it was made.

. "$(dirname "$0")/lab.sh"

draw_usage() { lab_say "usage: draw.sh [-s SEED] [-n COUNT] [-o DIRECTORY] [-l]"; exit 2; }

# One line per situation: name kind rtt_ms seconds bound_bps shape rmem wmem cc options factors where
draw_list() {
	awk -v seed="$1" -v wanted="$2" '
	# Park and Miller: the same seed draws the same in every awk.
	function unit() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
	function pick(words,  n, list) { n = split(words, list, " "); return list[1 + int(unit() * n)] }
	function min(a, b) { return a < b ? a : b }
	function max(a, b) { return a > b ? a : b }
	function size(bytes) { return sprintf("%d", bytes) }

	# RFC 9438 5, with the Reno-friendly region; payload bits per second of one stream.
	function loss_bound(p, rtt,  cubic, reno) {
		cubic = 1.054 * (rtt / p) ^ 0.75
		reno = 1.22 / sqrt(p)
		return max(cubic, reno) * 1448 * 8 / rtt
	}

	function draw_kind() {
		kind = pick("receive-window receive-window receive-window receive-window " \
		    "send-buffer send-buffer send-buffer socket-option socket-option " \
		    "application application queue queue queue queue policer policer policer " \
		    "random-loss random-loss unknown")
	}

	function draw_situation() {
		rtt_ms = pick("2 5 10 20 35 52 80 100 150 200")
		rtt = rtt_ms / 1000
		cc = pick("cubic cubic bbr")
		streams = pick("1 1 1 2 4")
		rmem = pick("0.25 0.5 1 2 4 6 8 16 32 64 64 64") * 1048576
		wmem = pick("0.5 1 2 4 8 16 32 64 64 64") * 1048576
		rate = pick("0 0 50 100 200 500 1000 2000") * 1e6
		queue = max(65536, pick("0.1 0.3 1 2 4") * rate / 8 * rtt)
		police = kind == "policer" ? pick("50 100 200 500 1000") * 1e6 : 0
		burst = max(32768, pick("0.01 0.03 0.1") * police / 8)
		loss = kind == "random-loss" ? pick("0.0005 0.001 0.005 0.01 0.02") : 0
		app = kind == "application" ? pick("2 5 20 50 100 200 400") * 1e6 : 0
		option = kind == "socket-option" ? pick("32 64 128 256 512 1024") * 1024 : 0
		reverse = unit() < 0.12
	}

	# The rate that each part allows, payload of all streams together.
	function bound_all(  f) {
		for (f in bound)
			delete bound[f]
		bound["machine"] = 3e9
		if (option) {
			# Linux doubles what is asked for; 0.55-0.75 of that is window or in flight.
			bound["socket-option"] = streams * 2 * option * 0.6 * 8 / rtt
		} else {
			bound["receive-window"] = streams * 0.645 * rmem * 8 / rtt
			bound["send-buffer"] = streams * 0.70 * wmem * 8 / rtt
		}
		if (rate)
			bound["queue"] = rate * 1448 / 1500
		if (police)
			bound["policer"] = police * 1448 / 1500
		if (loss)
			bound["random-loss"] = cc == "bbr" ? 0 : streams * loss_bound(loss, rtt)
		if (app)
			bound["application"] = streams * app
	}

	# Whether the kind drawn is what limits, with room to the next.
	function holds(  f, own) {
		own = kind == "unknown" ? "machine" : kind
		if (!(own in bound))
			return 0
		for (f in bound)
			if (f != own && bound[f] < 1.8 * bound[own])
				return 0
		if (bound[own] < 1e6)
			return 0
		# A policer or loss acts on the ramp: what is above must not matter at all.
		if (kind == "policer" && rate)
			return 0
		if (kind == "random-loss" && (rate || rmem < 33554432 || wmem < 33554432))
			return 0
		if (kind == "unknown" && (rate || rtt_ms > 60))
			return 0
		# A window that is held must be reached in the time there is.
		return bound[own] * rtt / 8 / streams < 24e6
	}

	function name_truth(  held, bdp, standing) {
		factors = kind
		where = "path"
		if (kind == "receive-window")
			where = "receiver"
		else if (kind == "send-buffer" || kind == "application")
			where = "sender"
		else if (kind == "socket-option")
			where = "either"
		else if (kind == "unknown") {
			factors = "unknown,cpu,link,send-buffer"
			where = "-"
		} else if (kind == "policer" || kind == "random-loss")
			factors = kind == "policer" ? "policer,random-loss" : "random-loss"
		else {
			# What stands in the queue: as much as it holds, or as the windows leave over.
			bdp = rate / 8 * rtt
			held = streams * min(0.645 * rmem, 0.7 * wmem)
			standing = min(queue, held - bdp)
			if (cc == "bbr")
				standing = min(standing, 0.9 * bdp)
			if (queue < 0.35 * bdp)
				factors = "link,policer,random-loss"
			else if (standing >= bdp)
				factors = "queue,link"
			else
				factors = "link,queue"
		}
		if (reverse && kind != "application" && kind != "socket-option")
			factors = factors ~ /unknown/ ? factors : factors ",unknown"
	}

	function print_situation(  way, shape, options, seconds) {
		way = reverse ? "-r" : "-f"
		shape = "-p delay=" rtt_ms / 2 "ms"
		if (rate)
			shape = shape " " way " rate=" size(rate) ",queue=" size(queue)
		if (police)
			shape = shape " " way " police=" size(police) ",burst=" size(burst)
		if (loss)
			shape = shape " " way " loss=" loss
		options = (streams > 1 ? " -P " streams : "") (app ? " -b " size(app) : "") \
		    (option ? " -w " size(option) : "") (reverse ? " -R" : "")
		seconds = rtt_ms >= 150 ? 8 : rtt_ms >= 50 ? 6 : 4
		printf "%s-%03d-%s\t%s\t%s\t%d\t%.0f\t%s\t%.0f\t%.0f\t%s\t%s\t%s\t%s\n", \
		    prefix, ++drawn, kind, kind, rtt_ms, seconds, \
		    bound[kind == "unknown" ? "machine" : kind], shape, rmem, wmem, cc, \
		    options == "" ? "-" : substr(options, 2), factors, where
	}

	BEGIN {
		prefix = "draw" seed
		seed = seed * 7919 % 2147483646 + 1
		for (i = 0; i < 10; i++)
			unit()
		while (drawn < wanted) {
			draw_kind()
			do {
				draw_situation()
				bound_all()
			} while (!holds())
			name_truth()
			print_situation()
		}
	}'
}

# What the run itself says against the truth, or nothing.
draw_doubt() {
	jq -rs --arg kind "$2" --arg bound "$3" --arg text "$(draw_text_rate "$1.txt")" \
		--arg rwnd "$(draw_share rwnd_limited "$1")" \
		--arg sndbuf "$(draw_share sndbuf_limited "$1")" \
		--arg reverse "$4" '
	.[0] as $run | .[1] as $wan | ($bound | tonumber) as $bound
	| ($run.end.sum_received.bits_per_second // 0) as $rate
	| (if $reverse == "yes" then $wan.reverse else $wan.forward end) as $way
	| ($rate / $bound) as $ratio
	| ($text | tonumber) as $text
	| if $run.error then "iperf3: \($run.error)"
	  elif $rate == 0 then "no rate"
	  elif ($text / $rate > 1.35 or $text / $rate < 0.7) and $kind != "unknown" and $kind != "random-loss"
	  then "text run at \($text / $rate) of the JSON run"
	  elif ($way.dropped_overflow + $wan.forward.dropped_overflow) > 0 then "emulator full"
	  elif $kind == "receive-window" and ($rwnd | tonumber) < 20 then "rwnd_limited only \($rwnd) %"
	  elif $kind == "send-buffer" and ($sndbuf | tonumber) < 5 and $ratio < 0.9
	  then "sndbuf_limited only \($sndbuf) %"
	  elif ($kind | IN("receive-window", "send-buffer", "application"))
	  then if $ratio < 0.65 or $ratio > 1.3 then "\($ratio) of the bound" else empty end
	  elif $kind == "socket-option"
	  then if $ratio < 0.5 or $ratio > 2 then "\($ratio) of the bound" else empty end
	  elif $kind == "queue"
	  then if $ratio < 0.8 or $ratio > 1.1 then "\($ratio) of the link" else empty end
	  elif $kind == "policer"
	  then if $way.dropped_policer == 0 then "the policer dropped nothing" else empty end
	  elif $kind == "random-loss"
	  then if $way.dropped_loss < 3 then "hardly any loss" else empty end
	  else empty end' "$1.json" "$1.wan.json"
}

# Receiver's rate of a text run, bit/s.
draw_text_rate() {
	awk '/receiver/ && (/SUM/ || !sum) {
		for (i = 2; i <= NF; i++)
			if ($i ~ /bits\/sec$/) {
				k = $i ~ /^G/ ? 1e9 : $i ~ /^M/ ? 1e6 : $i ~ /^K/ ? 1e3 : 1
				rate = $(i - 1) * k
			}
		sum = /SUM/
	}
	END { printf "%.0f\n", rate }' "$1"
}

# draw_share STATE STEM: the largest share of busy time in that state, of any socket at either end.
draw_share() {
	cat "$2.ss-client.txt" "$2.ss-server.txt" |
		sed -n "s/.* $1:[0-9]*ms(\([0-9.]*\)%).*/\1/p" | sort -n | tail -n 1 |
		awk '{ v = $1 } END { print v + 0 }'
}

draw_run() {
	lab_namespace c s
	# shellcheck disable=SC2086
	lab_link c s -s "$draw_number" $shape
	for draw_side in c s; do
		lab_ceiling $draw_side tcp_rmem "$rmem"
		lab_ceiling $draw_side tcp_wmem "$wmem"
	done
	lab_server s
	[ "$options" = - ] && options=
	# shellcheck disable=SC2086
	lab_measure "$draw_dir/$name" c s "$seconds" -C "$cc" $options
	lab_reset
}

draw_seed=1 draw_count=10 draw_dir=. draw_only=no
while getopts s:n:o:l draw_opt; do
	case $draw_opt in
	s) draw_seed=$OPTARG ;;
	n) draw_count=$OPTARG ;;
	o) draw_dir=$OPTARG ;;
	l) draw_only=yes ;;
	*) draw_usage ;;
	esac
done
[ $draw_only = no ] || { draw_list "$draw_seed" "$draw_count"; exit; }

mkdir -p "$draw_dir" || exit 1
lab_begin
echo "seed $draw_seed, $draw_count situations, in $draw_dir"
draw_list "$draw_seed" "$draw_count" >"$LAB_TMP/list"
[ -s "$draw_dir/truth.tsv" ] ||
	printf '# scenario\trtt_ms\tfactor(s) that are right, best first\twhere\tnote\n' >"$draw_dir/truth.tsv"
draw_number=0
while IFS='	' read -r name kind rtt seconds bound shape rmem wmem cc options factors where; do
	draw_number=$((draw_number + 1))
	note="$shape rmem $rmem wmem $wmem $cc $options bound $bound"
	case " $options " in *" -R "*) reverse=yes ;; *) reverse=no ;; esac
	draw_run </dev/null
	doubt=$(draw_doubt "$draw_dir/$name" "$kind" "$bound" "$reverse")
	rate=$(jq -r '.end.sum_received.bits_per_second // 0 | round' "$draw_dir/$name.json")
	if [ -z "$doubt" ]; then
		printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$rtt" "$factors" "$where" "$note, got $rate" |
			tee -a "$draw_dir/truth.tsv"
	else
		printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$rtt" "$factors" "$doubt" "$note, got $rate" |
			tee -a "$draw_dir/rejected.tsv"
	fi
done <"$LAB_TMP/list"
