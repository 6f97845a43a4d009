#include "diagnosis/deviation.h"

#include <math.h>
#include <string.h>

#include "model/capacity.h"
#include "model/stock.h"
#include "model/window.h"

/* At which RTT rates are compared: a path between continents. */
#define RTT_SHOWN_US 100000.0
/* A default beyond this is taken by each new socket before anything was measured. */
#define DEFAULT_HUGE (2 * 0x1p20)
/* A minimum is kept however short memory is. */
#define MINIMUM_HUGE 65536
/* A value that the kernel derived from RAM differs from what can be derived from MemTotal by this. */
#define RAM_SLACK 0.7

static struct deviation *add(struct deviations *deviations, enum tunable_id id, enum effect effect,
    enum deviation_kind kind, double amount, double own_amount)
{
	struct deviation *item = &deviations->items[deviations->count];

	/* there are fewer settings that can differ: see the assertion below */
	deviations->count++;
	deviations->harms += effect == EFFECT_HARMS;
	*item = (struct deviation){
	    .id = id, .effect = effect, .kind = kind, .amount = amount, .own_amount = own_amount};
	return item;
}

static struct tunable_value number_value(int64_t number)
{
	return (struct tunable_value){.known = true, .count = 1, .number = {number}};
}

/* ---- buffers ------------------------------------------------------------------------------- */

/* The kernel's own three numbers; the last one 0 when the kernel is not known. */
static struct tunable_value own_vector(const struct host *host, enum tunable_id id)
{
	bool receive = id == TUNABLE_TCP_RMEM;
	double most = receive ? default_rmem_max(&host->kernel, host->mem_total_bytes)
			      : default_wmem_max(&host->kernel, host->mem_total_bytes);
	int64_t usual = !receive ? 16384 : kernel_before(&host->kernel, 4, 20) ? 87380 : 131072;

	return (struct tunable_value){
	    .known = true, .count = 3, .number = {4096, usual, (int64_t)most}};
}

/* Below what the kernel would set here, or, of an unknown kernel, below what any sets. */
static double least_of_own(const struct host *host, enum tunable_id id, double own)
{
	if (!host->kernel.known)
		return stock_ceiling(id, host->mem_total_bytes).smallest_bytes;
	return host->mem_total_bytes > 0 && own < stock_ceiling(id, 0).largest_bytes
		   ? RAM_SLACK * own
		   : own;
}

static double most_of_own(const struct host *host, enum tunable_id id, double own)
{
	return host->kernel.known ? own : stock_ceiling(id, host->mem_total_bytes).largest_bytes;
}

/* What this ceiling gives one connection at RTT_SHOWN_US. */
static double vector_bps(const struct host *host, enum tunable_id id, int64_t most)
{
	struct host as = {.kernel = host->kernel};
	struct capacity capacity;

	as.values[TUNABLE_TCP_ADV_WIN_SCALE] = host->values[TUNABLE_TCP_ADV_WIN_SCALE];
	as.values[id] =
	    (struct tunable_value){.known = true, .count = 3, .number = {4096, most, most}};
	capacity_of_host(&as, &capacity);
	return capacity_bps(
	    id == TUNABLE_TCP_RMEM ? capacity.receive_bytes : capacity.send_bytes, RTT_SHOWN_US);
}

static struct deviation *judge_vector(struct deviations *deviations, const struct host *host,
    enum tunable_id id, const struct tunable_value *own)
{
	const int64_t *value = host->values[id].number;
	double most = (double)value[2];

	if (value[0] > value[1] || value[1] > value[2])
		return add(deviations, id, EFFECT_HARMS, DEVIATION_BUFFER_ORDER, 0, 0);
	if (most < least_of_own(host, id, (double)own->number[2]))
		return add(deviations, id, EFFECT_HARMS, DEVIATION_CEILING_LOW,
		    vector_bps(host, id, value[2]), vector_bps(host, id, own->number[2]));
	if ((double)value[1] >= DEFAULT_HUGE)
		return add(
		    deviations, id, EFFECT_HARMS, DEVIATION_HUGE_DEFAULT, (double)value[1], 0);
	if (value[0] > MINIMUM_HUGE)
		return add(
		    deviations, id, EFFECT_HARMS, DEVIATION_HUGE_MINIMUM, (double)value[0], 0);
	if (most > most_of_own(host, id, (double)own->number[2]))
		return add(deviations, id, EFFECT_HELPS, DEVIATION_CEILING_HIGH,
		    vector_bps(host, id, value[2]), 0);
	return NULL;
}

