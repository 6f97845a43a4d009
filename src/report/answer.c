#include "report/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/measure_command.h"
#include "base/quote.h"
#include "base/units.h"
#include "report/finding_text.h"
#include "report/limit_text.h"
#include "report/phrase.h"

/* A sentence with more of them than this is no answer: the section on the limit has them all. */
#define CANDIDATES_TOLD 3
/* What has less than this share is excluded, as surely as "high" is sure; so many of them are told. */
#define EXCLUDED_SHARE 0.01
#define EXCLUDED_TOLD 2

struct hold {
	const char *words;   /* after the rate and a comma */
	bool at_host;	     /* the name of the host comes after the words */
	bool as_it_should;   /* no fault of a setting or of the path */
	bool not_by_setting; /* no kernel setting lifts it */
	bool by_ceiling;     /* a larger ceiling lifts it, once it is told what for */
};

static const struct hold holds[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = {.words = ""},
    [FACTOR_APPLICATION] = {.words = "all that the application asked for", .as_it_should = true},
    [FACTOR_SOCKET_OPTION] = {.words = "held by a socket buffer that the application set",
	.not_by_setting = true},
    [FACTOR_CPU] = {.words = "held by the CPU of", .at_host = true, .not_by_setting = true},
    [FACTOR_RECEIVE_WINDOW] = {.words = "held by the receive window of",
	.at_host = true,
	.by_ceiling = true},
    [FACTOR_SEND_BUFFER] = {.words = "held by the send buffer of",
	.at_host = true,
	.by_ceiling = true},
    [FACTOR_WINDOW_SCALING_OFF] = {.words = "held to 64 KiB in flight, as window scaling is off"},
    [FACTOR_RANDOM_LOSS] = {.words = "held by random loss on the path"},
    [FACTOR_POLICER] = {.words = "held by a policer or a shallow queue on the path",
	.not_by_setting = true},
    [FACTOR_QUEUE] = {.words = "all that the path carries, through a queue that fills"},
    [FACTOR_LINK] = {.words = "all that the link carries", .as_it_should = true},
    [FACTOR_STALLED] = {.words = "stalled: most of the time nothing gets through",
	.not_by_setting = true},
    [FACTOR_RECEIVER_APPLICATION] = {.words = "held by the program that reads at",
	.at_host = true,
	.not_by_setting = true},
    [FACTOR_APPLICATION_WINDOW] = {.words = "held by a window of the program's own, above TCP",
	.not_by_setting = true},
    [FACTOR_LOSS_RECOVERY] = {.words = "still recovering from a loss when the test ended"},
};

static const struct setting *first_change(const struct plan *plan)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].change)
			return &plan->settings[i];
	}
	return NULL;
}

/* "net.ipv4.tcp_rmem" is known by its last part. */
static const char *short_key(enum tunable_id id)
{
	const char *dot = strrchr(tunables[id].key, '.');

	return dot ? dot + 1 : tunables[id].key;
}

/* The numbers of a loss or of a queue, which say more than its name. */
static void add_detail(struct phrase *answer, const struct analysis *chosen)
{
	const struct path *path = &chosen->path;
	enum factor factor = chosen->limit.factor;

	if ((factor == FACTOR_RANDOM_LOSS || factor == FACTOR_POLICER) && path->loss.known)
		phrase_add(answer, " (%s lost)", percent_text(path->loss.ratio).s);
	else if (factor == FACTOR_QUEUE && path->loaded.known && path->idle.known)
		phrase_add(answer, " (RTT %s, %s without load)", time_text(path->loaded.rtt_us).s,
		    time_text(path->idle.rtt_us).s);
	else if (factor == FACTOR_QUEUE && path->loaded.known && path->rtt.method != RTT_UNKNOWN &&
		 path->loaded.rtt_us > path->rtt.us)
		phrase_add(answer, " (RTT %s under load, %s at best)",
		    time_text(path->loaded.rtt_us).s, time_text(path->rtt.us).s);
}

static void add_rate(struct phrase *answer, const struct path *path)
{
	if (path->rate.known)
		phrase_add(answer, "%s", rate_text(path->rate.bps).s);
	else
		phrase_add(answer, "No rate could be read");
}

