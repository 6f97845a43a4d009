/* What each deviation of a host's settings does, in words. */
#include <stdint.h>

#include "base/units.h"
#include "report/host_report.h"

/* Those without a number in them. */
static const char *const sentences[DEVIATION_KIND_COUNT] = {
    [DEVIATION_BUFFER_ORDER] = "its numbers must rise: minimum, default, maximum",
    [DEVIATION_NO_SCALING] = "no window exceeds 65535 bytes, in both directions",
    [DEVIATION_NO_AUTOTUNING] = "the receive buffer stays at its default, whatever the ceiling",
    [DEVIATION_NO_SACK] = "one loss is repaired per round trip, and much is sent twice",
    [DEVIATION_NO_TIMESTAMPS] =
	"the RTT is measured less often, and nothing guards sequence numbers that wrap",
    [DEVIATION_ALWAYS_PROBES] = "every connection starts at tcp_base_mss: slow on a clean path",
    [DEVIATION_PROBES] = "a path that swallows large packets is found out",
    [DEVIATION_NO_IDLE_RESTART] = "a connection that pauses keeps its cwnd",
    [DEVIATION_NO_METRICS] = "nothing is remembered of closed connections",
    [DEVIATION_SHRINKS_WINDOW] =
	"a slow reader's buffer stays within its limit; some peers stall on it",
    [DEVIATION_UNSENT_SMALL] = "a program is woken too late to keep a fast path busy",
    [DEVIATION_UNSENT_BOUNDED] = "less data waits unsent in the sockets",
    [DEVIATION_WINDOW_SHARE_LESS] = "less than half of a buffer becomes window",
    [DEVIATION_WINDOW_SHARE_MORE] =
	"more of a buffer becomes window, and less is left for the packets' own cost",
    [DEVIATION_NO_PREQUEUE] = "the prequeue is left out",
    [DEVIATION_FACK_OFF] = "forward acknowledgements are not used",
    [DEVIATION_FACK_ON] = "forward acknowledgements are used",
    [DEVIATION_RECYCLES] = "connections from behind one NAT are refused at random",
    [DEVIATION_ALGORITHM] = "chosen for new connections of every program",
};

const char *host_effect_word(enum effect effect)
{
	static const char *const words[] = {[EFFECT_HARMS] = "harms",
	    [EFFECT_HELPS] = "helps",
	    [EFFECT_NEUTRAL] = "neutral",
	    [EFFECT_NOTHING] = "no effect"};
	return words[effect];
}

static void ceiling_words(struct phrase *text, const struct deviation *item, double most_bytes)
{
	const char *does = item->id == TUNABLE_TCP_RMEM ? "receives" : "sends";

	if (item->kind == DEVIATION_CEILING_LOW)
		phrase_add(text,
		    "one connection %s at most %s at 100 ms; the kernel's own allows %s", does,
		    rate_text(item->amount).s, rate_text(item->own_amount).s);
	else
		phrase_add(text, "one connection %s up to %s at 100 ms; it may hold %s", does,
		    rate_text(item->amount).s, size_text(most_bytes).s);
}

static void memory_words(struct phrase *text, const struct deviation *item)
{
	if (item->kind == DEVIATION_MEMORY_BEYOND)
		phrase_add(text, "%s of %s of RAM: it counts pages, not bytes, and bounds nothing",
		    size_text(item->amount).s, size_text(item->own_amount).s);
	else if (item->kind == DEVIATION_MEMORY_SMALL)
		phrase_add(text,
		    "all of TCP gets %s; the kernel's own is %s: sockets are refused memory, or "
		    "killed, below that",
		    size_text(item->amount).s, size_text(item->own_amount).s);
	else
		phrase_add(text, "TCP may take %s, %.0f %% of RAM", size_text(item->amount).s,
		    100 * item->amount / item->own_amount);
}

struct phrase host_deviation_words(const struct deviation *item, const struct tunable_value *value)
{
	struct phrase text = {.s = ""};

	switch (item->kind) {
	case DEVIATION_CEILING_LOW:
	case DEVIATION_CEILING_HIGH:
		ceiling_words(&text, item, (double)value->number[2]);
		break;
	case DEVIATION_HUGE_DEFAULT:
		phrase_add(&text,
		    "each new connection begins with %s, whether its path needs that or not",
		    size_text(item->amount).s);
		break;
	case DEVIATION_HUGE_MINIMUM:
		phrase_add(&text, "every socket keeps %s however short memory is",
		    size_text(item->amount).s);
		break;
	case DEVIATION_ASKED_BUFFER:
		phrase_add(&text, "programs that set %s get %s at most; others are not concerned",
		    item->id == TUNABLE_RMEM_MAX ? "SO_RCVBUF" : "SO_SNDBUF",
		    size_text(item->amount).s);
		break;
	case DEVIATION_MEMORY_BEYOND:
	case DEVIATION_MEMORY_SMALL:
	case DEVIATION_MEMORY_LARGE:
		memory_words(&text, item);
		break;
	case DEVIATION_NOT_READ:
		phrase_add(&text, "nothing reads it since Linux %u.%u", item->major, item->minor);
		break;
	default:
		phrase_add(&text, "%s", sentences[item->kind]);
	}
	return text;
}

struct phrase host_mend_words(const struct host_report *report, const struct host_mend *mend)
{
	const struct host_need *need = report->need;
	bool receives = mend->id == TUNABLE_TCP_RMEM;
	struct phrase text = {.s = ""};

	if (mend->deviation)
		return host_deviation_words(mend->deviation, &report->host->values[mend->id]);
	phrase_add(&text, "%s over %s takes %s in flight: a ceiling of %s to %s",
	    rate_text(need->rate_bps).s, time_text(need->rtt_us).s,
	    size_text(need->rate_bps / 8 * need->rtt_us / 1e6).s,
	    size_text(receives ? need->receive_ceiling_bytes : need->send_ceiling_bytes).s,
	    receives ? "receive" : "send");
	return text;
}