static void find_vector(struct deviations *deviations, const struct host *host, enum tunable_id id)
{
	const struct tunable_value *value = &host->values[id];
	struct tunable_value own = own_vector(host, id);

	if (!value->known)
		return;
	if (!host->kernel.known)
		own.number[2] = (int64_t)stock_ceiling(id, host->mem_total_bytes).smallest_bytes;
	struct deviation *item = judge_vector(deviations, host, id, &own);
	if (!item)
		return;
	item->has_own = host->kernel.known;
	item->own = own;
	item->has_mend = item->effect == EFFECT_HARMS;
	item->mend = own;
	/* what is larger and does no harm stays */
	if (value->number[0] <= MINIMUM_HUGE)
		item->mend.number[0] = value->number[0];
	if (value->number[2] > own.number[2])
		item->mend.number[2] = value->number[2];
	if (value->number[1] > own.number[1] && (double)value->number[1] < DEFAULT_HUGE)
		item->mend.number[1] = value->number[1];
	if (item->mend.number[1] > item->mend.number[2])
		item->mend.number[1] = own.number[1];
}

/* rmem_max and wmem_max bound programs that ask, and nobody else. */
static void find_core(struct deviations *deviations, const struct host *host, enum tunable_id id)
{
	const struct tunable_value *value = &host->values[id];
	double own = host->kernel.known ? default_core_max(&host->kernel) : 0;
	struct stock stock = stock_ceiling(id, 0);
	double least = own > 0 ? own : stock.smallest_bytes,
	       most = own > 0 ? own : stock.largest_bytes;

	if (!value->known ||
	    ((double)value->number[0] >= least && (double)value->number[0] <= most))
		return;
	bool less = (double)value->number[0] < least;
	struct deviation *item = add(deviations, id, less ? EFFECT_HARMS : EFFECT_NEUTRAL,
	    DEVIATION_ASKED_BUFFER, setsockopt_buffer(INT32_MAX, (double)value->number[0]), 0);
	item->has_own = own > 0;
	item->own = number_value((int64_t)least);
	item->has_mend = less;
	item->mend = item->own;
}

/* ---- memory -------------------------------------------------------------------------------- */

/* net/ipv4/tcp.c, tcp_init_mem: 1/16 of RAM is pressure, 3/4 of that low, twice low high. */
static struct tunable_value own_memory(const struct host *host)
{
	double page = (double)host_page_bytes(host);
	double pages = floor((double)host->mem_total_bytes / page / 16), low = floor(pages / 4) * 3;

	return (struct tunable_value){.known = true,
	    .count = 3,
	    .number = {(int64_t)low, (int64_t)pages, (int64_t)(2 * low)}};
}

static void find_memory(struct deviations *deviations, const struct host *host)
{
	const struct tunable_value *value = &host->values[TUNABLE_TCP_MEM];
	struct tunable_value own = own_memory(host);
	double page = (double)host_page_bytes(host);
	double high = (double)value->number[2] * page, ram = (double)host->mem_total_bytes;
	struct deviation *item = NULL;

	if (!value->known || ram <= 0)
		return;
	if (high > ram)
		item = add(
		    deviations, TUNABLE_TCP_MEM, EFFECT_HARMS, DEVIATION_MEMORY_BEYOND, high, ram);
	else if ((double)value->number[2] < 0.5 * (double)own.number[2])
		item = add(deviations, TUNABLE_TCP_MEM, EFFECT_HARMS, DEVIATION_MEMORY_SMALL, high,
		    (double)own.number[2] * page);
	else if ((double)value->number[2] > 1.5 * (double)own.number[2])
		item = add(deviations, TUNABLE_TCP_MEM,
		    high > 0.5 * ram ? EFFECT_HARMS : EFFECT_NEUTRAL, DEVIATION_MEMORY_LARGE, high,
		    ram);
	if (!item)
		return;
	item->has_own = true;
	item->own = item->mend = own;
	item->has_mend = item->effect == EFFECT_HARMS;
}

/* ---- single numbers ------------------------------------------------------------------------ */

/* A value other than the kernel's own, and what that does. */
struct number_row {
	enum tunable_id id;
	int64_t own;
	int64_t from, to; /* the values that the row is about */
	enum effect effect;
	unsigned dead_major, dead_minor; /* from this version on nothing reads it; 0: it is read */
	enum deviation_kind kind;
};