/* The first of the usual suspects that the evidence rules out. */
static void add_excluded(struct phrase *answer, const struct limit *limit)
{
	static const enum factor suspects[] = {FACTOR_RECEIVE_WINDOW, FACTOR_SEND_BUFFER,
	    FACTOR_LINK, FACTOR_RANDOM_LOSS, FACTOR_POLICER, FACTOR_QUEUE, FACTOR_CPU};
	size_t told = 0;

	for (size_t i = 0; i < sizeof(suspects) / sizeof(suspects[0]) && told < EXCLUDED_TOLD; i++)
		if (limit->shares[suspects[i]] < EXCLUDED_SHARE)
			phrase_add(answer, "%s%s", told++ == 0 ? ", not " : " or ",
			    factor_words[suspects[i]].text);
}

/* The likeliest few, with their shares. */
static void add_candidates(struct phrase *answer, const struct limit *limit)
{
	size_t told =
	    limit->candidate_count < CANDIDATES_TOLD ? limit->candidate_count : CANDIDATES_TOLD;

	if (told == 0)
		phrase_add(answer, "; nothing here says what holds it");
	else
		phrase_add(answer, "; undecided: ");
	for (size_t i = 0; i < told; i++)
		phrase_add(answer, "%s%s (%.0f %%)",
		    i == 0	   ? ""
		    : i + 1 < told ? ", "
				   : " or ",
		    factor_words[limit->candidates[i]].text,
		    100 * limit->shares[limit->candidates[i]]);
	if (told > 0)
		add_excluded(answer, limit);
}

/* Loss on the path, as it looks, of which the host's own counters tell. */
static bool is_lost_at_host(const struct limit *limit)
{
	return (limit->factor == FACTOR_RANDOM_LOSS || limit->factor == FACTOR_POLICER) &&
	       limit->where != WHERE_PATH && limit->where != WHERE_NONE;
}

static void add_hold(
    struct phrase *answer, const struct report *report, const struct analysis *chosen)
{
	const struct limit *limit = &chosen->limit;
	const struct hold *hold = &holds[limit->factor];
	const char *likely = limit->confidence == CONFIDENCE_LOW ? "probably " : "";

	if (limit->factor == FACTOR_UNKNOWN)
		add_candidates(answer, limit);
	else if (is_lost_at_host(limit))
		phrase_add(answer, ", held by packets that %s drops itself",
		    phrase_end(report, limit->where).s);
	else if (hold->at_host)
		phrase_add(
		    answer, ", %s%s %s", likely, hold->words, phrase_end(report, limit->where).s);
	else
		phrase_add(answer, ", %s%s", likely, hold->words);
	add_detail(answer, chosen);
}

/* "a tcp_rmem ceiling of 20 MiB there (now 4 MiB)" after "needs", and the like after "set". */
static void add_change(
    struct phrase *answer, const struct setting *setting, bool needed, const char *place)
{
	const struct tunable_value *value = &setting->value, *current = &setting->current;
	const char *key = short_key(setting->id);
	char text[256], now[256];

	if ((setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM) &&
	    (!current->known || current->number[2] != value->number[2])) {
		snprintf(now, sizeof(now), "%s", size_text((double)current->number[2]).s);
		snprintf(text, sizeof(text), "%s", size_text((double)value->number[2]).s);
		phrase_add(answer, needed ? "a %s ceiling of %s %s" : "the %s ceiling to %s %s",
		    key, text, place);
	} else {
		tunable_value_text(setting->id, current, text, sizeof(text));
		quote_text(text, now, sizeof(now));
		tunable_value_text(setting->id, value, text, sizeof(text));
		phrase_add(answer, needed ? "%s set to %s %s" : "%s to %s %s", key, text, place);
	}
	if (current->known)
		phrase_add(answer, " (now %s)", now);
}

/* A target above the rate, told apart from one that is the rate. */
static bool wants_more(const struct analysis *chosen)
{
	const struct path *path = chosen ? &chosen->path : NULL;

	return path && target_is_above(path);
}

static void add_changes(
    struct phrase *answer, const struct report *report, const struct analysis *chosen)
{
	const struct setting *first = first_change(report->plan);
	size_t others = plan_changes(report->plan) - 1;
	bool needed = wants_more(chosen) || (chosen && !chosen->run);
	struct phrase place = {"there"};

