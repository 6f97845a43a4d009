#include "report/text_sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "report/answer.h"
#include "report/sparkline.h"
#include "report/phrase.h"

/* Relative differences below this are not worth a word. */
#define SAME 0.01
/* A phase of a smaller part of the test is not worth a word. */
#define PHASE_SHARE_TOLD 0.02

enum quantity { QUANTITY_RATE, QUANTITY_CWND, QUANTITY_RTT };

/* What the rows of one section share. */
struct path_view {
	struct layout *layout;
	const struct run *run; /* NULL for given numbers */
	const struct path *path;
	unsigned spark_cells;
};

static bool differs(double a, double b)
{
	return fabs(a - b) > SAME * fmax(fabs(a), fabs(b));
}

static double bin_quantity(const struct bin *bin, enum quantity quantity)
{
	double seconds = bin->end_s - bin->start_s;

	if (quantity == QUANTITY_RATE && seconds > 0)
		return (double)bin->bytes * 8 / seconds;
	if (quantity == QUANTITY_CWND && (bin->has & BIN_CWND))
		return (double)bin->cwnd_bytes;
	if (quantity == QUANTITY_RTT && (bin->has & BIN_RTT))
		return bin->rtt_us;
	return (double)NAN;
}

static void view_spark(const struct path_view *view, enum quantity quantity, struct sparkline *line)
{
	double values[SERIES_MAX];
	size_t count = 0;

	if (view->run) {
		for (; count < view->run->series.count && count < SERIES_MAX; count++)
			values[count] = bin_quantity(&view->run->series.bins[count], quantity);
	}
	sparkline_draw(line, values, count, view->spark_cells, view->layout->style->utf8);
}

static void view_row(
    const struct path_view *view, const char *label, const char *value, const char *note)
{
	struct row row = {.label = label, .value = value, .note = *note ? note : NULL};

	layout_row(view->layout, &row);
}

static void view_row_spark(const struct path_view *view, const char *label, const char *value,
    enum quantity quantity, const char *note)
{
	struct sparkline line;
	struct row row = {.label = label, .value = value, .note = *note ? note : NULL};

	view_spark(view, quantity, &line);
	if (line.cells > 0) {
		row.spark = line.s;
		row.spark_cells = view->spark_cells;
	}
	layout_row(view->layout, &row);
}

static void path_heading(const struct path_view *view)
{
	const struct path *path = view->path;
	struct phrase text = phrase_direction(view->run);

	phrase_add(&text, ", %u stream%s", path->streams, path->streams == 1 ? "" : "s");
	if (path->seconds > 0)
		phrase_add(&text, ", %.0f s", path->seconds);
	if (*path->congestion_control)
		phrase_add(&text, ", %s", path->congestion_control);
	if (view->run->protocol == PROTOCOL_TCP && path->mss > 0)
		phrase_add(
		    &text, ", MSS %u%s", path->mss, path->mss_is_measured ? "" : " (assumed)");
	layout_heading(view->layout, "PATH");
	layout_foreign(view->layout, INK_PLAIN, text.s);
	layout_break(view->layout);
}

/* Which part of the test the rate is of.  Merged bins no longer are the test's intervals: then
 * the times say it. */
static void add_steady(const struct path_view *view, struct phrase *note)
{
	const struct path *path = view->path;
	const struct series *series = &view->run->series;
	size_t end = path->steady.first + path->steady.count;

	if (!path->steady.known || path->steady.count == 0 || end > series->count)
		return;
	if (series->merged <= 1)
		phrase_add(note, "steady in %zu of %zu%s", path->steady.count, series->count,
		    view->layout->style->verbose ? " intervals" : "");
	else
		phrase_add(note, "steady from %.0f s to %.0f s",
		    series->bins[path->steady.first].start_s, series->bins[end - 1].end_s);
}

static void rate_rows(const struct path_view *view)
{
	const struct path *path = view->path;
	struct phrase note = {""};

	if (!path->rate.known)
		return;
	add_steady(view, &note);
	if (path->rate.mean_known && differs(path->rate.bps, path->rate.mean_bps))
		phrase_add(&note,
		    view->layout->style->verbose ? "%s%s over the whole test" : "%s%s in all",
		    *note.s ? "; " : "", rate_text(path->rate.mean_bps).s);
	view_row_spark(view, "rate", rate_text(path->rate.bps).s, QUANTITY_RATE, note.s);
	if (path->streams > 1) {
		struct phrase each = {""};
		phrase_add(&each, "of each of %u streams", path->streams);
		view_row(view, "", rate_text(path->rate.stream_bps).s, each.s);
	}
}

