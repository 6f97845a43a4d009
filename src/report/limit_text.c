#include "report/limit_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advice/measure_command.h"
#include "base/quote.h"
#include "base/units.h"
#include "diagnosis/features.h"

enum unit { UNIT_NONE, UNIT_BYTES, UNIT_RATE, UNIT_TIME, UNIT_SHARE, UNIT_COUNT, UNIT_TIMES };

/* {v} and {r} stand for value and reference, {p} for their quotient in per cent. */
struct sentence {
	const char *text;
	enum unit value, reference;
};

static const struct sentence sentences[FEATURE_COUNT] = {
    [FEATURE_WINDOW_FULL] = {"{v} in flight (rate x RTT) of a peer window of {r}: {p} of it",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_FULL_IN_QUEUE] =
	{"{v} in flight of a peer window of {r}, but the RTT under load is "
	 "beyond the path's: the window is full because a queue is",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_NEARLY_FULL] = {"{v} in flight (rate x RTT) of a peer window of {r}: {p} of it",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_OPEN] = {"{v} in flight, {p} of the peer's window of {r}: it has room",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_SHRANK] =
	{"the peer's window fell from {r} to {v}: its program leaves data unread", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_WINDOW_VARIES] = {"the peer's window moves between {v} and {r}", UNIT_BYTES,
	UNIT_BYTES},
    [FEATURE_WINDOW_ZERO] = {"the peer's window falls to {v} at times (at most {r})", UNIT_BYTES,
	UNIT_BYTES},
    [FEATURE_WINDOW_BELOW_SCALE] =
	{"the peer's window is {v}; its window scale belongs to a ceiling of "
	 "{r} or more",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_FAR_BELOW_SCALE] =
	{"the peer's window is {v}; its window scale belongs to a ceiling "
	 "of {r} or more",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_CWND_FULL] = {"{v} in flight of a cwnd of {r}: cwnd is what is used up", UNIT_BYTES,
	UNIT_BYTES},
    [FEATURE_CWND_UNUSED] = {"{v} in flight, {p} of cwnd ({r}): cwnd is not what holds it",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_CWND_FAR_UNUSED] = {"{v} in flight, {p} of cwnd ({r}): next to nothing of it is used",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_BBR_FULL] = {"{v} in flight of BBR's cwnd of {r}: what it keeps when the path is full",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_CWND_RESTS] = {"cwnd is constant at {v} over {r} intervals without a retransmit",
	UNIT_BYTES, UNIT_COUNT},
    [FEATURE_CWND_RESTS_FAR] =
	{"cwnd is constant at {v} over {r} intervals without a retransmit, on a "
	 "long path: a buffer at one end",
	    UNIT_BYTES, UNIT_COUNT},
    [FEATURE_CWND_CREEPS] = {"cwnd moves by {v} only, at {r}, without loss", UNIT_SHARE,
	UNIT_BYTES},
    [FEATURE_CWND_GROWS_WITH_RATE] =
	{"cwnd grows by a factor of {v} to the end, and the rate with it", UNIT_TIMES, UNIT_NONE},
    [FEATURE_CWND_MOVES_WITH_LOSS] = {"cwnd moves by {v} with the losses", UNIT_SHARE, UNIT_NONE},
    [FEATURE_CWND_MOVES_UNLOST] = {"cwnd moves by {v} without a loss", UNIT_SHARE, UNIT_NONE},
    [FEATURE_CWND_TINY] = {"cwnd never exceeds {v}, with segments of {r}", UNIT_BYTES, UNIT_BYTES},
    [FEATURE_DEFAULT_WINDOW_MARK] =
	{"{v} is the mark of the {r} window under the usual default tcp_rmem "
	 "ceiling of 6 MiB",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WINDOW_ROUND_CEILING] =
	{"the peer's window, {v}, is what a tcp_rmem ceiling of {r} gives", UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RMEM_MARK] = {"{v} in flight is what the receiver's tcp_rmem ceiling of {r} permits",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RMEM_MARK_OF_CWND] =
	{"cwnd, {v}, rests where a flow held by the receiver's tcp_rmem ceiling "
	 "of {r} leaves it",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RMEM_MARK_TWICE] =
	{"cwnd, {v}, rests at twice the window that the receiver's tcp_rmem "
	 "ceiling of {r} permits, where slow start leaves it",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RMEM_FAR] = {"{v} in flight at most: the receiver's tcp_rmem ceiling permits {r}",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RMEM_BEYOND_WINDOW] =
	{"the window of {v} does not come from the receiver's tcp_rmem ceiling, "
	 "which permits {r} now",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WMEM_MARK] = {"{v} in flight is what the sender's tcp_wmem ceiling of {r} permits",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WMEM_MARK_OF_CWND] =
	{"cwnd leaves {v} in flight as possible, which the sender's tcp_wmem "
	 "ceiling of {r} permits",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_WMEM_FAR] =
	{"{v} in flight at most: the sender's tcp_wmem ceiling of {r} permits more", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_BUFFER_FILLED] =
	{"{v} were written and not received by the end: the send buffer was full", UNIT_BYTES,
	    UNIT_NONE},
    [FEATURE_BUFFER_OVERFILLED] =
	{"{v} were written and not received by the end, more than cwnd ({r}) lets "
	 "wait",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_BUFFER_EMPTY] =
	{"the receiver counted all that was written (cwnd {r}): the sender's side "
	 "holds the flow",
	    UNIT_NONE, UNIT_BYTES},
    [FEATURE_HELD_BELOW_CWND] =
	{"data waits in the send buffer while {v} of a cwnd of {r} is in flight and the "
	 "peer's window is open: a shaper of the sending host, or a pace that its program set",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_KERNEL_RWND] = {"the kernel's account: rwnd-limited for {v} of {r} busy", UNIT_SHARE,
	UNIT_TIME},
    [FEATURE_KERNEL_RWND_IN_QUEUE] =
	{"the kernel's account: rwnd-limited for {v} of {r} busy, inside a "
	 "standing queue",
	    UNIT_SHARE, UNIT_TIME},
    [FEATURE_KERNEL_RWND_PARTLY] = {"the kernel's account: rwnd-limited for {v} of {r} busy",
	UNIT_SHARE, UNIT_TIME},
    [FEATURE_KERNEL_SNDBUF] = {"the kernel's account: sndbuf-limited for {v} of {r} busy",
	UNIT_SHARE, UNIT_TIME},
    [FEATURE_KERNEL_SNDBUF_PARTLY] = {"the kernel's account: sndbuf-limited for {v} of {r} busy",
	UNIT_SHARE, UNIT_TIME},
    [FEATURE_SNDBUF_AT_CEILING] = {"the send buffer has grown to {v}, the tcp_wmem ceiling ({r})",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SNDBUF_BELOW_DEFAULT] =
	{"the send buffer stands at {v}, below the kernel's own ceiling of {r}: its program set "
	 "it, or tcp_wmem was lowered",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SNDBUF_CEILING_UNKNOWN] =
	{"the send buffer is {v}; whether that is tcp_wmem's ceiling or the "
	 "program's own choice is not known",
	    UNIT_BYTES, UNIT_NONE},
    [FEATURE_KERNEL_ACQUITS] =
	{"the kernel's account: neither rwnd- nor sndbuf-limited ({v} at most of "
	 "{r} busy)",
	    UNIT_SHARE, UNIT_TIME},
    [FEATURE_SEND_QUEUE_EMPTY] =
	{"{v} wait unsent in a send buffer of {r}: the program has no more to "
	 "send",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SEND_QUEUE_IS_WINDOW] =
	{"the program keeps {v} outstanding: the {r} window of a protocol "
	 "above TCP (OpenSSH's channel 2 MiB, SFTP 512 KiB, HTTP/2 64 KiB)",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SNDBUF_FIXED] = {"the send buffer stays at {v} below the tcp_wmem ceiling of {r}: the "
			      "program set it",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_RCVBUF_FIXED] =
	{"the receive buffer stays at {v} below the tcp_rmem ceiling of {r}: the "
	 "program set it",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_READER_BEHIND] =
	{"{v} wait unread at the receiver, in a buffer of {r}: its program is "
	 "behind",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_READER_PROMPT] =
	{"{v} unread at the receiver, in a buffer of {r}: its program keeps up", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_RCVBUF_AT_CEILING] =
	{"the receive buffer has grown to {v}, the tcp_rmem ceiling ({r})", UNIT_BYTES, UNIT_BYTES},
    [FEATURE_PACED] = {"the rate, {v}, is the socket's pacing rate ({r}), below what cwnd permits",
	UNIT_RATE, UNIT_RATE},
    [FEATURE_PACING_SET] = {"{v}, and the program lets the socket send {r} (SO_MAX_PACING_RATE)",
	UNIT_RATE, UNIT_RATE},
    [FEATURE_LOCAL_QUEUE] =
	{"{v} wait below TCP in the sender itself: its own queueing discipline or interface "
	 "holds them (tc -s qdisc)",
	    UNIT_BYTES, UNIT_NONE},
    [FEATURE_ECN_MARKED] = {"{v} of {r} segments came with a mark of congestion (ECN)", UNIT_COUNT,
	UNIT_COUNT},
    [FEATURE_RTT_JITTERS] = {"the RTT of {r} varies by {v} on average", UNIT_TIME, UNIT_TIME},
    [FEATURE_LOSSLESS] = {"no loss while it runs like this ({v} retransmits in all)", UNIT_COUNT,
	UNIT_NONE},
    [FEATURE_LOSS_THROUGHOUT] = {"{v} of the segments are lost, in {r} of the intervals",
	UNIT_SHARE, UNIT_SHARE},
    [FEATURE_LOSS_HEAVY] = {"{v} of what was sent is lost: a broken path", UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_OF_MOST] =
	{"{v} of what was sent is lost, at a cwnd of {r}: hardly a full segment gets "
	 "through",
	    UNIT_SHARE, UNIT_BYTES},
    [FEATURE_TIMEOUTS] = {"cwnd falls to a segment or two in {v} of {r} intervals: timeouts",
	UNIT_COUNT, UNIT_COUNT},
    [FEATURE_LOSS_ONCE_THEN_GROWTH] =
	{"{v} retransmits, and since then cwnd grows (by a factor of {r}) "
	 "to the end",
	    UNIT_COUNT, UNIT_TIMES},
    [FEATURE_LOSS_RARE] = {"{v} of the segments are lost, in {r} of the intervals", UNIT_SHARE,
	UNIT_SHARE},
    [FEATURE_LOSS_SUM] = {"{v} of the segments are lost ({r}), and when is not known", UNIT_SHARE,
	UNIT_COUNT},
    [FEATURE_LOSS_BOUND_FITS] = {"{v} is about what CUBIC carries under that loss", UNIT_RATE,
	UNIT_NONE},
    [FEATURE_LOSS_BOUND_EXCEEDED] = {"{v} is far more than CUBIC carries if that loss were chance",
	UNIT_RATE, UNIT_NONE},
    [FEATURE_LOSS_WITHOUT_DELAY] =
	{"where segments are lost the RTT is {v} at most, against {r}: nothing "
	 "queues before it drops",
	    UNIT_TIME, UNIT_TIME},
    [FEATURE_LOSS_WITH_DELAY] =
	{"where segments are lost the RTT is up to {v}, against {r}: a queue "
	 "that overflows",
	    UNIT_TIME, UNIT_TIME},
    [FEATURE_LOSS_ALLOWED] = {"for {v} a stream CUBIC needs less than {r} lost", UNIT_RATE,
	UNIT_SHARE},
    [FEATURE_LOSS_BURSTS] =
	{"what is lost falls into bursts ({v} of the intervals), and cwnd recovers "
	 "between them",
	    UNIT_SHARE, UNIT_NONE},
    [FEATURE_BUCKET_STEADY] =
	{"losses keep the rate even over 5 s, as a token bucket of {v} and {r} "
	 "does",
	    UNIT_RATE, UNIT_BYTES},
    [FEATURE_BUCKET_SWINGS] = {"the rate over 5 s moves by {v}: chance, not a fixed rate",
	UNIT_SHARE, UNIT_NONE},
    [FEATURE_FIRST_BURST] =
	{"the first interval carried {v} times the rate after it ({r}): a bucket", UNIT_TIMES,
	    UNIT_RATE},
    [FEATURE_NO_BUCKET] = {"losses ({v}) that no token bucket explains", UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_AT_ONE_CWND] =
	{"losses come at the same cwnd each time (within {v}, {r} times): a fixed "
	 "rate",
	    UNIT_SHARE, UNIT_COUNT},
    [FEATURE_LOSS_AT_ANY_CWND] =
	{"losses come at any cwnd (it moves by {v} before {r} of them): chance", UNIT_SHARE,
	    UNIT_COUNT},
    [FEATURE_PATH_LOSS_SEEN] = {"{v} of the probes are lost without load", UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_CLUSTERS] = {"a row's retransmits vary {v} times as much as chance makes them",
	UNIT_TIMES, UNIT_NONE},
    [FEATURE_LOSS_AGAINST_CHANCE] = {"{v} in flight, where chance loss of that ratio leaves {r}",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_LOSS_SWING] = {"the rate over 5 s moves by {v} under the losses", UNIT_SHARE,
	UNIT_NONE},
    [FEATURE_LOSS_AFTER_PEAKS] =
	{"of an interval before a loss and one before none, the former is the faster in {v}",
	    UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_PEAKS_DIFFER] = {"the rates at which segments are lost differ by {v}", UNIT_SHARE,
	UNIT_NONE},
    [FEATURE_LOSS_MUCH] = {"{v} of the segments are lost after the start", UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_OFTEN] = {"{v} retransmits an interval", UNIT_TIMES, UNIT_NONE},
    [FEATURE_LOSS_RECURS] = {"losses come {v} times in the run", UNIT_COUNT, UNIT_NONE},
    [FEATURE_BBR_LOSS] = {"{v} of the segments are lost under BBR, which does not slow down for it",
	UNIT_SHARE, UNIT_NONE},
    [FEATURE_LOSS_FIRST_BURST] = {"the first interval carried {v} times the rate after it",
	UNIT_TIMES, UNIT_NONE},
    [FEATURE_QUEUE_STANDS] = {"RTT {v} under load, {r} without", UNIT_TIME, UNIT_TIME},
    [FEATURE_QUEUE_ONCE] = {"RTT {v} when it was read, {r} at the least", UNIT_TIME, UNIT_TIME},
    [FEATURE_ONE_READING] =
	{"one reading of the sender's socket: what the receiver does is not seen", UNIT_NONE,
	    UNIT_NONE},
    [FEATURE_PING_PASSES] =
	{"pings of the same path take {v}, the flow's own segments {r}: an end delays them",
	    UNIT_TIME, UNIT_TIME},
    [FEATURE_CWND_UNSEEN] = {"cwnd is not shown", UNIT_NONE, UNIT_NONE},
    [FEATURE_LOSS_UNSEEN] = {"retransmits are not shown: loss stays possible", UNIT_NONE,
	UNIT_NONE},
    [FEATURE_RTT_UNSEEN] = {"no RTT was measured under load", UNIT_NONE, UNIT_NONE},
    [FEATURE_RATE_COLLAPSES] = {"in {v} of {r} intervals segments are lost and hardly any pass",
	UNIT_COUNT, UNIT_COUNT},
    [FEATURE_RTT_STILL_UNDER_CWND] =
	{"the RTT stays between {v} and {r} while cwnd moves: no queue that it fills", UNIT_TIME,
	    UNIT_TIME},
    [FEATURE_RECEIVER_WINDOW_FULL] =
	{"the receiver took in {v} within its RTT, {p} of the window it offers ({r})", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_RECEIVER_WINDOW_OPEN] =
	{"the receiver took in {v} within its RTT, {p} of the window it offers ({r})", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_QUEUE_LONG] =
	{"{v} of delay beyond the idle path's {r}: nothing but a queue does that", UNIT_TIME,
	    UNIT_TIME},
    [FEATURE_QUEUE_NONE] = {"RTT {v} under load, {r} without: no queue", UNIT_TIME, UNIT_TIME},
    [FEATURE_QUEUE_FOLLOWS_CWND] = {"the RTT follows cwnd, from {v} to {r}: it waits in a queue",
	UNIT_TIME, UNIT_TIME},
    [FEATURE_QUEUE_FILLS] = {"the delay grows from {v} to {r} while the rate does not", UNIT_TIME,
	UNIT_TIME},
    [FEATURE_RTT_VARIES] = {"the RTT moves between {v} and {r}", UNIT_TIME, UNIT_TIME},
    [FEATURE_RTT_FLAT] = {"the RTT stays between {v} and {r}", UNIT_TIME, UNIT_TIME},
    [FEATURE_PATH_CHANGED] =
	{"the RTT steps from {r} to {v} in mid-run and the rate follows it: the path "
	 "changed",
	    UNIT_TIME, UNIT_TIME},
    [FEATURE_BACKLOG] = {"tc shows a queue that takes {v} to drain at {r}", UNIT_TIME, UNIT_RATE},
    [FEATURE_ETHERNET_RATE] = {"{v} is the payload of Ethernet at {r}", UNIT_RATE, UNIT_RATE},
    [FEATURE_LINK_SPEED_REACHED] = {"{v} is what the interface of {r} carries", UNIT_RATE,
	UNIT_RATE},
    [FEATURE_RATE_BY_CWND] = {"of what cwnd moves, {v} shows in the rate", UNIT_SHARE, UNIT_NONE},
    [FEATURE_RATE_FLAT_RTT_UNSEEN] =
	{"the rate moves by {v} only while cwnd moves by {r}: a queue, or drops without one",
	    UNIT_SHARE, UNIT_SHARE},
    [FEATURE_RATE_FLAT_CWND_MOVES] = {"the rate moves by {v} only while cwnd moves by {r}",
	UNIT_SHARE, UNIT_SHARE},
    [FEATURE_RATE_SWINGS] = {"the rate moves by {v} from interval to interval", UNIT_SHARE,
	UNIT_NONE},
    [FEATURE_RATE_EXACT] = {"the rate is the same in every interval ({v})", UNIT_RATE, UNIT_NONE},
    [FEATURE_ASKED_REACHED] = {"asked for {r} (-b) and got {v}: nothing else holds it", UNIT_RATE,
	UNIT_RATE},
    [FEATURE_ASKED_MISSED] = {"asked for {r} (-b) and got {v} only", UNIT_RATE, UNIT_RATE},
    [FEATURE_FAST_AND_NEAR] = {"{v} over {r}, without loss, at no link's speed", UNIT_RATE,
	UNIT_TIME},
    [FEATURE_VERY_FAST] = {"{v} in one stream: its hosts may hold it as well as a window",
	UNIT_RATE, UNIT_NONE},
    [FEATURE_SAME_HOST] = {"both ends are one machine: there is no path", UNIT_NONE, UNIT_NONE},
    [FEATURE_SHORT_PATH] = {"the path is short ({v})", UNIT_TIME, UNIT_NONE},
    [FEATURE_CPU_BUSY] = {"iperf3 used {v} of a core at the sender, {r} at the receiver",
	UNIT_COUNT, UNIT_COUNT},
    [FEATURE_CPU_IDLE] =
	{"iperf3 used {v} of a core at the sender, {r} at the receiver: not the CPU", UNIT_COUNT,
	    UNIT_COUNT},
    [FEATURE_SCALING_OFF] = {"net.ipv4.tcp_window_scaling is 0: no window above 65,535 bytes",
	UNIT_NONE, UNIT_NONE},
    [FEATURE_WINDOW_UNSCALED] = {"the peer's window never exceeds {v}, the most without scaling",
	UNIT_BYTES, UNIT_NONE},
    [FEATURE_UNSCALED_MARK] = {"{v} is what a window without scaling ({r}), or twice that, leaves",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SCALE_ABSENT] = {"the connection has no window scaling: no window above {r}",
	UNIT_BYTES, UNIT_BYTES},
    [FEATURE_SCALE_SEEN] = {"window scaling is on", UNIT_NONE, UNIT_NONE},
    [FEATURE_BUFFER_ASKED_BINDS] =
	{"a socket buffer of {r} was asked for (-w), and {v} of it is used: "
	 "autotuning is off",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_BUFFER_ASKED_FAR] = {"the buffer asked for (-w {r}) is not used up ({v})", UNIT_BYTES,
	UNIT_BYTES},
    [FEATURE_BUFFER_ASKED_CUT] =
	{"the receiver's net.core.rmem_max ({r}) cuts it: a window of about {v}", UNIT_BYTES,
	    UNIT_BYTES},
    [FEATURE_BUFFER_ASKED_PERMITTED] =
	{"the receiver's net.core.rmem_max ({r}) permits it: a window of "
	 "about {v}",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_NO_BUFFER_ASKED] = {"no socket buffer was asked for (-w)", UNIT_NONE, UNIT_NONE},
    [FEATURE_NO_RATE_ASKED] = {"no rate was asked for (-b)", UNIT_NONE, UNIT_NONE},
    [FEATURE_CWND_CLAMPED] =
	{"all of a constant cwnd ({r}) is in flight, without loss or queue: cwnd is "
	 "capped at the sender (ip route: cwnd lock)",
	    UNIT_BYTES, UNIT_BYTES},
    [FEATURE_STALLS_TINY_CWND] =
	{"nothing moves in {v} of the time, at a cwnd of {r}: full segments do "
	 "not get through",
	    UNIT_SHARE, UNIT_BYTES},
    [FEATURE_STALLS_OPEN_CWND] = {"nothing moves in {v} of the time though cwnd ({r}) is open",
	UNIT_SHARE, UNIT_BYTES},
    [FEATURE_STALLS_CWND_UNSEEN] = {"nothing moves in {v} of the time", UNIT_SHARE, UNIT_NONE},
    [FEATURE_PERSIST] = {"the peer's window is 0 and nothing was sent for {v}: its program stopped "
			 "reading",
	UNIT_TIME, UNIT_NONE},
    [FEATURE_BACKOFF] = {"the connection's timer has doubled {v} times without an answer",
	UNIT_COUNT, UNIT_NONE},
    [FEATURE_START_ONLY] =
	{"cwnd and rate still grow at the end of {v} intervals: the start is all "
	 "there is",
	    UNIT_COUNT, UNIT_NONE},
    [FEATURE_TOO_SHORT] = {"it took {v}, less than two round trips of {r}: too short for any rate",
	UNIT_TIME, UNIT_TIME},
    [FEATURE_BBR] = {"BBR keeps cwnd at twice what is in flight", UNIT_NONE, UNIT_NONE},
};

