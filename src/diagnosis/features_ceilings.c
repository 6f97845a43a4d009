/* Features of ceilings: what tcp_rmem and tcp_wmem permit, against what is in flight. */
#include "diagnosis/view.h"

#include <math.h>

#include "model/window.h"

/*
 * Over 1,885 public runs whose cwnd rested at 5.91 to 6.35 MiB, 92 % had 0.90 to 1.03 of 3 MiB in flight:
 * the window of the default tcp_rmem ceiling before Linux 6.6; slow start stops at twice that.
 */
#define MARK_WINDOW_LOW 0.90
#define MARK_WINDOW_HIGH 1.03
#define MARK_CWND_LOW (5.91 * 0x1p20)
#define MARK_CWND_HIGH (6.35 * 0x1p20)
/* In flight over tcp_wmem[2] of flows held by it: 0.62 to 1.06 (measured on 6.18 and 6.1). */
#define WMEM_SHARE_LOW 0.60
#define WMEM_SHARE_HIGH 1.08
/* A ceiling that permits this much more than what is in flight does not hold it. */
#define FAR_FACTOR 2.0
/* What autotuning lets wait: up to twice cwnd, of BBR up to five times (tcp_input.c tcp_sndbuf_expand). */
#define OVERFILLED 2.3
#define OVERFILLED_BBR 6.0
#define MEASURED_SLACK 0.12
/* Windows near 64 KiB are that of a host without window scaling. */
#define ROUND_LEAST 70000.0
/* Window over tcp_rmem[2] (model/window.c): before 6.6 exactly 1/2 or 3/4; on 6.18 30 of 33 recorded receivers had
 * 0.642 to 0.667.  A window of any size lies in one of them by chance in about one case of seven. */
static const double round_shares[][2] = {{0.497, 0.503}, {0.745, 0.755}, {0.64, 0.668}};
/* A cwnd that moves by no more than this without loss is hardly used. */
#define STILL 0.06
/* Part of the time in which nothing moves, from which on something else than a window holds a flow. */
#define DEAD_MOST 0.05

static bool may_be_held(const struct view *view)
{
	return view->lossless && view->buffer_asked <= 0;
}

/* Nobody told the receiver's ceiling, but its default left a mark. */
static void default_mark(const struct view *view)
{
	const struct path *path = view->path;
	double window = window_of_buffer(RMEM_MAX_USUAL, 0.5);
	bool known = view->receiver && view->receiver->values[TUNABLE_TCP_RMEM].known;

	/* more than CUBIC's buffer waits: it is BBR, or a program that does not read */
	bool other = view->has_excess && view->excess_ratio > OVERFILLED;

	if (known || other || view->path->peer_window.known || !may_be_held(view) || view->bbr ||
	    !path->phases.cwnd_rests)
		return;
	bool rests = path->cwnd.bytes > MARK_CWND_LOW && path->cwnd.bytes < MARK_CWND_HIGH;
	bool measured = view->in_flight_measured;
	bool fits = view->in_flight > MARK_WINDOW_LOW * window &&
		    view->in_flight < MARK_WINDOW_HIGH * window;
	if ((measured && fits) || (!measured && rests))
		feature_set(view, FEATURE_DEFAULT_WINDOW_MARK,
		    measured ? view->in_flight : path->cwnd.bytes, window);
}

/* The largest ceiling of the form 2^n or 3 x 2^n, as people set them, whose window this is; 0 for none. */
static double round_ceiling_of(double window)
{
	for (int power = 30; power >= 16; power--)
		for (double ceiling = ldexp(1.5, power); ceiling >= ldexp(1, power);
		     ceiling -= ldexp(0.5, power))
			for (size_t i = 0; i < sizeof(round_shares) / sizeof(round_shares[0]); i++)
				if (window > round_shares[i][0] * ceiling &&
				    window < round_shares[i][1] * ceiling)
					return ceiling;
	return 0;
}

/* The receiver's ceiling is not known, but its window is what a round one gives; a program that reads slowly
 * leaves windows of any size. */
static void round_mark(const struct view *view)
{
	const struct path *path = view->path;
	bool known = view->receiver && view->receiver->values[TUNABLE_TCP_RMEM].known;

	if (known || !path->peer_window.known || !may_be_held(view) ||
	    path->peer_window.bytes < ROUND_LEAST || path->peer_window.spread > STILL ||
	    !view->features->items[FEATURE_WINDOW_FULL].present)
		return;
	double ceiling = round_ceiling_of(path->peer_window.bytes);
	if (ceiling > 0)
		feature_set(view, FEATURE_WINDOW_ROUND_CEILING, path->peer_window.bytes, ceiling);
}

/* Whether [low, high] and what may be in flight have anything in common. */
static bool overlaps(const struct view *view, double low, double high)
{
	double slack = view->in_flight_measured ? MEASURED_SLACK : 0;

	return view->in_flight_high * (1 + slack) >= low &&
	       view->in_flight_low * (1 - slack) <= high;
}

/* In flight is not known, but cwnd rests where a flow held by that window leaves it: at the window, or at
 * twice that. */
