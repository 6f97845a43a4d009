#include "evidence/ss_history.h"

#include <bsd/stdlib.h>
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/sample.h"
#include "evidence/ss_run.h"
#include "evidence/ss_stamp.h"

/* Readings closer than this are of one moment: the kernel keeps most times in jiffies of 4 or 10 ms. */
#define INTERVAL_MIN_S 0.05
/* Connections of one test that moved less than this share of the busiest are its control connection. */
#define STREAM_SHARE_MIN 0.05
/* Streams of one test were busy for about as long, where only their whole life is known. */
#define STREAM_BUSY_MIN 0.8

struct followed {
	struct sample sample;	   /* at the listings whose time is known */
	struct socket_info latest; /* in any listing */
	bool listed;		   /* in the present one */
};

struct ss_history {
	struct followed *items;
	size_t count, capacity;
	bool open; /* sockets of the present listing were added */
	unsigned listing;
	unsigned readings;
	double now_s;		  /* time of the last reading since the first */
	struct socket_info stamp; /* one of the last reading: taken_s */
};

/* ---- time ---------------------------------------------------------------------------------- */

/* How long ago something last moved grows as time does, while nothing moves that way. */
static double aged_s(const struct socket_info *before, const struct socket_info *after)
{
	double received_ms = after->lastrcv_ms - before->lastrcv_ms;
	double sent_ms = after->lastsnd_ms - before->lastsnd_ms;

	if (!(before->has & after->has & SOCKET_LAST_SND))
		return 0;
	if (before->bytes_received == after->bytes_received && received_ms > 0)
		return received_ms / 1e3;
	return before->bytes_sent == after->bytes_sent && sent_ms > 0 ? sent_ms / 1e3 : 0;
}

static double busier_s(const struct socket_info *before, const struct socket_info *after)
{
	return before->has & after->has & SOCKET_BUSY ? (after->busy_us - before->busy_us) / 1e6
						      : 0;
}

/* The most that any connection of both listings tells: none of them can tell too much. */
static double most_s(const struct ss_history *history,
    double (*told)(const struct socket_info *before, const struct socket_info *after))
{
	double most = 0;

	for (size_t i = 0; i < history->count; i++) {
		const struct followed *item = &history->items[i];
		if (item->listed && item->sample.readings > 0 &&
		    item->sample.last_s >= history->now_s)
			most = fmax(most, told(&item->sample.last, &item->latest));
	}
	return most;
}

/* Time from the last reading to the present listing; 0 when nothing tells. */
static double elapsed_s(const struct ss_history *history, const struct socket_info *stamp)
{
	unsigned has = history->stamp.has & stamp->has;
	double stamped_s =
	    has & SOCKET_TAKEN ? ss_stamp_difference(history->stamp.taken_s, stamp->taken_s) : 0;

	if ((has & SOCKET_TAKEN_EXACT) && stamped_s > 0)
		return stamped_s;
	double by_age_s = most_s(history, aged_s);
	if (by_age_s > 0)
		return by_age_s;
	return stamped_s > 0 ? stamped_s : most_s(history, busier_s);
}

/* ---- listings ------------------------------------------------------------------------------ */

/* Another connection with the same addresses and ports. */
static bool is_new_connection(const struct followed *item)
{
	const struct socket_info *before = &item->sample.last, *after = &item->latest;

	return after->bytes_acked < before->bytes_acked ||
	       after->bytes_received < before->bytes_received;
}

static void take_reading(struct followed *item, double now_s)
{
	if (item->sample.readings > 0 && is_new_connection(item)) {
		sample_free(&item->sample);
		item->sample = (struct sample){0};
	}
	sample_add(&item->sample, &item->latest, now_s);
}

static void listing_end(struct ss_history *history)
{
	const struct socket_info *stamp = NULL;

	for (size_t i = 0; i < history->count && !stamp; i++)
		if (history->items[i].listed)
			stamp = &history->items[i].latest;
	double later_s = history->readings > 0 && stamp ? elapsed_s(history, stamp) : 0;
	bool timed = stamp && (history->readings == 0 || later_s >= INTERVAL_MIN_S);
	if (timed) {
		history->now_s += later_s;
		history->stamp = *stamp;
		history->readings++;
	}
	for (size_t i = 0; i < history->count; i++) {
		if (timed && history->items[i].listed)
			take_reading(&history->items[i], history->now_s);
		history->items[i].listed = false;
	}
	history->open = false;
}