const char *evidence_name(const struct evidence_item *item)
{
	return feature_table[item->feature].name;
}

bool evidence_ratio(const struct evidence_item *item, double *ratio)
{
	const struct sentence *sentence = &sentences[item->feature];

	if (sentence->value != sentence->reference || sentence->value == UNIT_NONE ||
	    sentence->value == UNIT_SHARE || item->reference <= 0)
		return false;
	*ratio = item->value / item->reference;
	return true;
}

static struct unit_text number_text(enum unit unit, const struct evidence_item *item, double number)
{
	struct unit_text text;

	switch (unit) {
	case UNIT_BYTES:
		return size_text(number);
	case UNIT_RATE:
		return rate_text(number);
	case UNIT_TIME:
		return time_text(item->feature == FEATURE_PERSIST ? number * 1000 : number);
	case UNIT_SHARE:
		return percent_text(number);
	case UNIT_TIMES:
		snprintf(text.s, sizeof(text.s), "%.2g", number);
		return text;
	case UNIT_COUNT:
		if (item->feature == FEATURE_CPU_BUSY || item->feature == FEATURE_CPU_IDLE) {
			snprintf(text.s, sizeof(text.s), number < 0 ? "an unknown part" : "%.0f %%",
			    number);
			return text;
		}
		return count_text((uint64_t)fmax(0, number));
	case UNIT_NONE:
		break;
	}
	text.s[0] = '\0';
	return text;
}

