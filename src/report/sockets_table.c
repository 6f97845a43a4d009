#include "report/sockets_table.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define CELL_MAX 112
#define PEER_WIDTH 21u /* "255.255.255.255:65535" */

/* A value, "" when it is not known. */
typedef void cell(const struct listed *item, char out[CELL_MAX]);

/* Which columns go first when there is no room for all: the lowest ranks; 0 is never shown. */
struct column {
	const char *head; /* in the table */
	const char *name; /* before the value, below the row; NULL: not there */
	unsigned width;	  /* with the blank before it */
	unsigned rank, rank_growth;
	cell *put;
	cell *put_below; /* NULL: the same */
};

const char *sockets_endpoint(const char *address, unsigned port, char *out, size_t size)
{
	bool brackets = strchr(address, ':') != NULL;

	if (port == 0)
		snprintf(out, size, "%s", address);
	else
		snprintf(out, size, "%s%s%s:%u", brackets ? "[" : "", address, brackets ? "]" : "",
		    port);
	return out;
}

static void put(char out[CELL_MAX], bool known, struct unit_text text)
{
	snprintf(out, CELL_MAX, "%s", known ? text.s : "");
}

static bool has(const struct listed *item, unsigned bit)
{
	return (item->memory.has & bit) != 0;
}

/* The side that is furthest beyond its need. */
static const struct direction *worse_direction(const struct listed *item)
{
	const struct direction *receive = &item->memory.receive, *send = &item->memory.send;

	if (!receive->has_bdp || (send->beyond && !receive->beyond))
		return send;
	if (!send->has_bdp || (receive->beyond && !send->beyond))
		return receive;
	return send->ratio > receive->ratio ? send : receive;
}

static void put_path_rtt(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_PATH_RTT), time_text(item->memory.path_rtt_us));
}

static void put_rtt(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_RTT), time_text(item->memory.rtt_us));
}

static void put_rate(const struct listed *item, char out[CELL_MAX])
{
	put(out, (item->info.has & SOCKET_DELIVERY_RATE) != 0,
	    rate_text(item->info.delivery_rate_bps));
}

static void put_in(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_NOW), rate_text(item->memory.receive_now_bps));
}

static void put_out(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_NOW), rate_text(item->memory.send_now_bps));
}

static void put_bdp(const struct listed *item, char out[CELL_MAX])
{
	const struct direction *direction = worse_direction(item);

	put(out, direction->has_bdp, size_text(direction->bdp_bytes));
}

static void put_rcvbuf(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_BUFFERS), size_text(item->memory.receive.buffer_bytes));
}

static void put_received(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_BUFFERS), size_text(item->memory.receive.held_bytes));
}

static void put_sndbuf(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_BUFFERS), size_text(item->memory.send.buffer_bytes));
}

static void put_queued(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_BUFFERS), size_text(item->memory.send.held_bytes));
}

/* Two digits are enough: the rate is not known better. */
static void put_ratio(const struct listed *item, char out[CELL_MAX])
{
	const struct direction *direction = worse_direction(item);

	out[0] = '\0';
	if (!direction->has_bdp || !has(item, SOCKET_MEMORY_BUFFERS) || direction->bdp_bytes <= 0)
		return;
	if (direction->ratio >= 9999.5)
		snprintf(out, CELL_MAX, ">9999");
	else
		snprintf(out, CELL_MAX, "%.*f", direction->ratio < 9.95 ? 1 : 0, direction->ratio);
}

static void put_limits(const struct listed *item, char out[CELL_MAX])
{
	const struct socket_memory *memory = &item->memory;

	out[0] = '\0';
	/* who has sent nothing is not limited by its program */
	bool sent = (item->info.has & SOCKET_DELIVERY_RATE) != 0;

	if (has(item, SOCKET_MEMORY_LIMITED) && memory->rwnd_share >= 0.01 &&
	    memory->rwnd_share >= memory->sndbuf_share)
		snprintf(out, CELL_MAX, "rwnd %.0f%%", 100 * memory->rwnd_share);
	else if (has(item, SOCKET_MEMORY_LIMITED) && memory->sndbuf_share >= 0.01)
		snprintf(out, CELL_MAX, "sndbuf %.0f%%", 100 * memory->sndbuf_share);
	else if (sent && item->info.app_limited)
		snprintf(out, CELL_MAX, "app");
}

/* The rest of an interval in which there was nothing to send. */
static void put_busy(const struct listed *item, char out[CELL_MAX])
{
	out[0] = '\0';
	if (has(item, SOCKET_MEMORY_BUSY))
		snprintf(out, CELL_MAX, "%.0f%%", 100 * item->memory.busy_share);
}

static void put_retransmits(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_RETRANSMITS), percent_text(item->memory.retransmit_ratio));
}

static void put_scale(const struct listed *item, char out[CELL_MAX])
{
	out[0] = '\0';
	if (item->info.has & SOCKET_WSCALE)
		snprintf(out, CELL_MAX, "%u,%u", item->info.snd_wscale, item->info.rcv_wscale);
}

static void put_scale_windows(const struct listed *item, char out[CELL_MAX])
{
	out[0] = '\0';
	if (item->info.has & SOCKET_WSCALE)
		snprintf(out, CELL_MAX, "%u,%u (windows to %s and %s)", item->info.snd_wscale,
		    item->info.rcv_wscale, size_text(item->memory.send.window_max_bytes).s,
		    size_text(item->memory.receive.window_max_bytes).s);
}

