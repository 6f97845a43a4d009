#include "model/tally.h"

#include <math.h>

double tally_class_bytes(unsigned class_index)
{
	return class_index == 0 ? 0 : ldexp(TALLY_FIRST_CLASS_BYTES, (int)class_index - 1);
}

static unsigned class_of(double bytes)
{
	unsigned at = TALLY_CLASSES - 1;

	while (at > 0 && bytes < tally_class_bytes(at))
		at--;
	return at;
}

static double buffers(const struct listed *item)
{
	return item->holding.receive.buffer_bytes + item->holding.send.buffer_bytes;
}

static bool is_larger(const struct listed *a, const struct listed *b)
{
	if (a->holding.held_bytes > b->holding.held_bytes ||
	    a->holding.held_bytes < b->holding.held_bytes)
		return a->holding.held_bytes > b->holding.held_bytes;
	return buffers(a) > buffers(b);
}

static bool is_slower(const struct listed *a, const struct listed *b)
{
	if (a->holding.reader != b->holding.reader)
		return a->holding.reader > b->holding.reader;
	return a->info.recv_queue > b->info.recv_queue;
}

/*
 * Keeps the first `capacity` in order.  Most sockets are compared with the last of them only, so a
 * sorted array costs no more than a heap, and needs no sorting in the end.  Of equals the one that
 * came first stays.
 */
static void rank(struct listed *items, size_t *count, size_t capacity, const struct listed *item,
    bool (*before)(const struct listed *, const struct listed *))
{
	size_t at = *count;

	if (at == capacity) {
		if (!before(item, &items[at - 1]))
			return;
		at--;
	} else {
		++*count;
	}
	for (; at > 0 && before(item, &items[at - 1]); at--)
		items[at] = items[at - 1];
	items[at] = *item;
}

static void side_add(struct side_sum *sum, const struct side *side)
{
	sum->buffer_bytes += side->buffer_bytes;
	sum->held_bytes += side->held_bytes;
	sum->largest_buffer_bytes = fmax(sum->largest_buffer_bytes, side->buffer_bytes);
	if (side->has_bdp)
		sum->largest_bdp_bytes = fmax(sum->largest_bdp_bytes, side->bdp_bytes);
	if (!side->beyond)
		return;
	sum->beyond++;
	sum->beyond_buffer_bytes += side->buffer_bytes;
	sum->beyond_held_bytes += side->held_bytes;
}

static void count_told(struct tally *tally, const struct socket_info *info)
{
	if (socket_state_find(info->state) != STATE_ESTAB)
		return;
	tally->with_min_rtt += (info->has & SOCKET_MIN_RTT) != 0;
	tally->with_peer_window += (info->has & SOCKET_PEER_WINDOW) != 0;
	tally->with_busy += (info->has & SOCKET_BUSY) != 0;
	tally->with_delivery_rate += (info->has & SOCKET_DELIVERY_RATE) != 0;
}

void tally_add(struct tally *tally, const struct listed *item)
{
	const struct socket_info *info = &item->info;
	const struct holding *holding = &item->holding;

	tally->sockets++;
	tally->by_state[socket_state_find(info->state)]++;
	tally->judged += holding->receive.has_bdp || holding->send.has_bdp;
	tally->beyond += holding->beyond;
	count_told(tally, info);
	if (!(holding->has & HOLDING_MEMORY))
		return;
	tally->with_memory++;
	tally->held_bytes += holding->held_bytes;
	side_add(&tally->receive, &holding->receive);
	side_add(&tally->send, &holding->send);
	tally->beyond_held_bytes = tally->receive.beyond_held_bytes + tally->send.beyond_held_bytes;
	tally->beyond_buffer_bytes =
	    tally->receive.beyond_buffer_bytes + tally->send.beyond_buffer_bytes;
	struct size_class *class = &tally->classes[class_of(
	    fmax(holding->receive.buffer_bytes, holding->send.buffer_bytes))];
	class->sockets++;
	class->held_bytes += holding->held_bytes;
	rank(tally->largest, &tally->largest_count, TALLY_LARGEST, item, is_larger);
	if (holding->reader == READER_KEEPS_UP)
		return;
	tally->behind++;
	tally->stalled += holding->reader == READER_STALLED;
	rank(tally->slow, &tally->slow_count, TALLY_SLOW, item, is_slower);
}