static uint64_t life_bytes(const struct socket_info *info)
{
	return info->bytes_sent + info->bytes_received;
}

static bool is_same(const struct socket_info *a, const struct socket_info *b)
{
	return a->local_port == b->local_port && a->peer_port == b->peer_port &&
	       strcmp(a->peer, b->peer) == 0 && strcmp(a->local, b->local) == 0;
}

static struct followed *find(const struct ss_history *history, const struct socket_info *info)
{
	for (size_t i = 0; i < history->count; i++)
		if (is_same(&history->items[i].latest, info))
			return &history->items[i];
	return NULL;
}

/* One that may still come in this listing has moved more since: it cannot be compared yet. */
static bool may_go(const struct ss_history *history, const struct followed *item)
{
	bool may_come =
	    !item->listed && item->sample.readings > 0 && item->sample.last_s >= history->now_s;

	return !may_come || life_bytes(&item->latest) < SOCKET_CONTROL_BYTES;
}

/* The connection that moved least, when that is less than what moved by the other; else NULL. */
static struct followed *find_least(struct ss_history *history, const struct socket_info *other)
{
	struct followed *least = NULL;
	uint64_t bytes = life_bytes(other);

	for (size_t i = 0; i < history->count; i++) {
		struct followed *item = &history->items[i];
		if (life_bytes(&item->latest) >= bytes || !may_go(history, item))
			continue;
		least = item;
		bytes = life_bytes(&item->latest);
	}
	return least;
}

/* A place for another connection; NULL when all have moved more than it. */
static struct followed *make_room(struct ss_history *history, const struct socket_info *info)
{
	struct followed *place;

	if (history->count == SOCKETS_MAX) {
		place = find_least(history, info);
		if (!place)
			return NULL;
		sample_free(&place->sample);
	} else {
		if (history->count == history->capacity) {
			history->capacity = history->capacity ? history->capacity * 2 : 4;
			history->items = reallocarray(
			    history->items, history->capacity, sizeof(*history->items));
			if (!history->items)
				err(1, NULL);
		}
		place = &history->items[history->count++];
	}
	*place = (struct followed){.listed = false};
	return place;
}

struct ss_history *ss_history_open(void)
{
	struct ss_history *history = calloc(1, sizeof(*history));

	if (!history)
		err(1, NULL);
	return history;
}

void ss_history_add(struct ss_history *history, const struct socket_info *info)
{
	struct followed *item = find(history, info);

	if (history->open && (info->listing != history->listing || (item && item->listed)))
		listing_end(history);
	if (!item)
		item = make_room(history, info);
	if (!item)
		return;
	item->latest = *info;
	item->listed = true;
	history->listing = info->listing;
	history->open = true;
}

/* ---- the test ------------------------------------------------------------------------------ */

/* What the connections are judged by: what moved between readings, or in their whole life. */
struct choice {
	bool over_time, sends;
	bool skips_local; /* connections of this host with itself do not count */
	const struct followed *leader;
};

static bool is_local(const struct socket_info *info)
{
	return strncmp(info->local, "127.", 4) == 0 || strcmp(info->local, "::1") == 0 ||
	       (info->local[0] != '\0' && strcmp(info->local, info->peer) == 0);
}

static uint64_t moved(const struct followed *item, const struct choice *choice)
{
	const struct socket_info *info = &item->latest;
	bool up = info->state[0] == '\0' || strncmp(info->state, "ESTAB", 5) == 0;

	if (choice->skips_local && is_local(info))
		return 0;
	if (choice->over_time)
		return item->sample.readings > 1 ? sample_moved(&item->sample, choice->sends) : 0;
	/* ss leaves the state out when it was asked for one */
	if (!up || (choice->sends ? info->bytes_sent <= info->bytes_received
				  : info->bytes_received <= info->bytes_sent))
		return 0;
	return choice->sends ? info->bytes_sent : info->bytes_received;
}