struct phrase evidence_text(const struct evidence_item *item)
{
	const struct sentence *sentence = &sentences[item->feature];
	struct phrase text = {""};
	const char *at = sentence->text;

	for (const char *brace; (brace = strchr(at, '{')) != NULL; at = brace + 3) {
		phrase_add(&text, "%.*s", (int)(brace - at), at);
		if (brace[1] == 'v')
			phrase_add(&text, "%s", number_text(sentence->value, item, item->value).s);
		else if (brace[1] == 'r')
			phrase_add(
			    &text, "%s", number_text(sentence->reference, item, item->reference).s);
		else
			phrase_add(&text, "%.0f %%", 100 * item->value / item->reference);
	}
	phrase_add(&text, "%s", at);
	return text;
}

struct measurement_row {
	const char
	    *command; /* %s stands for the receiver; NULL: iperf3 once more, with `options` */
	const char *command6; /* the same where that is an IPv6 address, when it differs */
	const char *options;
	const char *note;
};

static const struct measurement_row measurements[MEASURE_COUNT] = {
    [MEASURE_WITH_JSON] = {.options = "-J", .note = "3.10 or later: RTT and the peer's window"},
    [MEASURE_AT_SENDER] = {.options = "-J --get-server-output",
	.note = "the sender's side knows more: cwnd, RTT and retransmits"},
    [MEASURE_SENDER_SOCKET] = {"ss -tmin dst %s", "ss -tmin dst '[%s]'",
	.note = "on the sender during the test: rwnd_limited, sndbuf_limited"},
    [MEASURE_RECEIVER_SOCKET] = {"ss -tmin src %s", "ss -tmin src '[%s]'",
	.note = "on the receiver during the test: Recv-Q tells whether its program reads"},
    [MEASURE_IDLE_RTT] = {"ping -c 10 %s", .note = "idle, and again during the test"},
    [MEASURE_LOSS] = {"mtr -r -n -c 200 -i 0.2 %s", .note = "loss without load"},
    [MEASURE_RATE_STEPS] = {.options = "-u -b RATE",
	.note = "step RATE: a policer loses all above one rate"},
    [MEASURE_STREAMS] = {.options = "-J -P 4",
	.note = "the same sum from four streams: it is the link"},
    [MEASURE_CPU] = {"top -H", .note = "on both ends during the test"},
    [MEASURE_LONGER] = {.options = "-J -t 60", .note = "longer: what holds it after the start"},
    [MEASURE_PATH_MTU] = {"ping -M do -s 1472 -c 3 %s", "ping -M do -s 1452 -c 3 %s",
	.note = "do full segments get through?"},
    [MEASURE_SCALING] = {"sysctl net.ipv4.tcp_window_scaling",
	.note = "on both ends; ss -ti shows wscale"},
    [MEASURE_WITHOUT_BUFFER] = {.options = "-J", .note = "without -w"},
};

/* The log of a server that received: the sender is the client, and the test is started there. */
static const struct measurement_row at_client = {
    .options = "-J", .note = "on the sender, whose side knows cwnd, RTT and retransmits"};

bool measurement_text(const struct analysis *analysis, struct measurement_text *text)
{
	const struct measurement_row *row = &measurements[analysis->limit.decide];
	static const struct run nobody = {.client = true, .local_sends = true, .streams = 1};
	const struct run *run = analysis->run ? analysis->run : &nobody;

	if (analysis->limit.decide == MEASURE_NOTHING)
		return false;
	if (analysis->limit.decide == MEASURE_AT_SENDER && !run->client)
		row = &at_client;
	text->note = row->note;
	if (!row->command) {
		measure_command(run, row->options, text->command, sizeof(text->command));
		return true;
	}
	const char *command =
	    row->command6 && strchr(run->receiver, ':') ? row->command6 : row->command;
	const char *hole = strstr(command, "%s");
	if (hole)
		snprintf(text->command, sizeof(text->command), "%.*s%s%s", (int)(hole - command),
		    command, quote_host(run->receiver, "RECEIVER"), hole + 2);
	else
		snprintf(text->command, sizeof(text->command), "%s", command);
	return true;
}