/* Of what the test consisted, the longest part first; nothing when it was one thing all along. */
static void time_row(const struct path_view *view)
{
	const struct phases *phases = &view->path->phases;
	bool told[PHASE_COUNT] = {false};
	struct phrase text = {""};
	size_t count = 0;

	for (;;) {
		int longest = -1;
		for (int i = 0; i < PHASE_COUNT; i++)
			if (!told[i] && phases->share[i] >= PHASE_SHARE_TOLD &&
			    (longest < 0 || phases->share[i] > phases->share[longest]))
				longest = i;
		if (longest < 0)
			break;
		told[longest] = true;
		phrase_add(&text, "%s%s %.0f %%", count++ ? ", " : "",
		    phase_name((enum phase_kind)longest), 100 * phases->share[longest]);
	}
	if (count > 1) {
		layout_item(view->layout, INK_PLAIN, "phases");
		layout_text(view->layout, INK_PLAIN, text.s);
		layout_break(view->layout);
	}
	if (phases->other_rate_bps > 0) {
		struct phrase note = {""};
		phrase_add(&note, "%s %.0f s, another regime",
		    phases->regime_first > 0 ? "until" : "from", phases->regime_changed_s);
		view_row(view, "", rate_text(phases->other_rate_bps).s, note.s);
	}
}

static void cwnd_row(const struct path_view *view)
{
	const struct path *path = view->path;
	struct phrase note = {""};

	if (!path->cwnd.known)
		return;
	if (path->cwnd.spread < SAME)
		phrase_add(&note, "constant");
	else
		phrase_add(&note, "varies by %s", percent_text(path->cwnd.spread).s);
	if (path->cwnd.peak_bytes > 0 && differs(path->cwnd.peak_bytes, path->cwnd.bytes))
		phrase_add(&note, ", %s at its peak", size_text(path->cwnd.peak_bytes).s);
	if (path->streams > 1)
		phrase_add(&note, ", of each stream");
	view_row_spark(view, "cwnd", size_text(path->cwnd.bytes).s, QUANTITY_CWND, note.s);
}

/* In flight says something of its own only where the RTT is not made from a window. */
static bool rtt_is_measured(const struct path *path)
{
	return path->rtt.method == RTT_GIVEN || path->rtt.method == RTT_TCP_INFO ||
	       path->rtt.method == RTT_PING;
}

static void window_rows(const struct path_view *view)
{
	const struct path *path = view->path;
	struct phrase note = {"advertised by the receiver"};

	if (path->peer_window.known) {
		if (path->peer_window.max_bytes > path->peer_window.bytes * (1 + SAME))
			phrase_add(&note, ", %s at most", size_text(path->peer_window.max_bytes).s);
		view_row(view, "window", size_text(path->peer_window.bytes).s, note.s);
	}
	if (path->in_flight.known && rtt_is_measured(path))
		view_row(view, "in flight", size_text(path->in_flight.bytes).s,
		    path->loaded.known ? "rate x RTT under load" : "rate x RTT");
}

static void rtt_rows(const struct path_view *view)
{
	const struct path *path = view->path;
	const struct rtt *rtt = &path->rtt;
	struct phrase note = {""};

	if (rtt->method == RTT_UNKNOWN)
		return;
	if (rtt->low_us <= 0 && rtt->high_us > 0)
		phrase_add(&note, "at most %s, ", time_text(rtt->high_us).s);
	else if (differs(rtt->low_us, rtt->high_us))
		phrase_add(
		    &note, "%s to %s, ", time_text(rtt->low_us).s, time_text(rtt->high_us).s);
	phrase_add(&note, "%s", phrase_rtt_method(rtt->method, !view->layout->style->verbose));
	view_row_spark(view, "RTT", time_text(rtt->us).s, QUANTITY_RTT, note.s);
	if (path->loaded.known && differs(path->loaded.rtt_us, rtt->us)) {
		struct phrase load = {"under load"};
		if (path->loaded.method == RTT_CWND)
			phrase_add(&load, ", by cwnd / rate");
		if (path->loaded.rtt_us > rtt->us)
			phrase_add(&load, ": %s more", time_text(path->loaded.rtt_us - rtt->us).s);
		view_row(view, "", time_text(path->loaded.rtt_us).s, load.s);
	}
	if (path->idle.known && differs(path->idle.rtt_us, rtt->us))
		view_row(view, "", time_text(path->idle.rtt_us).s, "without load");
}

