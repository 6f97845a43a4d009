# What iperf3's text logs say by their own printed rates: the expectations of
# tests/unit/test_iperf_text.c, computed by other means than the reader's (it works from the
# Transfer column and the times; this works from the Bitrate column).
#
#     cd tests/corpus; awk -f expect-text.awk iperf3/*.txt kernel-6.1/*.txt samples/*/*.txt >expect-text.tsv
#
# One line for each direction of each test at each end; with --bidir the one sent comes first:
#   file end sends bidir protocol streams sent sent_half received received_half retransmits
#   intervals kept rate coarse lost packets complete
# Rates are bit/s, *_half is half a unit of the last digit printed; "-" is "not told".
# `rate` is the mean over the counted intervals, each weighted by its length; `kept` leaves out a
# last one shorter than a fifth of the first.  `coarse` is the largest relative rounding of them.

function scale(unit, base) {
	if (unit ~ /^K/) return base
	if (unit ~ /^M/) return base * base
	if (unit ~ /^G/) return base * base * base
	if (unit ~ /^T/) return base * base * base * base
	return 1
}

function rate_factor(unit) {
	return unit ~ /Bytes/ ? 8 * scale(unit, 1024) : scale(unit, 1000)
}

# Half a unit of the last digit of a printed number.
function half(number,    point) {
	point = index(number, ".")
	return point ? 0.5 / 10 ^ (length(number) - point) : 0.5
}

function number(value) {
	return value == "" ? "-" : sprintf("%.10g", value)
}

function begin_part(the_end, is_reverse) {
	part++
	end[part] = the_end
	reverse[part] = is_reverse
	headers[part] = 0
}

function begin_test() {
	flush()
	part = flows = done = error = 0
	begun = 1
}

# The state of one direction: part, role ("" without --bidir).
function flow_of(role,    key) {
	key = part SUBSEP role
	if (!(key in flow)) {
		flow[key] = ++flows
		flow_part[flows] = part
		flow_role[flows] = role
	}
	return flow[key]
}

function summary(f, side, sum, rate, error_of_rate) {
	if (sum) {
		if (rate > 0) { total[f, side] = rate; total_half[f, side] = error_of_rate }
		has_sum[f, side] = 1
	} else if (!has_sum[f, side] && rate > 0) {
		total[f, side] += rate
		total_half[f, side] += error_of_rate
	}
	has_summary[f] = 1
}

function row(line,    role, sum, id, w, n, i, from, to, rate, error_of_rate, f, side, tag, omitted, key, retr, loss) {
	sum = line ~ /^\[SUM\]/
	id = line
	sub(/\].*/, "", id)
	gsub(/[^0-9]/, "", id)
	role = ""
	if (match(line, /\[[TR]X-[CS]\]/)) role = substr(line, RSTART + 1, 2)
	sub(/^[^]]*\]/, "", line)
	sub(/^\[[TR]X-[CS]\]/, "", line)
	n = split(line, w, " ")
	# from-to sec N Bytes N bits/sec ...
	split(w[1], border, "-")
	from = border[1] + 0
	to = border[2] + 0
	if (w[4] !~ /Bytes$/) return
	rate = w[5] * rate_factor(w[6])
	error_of_rate = half(w[5]) * rate_factor(w[6])
	f = flow_of(role)
	if (!sum && !((f, id) in seen)) { seen[f, id] = 1; streams[f]++ }
	omitted = w[n] == "(omitted)"
	tag = w[n] == "sender" || w[n] == "receiver" ? w[n] : ""
	loss = ""
	for (i = 7; i <= n; i++) if (w[i] ~ /^-?[0-9]+\/[0-9]+$/) loss = w[i]
	retr = columns ~ /Retr/ && w[7] ~ /^[0-9]+$/ ? w[7] : ""
	if (tag == "" && headers[part] > 1 && !omitted) tag = "sender"
	if (loss != "") protocol[f] = "UDP"
	if (tag != "") {
		summary(f, tag, sum, rate, error_of_rate)
		if (tag == "sender" && retr != "") {
			if (sum) summary_retr[f] = retr
			else if (!((f, "sum") in has_sum_retr)) summary_retr[f] += retr
			if (sum) has_sum_retr[f, "sum"] = 1
		}
		if (loss != "" && (tag == "receiver" || w[n] != "sender")) {
			split(loss, pair, "/")
			# releases before 3.2 against later ones print a jitter of years
			if (pair[2] > 0 && w[7] < 1e6) { lost[f] = pair[1]; packets[f] = pair[2] }
		}
		return
	}
	if (sum || omitted) return
	key = f SUBSEP id SUBSEP w[1]
	if (key in rows) { duplicated[f] = 1; return }
	rows[key] = 1
	if (retr != "") { interval_retr[f] += retr; has_interval_retr[f] = 1 }
	if (w[8] ~ /^[0-9.]+$/ && w[9] ~ /Bytes$/) has_cwnd[f] = 1
	if (columns ~ /Total Datagrams/ && columns !~ /Lost/) { protocol[f] = "UDP"; has_cwnd[f] = 1 }
	weighted[f] += rate * (to - from)
	length_all[f] += to - from
	if (rate > 0 && error_of_rate / rate > coarse[f]) coarse[f] = error_of_rate / rate
	weighted_in[f, w[1]] += rate * (to - from)
	length_in[f, w[1]] += to - from
	if (!(f in first_id)) first_id[f] = id
	if (id == first_id[f]) {
		intervals[f]++
		last_length[f] = to - from
		last_interval[f] = w[1]
		if (intervals[f] == 1) usual[f] = to - from
	}
}