static const struct number_row number_rows[] = {
    {.id = TUNABLE_TCP_WINDOW_SCALING,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_NO_SCALING},
    {.id = TUNABLE_TCP_MODERATE_RCVBUF,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_NO_AUTOTUNING},
    {.id = TUNABLE_TCP_SACK,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_NO_SACK},
    {.id = TUNABLE_TCP_TIMESTAMPS,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_NO_TIMESTAMPS},
    {.id = TUNABLE_TCP_MTU_PROBING,
	.own = 0,
	.from = 2,
	.to = 2,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_ALWAYS_PROBES},
    {.id = TUNABLE_TCP_MTU_PROBING,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_HELPS,
	.kind = DEVIATION_PROBES},
    {.id = TUNABLE_TCP_SLOW_START_AFTER_IDLE,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_HELPS,
	.kind = DEVIATION_NO_IDLE_RESTART},
    {.id = TUNABLE_TCP_NO_METRICS_SAVE,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_NEUTRAL,
	.kind = DEVIATION_NO_METRICS},
    {.id = TUNABLE_TCP_SHRINK_WINDOW,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_NEUTRAL,
	.kind = DEVIATION_SHRINKS_WINDOW},
    {.id = TUNABLE_TCP_NOTSENT_LOWAT,
	.own = UINT32_MAX,
	.from = 0,
	.to = 16383,
	.effect = EFFECT_HARMS,
	.kind = DEVIATION_UNSENT_SMALL},
    {.id = TUNABLE_TCP_NOTSENT_LOWAT,
	.own = UINT32_MAX,
	.from = 16384,
	.to = UINT32_MAX - 1,
	.effect = EFFECT_HELPS,
	.kind = DEVIATION_UNSENT_BOUNDED},
    {.id = TUNABLE_TCP_ADV_WIN_SCALE,
	.own = 1,
	.from = -31,
	.to = 0,
	.effect = EFFECT_HARMS,
	.dead_major = 6,
	.dead_minor = 6,
	.kind = DEVIATION_WINDOW_SHARE_LESS},
    {.id = TUNABLE_TCP_ADV_WIN_SCALE,
	.own = 1,
	.from = 2,
	.to = 31,
	.effect = EFFECT_NEUTRAL,
	.dead_major = 6,
	.dead_minor = 6,
	.kind = DEVIATION_WINDOW_SHARE_MORE},
    {.id = TUNABLE_TCP_LOW_LATENCY,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_NEUTRAL,
	.dead_major = 4,
	.dead_minor = 14,
	.kind = DEVIATION_NO_PREQUEUE},
    {.id = TUNABLE_TCP_FACK,
	.own = 1,
	.from = 0,
	.to = 0,
	.effect = EFFECT_NEUTRAL,
	.kind = DEVIATION_FACK_OFF},
    {.id = TUNABLE_TCP_FACK,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_NEUTRAL,
	.dead_major = 4,
	.dead_minor = 15,
	.kind = DEVIATION_FACK_ON},
    {.id = TUNABLE_TCP_TW_RECYCLE,
	.own = 0,
	.from = 1,
	.to = 1,
	.effect = EFFECT_HARMS,
	.dead_major = 4,
	.dead_minor = 12,
	.kind = DEVIATION_RECYCLES},
};

/* tcp_fack was 1 by itself until nothing read it (4.15), and 0 since. */
static bool row_is_own(const struct number_row *row, const struct host *host)
{
	if (row->id != TUNABLE_TCP_FACK)
		return false;
	bool old = kernel_before(&host->kernel, 4, 15);

	return !host->kernel.known || (row->own == 1) != old;
}

static void find_number(
    struct deviations *deviations, const struct host *host, const struct number_row *row)
{
	const struct tunable_value *value = &host->values[row->id];

	if (!value->known || value->number[0] < row->from || value->number[0] > row->to ||
	    row_is_own(row, host))
		return;
	bool dead =
	    row->dead_major > 0 && kernel_at_least(&host->kernel, row->dead_major, row->dead_minor);
	struct deviation *item = add(deviations, row->id, dead ? EFFECT_NOTHING : row->effect,
	    dead ? DEVIATION_NOT_READ : row->kind, 0, 0);

	item->major = row->dead_major;
	item->minor = row->dead_minor;
	item->has_own = true;
	item->own = item->mend = number_value(row->own);
	item->has_mend = item->effect == EFFECT_HARMS;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Those that harm come first; within that, the order in which they were found. */
static void sort(struct deviations *deviations)
{
	for (size_t i = 1; i < deviations->count; i++) {
		struct deviation item = deviations->items[i];
		size_t at = i;
		for (; at > 0 && deviations->items[at - 1].effect > item.effect; at--)
			deviations->items[at] = deviations->items[at - 1];
		deviations->items[at] = item;
	}
}

_Static_assert(
    DEVIATIONS_MAX >= 5 + sizeof(number_rows) / sizeof(number_rows[0]) + 1, "DEVIATIONS_MAX");

void deviations_find(const struct host *host, struct deviations *deviations)
{
	const struct tunable_value *algorithm = &host->values[TUNABLE_TCP_CONGESTION_CONTROL];

	deviations->count = deviations->harms = 0;
	find_vector(deviations, host, TUNABLE_TCP_RMEM);
	find_vector(deviations, host, TUNABLE_TCP_WMEM);
	find_memory(deviations, host);
	find_core(deviations, host, TUNABLE_RMEM_MAX);
	find_core(deviations, host, TUNABLE_WMEM_MAX);
	for (size_t i = 0; i < sizeof(number_rows) / sizeof(number_rows[0]); i++)
		find_number(deviations, host, &number_rows[i]);
	if (algorithm->known && strcmp(algorithm->word, "cubic") != 0) {
		struct deviation *item = add(deviations, TUNABLE_TCP_CONGESTION_CONTROL,
		    EFFECT_NEUTRAL, DEVIATION_ALGORITHM, 0, 0);
		item->has_own = true;
		item->own = (struct tunable_value){.known = true, .word = "cubic"};
	}
	sort(deviations);
}
