# How iperf3 prints (its units.c): sizes in powers of 1024, rates of 1000, three significant digits.

function units(value, base, names,  i, list, count) {
	count = split(names, list, " ")
	for (i = 1; value >= base && i < count; i++)
		value /= base
	if (value < 9.995)
		return sprintf("%4.2f %s", value, list[i])
	return sprintf(value < 99.95 ? "%4.1f %s" : "%4.0f %s", value, list[i])
}

function size_text(bytes) { return units(bytes, 1024, "Bytes KBytes MBytes GBytes") }
function rate_text(bps) { return units(bps, 1000, "bits/sec Kbits/sec Mbits/sec Gbits/sec") }

function row_text(id, from, to, bytes, seconds) {
	return sprintf("[%s] %6.2f-%-6.2f sec  %s  %s", id, from, to, size_text(bytes), \
	    rate_text(seconds > 0 ? bytes * 8 / seconds : 0))
}