# One line of output.
function report(f,    p, sends, complete, mean, kept, kept_weight, kept_length) {
	p = flow_part[f]
	if (flow_role[f] != "") sends = flow_role[f] == "TX"
	else if (end[p] == "client") sends = !reverse[p]
	else sends = has_cwnd[f]
	kept_weight = weighted[f]
	kept_length = length_all[f]
	if (intervals[f] > 1 && last_length[f] < 0.2 * usual[f]) {
		intervals[f]--
		kept_weight -= weighted_in[f, last_interval[f]]
		kept_length -= length_in[f, last_interval[f]]
	}
	kept = kept_length > 0 ? kept_weight / kept_length * streams[f] : ""
	complete = has_summary[f] && !duplicated[f] && !error && (end[p] == "server" || done)
	mean = length_all[f] > 0 ? weighted[f] / length_all[f] * streams[f] : ""
	if (summary_retr[f] == "" && sends && has_interval_retr[f])
		summary_retr[f] = interval_retr[f]
	print file, end[p], sends + 0, (flow_role[f] != "") + 0, \
	    (protocol[f] == "" ? "TCP" : protocol[f]), streams[f], \
	    number(total[f, "sender"]), number(total_half[f, "sender"]), \
	    number(total[f, "receiver"]), number(total_half[f, "receiver"]), \
	    number(summary_retr[f]), intervals[f] + 0, number(kept), number(mean), number(coarse[f]), \
	    number(lost[f]), number(packets[f]), complete + 0
}

function flush(    f) {
	for (f = 1; f <= flows; f++) if (flow_role[f] != "RX") report(f)
	for (f = 1; f <= flows; f++) if (flow_role[f] == "RX") report(f)
	split("", flow); split("", flow_part); split("", flow_role); split("", has_sum)
	split("", total); split("", total_half); split("", has_summary); split("", streams)
	split("", seen); split("", protocol); split("", summary_retr); split("", has_sum_retr)
	split("", lost); split("", packets); split("", rows); split("", duplicated)
	split("", interval_retr); split("", has_interval_retr); split("", has_cwnd)
	split("", weighted); split("", length_all); split("", coarse); split("", weighted_in); split("", length_in)
	split("", last_interval); split("", first_id); split("", intervals)
	split("", last_length); split("", usual); split("", end); split("", reverse)
	split("", headers)
	flows = 0
}

BEGIN { OFS = "\t" }

FNR == 1 {
	flush()
	file = FILENAME
	part = done = error = 0
	columns = ""
}

/Connecting to host/ { begin_test(); begin_part("client", 0) }
/Reverse mode, remote host/ { reverse[part] = 1 }
/^Server output:/ { embedded = 1; begin_part("server", 0); columns = ""; next }
/Accepted connection from/ {
	if (embedded) { embedded = 0; next }
	begin_test()
	begin_part("server", 0)
}
/Server listening/ { flush(); part = error = 0 }
/iperf Done\./ { done = 1 }
/^iperf3: / { error = 1 }
match($0, /\[ ID\]/) { columns = $0; headers[part]++; next }
match($0, /\[ *([0-9]+|SUM)\](\[[TR]X-[CS]\])? +[0-9]/) { row(substr($0, RSTART)) }

END { flush() }
