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
	return (item->holding.has & bit) != 0;
}

/* The side that is furthest beyond its need. */
static const struct side *worse_side(const struct listed *item)
{
	const struct side *receive = &item->holding.receive, *send = &item->holding.send;

	if (!receive->has_bdp || (send->beyond && !receive->beyond))
		return send;
	if (!send->has_bdp || (receive->beyond && !send->beyond))
		return receive;
	return send->ratio > receive->ratio ? send : receive;
}

static void put_path_rtt(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_PATH_RTT), time_text(item->holding.path_rtt_us));
}

static void put_rtt(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_RTT), time_text(item->holding.rtt_us));
}

static void put_rate(const struct listed *item, char out[CELL_MAX])
{
	put(out, (item->info.has & SOCKET_DELIVERY_RATE) != 0,
	    rate_text(item->info.delivery_rate_bps));
}

static void put_in(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_NOW), rate_text(item->holding.receive_now_bps));
}

static void put_out(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_NOW), rate_text(item->holding.send_now_bps));
}

static void put_bdp(const struct listed *item, char out[CELL_MAX])
{
	const struct side *side = worse_side(item);

	put(out, side->has_bdp, size_text(side->bdp_bytes));
}

static void put_rcvbuf(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_MEMORY), size_text(item->holding.receive.buffer_bytes));
}

static void put_received(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_MEMORY), size_text(item->holding.receive.held_bytes));
}

static void put_sndbuf(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_MEMORY), size_text(item->holding.send.buffer_bytes));
}

static void put_queued(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_MEMORY), size_text(item->holding.send.held_bytes));
}

/* Two digits are enough: the rate is not known better. */
static void put_ratio(const struct listed *item, char out[CELL_MAX])
{
	const struct side *side = worse_side(item);

	out[0] = '\0';
	if (!side->has_bdp || !has(item, HOLDING_MEMORY) || side->bdp_bytes <= 0)
		return;
	if (side->ratio >= 9999.5)
		snprintf(out, CELL_MAX, ">9999");
	else
		snprintf(out, CELL_MAX, "%.*f", side->ratio < 9.95 ? 1 : 0, side->ratio);
}

static void put_limits(const struct listed *item, char out[CELL_MAX])
{
	const struct holding *holding = &item->holding;

	out[0] = '\0';
	/* who has sent nothing is not limited by its program */
	bool sent = (item->info.has & SOCKET_DELIVERY_RATE) != 0;

	if (has(item, HOLDING_LIMITED) && holding->rwnd_share >= 0.01 &&
	    holding->rwnd_share >= holding->sndbuf_share)
		snprintf(out, CELL_MAX, "rwnd %.0f%%", 100 * holding->rwnd_share);
	else if (has(item, HOLDING_LIMITED) && holding->sndbuf_share >= 0.01)
		snprintf(out, CELL_MAX, "sndbuf %.0f%%", 100 * holding->sndbuf_share);
	else if (sent && item->info.app_limited)
		snprintf(out, CELL_MAX, "app");
}

/* The rest of an interval in which there was nothing to send. */
static void put_busy(const struct listed *item, char out[CELL_MAX])
{
	out[0] = '\0';
	if (has(item, HOLDING_BUSY))
		snprintf(out, CELL_MAX, "%.0f%%", 100 * item->holding.busy_share);
}

static void put_retransmits(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_RETRANSMITS), percent_text(item->holding.retransmit_ratio));
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
		    item->info.rcv_wscale, size_text(item->holding.send.window_max_bytes).s,
		    size_text(item->holding.receive.window_max_bytes).s);
}

static void put_some_retransmits(const struct listed *item, char out[CELL_MAX])
{
	put(out, has(item, HOLDING_RETRANSMITS) && item->info.retransmits > 0,
	    percent_text(item->holding.retransmit_ratio));
}

static void put_receive_window(const struct listed *item, char out[CELL_MAX])
{
	const struct side *side = &item->holding.receive;

	put(out, side->window_max_bytes > 0, size_text(side->window_max_bytes));
}

static void put_send_window(const struct listed *item, char out[CELL_MAX])
{
	const struct side *side = &item->holding.send;

	put(out, side->window_max_bytes > 0, size_text(side->window_max_bytes));
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

static unsigned rank_of(const struct column *column, bool growth)
{
	return growth ? column->rank_growth : column->rank;
}

/* Which columns fit: rank by rank, from the left. */
static void choose(const struct layout *layout, bool growth, bool shown[COLUMN_COUNT])
{
	unsigned used = PEER_WIDTH;

	memset(shown, 0, COLUMN_COUNT * sizeof(shown[0]));
	for (unsigned rank = 1; rank <= 5; rank++) {
		for (size_t i = 0; i < COLUMN_COUNT; i++) {
			if (rank_of(&columns[i], growth) != rank ||
			    used + columns[i].width > layout->style->width)
				continue;
			shown[i] = true;
			used += columns[i].width;
		}
	}
}

/* Right-aligned below the head; the numbers of one column end alike. */
static void cell_put(struct layout *layout, unsigned end, enum ink ink, const char *text)
{
	unsigned width = layout_width(text);

	layout_tab(layout, end > width ? end - width : 0);
	layout_raw(layout, ink, text);
}

void sockets_table_head(struct layout *layout, bool growth)
{
	bool shown[COLUMN_COUNT];
	unsigned end = PEER_WIDTH;

	choose(layout, growth, shown);
	layout_break(layout);
	layout_tab(layout, 0);
	layout_raw(layout, INK_DIM, "peer");
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!shown[i])
			continue;
		end += columns[i].width;
		cell_put(layout, end, INK_DIM, columns[i].head);
	}
	layout_break(layout);
}

/* What there was no room for, and the port that tells the socket at this end. */
static void rest_put(
    struct layout *layout, const struct listed *item, bool growth, const bool shown[COLUMN_COUNT])
{
	char text[CELL_MAX] = "", pair[CELL_MAX * 2];

	layout_tab(layout, 2);
	snprintf(pair, sizeof(pair), "port %u", item->info.local_port);
	layout_text(layout, INK_DIM, pair);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		const struct column *column = &columns[i];
		if (shown[i] || rank_of(column, growth) == 0 || !column->name)
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

void sockets_table_row(struct layout *layout, const struct listed *item, bool growth, bool rest)
{
	bool shown[COLUMN_COUNT];
	char text[CELL_MAX];
	unsigned end = PEER_WIDTH;

	choose(layout, growth, shown);
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
		cell_put(layout, end,
		    item->holding.beyond && columns[i].put == put_ratio ? INK_YELLOW : INK_PLAIN,
		    text[0] ? text : "-");
	}
	layout_break(layout);
	if (rest)
		rest_put(layout, item, growth, shown);
}
