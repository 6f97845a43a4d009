#!/bin/sh
# How far the rate that bdp predicts for a ceiling is from the rate measured at that ceiling.
#
#   predict.sh [-b BDP] [-k KEEP-DIRECTORY] [-r "RTT..."] [-s "receive send"]
#
# A path is held at 1 MiB and measured once; from that run alone bdp is asked for ever higher
# targets, each ceiling that it advises is set, and the path measured again.

. "$(dirname "$0")/lab.sh"

PREDICT_MIB=1048576
# More than this is for other machines to carry.
PREDICT_RATE_MAX=2500000000
# Per cent of the prediction.  What a sender's buffer holds in flight depends on how it is refilled, on short
# paths most (shares.sh); there the interval that the report gives must hold what was got, to 3 %.
PREDICT_ERROR_receive=5
PREDICT_ERROR_send=12
PREDICT_SHORT_MS=20

predict_advise() {
	"$BDP" -t "$1" --no-host "$predict_stem-base.json" receiver="$predict_stem-s.sysctl" \
		sender="$predict_stem-c.sysctl" -o json >"$predict_stem-plan.json" ||
		lab_die "bdp -t $1 $predict_stem-base.json"
}

# The ceiling set and the rate it is said to carry.
predict_plan() {
	jq -r --arg key "net.ipv4.$predict_key" '
	[([.settings[] | select(.key == $key and .change)][0].value | split(" ")[2]),
	 .plan.predicted_bps, .plan.predicted_low_bps // 0, .plan.predicted_high_bps // 0] | @tsv' "$predict_stem-plan.json"
}

predict_step() {
	predict_advise "$1"
	IFS='	' read -r predict_ceiling predict_rate predict_low predict_high <<-END
	$(predict_plan)
	END
	lab_ceiling "$predict_held" "$predict_key" "$predict_ceiling"
	lab_iperf "$predict_stem-$predict_ceiling" c s -O "$predict_omit" -t 3
	predict_got=$(lab_rate "$predict_stem-$predict_ceiling")
	awk -v side="$predict_side" -v rtt="$predict_rtt" -v ceiling="$predict_ceiling" -v target="$1" \
		-v said="$predict_rate" -v got="$predict_got" -v bound="$predict_bound" -v low="$predict_low" \
		-v high="$predict_high" -v short=$PREDICT_SHORT_MS 'BEGIN {
		error = said > 0 ? (got / said - 1) * 100 : 1e9
		bad = (error > bound || error < -bound) && !(high > 0 && rtt < short)
		bad = bad || (high > 0 && (got < 0.97 * low || got > 1.03 * high))
		printf "%s\t%d\t%.3g\t%.0f\t%.0f\t%.0f\t%+.1f%%\t%.2f\t%s\n", side, rtt, ceiling / 1048576,
		    target / 1e6, said / 1e6, got / 1e6, error, got / target, bad ? "OUTSIDE" : "ok"
		exit bad
	}'
}

# One side and RTT: a measured run, then a target 2, 4, 8 ... times as high.
predict_path() {
	predict_side=$1 predict_rtt=$2 predict_stem=$PREDICT_KEEP/$1-$2ms
	predict_omit=$(($2 / 50 + 1))
	case $1 in
	receive) predict_held=s predict_key=tcp_rmem predict_bound=$PREDICT_ERROR_receive ;;
	send) predict_held=c predict_key=tcp_wmem predict_bound=$PREDICT_ERROR_send ;;
	esac
	lab_namespace c s
	lab_link c s -p delay="$(lab_half "$2")ms"
	lab_server s
	for predict_host in c s; do
		lab_ceiling $predict_host tcp_rmem $((64 * PREDICT_MIB))
		lab_ceiling $predict_host tcp_wmem $((64 * PREDICT_MIB))
	done
	lab_ceiling "$predict_held" "$predict_key" $PREDICT_MIB
	for predict_host in c s; do
		lab_dump $predict_host "$predict_stem-$predict_host.sysctl"
	done
	lab_iperf "$predict_stem-base" c s -O "$predict_omit" -t 3
	predict_base=$(lab_rate "$predict_stem-base")
	for predict_factor in 2 4 8 16 32; do
		[ $((predict_base * predict_factor)) -le $PREDICT_RATE_MAX ] || break
		predict_steps=$((predict_steps + 1))
		# Once more before it counts: the machine is shared.
		predict_step $((predict_base * predict_factor)) ||
			predict_step $((predict_base * predict_factor)) ||
			predict_outside=$((predict_outside + 1))
	done
	lab_reset
}

BDP=${BDP:-$LAB_HERE/../../bdp}
PREDICT_KEEP='' predict_rtts="10 20 52 100" predict_sides="receive send"
while getopts b:k:r:s: predict_opt; do
	case $predict_opt in
	b) BDP=$OPTARG ;;
	k) PREDICT_KEEP=$OPTARG ;;
	r) predict_rtts=$OPTARG ;;
	s) predict_sides=$OPTARG ;;
	*) lab_say "usage: predict.sh [-b BDP] [-k DIRECTORY] [-r RTTS] [-s SIDES]"; exit 2 ;;
	esac
done
[ -x "$BDP" ] || lab_die "no $BDP: run make first"
lab_begin
PREDICT_KEEP=${PREDICT_KEEP:-$LAB_TMP/predict}
mkdir -p "$PREDICT_KEEP" || exit 1
predict_steps=0 predict_outside=0
printf 'side\tRTT\tMiB\ttarget\tpredict\tgot\terror\tratio\tverdict\n'
for predict_at in $predict_rtts; do
	for predict_which in $predict_sides; do
		predict_path "$predict_which" "$predict_at"
	done
done
echo "$predict_steps predictions, $predict_outside outside"
[ $predict_steps -gt 0 ] && [ $((predict_outside * 10)) -le $predict_steps ]
