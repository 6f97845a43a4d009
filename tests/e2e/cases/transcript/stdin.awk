# A shell's session: ping, the run, and ss taken during it, with the prompts around them.
function show(command, file, line) {
	print "$ " command
	while ((getline line < file) > 0)
		print line
	close(file)
}
BEGIN {
	corpus = "../../../corpus/"
	show("ping -c 10 10.77.0.2", corpus "ping/wan52.txt")
	show("iperf3 -c 10.77.0.2", corpus "iperf3/rwnd-clamp.3.12.txt")
	show("ss -tmin dst 10.77.0.2", corpus "ss/rwnd-clamp.sender.txt")
}
