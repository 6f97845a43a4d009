#include "advice/host_mend.h"

#include "model/window.h"

static bool ceiling_is_enough(const struct host *host, enum tunable_id id, double ceiling_bytes)
{
	const struct tunable_value *value = &host->values[id];

	return value->known && ceiling_bytes > 0 && (double)value->number[2] >= ceiling_bytes;
}

void host_need_find(const struct host *host, double rate_bps, double rtt_us, struct host_need *need)
{
	struct capacity capacity;

	*need = (struct host_need){.rate_bps = rate_bps, .rtt_us = rtt_us};
	if (rate_bps <= 0 || rtt_us <= 0)
		return;
	capacity_of_host(host, &capacity);
	need->receive_ceiling_bytes = capacity_receive_ceiling(host, rate_bps, rtt_us);
	need->send_ceiling_bytes = capacity_send_ceiling(host, rate_bps, rtt_us);
	/* the ceiling must be there, and nothing else in its way */
	need->receives_enough =
	    ceiling_is_enough(host, TUNABLE_TCP_RMEM, need->receive_ceiling_bytes) &&
	    capacity_bps(capacity.receive_bytes, rtt_us) >= rate_bps;
	need->sends_enough = ceiling_is_enough(host, TUNABLE_TCP_WMEM, need->send_ceiling_bytes) &&
			     capacity_bps(capacity.send_bytes, rtt_us) >= rate_bps;
}

static struct host_mend *mend_of(struct host_mend *mends, size_t count, enum tunable_id id)
{
	for (size_t i = 0; i < count; i++)
		if (mends[i].id == id)
			return &mends[i];
	return NULL;
}

/* The maximum that is wanted joins what is mended of the same key. */
static size_t raise(const struct host *host, enum tunable_id id, double ceiling_bytes,
    struct host_mend *mends, size_t count, size_t max)
{
	struct host_mend *mend = mend_of(mends, count, id);
	bool receive = id == TUNABLE_TCP_RMEM;

	if (ceiling_bytes <= 0 || ceiling_is_enough(host, id, ceiling_bytes))
		return count;
	if (!mend) {
		if (count == max)
			return count;
		mend = &mends[count++];
		*mend = (struct host_mend){.id = id,
		    .before = host->values[id],
		    .value = host->values[id].known
				 ? host->values[id]
				 : (struct tunable_value){.known = true,
				       .count = 3,
				       .number = {4096, receive ? 131072 : 16384}}};
	}
	if ((double)mend->value.number[2] < ceiling_bytes)
		mend->value.number[2] = (int64_t)ceiling_bytes;
	return count;
}

size_t host_mends_find(const struct host *host, const struct deviations *deviations,
    const struct host_need *need, struct host_mend *mends, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < deviations->count && count < max; i++) {
		const struct deviation *item = &deviations->items[i];
		if (!item->has_mend)
			continue;
		mends[count++] = (struct host_mend){.id = item->id,
		    .before = host->values[item->id],
		    .value = item->mend,
		    .deviation = item};
	}
	count = raise(host, TUNABLE_TCP_RMEM, need->receive_ceiling_bytes, mends, count, max);
	return raise(host, TUNABLE_TCP_WMEM, need->send_ceiling_bytes, mends, count, max);
}
