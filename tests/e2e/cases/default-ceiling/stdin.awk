# A path of 245 ms between hosts that nobody tuned, as a session: ping, then iperf3 as text.
# 12 MiB/s x 245 ms = 2.94 MiB of 6 MiB / 2.
BEGIN {
	print "$ ping -c 2 198.51.100.9"
	print "PING 198.51.100.9 (198.51.100.9) 56(84) bytes of data."
	print "64 bytes from 198.51.100.9: icmp_seq=1 ttl=48 time=245 ms"
	print "64 bytes from 198.51.100.9: icmp_seq=2 ttl=48 time=245 ms"
	print ""
	print "--- 198.51.100.9 ping statistics ---"
	print "2 packets transmitted, 2 received, 0% packet loss, time 1001ms"
	print "rtt min/avg/max/mdev = 245.006/245.021/245.036/0.015 ms"
	print "$ iperf3 -c 198.51.100.9 -O 3 -t 8"
	print "Connecting to host 198.51.100.9, port 5201"
	print "[  5] local 192.0.2.4 port 40002 connected to 198.51.100.9 port 5201"
	print "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd"
	for (i = 0; i < 8; i++)
		printf "[  5]  %2d.00-%d.00   sec  12.0 MBytes   101 Mbits/sec    0   6.00 MBytes\n", i, i + 1
	print "- - - - - - - - - - - - - - - - - - - - - - - - -"
	print "[ ID] Interval           Transfer     Bitrate         Retr"
	print "[  5]   0.00-8.00   sec  96.3 MBytes   101 Mbits/sec    0             sender"
	print "[  5]   0.00-8.25   sec  99.0 MBytes   101 Mbits/sec                  receiver"
	print ""
	print "iperf Done."
}
