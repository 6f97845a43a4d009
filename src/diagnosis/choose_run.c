#include "diagnosis/choose_run.h"

#include <math.h>
#include <string.h>

/* A run that carries less than this share of another's rate over the same path is the one to look at. */
#define SLOWER 0.5

static bool client_sends(const struct run *run)
{
	return run->client == run->local_sends;
}

/* How much a run of one test is worth looking at: a held direction before the other, the sender's view
 * of it before the receiver's, and then what the client sends. */
static int worth(const struct analysis *analysis)
{
	static const int factor_worth[FACTOR_COUNT] = {
	    [FACTOR_RECEIVE_WINDOW] = 12,
	    [FACTOR_SEND_BUFFER] = 12,
	    [FACTOR_WINDOW_SCALING_OFF] = 12,
	    [FACTOR_SOCKET_OPTION] = 12,
	    [FACTOR_UNKNOWN] = 4,
	};
	return factor_worth[analysis->limit.factor] + (analysis->run->local_sends ? 2 : 0) +
	       (client_sends(analysis->run) ? 1 : 0);
}

/* One direction between two hosts; by the roles of the ends where no host is named. */
static bool same_direction(const struct run *a, const struct run *b)
{
	if (a->sender[0] && a->receiver[0] && b->sender[0] && b->receiver[0])
		return strcmp(a->sender, b->sender) == 0 && strcmp(a->receiver, b->receiver) == 0;
	return client_sends(a) == client_sends(b);
}

static bool same_hosts(const struct run *a, const struct run *b)
{
	if (!a->sender[0] || !a->receiver[0] || !b->sender[0] || !b->receiver[0])
		return strcmp(a->input, b->input) == 0;
	return same_direction(a, b) ||
	       (strcmp(a->sender, b->receiver) == 0 && strcmp(a->receiver, b->sender) == 0);
}

static bool is_paced(const struct run *run)
{
	return (run->has & RUN_TARGET_RATE) && run->target_rate_bps > 0;
}

/* Two whole runs over one path that nothing but the path makes differ. */
static bool comparable(const struct analysis *a, const struct analysis *b)
{
	const struct run *one = a->run, *other = b->run;
	bool whole = (one->complete || one->series.count > 1) &&
		     (other->complete || other->series.count > 1);

	return whole && one->streams == other->streams && !is_paced(one) && !is_paced(other) &&
	       same_hosts(one, other);
}

static bool much_slower(const struct analysis *a, const struct analysis *b)
{
	return comparable(a, b) && a->path.rate.bps < SLOWER * b->path.rate.bps;
}

/* A later run of the same direction outdates the analysis. */
static bool is_outdated(const struct analysis *analyses, size_t count, size_t index)
{
	for (size_t i = index + 1; i < count; i++)
		if (analyses[i].run->test != analyses[index].run->test &&
		    same_direction(analyses[i].run, analyses[index].run) &&
		    comparable(&analyses[i], &analyses[index]))
			return true;
	return false;
}

/* A test and the one behind it with -R are the two directions of one measurement. */
static bool is_other_way(const struct run *a, const struct run *b)
{
	return a->complete && a->sender[0] && strcmp(a->input, b->input) == 0 &&
	       strcmp(a->sender, b->receiver) == 0 && strcmp(a->receiver, b->sender) == 0 &&
	       (a->test + 1 == b->test || b->test + 1 == a->test);
}

/* Of one test the direction that is dead or much slower; else the one that is held. */
static size_t choose_of_test(const struct analysis *analyses, size_t count, size_t index)
{
	const struct run *run = analyses[index].run;
	size_t best = index;

	for (size_t i = 0; i < count; i++) {
		const struct analysis *other = &analyses[i], *chosen = &analyses[best];
		if ((other->run->test != run->test && !is_other_way(other->run, run)) ||
		    much_slower(chosen, other))
			continue;
		bool same_view = same_direction(other->run, chosen->run) &&
				 other->run->test == chosen->run->test;
		if (same_view ? other->run->local_sends && !chosen->run->local_sends
			      : worth(other) > worth(chosen) || much_slower(other, chosen))
			best = i;
	}
	return best;
}