	if (!first)
		return;
	if (!chosen || !holds[chosen->limit.factor].at_host ||
	    !phrase_is_at(first->host, chosen->limit.where)) {
		place = (struct phrase){"on "};
		phrase_add(&place, "%s", phrase_host(report, first->host).s);
	}
	if (wants_more(chosen))
		phrase_add(answer, "; %s needs ", rate_text(chosen->path.target.bps).s);
	else
		phrase_add(answer, needed ? "; that needs " : "; set ");
	add_change(answer, first, needed, place.s);
	if (others > 0)
		phrase_add(answer, ", and %zu more setting%s", others, others == 1 ? "" : "s");
	phrase_add(answer, ".");
}

static void add_deciding(
    struct phrase *answer, const struct report *report, const struct analysis *chosen)
{
	struct measurement_text measurement;

	if (record_would_tell(report))
		phrase_add(answer, "; `bdp record %s` would tell.", run_server(chosen->run));
	else if (measurement_text(chosen, &measurement))
		phrase_add(answer, "; `%s` would tell.", measurement.command);
	else
		phrase_add(answer, ".");
}

/* Nothing to set: why that is, and where to read on. */
static void add_rest(
    struct phrase *answer, const struct report *report, const struct analysis *chosen)
{
	const struct limit *limit = &chosen->limit;
	const struct hold *hold = &holds[limit->factor];

	if (report->plan->reason == REASON_TARGET_MET)
		phrase_add(answer, "; %s.", report->plan->reason_text);
	else if (limit->factor == FACTOR_UNKNOWN)
		add_deciding(answer, report, chosen);
	else if (hold->as_it_should)
		phrase_add(answer, "; nothing needs setting.");
	else if (hold->not_by_setting)
		phrase_add(answer, "; no kernel setting lifts that.");
	else if (hold->by_ceiling && !wants_more(chosen))
		phrase_add(answer, "; -t RATE sizes that for more.");
	else if (*report->plan->reason_text)
		phrase_add(answer, "; %s.", report->plan->reason_text);
	else if (report->plan->command_count > 0)
		phrase_add(answer, "; nothing to set, but something to do.");
	else
		phrase_add(answer, "; nothing to set.");
}

enum solved answer_solved(const struct path *path)
{
	bool rtt = path->rtt.method != RTT_UNKNOWN;

	if (path->rtt.method == RTT_WINDOW_RATE)
		return SOLVED_RTT;
	if (rtt && path->window.kind == WINDOW_GIVEN)
		return SOLVED_RATE;
	if (rtt && path->bdp.known)
		return SOLVED_BDP;
	return SOLVED_NOTHING;
}

/* A host's settings without anything about a path: what is amiss in them is the answer. */
static const struct finding *gravest(const struct findings *findings)
{
	const struct finding *found = NULL;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *item = &findings->items[i];
		if (!found || finding_table[item->id].severity > finding_table[found->id].severity)
			found = item;
	}
	return found;
}

static bool settings_only(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->input_count; i++)
		if (evidence->inputs[i].kind != INPUT_SYSCTL)
			return false;
	return true;
}

static void add_settings_alone(struct phrase *answer, const struct report *report)
{
	size_t count = report->findings->count;
	const struct finding *worst = gravest(report->findings);
	bool only = settings_only(report->evidence);
	const char *where = only ? "in the settings alone" : "in what was given";

	if (!worst)
		phrase_add(
		    answer, "Nothing is amiss in %s", only ? "the TCP settings" : "what was given");
	else if (count == 1)
		phrase_add(answer, "One finding %s: %s", where, finding_text(worst).s);
	else
		phrase_add(answer, "%zu findings %s, the gravest: %s", count, where,
		    finding_text(worst).s);
	phrase_add(answer, "; a run, or two of -b, -r and -w, says what a path needs of them.");
}

/* Numbers for which nothing is to be set, or nothing yet. */
static void add_unset(struct phrase *answer, const struct plan *plan)
{
	if (!*plan->reason_text)
		phrase_add(answer, ".");
	else if (plan->reason == REASON_LOOK_FIRST)
		phrase_add(answer, "; %s.", plan->reason_text);
	else
		phrase_add(answer, "; %s; nothing to set.", plan->reason_text);
}

