# A server whose receive buffers run away, as `ss -tmin` shows it: 20,000 sockets; 558 of those with an
# RTT of about 20 ms have a receive buffer beyond 5 MB, 2 x 1 Gbit/s x 20 ms, many at tcp_rmem's
# ceiling of 256 MiB and full.  The rest are below their own bound, some of them on longer paths.
# What the sockets come to is written to the file `figures`.
function draw(below) { # the minimal standard generator: the same everywhere, exact in a double
	seed = (seed * 16807) % 2147483647
	return int(seed / 2147483647 * below)
}

function socket(rtt_us, rb, r, tb, w, scale,    f, q, v6, peer) {
	count++
	f = draw(4096)
	q = int(r * 0.6)
	v6 = count % 50 == 0
	peer = v6 ? "[2001:db8::" sprintf("%x", count) "]" : \
	    "198.51." int(count / 250) "." count % 250 + 1
	printf "ESTAB      %-10d %-10d %s:443 %s:%d\n", q, w, v6 ? "[2001:db8:1::1]" : "192.0.2.10",
	    peer, 1024 + draw(60000)
	printf "\t skmem:(r%d,rb%d,t0,tb%d,f%d,w%d,o0,bl0,d%d) cubic wscale:7,%d rto:220", r, rb, tb, f,
	    w, draw(3), scale
	printf " rtt:%.3f/%.3f mss:1448 pmtu:1500 rcvmss:1448 advmss:1448 cwnd:10", rtt_us * 1.1 / 1000,
	    rtt_us / 2000
	printf " bytes_sent:%d bytes_acked:%d bytes_received:%d segs_out:%d data_segs_out:%d", 1000 + w,
	    1000, q + 5000, 100 + draw(1000), 10 + draw(90)
	printf " send 5791923bps lastsnd:%d lastrcv:%d delivery_rate %dbps busy:%dms", draw(100000),
	    draw(1000), 1000000 + draw(1000000), 1 + draw(5000)
	printf " rcv_rtt:%.3f rcv_space:14480 rcv_ssthresh:64088 minrtt:%.3f snd_wnd:64128\n",
	    rtt_us / 1000, rtt_us / 1000

	held += r + w + f
	bdp = 1e9 * rtt_us / 8e6
	if (bdp > largest_bdp)
		largest_bdp = bdp
	if (rb > 2 * bdp && rb > 262144) {
		beyond++
		beyond_held += r
		beyond_buffer += rb
		if (rb == 268435456)
			at_ceiling++
	}
}

BEGIN {
	seed = 20000
	print "State      Recv-Q     Send-Q      Local Address:Port        Peer Address:Port Process"
	for (i = 0; i < 20000; i++) {
		kind = i % 35
		if (runaways < 558 && kind == 7) {
			runaways++
			if (runaways % 3 != 0)
				socket(20000, 268435456, 268435456, 87040, 0, 13)
			else { # from just above the bound
				rb = 5000001 + draw(180000000) * (runaways > 3)
				socket(20000, rb, int(rb / 2) + draw(1000), 87040, 0, 13)
			}
		} else if (kind == 3) # a longer path: much the same buffer, and it needs it
			socket(80000, 12000000 + draw(8000000), draw(100000), 87040, 0, 13)
		else if (kind == 11) # exactly at the bound is not beyond
			socket(20000, 5000000, draw(2000000), 87040, 0, 13)
		else if (kind == 19) # sends
			socket(20000 + draw(1000), 131072, 0, 2000000 + draw(2000000), draw(2000000), 7)
		else if (kind == 23) # beyond its BDP, but what anybody gets
			socket(500 + draw(400), 131072, 0, 87040, 0, 7)
		else
			socket(19000 + draw(3000), 131072 + draw(3000000), draw(50000), 87040, 0, 13)
	}
	high = 3057810 * 4096
	printf "sockets %d\nbeyond %d\nat_ceiling %d\n", count, beyond, at_ceiling > figures
	printf "held %.0f\nbeyond_held %.0f\nbeyond_buffer %.0f\n", held, beyond_held, beyond_buffer > figures
	printf "of_high %.9f\nof_ram %.9f\n", beyond_held / high, beyond_held / 549755813888 > figures
	printf "largest_bdp %.0f\n", largest_bdp > figures
}
