# perfSONAR's account of a run: no intervals of its own, the command and iperf3's document in a string.
BEGIN {
	printf "%s", "{\"href\": \"https://ps.example.net/runs/1\", \"result\": {\"succeeded\": true, \"diags\": \"$ iperf3 -c HOST --json\\n\\n"
	while ((getline line < "../../../corpus/iperf3/bufferbloat.3.12.json") > 0) {
		gsub(/\\/, "\\\\", line)
		gsub(/"/, "\\\"", line)
		gsub(/\t/, "\\t", line)
		printf "%s\\n", line
	}
	print "\"}}"
}
