#!/bin/sh
# Writes expect-json.tsv: what jq makes of the JSON inputs, for tests/unit/test_iperf_json.c to hold
# the reader against.  Run by hand when inputs are added; needs jq.
set -eu
cd "$(dirname "$0")"
{
	printf '# file\trun\trole\tdirection\tprotocol\tversion\tcomplete\tstreams\tintervals\tomitted'
	printf '\tsent_bytes\tsent_seconds\treceived_bytes\treceived_seconds\tretransmits\tlost\tpackets'
	printf '\tmean_rtt_us\tmean_cwnd\tmean_window\tsender_cc\treceiver_cc\town_cpu\tother_cpu\n'
	for file in iperf3/*.json iperf3/*.jsonl kernel-6.1/*.json ping/*.json ss/*.json tc/*.json \
		$(grep -lE '^\{' samples/*/*); do
		jq -rn --arg file "$file" -f expect-json.jq "$file"
	done
} >expect-json.tsv