static void add_numbers(
    struct phrase *answer, const struct report *report, const struct analysis *chosen)
{
	const struct path *path = &chosen->path;
	double rate = path->target.known ? path->target.bps : path->rate.bps;
	double most = path->rtt.us > 0 ? path->window.bytes * 8e6 / path->rtt.us : 0;

	switch (answer_solved(path)) {
	case SOLVED_RTT:
		phrase_add(answer, "RTT %s: %s in flight at %s", time_text(path->rtt.us).s,
		    size_text(path->window.bytes).s, rate_text(path->rate.bps).s);
		break;
	case SOLVED_RATE:
		phrase_add(answer, "%s at most: %s in flight over %s", rate_text(most).s,
		    size_text(path->window.bytes).s, time_text(path->rtt.us).s);
		break;
	case SOLVED_BDP:
		phrase_add(answer, "BDP %s: %s over %s", size_text(path->bdp.bytes).s,
		    rate_text(rate).s, time_text(path->rtt.us).s);
		break;
	case SOLVED_NOTHING:
		add_settings_alone(answer, report);
		return;
	}
	if (report->plan->streams.count > 1)
		phrase_add(answer, "; %s %u streams of %s",
		    report->plan->streams.is_fixed  ? "in"
		    : report->plan->streams.by_core ? "more than one core carries, so"
						    : "more than one window holds, so",
		    report->plan->streams.count, rate_text(report->plan->streams.rate_bps).s);
	if (plan_changes(report->plan) > 0 && !answer_is_number(report))
		add_changes(answer, report, chosen);
	else
		add_unset(answer, report->plan);
}

/* UDP has no window: what is left to say is what got through. */
static void add_datagrams(struct phrase *answer, const struct analysis *chosen)
{
	const struct run *run = chosen->run;

	add_rate(answer, &chosen->path);
	phrase_add(answer, " of %s", run->protocol == PROTOCOL_UDP ? "UDP" : "SCTP");
	if ((run->has & RUN_JITTER) && run->packets > 0)
		phrase_add(
		    answer, ", %s lost", percent_text((double)run->lost / (double)run->packets).s);
	phrase_add(answer, "; only TCP has a window and buffers to advise on.");
}

struct phrase answer_compute(const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);
	struct phrase answer = {""};

	if (chosen && !chosen->run) {
		add_numbers(&answer, report, chosen);
	} else if (chosen && chosen->run->protocol != PROTOCOL_TCP) {
		add_datagrams(&answer, chosen);
	} else if (chosen) {
		add_rate(&answer, &chosen->path);
		add_hold(&answer, report, chosen);
		if (plan_changes(report->plan) > 0)
			add_changes(&answer, report, chosen);
		else
			add_rest(&answer, report, chosen);
	} else {
		phrase_add(&answer, "No run and no numbers, so nothing is known of the path");
		if (plan_changes(report->plan) > 0)
			add_changes(&answer, report, NULL);
		else
			phrase_add(&answer, "; what the settings themselves say is below.");
	}
	return answer;
}

bool record_would_tell(const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);

	return chosen && chosen->run && chosen->limit.confidence == CONFIDENCE_LOW &&
	       report->evidence->hosts[END_SERVER].origin == HOST_UNKNOWN;
}

bool answer_is_number(const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);
	enum solved solved;

	if (!chosen || chosen->run || report->memory->connections > 0)
		return false;
	solved = answer_solved(&chosen->path);
	return (solved == SOLVED_RTT || solved == SOLVED_RATE) && !wants_more(chosen);
}

bool answer_is_clean(const struct report *report)
{
	const struct analysis *chosen = report_chosen(report);

	if (!chosen || !chosen->run || !holds[chosen->limit.factor].as_it_should)
		return false;
	for (size_t i = 0; i < report->findings->count; i++) {
		enum finding_id id = report->findings->items[i].id;
		if (finding_table[id].severity >= SEVERITY_WARNING)
			return false;
	}
	return plan_changes(report->plan) == 0 && report->plan->command_count == 0;
}