static void put_some_retransmits(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, SOCKET_MEMORY_RETRANSMITS) && item->info.retransmits > 0,
	    percent_text(item->memory.retransmit_ratio));
}

static void put_receive_window(const struct listed *item, char out[CELL_MAX])
{
	const struct direction *direction = &item->memory.receive;

	put(out, direction->window_max_bytes > 0, size_text(direction->window_max_bytes));
}

static void put_send_window(const struct listed *item, char out[CELL_MAX])
{
	const struct direction *direction = &item->memory.send;

	put(out, direction->window_max_bytes > 0, size_text(direction->window_max_bytes));
}

static void put_control(const struct listed *item, char out[CELL_MAX])
{
	snprintf(out, CELL_MAX, "%s", item->info.cc);
}

/* From left to right.  Those of rank 1 take 80 columns with the peer. */
static const struct column columns[] = {
    {"min RTT", "min RTT", 8, 1, 1, put_path_rtt, NULL},
    {"RTT", "RTT", 8, 4, 4, put_rtt, NULL},
    {"rate", "rate", 12, 2, 4, put_rate, NULL},
    {"in", "in", 12, 0, 1, put_in, NULL},
    {"out", "out", 12, 0, 1, put_out, NULL},
    {"BDP", "BDP", 9, 1, 2, put_bdp, NULL},
    {"rcvbuf", "rcvbuf", 9, 1, 1, put_rcvbuf, NULL},
    {"holds", "received", 9, 1, 1, put_received, NULL},
    {"sndbuf", "sndbuf", 9, 1, 3, put_sndbuf, NULL},
    {"holds", "to send", 9, 1, 3, put_queued, NULL},
    {"x BDP", "x BDP", 6, 1, 1, put_ratio, NULL},
    {"limited", "limited by", 12, 3, 3, put_limits, NULL},
    {"busy", "busy", 6, 0, 4, put_busy, NULL},
    {"retrans", "retransmits", 9, 3, 4, put_retransmits, put_some_retransmits},
    {"wscale", "wscale", 7, 4, 4, put_scale, put_scale_windows},
    {"swin to", NULL, 9, 5, 5, put_send_window, NULL},
    {"rwin to", NULL, 9, 5, 5, put_receive_window, NULL},
    {"cc", "", 8, 3, 5, put_control, NULL},
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static unsigned rank_of(const struct column *column, bool delta)
{
	return delta ? column->rank_growth : column->rank;
}

/* Which columns fit: rank by rank, from the left. */
static void choose(const struct layout *layout, bool delta, bool shown[COLUMN_COUNT])
{
	unsigned used = PEER_WIDTH;

	memset(shown, 0, COLUMN_COUNT * sizeof(shown[0]));
	for (unsigned rank = 1; rank <= 5; rank++) {
		for (size_t i = 0; i < COLUMN_COUNT; i++) {
			if (rank_of(&columns[i], delta) != rank ||
			    used + columns[i].width > layout->style->width)
				continue;
			shown[i] = true;
			used += columns[i].width;
		}
	}
}

void sockets_table_head(struct layout *layout, bool delta)
{
	bool shown[COLUMN_COUNT];
	unsigned end = PEER_WIDTH;

	choose(layout, delta, shown);
	layout_break(layout);
	layout_tab(layout, 0);
	layout_raw(layout, INK_DIM, "peer");
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!shown[i])
			continue;
		end += columns[i].width;
		layout_cell_to(layout, end, INK_DIM, columns[i].head);
	}
	layout_break(layout);
}

/* What there was no room for, and the port that tells the socket at this end. */
static void rest_put(
    struct layout *layout, const struct listed *item, bool delta, const bool shown[COLUMN_COUNT])
{
	char text[CELL_MAX] = "", pair[CELL_MAX * 2];

	layout_tab(layout, 2);
	snprintf(pair, sizeof(pair), "port %u", item->info.local_port);
	layout_text(layout, INK_DIM, pair);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		const struct column *column = &columns[i];
		if (shown[i] || rank_of(column, delta) == 0 || !column->name)
			continue;
		(column->put_below ? column->put_below : column->put)(item, text);
		if (text[0] == '\0')
			continue;
		snprintf(
		    pair, sizeof(pair), "%s%s%s", column->name, column->name[0] ? " " : "", text);
		layout->blank_due = false;
		layout_raw(layout, INK_DIM, ",");
		layout_text(layout, INK_DIM, pair);
	}
	layout_break(layout);
}

void sockets_table_row(struct layout *layout, const struct listed *item, bool delta, bool rest)
{
	bool shown[COLUMN_COUNT];
	char text[CELL_MAX];
	unsigned end = PEER_WIDTH;

	choose(layout, delta, shown);
	layout_break(layout);
	layout_tab(layout, 0);
	sockets_endpoint(item->info.peer, item->info.peer_port, text, sizeof(text));
	layout_raw(layout, INK_PLAIN, text);
	if (layout_width(text) > PEER_WIDTH)
		layout_break(layout);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!shown[i])
			continue;
		end += columns[i].width;
		columns[i].put(item, text);
		layout_cell_to(layout, end,
		    item->memory.beyond && columns[i].put == put_ratio ? INK_YELLOW : INK_PLAIN,
		    text[0] ? text : "-");
	}
	layout_break(layout);
	if (rest)
		rest_put(layout, item, delta, shown);
}
