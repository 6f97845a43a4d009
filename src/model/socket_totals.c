#include "model/socket_totals.h"

#include <math.h>

double socket_totals_class_bytes(unsigned class_index)
{
	return class_index == 0 ? 0 : ldexp(SOCKET_TOTALS_FIRST_CLASS_BYTES, (int)class_index - 1);
}

static unsigned class_of(double bytes)
{
	unsigned at = SOCKET_TOTALS_CLASSES - 1;

	while (at > 0 && bytes < socket_totals_class_bytes(at))
		at--;
	return at;
}

static double buffers(const struct listed *item)
{
	return item->memory.receive.buffer_bytes + item->memory.send.buffer_bytes;
}

static bool is_larger(const struct listed *a, const struct listed *b)
{
	if (a->memory.held_bytes > b->memory.held_bytes ||
	    a->memory.held_bytes < b->memory.held_bytes)
		return a->memory.held_bytes > b->memory.held_bytes;
	return buffers(a) > buffers(b);
}

static bool is_slower(const struct listed *a, const struct listed *b)
{
	if (a->memory.reader != b->memory.reader)
		return a->memory.reader > b->memory.reader;
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

static void direction_add(struct direction_sum *sum, const struct direction *direction)
{
	sum->buffer_bytes += direction->buffer_bytes;
	sum->held_bytes += direction->held_bytes;
	sum->largest_buffer_bytes = fmax(sum->largest_buffer_bytes, direction->buffer_bytes);
	if (direction->has_bdp)
		sum->largest_bdp_bytes = fmax(sum->largest_bdp_bytes, direction->bdp_bytes);
	if (!direction->beyond)
		return;
	sum->beyond++;
	sum->beyond_buffer_bytes += direction->buffer_bytes;
	sum->beyond_held_bytes += direction->held_bytes;
}

static void count_told(struct socket_totals *totals, const struct socket_info *info)
{
	if (socket_state_find(info->state) != STATE_ESTAB)
		return;
	totals->with_min_rtt += (info->has & SOCKET_MIN_RTT) != 0;
	totals->with_peer_window += (info->has & SOCKET_PEER_WINDOW) != 0;
	totals->with_busy += (info->has & SOCKET_BUSY) != 0;
}

void socket_totals_add(struct socket_totals *totals, const struct listed *item)
{
	const struct socket_info *info = &item->info;
	const struct socket_memory *memory = &item->memory;

	totals->sockets++;
	totals->by_state[socket_state_find(info->state)]++;
	totals->judged += memory->receive.has_bdp || memory->send.has_bdp;
	totals->beyond += memory->beyond;
	count_told(totals, info);
	if (!(memory->has & SOCKET_MEMORY_BUFFERS))
		return;
	totals->with_memory++;
	totals->held_bytes += memory->held_bytes;
	direction_add(&totals->receive, &memory->receive);
	direction_add(&totals->send, &memory->send);
	totals->beyond_held_bytes =
	    totals->receive.beyond_held_bytes + totals->send.beyond_held_bytes;
	totals->beyond_buffer_bytes =
	    totals->receive.beyond_buffer_bytes + totals->send.beyond_buffer_bytes;
	struct size_class *class =
	    &totals
		 ->classes[class_of(fmax(memory->receive.buffer_bytes, memory->send.buffer_bytes))];
	class->sockets++;
	class->held_bytes += memory->held_bytes;
	rank(totals->largest, &totals->largest_count, SOCKET_TOTALS_LARGEST, item, is_larger);
	if (memory->reader == READER_KEEPS_UP)
		return;
	totals->behind++;
	totals->stalled += memory->reader == READER_STALLED;
	rank(totals->slow, &totals->slow_count, SOCKET_TOTALS_SLOW, item, is_slower);
}
