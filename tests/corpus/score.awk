# For tests/corpus/score.sh: joins what was said (first file) with the list of documents, writes the table
# for other tools, and prints the figures.

BEGIN {
	FS = OFS = "\t"
	print "set", "form", "name", "split", "accepted", "factor", "confidence", "state", \
	    "true_low_us", "true_high_us", "rtt_us", "rtt_low_us", "rtt_high_us", "rtt_state", \
	    "candidates", "rate_bps", "files", "bucket_bps", "bucket_bytes", "set" >table
}

# The truth of an emulated path is what was asked for; hosts add a little.  A rendered run's is exact.
function slack(set) { return set == "wan" ? 0.01 : 0.03 }

function state_of(accepted, factor, candidates,  i, n, cause) {
	if (accepted == "-")
		return "-"
	if (factor == "refused")
		return "refused"
	if (index("," accepted ",", "," factor ","))
		return "right"
	if (factor != "unknown")
		return "wrong"
	n = split(accepted, cause, ",")
	for (i = 1; i <= n; i++)
		if (index("," candidates ",", "," cause[i] ","))
			return "listed"
	return "open"
}

function rtt_state_of(set, low_ms, high_ms, low, high) {
	if (low_ms <= 0)
		return "-"
	if (high <= 0)
		return "none"
	low_ms *= 1 - slack(set)
	high_ms *= 1 + slack(set)
	# what the hosts themselves add on short paths
	if (set != "wan")
		high_ms += 0.3
	return low <= high_ms * 1000 && high >= low_ms * 1000 ? "holds" : "misses"
}

function count_up(key, state, confidence, factor) {
	if (!(key in runs))
		keys[++key_count] = key
	if (state != "-") {
		runs[key]++
		got[key, state]++
		if (factor != "unknown" && factor != "refused")
			marked[key, confidence, state]++
	} else
		runs[key] += 0
}

function count_rtt(key, state, low, high, best, truth,  n) {
	if (state == "-")
		return
	rtt[key, state]++
	if (state == "none")
		return
	n = ++rtts[key]
	width[key, n] = high / (low > 0 ? low : 1)
	off[key, n] = best > truth ? best / truth - 1 : 1 - best / truth
}

function near(value, truth, factor) { return value > truth / factor && value < truth * factor }

function count_bucket(key, rate, depth, factor, bps, bytes, set_keys) {
	policers[key]++
	advised_bbr[key] += set_keys ~ /=bbr/
	if (factor != "policer")
		return
	named[key]++
	fits_rate[key] += near(bps, rate, 1.05)
	fits_depth[key] += near(bytes, depth, 2)
}

