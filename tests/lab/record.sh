#!/bin/sh
# One transcript of `bdp record` decides what limits: situations of known truth on an emulated path, recorded
# from the client with the other end's settings and sockets (--far), and read as one file.
#
#     record.sh [-b BDP] [-k KEEP-DIRECTORY] [-m REGEX]
#
# Passes when at least 98 % are named rightly and none is wrong; a transcript that leaves it open is not wrong.
# A situation that is not named rightly is run once more.

. "$(dirname "$0")/lab.sh"

MIB=1048576
record_usage() { lab_say "usage: record.sh [-b BDP] [-k DIRECTORY] [-m REGEX]"; exit 2; }

# name RTT-ms algorithm causes path-options client-ceiling(tcp_wmem) server-ceiling(tcp_rmem) throttle
record_list() {
	for record_cc in cubic bbr; do
		for record_rtt in 10 52 200; do
			record_small=$((record_rtt == 10 ? MIB / 2 : record_rtt == 52 ? 2 * MIB : 4 * MIB))
			echo "receiver-$record_rtt-$record_cc $record_rtt $record_cc receive-window - - $record_small -"
			echo "sender-$record_rtt-$record_cc $record_rtt $record_cc send-buffer - $record_small - -"
			echo "proxy-$record_rtt-$record_cc $record_rtt $record_cc receive-window,send-buffer - - $record_small -"
		done
		echo "reader-52-$record_cc 52 $record_cc receiver-application - - - READ"
		echo "application-52-$record_cc 52 $record_cc application - - - WRITE"
	done
	echo "queue-52-cubic 52 cubic queue,link rate=100000000,queue=3000000 - - -"
	echo "policer-20-cubic 20 cubic policer,loss-recovery police=50000000,burst=60000 - - -"
	echo "loss-52-cubic 52 cubic random-loss loss=0.005 - - -"
	echo "loss-100-cubic 100 cubic random-loss loss=0.002 - - -"
}

record_path() { # RTT OPTIONS
	record_delay=$(awk -v r="$1" 'BEGIN { print r / 2 }')
	[ "$2" = - ] || { printf 'delay=%sms,%s' "$record_delay" "$2"; return; }
	printf 'delay=%sms' "$record_delay"
}

record_hosts() { # SEND-CEILING RECEIVE-CEILING
	lab_namespace c s
	for record_host in c s; do
		lab_ceiling $record_host tcp_rmem $((64 * MIB))
		lab_ceiling $record_host tcp_wmem $((64 * MIB))
	done
	[ "$1" = - ] || lab_ceiling c tcp_wmem "$1"
	[ "$2" = - ] || lab_ceiling s tcp_rmem "$2"
}

# A server whose program reads slowly, or the usual one.
record_server() { # THROTTLE
	if [ "$1" = READ ]; then
		lab_exec s env LD_PRELOAD="$RECORD_THROTTLE" THROTTLE_READ=60000000 iperf3 -s --forceflush \
			>"$LAB_TMP/server.s.txt" 2>&1 &
		lab_keep $!
		lab_wait_for 5 lab_listens s 5201 || lab_die "no iperf3 server"
	else
		lab_server s
	fi
}

record_one() { # a row of the list
	record_name=$1 record_truth=$4
	record_stem=$RECORD_KEEP/$record_name
	lab_reset
	record_hosts "$6" "$7"
	case $1 in
	proxy-*)
		# the middle: what comes in over the long path goes out over another
		lab_namespace p
		lab_ceiling p tcp_rmem "$7"
		lab_ceiling p tcp_wmem "$7"
		lab_ceiling s tcp_rmem $((64 * MIB))
		lab_link c p -p "$(record_path "$2" -)"
		lab_link p s -p "$(record_path "$2" -)"
		lab_server s
		lab_exec p socat -b 262144 TCP-LISTEN:5201,fork,reuseaddr TCP:10.77.1.2:5201 2>"$LAB_TMP/socat.txt" &
		lab_keep $!
		lab_wait_for 5 lab_listens p 5201 || lab_die "no relay"
		record_far=p
		;;
	*)
		lab_link c s -p "$(record_path "$2" "$5")"
		record_server "$8"
		record_far=s
		;;
	esac
	record_paced=
	[ "$8" = WRITE ] && record_paced='-b 60M'
	# shellcheck disable=SC2086 # two words
	lab_in c "$BDP" record -t 5 -C "$3" --no-reverse --far "ip netns exec $LAB-$record_far sh" 10.77.0.2 \
		${record_paced:+-- $record_paced} >"$record_stem.txt" 2>"$record_stem.err"
	record_said=$("$BDP" --no-host -o json "$record_stem.txt" 2>>"$record_stem.err" |
		jq -r '"\(.limit.factor) \(.limit.confidence)"')
}

record_judge() {
	case ",$record_truth," in *",${record_said% *},"*) record_verdict=right ;; *)
		case $record_said in unknown*) record_verdict=open ;; *) record_verdict=WRONG ;; esac ;;
	esac
}

RECORD_KEEP='' record_match=.
while getopts b:k:m: record_option; do
	case $record_option in
	b) BDP=$OPTARG ;;
	k) RECORD_KEEP=$OPTARG ;;
	m) record_match=$OPTARG ;;
	*) record_usage ;;
	esac
done
: "${BDP:=$LAB_HERE/../../bdp}"
BDP=$(realpath "$BDP") || exit 1
lab_begin iperf3 jq socat ip
[ -n "$RECORD_KEEP" ] || RECORD_KEEP=$LAB_TMP/record
mkdir -p "$RECORD_KEEP" || exit 1
RECORD_THROTTLE=$LAB_TMP/throttle.so
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$RECORD_THROTTLE" "$LAB_HERE/throttle.c" ||
	lab_die "throttle.c does not compile"
record_list | grep -E "$record_match" >"$LAB_TMP/list"
record_right=0 record_wrong=0 record_count=0
while read -r record_row <&3; do
	# shellcheck disable=SC2086 # its words
	record_one $record_row
	record_judge
	if [ $record_verdict != right ]; then
		# shellcheck disable=SC2086
		record_one $record_row
		record_judge
	fi
	record_count=$((record_count + 1))
	[ $record_verdict = right ] && record_right=$((record_right + 1))
	[ $record_verdict = WRONG ] && record_wrong=$((record_wrong + 1))
	printf '%s\t%s\t%s\t%s\n' "$record_verdict" "$record_name" "$record_truth" "$record_said"
done 3<"$LAB_TMP/list"
lab_reset
echo "record: $record_right of $record_count named rightly, $record_wrong wrong"
[ $record_wrong = 0 ] && [ $((100 * record_right)) -ge $((98 * record_count)) ]