static size_t last_complete(const struct analysis *analyses, size_t count)
{
	for (size_t i = count; i-- > 0;)
		if (analyses[i].run->complete)
			return i;
	return count - 1;
}

size_t choose_run(const struct analysis *analyses, size_t count)
{
	if (!analyses[count - 1].run)
		return count - 1;
	size_t best = choose_of_test(analyses, count, last_complete(analyses, count));
	for (size_t i = 0; i < count; i++)
		if (analyses[i].run->test != analyses[best].run->test &&
		    much_slower(&analyses[i], &analyses[best]) && !is_outdated(analyses, count, i))
			best = choose_of_test(analyses, count, i);
	return best;
}

/* Fewer runs have no spread. */
#define SPREAD_RUNS_MIN 3
/* In flight in a buffer's window: 0.90 to 1.03 of it in 92 of 100 of 1,885 public runs, so within this part of the
 * largest; a rate that differs by less need not have moved (two standard errors of iperf3 runs of 10 s). */
#define SAME_WINDOW 0.13
#define SAME_RATE 0.10

struct spread {
	size_t count, with_flight;
	double rate_low, rate_high, flight_low, flight_high;
};

/* Bytes in flight of one connection: measured, else a cwnd that is constant; 0 when unknown. */
static double flight_of(const struct path *path)
{
	if (path->in_flight.known)
		return path->in_flight.bytes;
	return path->phases.cwnd_rests ? path->cwnd.bytes : 0;
}

static void spread_add(struct spread *spread, const struct analysis *analysis)
{
	double rate = analysis->path.rate.bps, flight = flight_of(&analysis->path);

	spread->rate_low = spread->count == 0 ? rate : fmin(spread->rate_low, rate);
	spread->rate_high = fmax(spread->rate_high, rate);
	spread->count++;
	if (flight <= 0)
		return;
	spread->flight_low = spread->with_flight == 0 ? flight : fmin(spread->flight_low, flight);
	spread->flight_high = fmax(spread->flight_high, flight);
	spread->with_flight++;
}

void find_spread(
    const struct analysis *analyses, size_t count, size_t chosen_at, struct findings *findings)
{
	const struct analysis *chosen = &analyses[chosen_at];
	struct spread spread = {0};

	for (size_t i = 0; chosen->run && i < count; i++)
		if (i == chosen_at || (comparable(chosen, &analyses[i]) &&
					  same_direction(chosen->run, analyses[i].run) &&
					  analyses[i].run->test != chosen->run->test))
			spread_add(&spread, &analyses[i]);
	if (spread.count < SPREAD_RUNS_MIN || spread.rate_low <= 0)
		return;
	double apart = 1 - spread.rate_low / spread.rate_high;
	bool moves = apart > SAME_RATE, all = spread.with_flight == spread.count;
	bool same = all && spread.flight_low >= (1 - SAME_WINDOW) * spread.flight_high;
	finding_add(findings, FINDING_RUNS_SPREAD,
	    moves && same  ? RUNS_SHARE_WINDOW
	    : moves && all ? RUNS_MOVE
			   : RUNS_ALIKE,
	    as_count(spread.count), as_rate(spread.rate_low), as_rate(spread.rate_high),
	    as_size(spread.flight_low), as_size(spread.flight_high), as_percent(apart));
}

void find_other_runs(
    const struct analysis *analyses, size_t count, size_t chosen_at, struct findings *findings)
{
	const struct analysis *chosen = &analyses[chosen_at];
	const struct analysis *other = NULL;

	for (size_t i = 0; chosen->run && i < count; i++) {
		const struct analysis *each = &analyses[i];
		bool differs = much_slower(chosen, each) || much_slower(each, chosen);
		bool is_view =
		    each->run->test == chosen->run->test && same_direction(each->run, chosen->run);
		if (differs && !is_view && (!other || each->path.rate.bps > other->path.rate.bps))
			other = each;
	}
	if (!other)
		return;
	finding_add(findings, FINDING_RUNS_DIFFER,
	    same_direction(chosen->run, other->run) ? RUNS_SAME_WAY : RUNS_OTHER_WAY,
	    as_rate(chosen->path.rate.bps), as_rate(other->path.rate.bps),
	    as_count((uint64_t)(other - analyses) + 1));
}
