# For tests/corpus/score.sh: from the names of a set's files (first operand, called files) and the tables
# of truths, a line for each document: set, form, name, split, accepted causes, RTT in ms (or low-high), files.
# Where a policer was set up, its rate in bit/s and its depth in bytes follow.
# "-" as cause: nothing is known, only the RTT counts.

BEGIN { FS = OFS = "\t" }

function basename(path) { sub(/.*\//, "", path); return path }

# Which half: by a number that the name yields, so that all forms of a situation fall together.
function half(name,  i, sum) {
	sum = 0
	for (i = 1; i <= length(name); i++)
		sum += i * index("abcdefghijklmnopqrstuvwxyz0123456789-", substr(name, i, 1))
	return sum % 2 ? "fit" : "test"
}

function add(form, name, split_name, files) {
	print set, form, name, split_name, accepted(name), rtt[name] == "" ? 0 : rtt[name], files, rate[name], depth[name]
}

function accepted(name) {
	return cause[name] (more[name] != "" ? "," more[name] : "")
}

FILENAME ~ /\/files$/ { file[$0] = 1; names[++count] = $0; next }
/^#/ || /^name\t/ || /^file\t/ || /^run\t/ { next }
FILENAME == "accept.tsv" { if ($1 == set) more[$2] = $3; next }
set == "ndt7" && FILENAME ~ /ndt7\/truth.tsv$/ {
	cause[$1] = $2
	if ($2 == "neither")
		cause[$1] = "unknown,random-loss,policer,queue,link,cpu,loss-recovery,stalled,application"
	if ($2 == "mixed")
		cause[$1] = "-"
	rtt[$1] = $5
	next
}
set == "vivo" && FILENAME ~ /truth(-ss)?.tsv$/ && FILENAME ~ /vivo/ { cause[$1] = $2; rtt[$1] = $4; next }
set == "sockets" && FILENAME ~ /sockets\/truth.tsv$/ { cause[$1] = $2; rtt[$1] = $4; operands[$1] = $5; next }
set == "wan" && FILENAME ~ /runs.tsv$/ { list_wan_run(); next }
FILENAME ~ /truth.tsv$/ && $3 != "" {
	if (set == "policed" && FILENAME !~ /policed/) next
	cause[$1] = set == "policed" ? $2 : $3
	rtt[$1] = set == "policed" ? $4 : $2 + 0
	if (set == "policed") {
		rate[$1] = $5
		depth[$1] = $6
	} else if (match($5, /police=[0-9]+,burst=[0-9]+/)) {
		split(substr($5, RSTART, RLENGTH), bucket, /[=,]/)
		rate[$1] = bucket[2]
		depth[$1] = bucket[4]
	}
	if ($6 ~ /^(fit|test)$/) half_of[$1] = $6
	if (set ~ /^cases/ && $7 != "") operands[$1] = $7
}

# Seven of the 22 paths are for the test, so chosen that either half has enough of both labels.  A loss
# run may be called a queue or a link only if its RTT rose.
function list_wan_run(  i, row, cell, rows, high, split_name) {
	split_name = $2 ~ /^p(08|20|21|34|35|38|39)$/ ? "test" : "fit"
	rows = split($11, row, ";")
	high = 0
	for (i = 1; i <= rows; i++) {
		split(row[i], cell, ",")
		if (cell[5] > high) high = cell[5]
	}
	cause[$1] = $3 == "loss" ? "random-loss,policer,loss-recovery" : $3
	if ($3 == "loss" && high > 1.25 * $8)
		cause[$1] = cause[$1] ",queue,link"
	rtt[$1] = $8 / 1000
	add("json", $1, split_name, out "/wan/" $1 ".json")
	add("txt", $1, split_name, out "/wan/" $1 ".txt")
}

function list_vivo(name, part,  base, text, ss, dumps, sender, receiver, all) {
	base = set "/" name
	text = (set == "vivo" ? base : out "/" base) ".txt"
	sender = name ~ /-R/ ? "server" : "client"
	receiver = name ~ /-R/ ? "client" : "server"
	if ((base ".json") in file) {
		add("json", name, part, base ".json")
		add("txt", name, part, text)
	}
	# The sender's sockets alone cannot tell a receiver's SO_RCVBUF from its ceiling.
	if (cause[name] == "socket-option" && more[name] == "") {
		more[name] = "receive-window"
		add("ss-sender", name, part, base ".ss-" sender "-mid.txt")
		more[name] = ""
	} else
		add("ss-sender", name, part, base ".ss-" sender "-mid.txt")
	add("ss-receiver", name, part, base ".ss-" receiver "-mid.txt")
	ss = "sender=" base ".ss-" sender "-mid.txt receiver=" base ".ss-" receiver "-mid.txt"
	dumps = "sender=" base ".sysctl-" sender ".txt receiver=" base ".sysctl-" receiver ".txt"
	all = ss " " base ".ping-idle.txt " base ".ping-loaded.txt " dumps
	if ((base ".json") in file) {
		add("json+ping", name, part, base ".json " base ".ping-idle.txt")
		add("json+ss", name, part, base ".json sender=" base ".ss-" sender "-mid.txt")
		add("json+dumps", name, part, base ".json " dumps)
		add("txt+ping", name, part, text " " base ".ping-idle.txt")
		add("txt+dumps", name, part, text " " dumps)
		all = base ".json " all
		if ((base ".tc-client.txt") in file)
			all = all " " base ".tc-client.txt"
	} else
		add("ss+dumps", name, part, ss " " dumps)
	add("all", name, part, all)
}

# A public case is named by what stands before the first hyphen.
function list_case(path,  name) {
	name = basename(path)
	if (name ~ /\.md$|\.tsv$/)
		return
	sub(/-.*/, "", name)
	if (name in operands)
		return
	if (!(name in cause))
		cause[name] = "-"
	add("paste", name, "test", path)
}

function list_file(path,  name, form, files) {
	name = basename(path)
	form = name ~ /\.server\.txt$/ ? "server" : name ~ /\.jsonl?$/ ? "json" : "txt"
	if (set == "ndt7") {
		form = name ~ /series/ ? "series" : "ss"
		sub(/\.(series|ss)\.txt$/, "", name)
	} else if (set == "ss") {
		if (name !~ /\.(sender|receiver)\.txt$/)
			return
		form = name ~ /sender/ ? "ss-sender" : "ss-receiver"
		sub(/\.(sender|receiver)\.txt$/, "", name)
	} else {
		if (name ~ /udp|\.ss-|\.tc|nstat|\.ping|sysctl/)
			return
		sub(/(\.server)?\.(jsonl?|txt)$/, "", name)
		if (set == "iperf3")
			sub(/\.3\.[0-9.]+$/, "", name)
	}
	if (cause[name] == "" || cause[name] == "-" && set != "ndt7")
		return
	add(form, name, name in half_of ? half_of[name] : half(name), path)
	if (form == "txt" && rtt[name] > 0 && set == "iperf3")
		add("txt+ping", name, half(name), path " --idle-rtt=" rtt[name] "ms")
	# A run, and both ends' sockets in its middle.
	files = path
	if (sub(/\.json$/, ".ss-sender.txt", files) && files in file)
		add("json+ss", name, half(name), path " sender=" files)
}

END {
	if (set == "wan")
		exit
	for (name in operands) {
		files = operands[name]
		add(set == "sockets" ? "ss" : "paste", name, set == "sockets" ? half(name) : "test", files)
	}
	if (set == "sockets")
		exit
	for (i = 1; i <= count; i++) {
		if (set ~ /^cases/)
			list_case(names[i])
		else if (set != "vivo" && set != "drawn")
			list_file(names[i])
		else if (names[i] ~ /\.sysctl-client\.txt$/) {
			name = basename(names[i])
			sub(/\.sysctl-client\.txt$/, "", name)
			if (name in cause)
				list_vivo(name, name in half_of ? half_of[name] : "test")
		}
	}
}
