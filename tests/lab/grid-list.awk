# The situations of grid.sh, one a line: name, RTT in ms, seconds, shape of the path, tcp_rmem and
# tcp_wmem ceilings, algorithm, iperf3's options, what throttles the client and the server, what
# happens at which second, the causes that are right (best first), where, bound in bit/s, split.

BEGIN {
	OFS = "\t"
	free = 67108864
	policers()
	losses()
	shapers()
	links()
	windows()
	buffers()
	applications()
	socket_options()
	stalls()
	recoveries()
	parallels()
	longer()
}

function reset() {
	rmem = wmem = free
	cc = "cubic"
	options = client = server = event = "-"
	seconds = 0
	way = ""
	bound = 0
}

# Every other situation of a kind is for the test.
function put(kind, what, factors, where, rtt_ms) {
	number[kind]++
	print kind "-" what, rtt_ms, (seconds ? seconds : rtt_ms >= 50 ? 10 : 8), \
	    "-p delay=" rtt_ms / 2 "ms" (way == "" ? "" : " -f " way), rmem, wmem, cc, options, client, \
	    server, event, factors, where, sprintf("%.0f", bound), number[kind] % 2 ? "fit" : "test"
	reset()
}

function nth(words, n,  list, count) { count = split(words, list, " "); return list[1 + (n - 1) % count] }

function policers(  r, b, i, rate, burst, rtt, algorithm) {
	reset()
	for (r = 1; r <= 9; r++)
		for (b = 1; b <= 5; b++)
			for (i = 0; i < 2; i++) {
				if (i && (r + b) % 3)
					continue
				rate = nth("0.5 1 2 5 10 20 50 100 200", r)
				burst = nth("8000 32000 128000 500000 2000000", b)
				rtt = nth("10 30 60 100", r + 3 * b + 2 * i)
				algorithm = i ? nth("bbr reno", r + 2 * b) : "cubic"
				cc = algorithm
				way = sprintf("police=%.0f,burst=%d", rate * 1e6, burst)
				bound = rate * 1e6 * 1448 / 1500
				put("policer", rate "M-" burst "-" rtt "ms-" algorithm, "policer", "path", rtt)
			}
}

function losses(  p, t, i, loss, rtt, run) {
	for (p = 1; p <= 6; p++)
		for (t = 1; t <= 4; t++)
			for (i = 0; i < 3; i++) {
				if (i && (p + t) % 3 != i)
					continue
				loss = nth("0.001 0.003 0.005 0.01 0.02 0.03", p)
				rtt = nth("10 25 50 100", t)
				run = i == 2 ? nth("5 20", p) : 1
				cc = i == 1 ? "reno" : "cubic"
				way = "loss=" loss (run > 1 ? ",run=" run : "")
				put("random-loss", loss * 100 "pct-" (run > 1 ? "runs" run "-" : "") rtt "ms-" cc, \
				    "random-loss", "path", rtt)
			}
}

function shapers(  r, q, i, rate, queue_ms, rtt, depth) {
	for (r = 1; r <= 4; r++)
		for (q = 1; q <= 3; q++)
			for (i = 0; i < 2; i++) {
				rate = nth("5 20 60 150", r)
				queue_ms = nth("40 150 600", q)
				rtt = nth("15 60 30 100", r + q + 2 * i)
				depth = nth("32000 250000 1000000", r + q + i)
				cc = (r + q + i) % 4 == 0 ? "bbr" : "cubic"
				way = sprintf("rate=%.0f,queue=%.0f,depth=%d", rate * 1e6, \
				    rate * 125 * queue_ms, depth)
				bound = rate * 1e6 * 1448 / 1500
				put("shaper", rate "M-" depth "-" queue_ms "ms-" rtt "ms-" cc, \
				    queue_ms > rtt && cc != "bbr" ? "queue,link" : "link,queue", "path", rtt)
			}
}

function links(  r, q, i, rate, depth, rtt, queue) {
	for (r = 1; r <= 4; r++)
		for (q = 1; q <= 5; q++)
			for (i = 0; i < 2; i++) {
				if (i && (r + q) % 2)
					continue
				rate = nth("10 45 100 200", r)
				depth = nth("0.05 0.2 0.5 1 4", q)
				rtt = nth("20 50 100", r + q + i)
				queue = depth * rate * 125 * rtt
				if (queue < 6000)
					queue = 6000
				cc = i ? nth("bbr reno", r + int(q / 2)) : "cubic"
				way = sprintf("rate=%.0f,queue=%.0f", rate * 1e6, queue)
				bound = rate * 1e6 * 1448 / 1500
				put("link", rate "M-" depth "bdp-" rtt "ms-" cc, \
				    depth < 0.35 ? "link,policer" : depth > 1.5 && cc != "bbr" ? "queue,link" : "link,queue", \
				    "path", rtt)
			}
}