/* Both units, since guides mix them up. */
static void add_both_units(struct phrase *note, double bytes)
{
	phrase_add(note, "(%s, %s bytes)", phrase_decimal_size(bytes).s,
	    count_text((uint64_t)llround(bytes)).s);
}

/* With an uncertain RTT the bytes would pretend to be exact: the other end of the interval is said
 * instead. */
static void bdp_row(const struct path_view *view)
{
	const struct path *path = view->path;
	const struct rtt *rtt = &path->rtt;
	double rate = path->target.known ? path->target.bps : path->rate.bps;
	struct phrase note = {""};

	if (!path->bdp.known)
		return;
	if (differs(rtt->low_us, rtt->high_us)) {
		double other_us = differs(rtt->us, rtt->high_us) ? rtt->high_us : rtt->low_us;
		phrase_add(&note, "in flight at %s", rate_text(rate).s);
		if (other_us > 0)
			phrase_add(&note, "; %s if the RTT is %s",
			    size_text(rate * other_us / 8e6).s, time_text(other_us).s);
	} else {
		add_both_units(&note, path->bdp.bytes);
		phrase_add(&note, " at %s", rate_text(rate).s);
	}
	if (path->streams > 1)
		phrase_add(&note, ", %s of it per stream", size_text(path->bdp.stream_bytes).s);
	view_row(view, "BDP", size_text(path->bdp.bytes).s, note.s);
}

/* Three digits are all that bytes / MSS is good for. */
static uint64_t round_count(double count)
{
	double unit = count >= 1000 ? pow(10, floor(log10(count)) - 2) : 1;

	return (uint64_t)(round(count / unit) * unit);
}

static double segments_sent(const struct path_view *view)
{
	const struct path *path = view->path;

	if (path->loss.ratio > 0)
		return (double)path->loss.retransmits / path->loss.ratio;
	if (view->run && (view->run->has & RUN_SENT) && path->mss > 0)
		return (double)view->run->sent_bytes / path->mss;
	return 0;
}

/* Below this the digits are the counting of segments, not the path. */
static struct unit_text loss_text(double ratio)
{
	if (ratio > 0 && ratio < 1e-5)
		return (struct unit_text){"<0.001 %"};
	return percent_text(ratio);
}

static void loss_row(const struct path_view *view)
{
	const struct path *path = view->path;
	double segments = segments_sent(view);
	bool known = path->loss.known;
	struct phrase note = {""};

	if (!path->loss.counted) {
		if (known)
			view_row(view, "loss", percent_text(path->loss.ratio).s,
			    path->loss.is_probed ? "as ping or mtr found it, without load"
						 : "as given");
		return;
	}
	phrase_add(&note, "%s retransmit%s",
	    path->loss.retransmits == 0 ? "no" : count_text(path->loss.retransmits).s,
	    path->loss.retransmits == 1 ? "" : "s");
	if (segments >= 1)
		phrase_add(&note, " in about %s segments", count_text(round_count(segments)).s);
	if (path->loss.early_retransmits > 0 &&
	    path->loss.early_retransmits < path->loss.retransmits)
		phrase_add(&note, ", %s of them before the steady part",
		    count_text(path->loss.early_retransmits).s);
	view_row(view, "loss", known ? loss_text(path->loss.ratio).s : "unknown", note.s);
}

static void rfc6349_row(const struct path_view *view, const struct rfc6349 *metrics)
{
	struct layout *layout = view->layout;
	const char *comma = "";

	if (!metrics->has_efficiency && !metrics->has_buffer_delay && !metrics->has_transfer_time)
		return;
	layout_item(layout, INK_PLAIN, "RFC 6349");
	if (metrics->has_efficiency) {
		layout_textf(
		    layout, INK_PLAIN, "efficiency %s", percent_text(metrics->tcp_efficiency).s);
		comma = ",";
	}
	if (metrics->has_buffer_delay) {
		layout_raw(layout, INK_PLAIN, comma);
		layout_textf(
		    layout, INK_PLAIN, "buffer delay %s", phrase_ratio(metrics->buffer_delay).s);
		comma = ",";
	}
	if (metrics->has_transfer_time) {
		layout_raw(layout, INK_PLAIN, comma);
		layout_textf(layout, INK_PLAIN, "transfer in %.2f x the ideal time",
		    metrics->transfer_time_ratio);
	}
	layout_break(layout);
}

