# Writes each row of runs.tsv as iperf3 3.9 prints it at the client: OUT/RUN.json (-J) and OUT/RUN.txt.
#
#     awk -F '\t' -v out=DIRECTORY -f ../iperf-text.awk -f render.awk runs.tsv

# start, end, seconds, bytes and rate, as every object of -J has them
function span(from, to, seconds, bytes) {
	return sprintf("\"start\": %.6g, \"end\": %.6f, \"seconds\": %.6f, \"bytes\": %.0f, " \
	    "\"bits_per_second\": %.6f", from, to, seconds, bytes, \
	    seconds > 0 ? bytes * 8 / seconds : 0)
}

NR == 1 { next }
{
	json = out "/" $1 ".json"
	text = out "/" $1 ".txt"
	split($9, sent, ",")
	split($10, received, ",")
	rows = split($11, row, ";")
	omit = 0
	for (i = 1; i <= rows; i++)
		omit += row[i] ~ /,o$/

	print "Connecting to host 198.51.100.2, port 5201" >text
	print "[  5] local 192.0.2.1 port 40000 connected to 198.51.100.2 port 5201" >text
	print "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd" >text

	printf "{\n\t\"start\": {\"connected\": [{\"socket\": 5, \"local_host\": \"192.0.2.1\", " \
	    "\"local_port\": 40000, \"remote_host\": \"198.51.100.2\", \"remote_port\": 5201}],\n" >json
	printf "\t\t\"version\": \"iperf %s\", \"system_info\": \"Linux client 5.4.0 #1 SMP x86_64\",\n", $5 >json
	printf "\t\t\"timestamp\": {\"time\": \"Thu, 29 Jul 2021 08:49:21 UTC\", \"timesecs\": 1627548561},\n" >json
	printf "\t\t\"connecting_to\": {\"host\": \"198.51.100.2\", \"port\": 5201}, " \
	    "\"cookie\": \"%s\", \"tcp_mss_default\": %d,\n", $1, $7 >json
	printf "\t\t\"sock_bufsize\": 0, \"sndbuf_actual\": 16384, \"rcvbuf_actual\": 87380,\n" >json
	printf "\t\t\"test_start\": {\"protocol\": \"TCP\", \"num_streams\": 1, \"blksize\": 131072, " \
	    "\"omit\": %d, \"duration\": %.0f, \"bytes\": 0, \"blocks\": 0, \"reverse\": 0, \"tos\": 0}},\n", \
	    omit, sent[1] >json
	printf "\t\"intervals\": [" >json

	at = 0
	before = 0
	rtt_max = rtt_sum = cwnd_max = 0
	for (i = 1; i <= rows; i++) {
		count = split(row[i], cell, ",")
		omitted = count > 5 && cell[6] == "o"
		if (before && !omitted)
			at = 0
		before = omitted
		to = at + cell[1]
		if (cell[4] > cwnd_max) cwnd_max = cell[4]
		if (cell[5] > rtt_max) rtt_max = cell[5]
		rtt_sum += cell[5]
		printf "%s  %3d  %s       %s\n", row_text("  5", at, to, cell[2], cell[1]), cell[3], \
		    size_text(cell[4]), omitted ? "(omitted)" : "" >text
		flag = omitted ? "true" : "false"
		printf "%s{\"streams\": [{\"socket\": 5, %s, \"retransmits\": %d, \"snd_cwnd\": %d, " \
		    "\"rtt\": %d, \"rttvar\": 100, \"pmtu\": %d, \"omitted\": %s, \"sender\": true}],\n", \
		    (i > 1 ? ", " : ""), span(at, to, cell[1], cell[2]), cell[3], cell[4], cell[5], \
		    $7 + 52, flag >json
		printf "\t\t\"sum\": {%s, \"retransmits\": %d, \"omitted\": %s, \"sender\": true}}", \
		    span(at, to, cell[1], cell[2]), cell[3], flag >json
		at = to
	}

	print "- - - - - - - - - - - - - - - - - - - - - - - - -" >text
	print "[ ID] Interval           Transfer     Bitrate         Retr" >text
	printf "%s  %3d             sender\n", row_text("  5", 0, sent[1], sent[2], sent[1]), sent[3] >text
	printf "%s                  receiver\n", row_text("  5", 0, received[1], received[2], received[1]) >text
	print "\niperf Done." >text

	printf "],\n\t\"end\": {\"streams\": [{\"sender\": {\"socket\": 5, %s, \"retransmits\": %d, " \
	    "\"max_snd_cwnd\": %d, \"max_rtt\": %d, \"min_rtt\": %d, \"mean_rtt\": %d, \"sender\": true},\n", \
	    span(0, sent[1], sent[1], sent[2]), sent[3], cwnd_max, rtt_max, $8, rtt_sum / rows >json
	printf "\t\t\"receiver\": {\"socket\": 5, %s, \"sender\": true}}],\n", \
	    span(0, received[1], received[1], received[2]) >json
	printf "\t\t\"sum_sent\": {%s, \"retransmits\": %d, \"sender\": true},\n", \
	    span(0, sent[1], sent[1], sent[2]), sent[3] >json
	printf "\t\t\"sum_received\": {%s, \"sender\": true},\n", \
	    span(0, received[1], received[1], received[2]) >json
	printf "\t\t\"cpu_utilization_percent\": {\"host_total\": 4.1, \"host_user\": 1.1, \"host_system\": 3, " \
	    "\"remote_total\": 0.7, \"remote_user\": 0, \"remote_system\": 0.7},\n" >json
	printf "\t\t\"sender_tcp_congestion\": \"%s\", \"receiver_tcp_congestion\": \"%s\"}\n}\n", $6, $6 >json
	close(json)
	close(text)
}