function windows(  c, t, i, ceiling, rtt) {
	for (c = 1; c <= 7; c++)
		for (t = 1; t <= 5; t++) {
			ceiling = nth("0.125 0.25 0.5 1 2 4 6", c)
			rtt = nth("12 30 80 140 220", t)
			bound = 0.645 * ceiling * 1048576 * 8000 / rtt
			if (bound > 250e6 || bound < 1.5e6 || (c + t) % 2 && c < 6)
				continue
			rmem = ceiling * 1048576
			cc = (c + 2 * t) % 5 == 0 ? "bbr" : (c + 2 * t) % 5 == 1 ? "reno" : "cubic"
			# a burst of loss while it starts, as queues on the way make
			if ((c * t) % 4 == 2)
				event = "dark " 8 * rtt / 1000 " " 0.4 * rtt / 1000
			put("receive-window", ceiling "M-" rtt "ms-" cc (event == "-" ? "" : "-burst"), \
			    "receive-window", "receiver", rtt)
		}
}

function buffers(  c, t, ceiling, rtt) {
	for (c = 1; c <= 6; c++)
		for (t = 1; t <= 5; t++) {
			ceiling = nth("0.125 0.25 0.5 1 2 4", c)
			rtt = nth("12 30 80 140 220", t)
			bound = 0.7 * ceiling * 1048576 * 8000 / rtt
			if (bound > 250e6 || bound < 1.5e6 || (c + t) % 2 == 0 && c < 6)
				continue
			wmem = ceiling * 1048576
			cc = (c + 2 * t) % 5 == 0 ? "bbr" : (c + 2 * t) % 5 == 1 ? "reno" : "cubic"
			put("send-buffer", ceiling "M-" rtt "ms-" cc, "send-buffer", "sender", rtt)
		}
}

function applications(  i, rate, rtt, window) {
	for (i = 1; i <= 10; i++) {
		rate = nth("0.8 3.7 10 25 47.3 100 123 5 60 17", i)
		rtt = nth("10 40 90 150", i)
		options = "-b " sprintf("%.0f", rate * 1e6)
		bound = rate * 1e6
		cc = i % 4 ? "cubic" : "bbr"
		put("application", "b" rate "M-" rtt "ms-" cc, "application", "sender", rtt)
	}
	for (i = 1; i <= 6; i++) {
		rate = nth("2.3 9 31 64 110 18", i)
		rtt = nth("20 80 45 130", i)
		client = "THROTTLE_WRITE=" sprintf("%.0f", rate * 1e6)
		bound = rate * 1e6
		put("application", "source" rate "M-" rtt "ms", "application,application-window", "sender", rtt)
	}
	for (i = 1; i <= 8; i++) {
		window = nth("65536 524288 2097152 262144 1048576 4194304 131072 2097152", i)
		rtt = nth("20 50 100 40 150 200 15 70", i)
		client = "THROTTLE_WINDOW=" window
		bound = window * 8000 / rtt
		cc = i % 3 ? "cubic" : "bbr"
		put("application-window", window "-" rtt "ms-" cc, "application-window,application", "sender", rtt)
	}
	for (i = 1; i <= 12; i++) {
		rate = nth("4 15 40 80 120 25 9 55", i)
		rtt = nth("15 40 80 150 30", i)
		rmem = nth("6291456 33554432 2097152", i)
		server = "THROTTLE_READ=" sprintf("%.0f", rate * 1e6)
		bound = rate * 1e6
		cc = i % 3 ? "cubic" : "bbr"
		put("slow-reader", rate "M-" rtt "ms-" cc, "receiver-application,application", "receiver", rtt)
	}
}

function socket_options(  i, size, rtt) {
	for (i = 1; i <= 8; i++) {
		size = nth("32768 65536 131072 262144 524288 1048576 200000 700000", i)
		rtt = nth("15 50 100 30 150", i)
		options = "-w " size
		bound = 2 * size * 0.6 * 8000 / rtt
		put("socket-option", size "-" rtt "ms", "socket-option", "either", rtt)
	}
}

