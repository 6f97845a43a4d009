# For invariants.sh: copies each file named on standard input once for each field that a release, a
# system or a paste may lack, without that field: OUT/FIELD/NUMBER.json, and an index of them.

function lacking(field, names) { count++; fields[count] = field; keys[count] = names }

BEGIN {
	lacking("cwnd", "snd_cwnd|max_snd_cwnd")
	lacking("retransmits", "retransmits")
	lacking("rtt", "rtt|rttvar|min_rtt|max_rtt|mean_rtt")
	lacking("window", "snd_wnd|max_snd_wnd")
	lacking("mss", "tcp_mss|tcp_mss_default")
	lacking("cpu", "cpu_utilization_percent")
	lacking("version", "version")
	lacking("algorithm", "sender_tcp_congestion|receiver_tcp_congestion")
	lacking("system", "system_info")
}
{
	file = $0
	text = ""
	while ((getline line < file) > 0)
		text = text line "\n"
	close(file)
	for (i = 1; i <= count; i++) {
		copy = text
		if (gsub("\"(" keys[i] ")\"[ \t]*:", "\"not known\":", copy) == 0)
			continue
		path = out "/" fields[i] "/" NR ".json"
		printf "%s", copy >path
		close(path)
		print path "\t" file "\t" fields[i]
	}
}
