# A share of the processor that no machine has, as a broken or hostile writer may put it.
BEGIN {
	while ((getline line < "../../../corpus/iperf3/bidir.3.12.json") > 0) {
		sub(/"host_total":[ \t]*[0-9.]+/, "\"host_total\": 1e308", line)
		print line
	}
}
