# ping, much of it, the host's settings, and then iperf3 -J, in one stream.
function show(file, line) {
	while ((getline line < file) > 0)
		print line
	close(file)
}
BEGIN {
	corpus = "../../../corpus/"
	for (i = 0; i < 100; i++)
		show(corpus "ping/wan52.txt")
	show(corpus "hosts/netns-6.18.sysctl.txt")
	show(corpus "iperf3/rwnd-clamp.3.12.json")
}
