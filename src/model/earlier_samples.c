#include "model/earlier_samples.h"

#include <err.h>
#include <stdlib.h>

/* 3 MiB: every socket of most hosts. */
#define SLOTS 65536u
/* Slots that a key may be in: few are lost before the table is nearly full. */
#define PROBES 64u

struct slot {
	uint64_t key; /* 0: free */
	uint64_t received_bytes, acked_bytes;
	uint32_t busy_ms, rwnd_limited_ms, sndbuf_limited_ms; /* wrap after 49 days */
	uint32_t queue_bytes;
	uint32_t reading; /* of which it is */
};

struct earlier_samples {
	uint32_t reading;
	double now_s, before_s;
	struct slot slots[SLOTS];
};

struct earlier_samples *earlier_samples_new(void)
{
	struct earlier_samples *earlier = calloc(1, sizeof(*earlier));

	if (earlier == NULL)
		err(1, NULL);
	return earlier;
}

void earlier_samples_free(struct earlier_samples *earlier)
{
	free(earlier);
}

void earlier_samples_begin(struct earlier_samples *earlier, double now_s)
{
	earlier->reading++;
	earlier->before_s = earlier->now_s;
	earlier->now_s = now_s;
}

/* Neighbouring cookies are spread: the multiplier is 2^64 over the golden ratio. */
static uint32_t home_of(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The key's own slot, else one that is free or of a socket that is gone; NULL when there is none. */
static struct slot *slot_for(struct earlier_samples *earlier, uint64_t key)
{
	struct slot *free_slot = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct slot *slot = &earlier->slots[(home_of(key) + i) % SLOTS];
		if (slot->key == key)
			return slot;
		bool gone = earlier->reading - slot->reading > 1;
		if (free_slot == NULL && (slot->key == 0 || gone))
			free_slot = slot;
		if (slot->key == 0)
			break;
	}
	return free_slot;
}

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* The kernel keeps these times in jiffies: nothing is lost. */
static uint32_t whole_ms(double us)
{
	return us > 0 && us < 0x1p63 ? (uint32_t)((uint64_t)us / 1000) : 0;
}

static double grown_us(uint32_t before_ms, double now_us)
{
	return 1e3 * (double)(whole_ms(now_us) - before_ms);
}

bool earlier_samples_swap(struct earlier_samples *earlier, uint64_t key,
    const struct socket_info *info, struct counter_delta *delta)
{
	struct slot *slot = slot_for(earlier, key);

	if (slot == NULL)
		return false;
	bool known = slot->key == key && slot->reading + 1 == earlier->reading;
	if (known)
		*delta = (struct counter_delta){.seconds = earlier->now_s - earlier->before_s,
		    .received_bytes = grown(slot->received_bytes, info->bytes_received),
		    .acked_bytes = grown(slot->acked_bytes, info->bytes_acked),
		    .busy_us = grown_us(slot->busy_ms, info->busy_us),
		    .rwnd_limited_us = grown_us(slot->rwnd_limited_ms, info->rwnd_limited_us),
		    .sndbuf_limited_us = grown_us(slot->sndbuf_limited_ms, info->sndbuf_limited_us),
		    .queue_before_bytes = slot->queue_bytes,
		    .queue_bytes = info->recv_queue};
	*slot = (struct slot){.key = key,
	    .received_bytes = info->bytes_received,
	    .acked_bytes = info->bytes_acked,
	    .busy_ms = whole_ms(info->busy_us),
	    .rwnd_limited_ms = whole_ms(info->rwnd_limited_us),
	    .sndbuf_limited_ms = whole_ms(info->sndbuf_limited_us),
	    .queue_bytes = info->recv_queue > UINT32_MAX ? UINT32_MAX : (uint32_t)info->recv_queue,
	    .reading = earlier->reading};
	return known;
}