/* "RTT, cwnd and retransmits", as far as they are unknown. */
static struct phrase unknown_names(const struct path *path)
{
	struct phrase names = {""};
	const char *missing[3];
	size_t count = 0;

	if (path->rtt.method == RTT_UNKNOWN)
		missing[count++] = "RTT";
	if (!path->cwnd.known)
		missing[count++] = "cwnd";
	if (!path->loss.counted)
		missing[count++] = "retransmits";
	for (size_t i = 0; i < count; i++)
		phrase_add(&names, "%s%s",
		    i == 0	    ? ""
		    : i + 1 < count ? ", "
				    : " and ",
		    missing[i]);
	return names;
}

/* What is missing is said once, with what would show it. */
static void unknown_row(const struct path_view *view)
{
	struct phrase names = unknown_names(view->path);

	if (!*names.s)
		return;
	layout_item(view->layout, INK_PLAIN, "unknown");
	if (strcmp(names.s, "RTT") == 0)
		layout_text(
		    view->layout, INK_PLAIN, "RTT: give -r TIME, a ping of the path, or iperf3 -J");
	else if (view->run->local_sends)
		layout_textf(view->layout, INK_PLAIN,
		    "%s, which this iperf3 does not print: one on Linux does", names.s);
	else
		layout_textf(view->layout, INK_PLAIN,
		    "%s, which only the sender knows: `iperf3 -J --get-server-output` from the client, or "
		    "`ss -tmi` on the sender during the run",
		    names.s);
	layout_break(view->layout);
}

static void datagram_rows(const struct path_view *view)
{
	const struct run *run = view->run;
	struct phrase note = {""};

	rate_rows(view);
	if (!(run->has & RUN_JITTER))
		return;
	if (run->packets > 0) {
		double ratio = (double)run->lost / (double)run->packets;
		phrase_add(&note, "%s of %s datagrams", count_text(run->lost).s,
		    count_text(run->packets).s);
		view_row(view, "loss", percent_text(ratio).s, note.s);
	}
	view_row(view, "jitter", time_text(run->jitter_ms * 1000).s, "");
}

/* Numbers given by hand: each is said to be given, or from which others it comes. */
static void number_rows(const struct path_view *view)
{
	const struct path *path = view->path;
	bool is_window = path->window.kind == WINDOW_GIVEN;
	bool is_bdp = is_window && path->bdp.known && !differs(path->bdp.bytes, path->window.bytes);
	struct phrase note = {""};

	if (path->rate.known)
		view_row(view, "rate", rate_text(path->rate.bps).s,
		    answer_solved(path) == SOLVED_RATE && is_bdp ? "window / RTT, at most"
								 : "as given");
	rtt_rows(view);
	if (is_window) {
		add_both_units(&note, path->window.bytes);
		phrase_add(&note, " as given%s", is_bdp ? ", which is the BDP" : "");
		view_row(view, "window", size_text(path->window.bytes).s, note.s);
	}
	if (!is_bdp)
		bdp_row(view);
	loss_row(view);
}

static unsigned spark_cells(const struct layout *layout, const struct run *run)
{
	unsigned cells = layout->style->width / 5;

	if (cells > SPARKLINE_CELLS_MAX)
		cells = SPARKLINE_CELLS_MAX;
	return run && run->series.count < cells ? (unsigned)run->series.count : cells;
}

void text_path(struct layout *layout, const struct report *report, bool brief)
{
	const struct analysis *chosen = report_chosen(report);
	struct path_view view = {.layout = layout, .run = chosen->run, .path = &chosen->path};

	view.spark_cells = spark_cells(layout, view.run);
	if (!view.run) {
		number_rows(&view);
		return;
	}
	path_heading(&view);
	if (view.run->protocol != PROTOCOL_TCP) {
		datagram_rows(&view);
		return;
	}
	bool whole = layout->style->verbose;
	rate_rows(&view);
	time_row(&view);
	if (whole) {
		cwnd_row(&view);
		window_rows(&view);
	}
	rtt_rows(&view);
	if (whole || brief || (target_is_above(view.path) && plan_changes(report->plan) == 0))
		bdp_row(&view);
	if (whole || brief || view.path->loss.ratio >= LOSSLESS_RATIO)
		loss_row(&view);
	if (whole) {
		rfc6349_row(&view, report->rfc6349);
		unknown_row(&view);
	}
}