function median(values, key, n,  i, j, sorted, v) {
	if (n == 0)
		return 0
	for (i = 1; i <= n; i++) {
		v = values[key, i]
		for (j = i - 1; j >= 1 && sorted[j] > v; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = v
	}
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function share(part, all) { return all ? sprintf("%5.1f%%", 100 * part / all) : "     -" }

function pair(key, confidence) {
	return sprintf("%d/%d", marked[key, confidence, "right"], \
	    marked[key, confidence, "right"] + marked[key, confidence, "wrong"])
}

function print_row(key,  label) {
	label = key
	gsub(SUBSEP, " ", label)
	printf "%-31s %5d %s %s %s %4d  %8s %8s %8s  %s %5d %6.2f %6.1f%%\n", label, runs[key], \
	    share(got[key, "right"], runs[key]), share(got[key, "wrong"], runs[key]), \
	    share(got[key, "listed"] + got[key, "open"], runs[key]), got[key, "refused"], \
	    pair(key, "high"), pair(key, "medium"), pair(key, "low"), \
	    share(rtt[key, "holds"], rtt[key, "holds"] + rtt[key, "misses"]), rtt[key, "none"], \
	    median(width, key, rtts[key] + 0), 100 * median(off, key, rtts[key] + 0)
}

function print_head(what) {
	printf "\n%-31s %5s %6s %6s %6s %4s  %8s %8s %8s  %6s %5s %6s %7s\n", what, "runs", "right", \
	    "wrong", "undec.", "ref.", "high", "medium", "low", "RTT in", "none", "width", "off"
}

FILENAME ~ /verdicts$/ {
	said[$1] = $0
	next
}
FILENAME ~ /targets.tsv$/ {
	if ($0 !~ /^#/)
		target[++targets] = $0
	next
}
{
	if (!($7 in said)) {
		print $7 ": no answer" >"/dev/stderr"
		failed = 1
		next
	}
	split(said[$7], answer, "\t")
	set = $1; form = $2; name = $3
	low_ms = $6; high_ms = $6
	if (index($6, "-") > 1) {
		low_ms = substr($6, 1, index($6, "-") - 1)
		high_ms = substr($6, index($6, "-") + 1)
	}
	state = state_of($5, answer[2], answer[7])
	rtt_state = rtt_state_of(set, low_ms + 0, high_ms + 0, answer[5], answer[6])
	print set, form, name, $4, $5, answer[2], answer[3], state, low_ms * 1000, high_ms * 1000, \
	    answer[4], answer[5], answer[6], rtt_state, answer[7], answer[8], $7, answer[10], answer[11], answer[12] >table
	if ($8 > 0 && $5 ~ /policer/)
		count_bucket((group == "grid" ? group : set) SUBSEP form, $8, $9, answer[2], answer[10], answer[11], answer[12])
	if ($5 ~ /application/ && $5 !~ /receive-window|unknown/) {
		programs[set SUBSEP form]++
		sized[set SUBSEP form] += answer[12] ~ /tcp_[rw]mem=/
	}
	key = set SUBSEP form
	count_up(key, state, answer[3], answer[2])
	count_rtt(key, rtt_state, answer[5], answer[6], answer[4], low_ms * 1000)
	group = set ~ /^(iperf3|kernel-6.1|lab)$/ ? "recorded" : \
	    set == "drawn" && name ~ /^(policer|random-loss|shaper)/ ? "grid" : ""
	if (group != "") {
		count_up(group SUBSEP form, state, answer[3], answer[2])
		count_rtt(group SUBSEP form, rtt_state, answer[5], answer[6], answer[4], low_ms * 1000)
	}
	if (set == "wan") {
		label = $5 ~ /^random/ ? "loss" : $5
		if (label != "-") {
			count_up("wan" SUBSEP form SUBSEP label SUBSEP $4, state, answer[3], answer[2])
			factors[form " " label, answer[2] " " answer[3]]++
		}
		count_rtt("wan" SUBSEP form SUBSEP label SUBSEP $4, rtt_state, answer[5], answer[6], answer[4], low_ms * 1000)
	}
	if (state != "-")
		count_up("all" SUBSEP $4, state, answer[3], answer[2])
	if (list == "all" && state !~ /right|-/ || list == "wrong" && state == "wrong")
		printf "%-8s %s %s: said %s (%s), is %s; RTT %s\n", state, set "/" name, form, answer[2], \
		    answer[3], $5, rtt_state
	if (list == "all" && rtt_state == "misses")
		printf "%-8s %s %s: RTT %.2f to %.2f ms, is %s\n", "rtt", set "/" name, form, \
		    answer[5] / 1000, answer[6] / 1000, $6
}
END {
	print_head("set, form (right/said)")
	for (i = 1; i <= key_count; i++)
		if (split(keys[i], part, SUBSEP) == 2 && part[1] != "all")
			print_row(keys[i])
	print_head("wan by label and split")
	for (i = 1; i <= key_count; i++)
		if (split(keys[i], part, SUBSEP) == 4)
			print_row(keys[i])
	print ""
	for (i = 1; i <= key_count; i++) {
		label = keys[i]
		gsub(SUBSEP, " ", label)
		if (policers[keys[i]])
			printf "%s: %d policers, %d named, rate within 5 %% in %d of those, depth within a factor of 2 in %d; BBR advised in %d\n", \
			    label, policers[keys[i]], named[keys[i]], fits_rate[keys[i]], fits_depth[keys[i]], advised_bbr[keys[i]]
		if (programs[keys[i]])
			printf "%s: %d held by a program, a buffer sized in %d\n", label, programs[keys[i]], sized[keys[i]]
	}
	for (said_of in factors) {
		split(said_of, part, SUBSEP)
		printf "wan %s: %s in %d\n", part[1], part[2], factors[said_of] | "sort"
	}
	close("sort")
	print_head("all together")
	for (i = 1; i <= key_count; i++)
		if (split(keys[i], part, SUBSEP) == 2 && part[1] == "all") {
			print_row(keys[i])
			printf "    of those said: high %s right (99 wanted), medium %s (90), low %s (65)\n", \
			    said_share(keys[i], "high"), said_share(keys[i], "medium"), said_share(keys[i], "low")
		}
	print_targets()
	exit failed
}

function percent(part, all) { return all > 0 ? 100 * part / all : 0 }

function marked_share(key, level) {
	return percent(marked[key, level, "right"], marked[key, level, "right"] + marked[key, level, "wrong"])
}

# One figure of targets.tsv, of a set and form.
function figure(key, what) {
	if (what ~ /^(high|medium|low)$/)
		return marked_share(key, what)
	if (what == "right" || what == "wrong")
		return percent(got[key, what], runs[key])
	if (what == "right-or-named") # undecided, the truth among the causes that are named
		return percent(got[key, "right"] + got[key, "listed"], runs[key])
	if (what == "decided")
		return percent(got[key, "right"] + got[key, "wrong"], runs[key])
	if (what == "right-of-decided")
		return percent(got[key, "right"], got[key, "right"] + got[key, "wrong"])
	if (what ~ /^wrong-/)
		return percent(marked[key, substr(what, 7), "wrong"], runs[key])
	if (what == "rtt-in")
		return percent(rtt[key, "holds"], rtt[key, "holds"] + rtt[key, "misses"])
	if (what == "rtt-width")
		return median(width, key, rtts[key])
	if (what == "rtt-off")
		return 100 * median(off, key, rtts[key])
	if (what == "bucket-rate")
		return percent(fits_rate[key], policers[key])
	if (what == "bucket-depth")
		return percent(fits_depth[key], policers[key])
	if (what == "bbr-where-policed")
		return advised_bbr[key] + 0
	if (what == "sized-for-program")
		return sized[key] + 0
	print "targets.tsv: " what " is not known" >"/dev/stderr"
	failed = 1
	return 0
}

# Those of the sets that were asked about; missing one fails only where that is asked for.
function print_target(row,  cell, key, value, good) {
	split(row, cell, "\t")
	key = cell[1] SUBSEP cell[2]
	if (!(key in runs))
		return
	tried++
	value = figure(key, cell[3] "")
	good = cell[4] == "least" ? value >= cell[5] + 0 : value <= cell[5] + 0
	if (!good)
		missed++
	if (!good || list == "all")
		printf "%s  %s %s, %s: %.2f, wanted at %s %s\n", (good ? "met   " : "MISSED"), \
		    cell[1], cell[2], cell[3], value, cell[4], cell[5]
}

# Elements that were never counted up are made zero: gawk 5.2.1 corrupts its memory when one that does
# not exist is handed to a function.
function fill(key,  i, level) {
	for (i = 1; i <= 3; i++) {
		level = i == 1 ? "high" : i == 2 ? "medium" : "low"
		marked[key, level, "right"] += 0
		marked[key, level, "wrong"] += 0
	}
	got[key, "right"] += 0
	got[key, "wrong"] += 0
	rtt[key, "holds"] += 0
	rtt[key, "misses"] += 0
	rtts[key] += 0
	policers[key] += 0
	fits_rate[key] += 0
	fits_depth[key] += 0
}

function print_targets(  i) {
	print ""
	for (i = 1; i <= key_count; i++)
		fill(keys[i])
	for (i = 1; i <= targets; i++)
		print_target(target[i] "")
	printf "%d of %d targets missed\n", missed, tried
	if (assert && missed)
		failed = 1
}

function said_share(key, confidence,  right) {
	right = marked[key, confidence, "right"]
	return share(right, right + marked[key, confidence, "wrong"])
}