static void receive_mark_of_cwnd(const struct view *view, double window, double ceiling)
{
	double ratio = view->path->cwnd.bytes / window;
	bool still = view->path->phases.cwnd_rests || view->path->cwnd.spread < STILL || view->bbr;

	double dead =
	    view->path->phases.share[PHASE_STALLED] + view->path->phases.share[PHASE_IDLE];

	/* a window holds a flow; it does not stop it */
	if (!may_be_held(view) || !still || dead > DEAD_MOST)
		return;
	if (ratio > 1.8 && ratio < 2.6)
		feature_set(view, FEATURE_RMEM_MARK_TWICE, view->path->cwnd.bytes, ceiling);
	else if (ratio > 0.93 && ratio < 1.12)
		feature_set(view, FEATURE_RMEM_MARK_OF_CWND, view->path->cwnd.bytes, ceiling);
}

static void receive_ceiling(const struct view *view)
{
	if (!view->receiver || !view->receiver->values[TUNABLE_TCP_RMEM].known ||
	    view->in_flight_high <= 0)
		return;
	double ceiling = (double)view->receiver->values[TUNABLE_TCP_RMEM].number[2];
	struct share share = window_share(
	    &view->receiver->kernel, &view->receiver->values[TUNABLE_TCP_ADV_WIN_SCALE]);
	double low = window_of_buffer(ceiling, fmax(share.low, share.typical * 0.8));
	double high = window_of_buffer(ceiling, fmin(share.high, share.typical * 1.15));

	bool far = view->in_flight_high * 1.3 < low ||
		   view->in_flight_high * FAR_FACTOR < window_of_buffer(ceiling, share.low);
	/* A full window is the window, whatever the ceiling is now: it was raised since, or a program sets or
	 * fills the buffer. */
	if (far && view->features->items[FEATURE_WINDOW_FULL].present)
		feature_set(view, FEATURE_RMEM_BEYOND_WINDOW, view->in_flight,
		    window_of_buffer(ceiling, share.typical));
	else if (far)
		feature_set(view, FEATURE_RMEM_FAR, view->in_flight_high,
		    window_of_buffer(ceiling, share.typical));
	else if (!view->in_flight_measured)
		receive_mark_of_cwnd(view, window_of_buffer(ceiling, share.typical), ceiling);
	else if (may_be_held(view) && overlaps(view, low, high))
		feature_set(view, FEATURE_RMEM_MARK, view->in_flight, ceiling);
}

static void send_ceiling(const struct view *view)
{
	if (!view->sender || !view->sender->values[TUNABLE_TCP_WMEM].known ||
	    view->in_flight_high <= 0)
		return;
	double ceiling = (double)view->sender->values[TUNABLE_TCP_WMEM].number[2];

	if (view->in_flight_high < 0.45 * ceiling)
		feature_set(view, FEATURE_WMEM_FAR, view->in_flight_high, ceiling);
	else if (may_be_held(view) &&
		 overlaps(view, WMEM_SHARE_LOW * ceiling, WMEM_SHARE_HIGH * ceiling))
		feature_set(view,
		    view->in_flight_measured ? FEATURE_WMEM_MARK : FEATURE_WMEM_MARK_OF_CWND,
		    view->in_flight, ceiling);
}

/* What the sender wrote and the receiver did not count by the end: a full send buffer, or none.  A
 * program or a buffer that holds the flow at the sender leaves nothing there. */
static void buffer_at_end(const struct view *view)
{
	if (!view->has_excess)
		return;
	if (view->excess_ratio > (view->bbr ? OVERFILLED_BBR : OVERFILLED))
		feature_set(view, FEATURE_BUFFER_OVERFILLED,
		    view->excess_ratio * view->path->cwnd.bytes, view->path->cwnd.bytes);
	else if (view->excess_ratio > 1.2)
		feature_set(view, FEATURE_BUFFER_FILLED,
		    view->excess_ratio * view->path->cwnd.bytes, view->path->cwnd.bytes);
	else if (view->excess_ratio < 0.12 && view->excess_ratio > -0.12)
		feature_set(view, FEATURE_BUFFER_EMPTY,
		    fmax(0, view->excess_ratio * view->path->cwnd.bytes), view->path->cwnd.bytes);
}

/* Data waits in the send buffer, cwnd and the peer's window would let more go, and nothing is lost: what holds it
 * is below TCP in the sender (a shaping queueing discipline), or a pace that its program set. */
static void held_below_cwnd(const struct view *view)
{
	const struct feature_value *items = view->features->items;
	bool waits =
	    items[FEATURE_BUFFER_FILLED].present || items[FEATURE_BUFFER_OVERFILLED].present;
	bool unused = items[FEATURE_CWND_UNUSED].present || items[FEATURE_CWND_FAR_UNUSED].present;

	if (waits && unused && items[FEATURE_WINDOW_OPEN].present && view->lossless && !view->bbr)
		feature_set(view, FEATURE_HELD_BELOW_CWND, view->in_flight, view->path->cwnd.bytes);
}

void features_of_ceilings(const struct view *view)
{
	default_mark(view);
	round_mark(view);
	receive_ceiling(view);
	send_ceiling(view);
	buffer_at_end(view);
	held_below_cwnd(view);
}