function stalls(  i, rtt) {
	for (i = 1; i <= 5; i++) {
		rtt = nth("10 30 60 100 150", i)
		way = "mtu=" nth("1300 1400 1450 1280 1492", i)
		put("stalled", "mtu-" rtt "ms", "stalled", "path", rtt)
	}
	for (i = 1; i <= 5; i++) {
		rtt = nth("20 50 100 35 80", i)
		rmem = nth("1048576 2097152 4194304", i)
		event = "stop " nth("1.5 2 3", i) " " nth("5 6.5", i)
		put("stalled", "reader-" rtt "ms", "stalled,receiver-application", "receiver", rtt)
	}
	for (i = 1; i <= 5; i++) {
		rtt = nth("20 50 100 35 80", i)
		way = sprintf("rate=%.0f,queue=%.0f", nth("20 50 100", i) * 1e6, nth("20 50 100", i) * 125 * rtt)
		event = "dark " nth("1.5 2 3", i) " " nth("4 6", i)
		put("stalled", "outage-" rtt "ms", "stalled", "path", rtt)
	}
}

# Chance does one thing once, early; then cwnd grows back until the end.
function recoveries(  i, rtt) {
	for (i = 1; i <= 12; i++) {
		rtt = nth("100 150 200 120 180 250", i)
		cc = i % 3 ? "cubic" : "reno"
		# the connection's set-up takes four RTTs, slow start to some hundred segments six more
		event = "dark " (8 + i % 4) * rtt / 1000 " " (0.3 + 0.1 * (i % 3)) * rtt / 1000
		put("loss-recovery", i "-" rtt "ms-" cc, "loss-recovery", "path", rtt)
	}
}

function parallels(  i, rtt) {
	for (i = 1; i <= 4; i++) {
		rtt = nth("20 50 100 35", i)
		options = "-P 4"
		way = sprintf("police=%.0f,burst=%d", nth("5 20 80 40", i) * 1e6, nth("60000 250000", i))
		bound = nth("5 20 80 40", i) * 1e6 * 1448 / 1500
		put("policer", "P4-" i "-" rtt "ms", "policer", "path", rtt)
		options = "-P 4"
		way = "loss=" nth("0.005 0.01 0.02 0.003", i)
		put("random-loss", "P4-" i "-" rtt "ms", "random-loss", "path", rtt)
		options = "-P 4"
		way = sprintf("rate=%.0f,queue=%.0f", nth("20 100 50 150", i) * 1e6, nth("20 100 50 150", i) * 125 * rtt)
		bound = nth("20 100 50 150", i) * 1e6 * 1448 / 1500
		put("link", "P4-" i "-" rtt "ms", "link,queue", "path", rtt)
		options = "-P 4"
		rmem = nth("262144 524288 1048576 393216", i)
		bound = 4 * 0.645 * rmem * 8000 / rtt
		put("receive-window", "P4-" i "-" rtt "ms", "receive-window", "receiver", rtt)
	}
}

# Other values, for 25 seconds: what a policer does to a flow shows late where it is slow.
function longer(  i, rate, burst, rtt, loss, queue_ms) {
	for (i = 1; i <= 26; i++) {
		rate = nth("0.7 1.5 3 7 15 30 80 150", i)
		burst = nth("12000 60000 200000 1000000 400000", i)
		rtt = nth("20 40 80", i + int(i / 8))
		cc = i % 6 == 0 ? "bbr" : i % 6 == 3 ? "reno" : "cubic"
		way = sprintf("police=%.0f,burst=%d", rate * 1e6, burst)
		bound = rate * 1e6 * 1448 / 1500
		seconds = 25
		put("policer", "long-" i "-" rate "M-" burst "-" rtt "ms-" cc, "policer", "path", rtt)
	}
	for (i = 1; i <= 16; i++) {
		loss = nth("0.0015 0.004 0.008 0.015 0.025", i)
		rtt = nth("15 40 80", i + int(i / 5))
		cc = i % 4 == 0 ? "reno" : "cubic"
		way = "loss=" loss (i % 5 == 2 ? ",run=10" : "")
		seconds = 25
		put("random-loss", "long-" i "-" loss * 100 "pct-" rtt "ms-" cc, "random-loss", "path", rtt)
	}
	for (i = 1; i <= 10; i++) {
		rate = nth("3 12 40 90", i)
		queue_ms = nth("30 100 400", i)
		rtt = nth("20 40 80", i + int(i / 4))
		cc = i % 5 == 0 ? "bbr" : "cubic"
		way = sprintf("rate=%.0f,queue=%.0f,depth=%d", rate * 1e6, rate * 125 * queue_ms, nth("64000 300000", i))
		bound = rate * 1e6 * 1448 / 1500
		seconds = 25
		put("shaper", "long-" i "-" rate "M-" queue_ms "ms-" rtt "ms-" cc, \
		    queue_ms > rtt && cc != "bbr" ? "queue,link" : "link,queue", "path", rtt)
	}
}