static uint64_t find_leader(const struct ss_history *history, struct choice *choice)
{
	uint64_t most = 0;

	for (size_t i = 0; i < history->count; i++) {
		uint64_t bytes = moved(&history->items[i], choice);
		if (bytes <= most)
			continue;
		most = bytes;
		choice->leader = &history->items[i];
	}
	return most;
}

/* The busiest sending connection, as its sender knows most of a flow, unless what comes in is far
 * more. */
static bool choose_of(
    const struct ss_history *history, bool over_time, bool skips_local, struct choice *choice)
{
	struct choice sends = {.over_time = over_time, .skips_local = skips_local, .sends = true};
	struct choice receives = {.over_time = over_time, .skips_local = skips_local};
	uint64_t sent = find_leader(history, &sends);
	uint64_t received = find_leader(history, &receives);
	bool is_sender =
	    sent >= SOCKET_CONTROL_BYTES && (double)sent >= STREAM_SHARE_MIN * (double)received;

	*choice = is_sender ? sends : receives;
	return is_sender || received >= SOCKET_CONTROL_BYTES;
}

/* A relay hands on within the host what came over the path: the path is what is asked about. */
static bool choose(const struct ss_history *history, bool over_time, struct choice *choice)
{
	struct choice outside;

	if (!choose_of(history, over_time, false, choice))
		return false;
	if (is_local(&choice->leader->latest) && choose_of(history, over_time, true, &outside) &&
	    (double)moved(outside.leader, &outside) >
		STREAM_SHARE_MIN * (double)moved(choice->leader, choice))
		*choice = outside;
	return true;
}

/* Between the same two hosts and for the same service. */
static bool is_stream(const struct followed *item, const struct choice *choice)
{
	const struct socket_info *a = &item->latest, *b = &choice->leader->latest;

	if (item == choice->leader)
		return true;
	if (strcmp(a->peer, b->peer) != 0 || strcmp(a->local, b->local) != 0 ||
	    (a->peer_port != b->peer_port && a->local_port != b->local_port))
		return false;
	if ((double)moved(item, choice) < STREAM_SHARE_MIN * (double)moved(choice->leader, choice))
		return false;
	return choice->over_time || !choice->sends ||
	       ((a->has & b->has & SOCKET_BUSY) && a->busy_us >= STREAM_BUSY_MIN * b->busy_us &&
		   b->busy_us >= STREAM_BUSY_MIN * a->busy_us);
}

static bool add_test(
    struct ss_history *history, struct runs *runs, const char *input, bool over_time)
{
	struct sample *samples[SOCKETS_MAX];
	const struct socket_info *sockets[SOCKETS_MAX];
	size_t count = 0;
	struct choice choice;

	if (!choose(history, over_time, &choice))
		return false;
	for (size_t i = 0; i < history->count; i++) {
		struct followed *item = &history->items[i];
		if (!is_stream(item, &choice))
			continue;
		samples[count] = &item->sample;
		sockets[count++] = &item->latest;
	}
	return over_time ? samples_to_runs(runs, input, samples, count)
			 : run_from_sockets(runs, input, sockets, count, choice.sends);
}

/* As it was between the readings, when much moved then. */
static struct socket_info kept(const struct followed *item)
{
	if (item->sample.readings > 1) {
		struct socket_info during = sample_socket(&item->sample);
		if (life_bytes(&during) >= SOCKET_CONTROL_BYTES)
			return during;
	}
	return item->latest;
}

struct ss_history_extent ss_history_close(
    struct ss_history *history, struct evidence *evidence, const char *input, enum end label)
{
	if (history->open)
		listing_end(history);
	for (size_t i = 0; i < history->count; i++) {
		struct socket_info info = kept(&history->items[i]);
		enum end by_bytes = info.bytes_sent > info.bytes_received   ? END_SENDER
				    : info.bytes_received > info.bytes_sent ? END_RECEIVER
									    : END_NONE;
		evidence_keep_socket(evidence, &info, label != END_NONE ? label : by_bytes);
	}
	if (!add_test(history, &evidence->socket_runs, input, true))
		add_test(history, &evidence->socket_runs, input, false);
	struct ss_history_extent extent = {
	    .sockets = history->count, .readings = history->readings, .seconds = history->now_s};
	for (size_t i = 0; i < history->count; i++)
		sample_free(&history->items[i].sample);
	free(history->items);
	free(history);
	return extent;
}
