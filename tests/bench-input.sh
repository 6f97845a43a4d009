#!/bin/sh
# Writes an input of one kind, of about BYTES, as the tool itself would of a long test or a busy
# host: bench-input.sh json|stream|text|ss|ping|nstat|tc|sysctl BYTES
set -eu
kind=$1
bytes=$2
corpus=$(cd "$(dirname "$0")" && pwd)/corpus
export LC_ALL=C

# Cuts the text of an interval at its numbers once, and writes it with others again and again.
template='
function cut(text,   key) {
	while (match(text, /"(start|end|bytes)":\t?[0-9.]+/)) {
		key = substr(text, RSTART, RLENGTH)
		sub(/[0-9.]+$/, "", key)
		piece[++pieces] = substr(text, 1, RSTART - 1) key
		name[pieces] = key ~ /start/ ? "start" : key ~ /end/ ? "end" : "bytes"
		text = substr(text, RSTART + RLENGTH)
	}
	rest = text
}
function interval(n,   i, text) {
	value["start"] = n
	value["end"] = n + 1
	value["bytes"] = 50000000 + n % 97 * 131072
	text = ""
	for (i = 1; i <= pieces; i++)
		text = text piece[i] value[name[i]]
	return text rest
}
'

# An iperf3 -J document: its first interval again and again, with the clock going on.
json() {
	awk -v size="$bytes" "$template"'
	/^\t"intervals":/ { inside = 1; print; next }
	inside && /^\t\t}/ {
		if (!seen++) {
			cut(block)
			for (n = 0; written < size; n++) {
				text = (n ? "\t\t}, {\n" : "") interval(n)
				written += length(text)
				printf "%s", text
			}
		}
		if (/^\t\t}\]/) { inside = 0; print }
		next
	}
	inside { if (!seen) block = block $0 "\n"; next }
	{ print }' "$corpus/iperf3/rwnd-clamp.3.12.json"
}

# The same as events (--json-stream).
stream() {
	awk -v size="$bytes" "$template"'
	!/"event":"interval"/ { print; next }
	!seen++ {
		cut($0)
		for (n = 0; written < size; n++) {
			text = interval(n)
			written += length(text) + 1
			print text
		}
	}' "$corpus/iperf3/rwnd-clamp.3.21.jsonl"
}

# iperf3's table.
text() {
	awk -v size="$bytes" '
	!/ sec .*Bytes *$/ { print; next }
	!seen++ {
		for (n = 0; written < size; n++) {
			text = sprintf("[  5] %6.2f-%-6.2f sec  %.1f MBytes   %d Mbits/sec  %3d   5.33 MBytes       ",
			    n, n + 1, 40 + n % 97 / 10, 336 + n % 97, n % 1000 == 0)
			written += length(text) + 1
			print text
		}
	}' "$corpus/iperf3/rwnd-clamp.3.12.txt"
}

# A head of HEAD lines, then the lines after it again and again; `n` counts the rounds.
repeat() { # FILE HEAD PATTERN: what matches PATTERN ends in another number each round
	awk -v size="$bytes" -v head="$2" -v pattern="$3" '
	NR <= head { print; next }
	{ line[++lines] = $0 }
	END {
		for (n = 1; written < size; n++)
			for (i = 1; i <= lines && written < size; i++) {
				text = line[i]
				if (pattern != "" && match(text, pattern))
					text = substr(text, 1, RSTART + RLENGTH - 1) n \
					    substr(text, RSTART + RLENGTH)
				written += length(text) + 1
				print text
			}
	}' "$1"
}

case $kind in
json | stream | text) "$kind" ;;
ss) repeat "$corpus/ss/iproute2-6.1.options.txt" 1 'bytes_sent:' ;;
ping) repeat "$corpus/ping/wan52.txt" 1 'icmp_seq=' ;;
nstat) repeat "$corpus/kernel-6.1/nstat-receiver.txt" 1 '' ;;
tc) repeat "$corpus/tc/mq-fq.txt" 0 'Sent ' ;;
sysctl) repeat "$corpus/hosts/host-6.18.sysctl.txt" 0 '' ;;
*)
	echo "bench-input: no kind $kind" >&2
	exit 2
	;;
esac
