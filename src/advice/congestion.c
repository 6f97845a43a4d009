/* Congestion control and queueing discipline: kept unless the evidence says otherwise. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <string.h>

#include "model/loss.h"

/* On shorter paths loss is repaired so fast that BBR has little to win. */
#define LONG_PATH_US 5000
/* Loss of a baseline from here on means that it keeps running into its ceiling. */
#define BASELINE_LOSS 1e-3

static bool path_is_long(const struct path *path)
{
	return path->rtt.method == RTT_UNKNOWN || path->rtt.us >= LONG_PATH_US;
}

static struct remark reason_loss(const struct path *path)
{
	double bound = path->rtt.us > 0 && path->loss.ratio > 0
			   ? cubic_rate_bps(path->mss, path->rtt.us, path->loss.ratio)
			   : 0;

	return (struct remark){.id = REMARK_BBR_LOSS,
	    .values = {as_share(path->loss.ratio), bound > 0 ? as_rate(bound) : as_word("little")}};
}

static struct remark reason_queue(const struct path *path)
{
	return (struct remark){.id = REMARK_BBR_QUEUE,
	    .values = {
		as_time(path->loaded.rtt_us > 0 ? path->loaded.rtt_us : path->bin_rtt.max_us)}};
}

static struct remark reason_baseline(const struct advice_input *input)
{
	const struct path *baseline = &input->baseline->path;

	return (struct remark){
	    .id = input->baseline_is_swept ? REMARK_BBR_SWEPT : REMARK_BBR_BASELINE,
	    .values = {as_share(baseline->loss.ratio), as_count(baseline->loss.retransmits),
		as_rate(baseline->rate.bps)}};
}

/* A policer may be what drops, which BBR overruns, or so much is lost that BBR collapses, too (tcp_bbr.c:
 * its rate holds up to 15-20 % lost; measured on 6.18), or it is hardly more than a guess. */
#define POLICER_POSSIBLE 0.15
#define LOSS_TOO_MUCH 0.10

static bool bbr_may_help(const struct limit *limit, const struct path *path)
{
	return limit->shares[FACTOR_POLICER] < POLICER_POSSIBLE &&
	       limit->confidence >= CONFIDENCE_MEDIUM &&
	       (!path->loss.known || path->loss.ratio < LOSS_TOO_MUCH);
}

/* Why BBR is advised; REMARK_NONE when it is not. */
static struct remark bbr_reason(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;

	if (congestion_is_bbr(path->congestion_control))
		return (struct remark){.id = REMARK_NONE};
	if (input->baseline && input->baseline->path.loss.known &&
	    input->baseline->path.loss.ratio >= BASELINE_LOSS && path_is_long(path) &&
	    !congestion_is_bbr(input->baseline->path.congestion_control))
		return reason_baseline(input);
	if (input->analysis->limit.factor == FACTOR_RANDOM_LOSS &&
	    input->analysis->limit.where == WHERE_PATH && path_is_long(path) &&
	    bbr_may_help(&input->analysis->limit, path))
		return reason_loss(path);
	if (input->analysis->limit.factor == FACTOR_QUEUE &&
	    input->analysis->limit.confidence == CONFIDENCE_HIGH)
		return reason_queue(path);
	return (struct remark){.id = REMARK_NONE};
}

/* What BBR cost where the baseline is a run with it. */
static void add_cost(const struct advice_input *input, struct value *cost)
{
	const struct path *path = &input->analysis->path;
	const struct path *bbr = input->baseline ? &input->baseline->path : NULL;

	if (!bbr || !congestion_is_bbr(bbr->congestion_control) || !bbr->loss.known ||
	    !path->loss.known)
		return;
	cost[0] = as_rate(bbr->rate.bps);
	cost[1] = as_share(bbr->loss.ratio);
	cost[2] = as_share(path->loss.ratio);
	if (!bbr->loaded.known || !path->loaded.known)
		return;
	cost[3] = as_time(bbr->loaded.rtt_us);
	cost[4] = as_time(path->loaded.rtt_us);
}

/* True when the word is one of those in a blank-separated list. */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static void add_word(struct plan *plan, const struct host *host, enum tunable_id id, enum role role,
    const char *word, const struct remark *because)
{
	const struct tunable_value *current =
	    host && host->values[id].known ? &host->values[id] : NULL;
	struct setting *setting = plan_add_setting(plan, id, role);

	if (!setting)
		return;
	setting->value.known = true;
	strlcpy(setting->value.word, word, sizeof(setting->value.word));
	if (current) {
		setting->current = *current;
		setting->change = strcmp(current->word, word) != 0;
	}
	setting->because = *because;
}

static void add_module_line(struct plan *plan, const struct host *host, enum role role)
{
	const struct tunable_value *available =
	    host ? &host->values[TUNABLE_TCP_AVAILABLE_CONGESTION_CONTROL] : NULL;

	if (available && available->known && list_has(available->word, "bbr"))
		return;
	struct command *command = plan_add_command(plan);
	if (!command)
		return;
	command->host = role;
	command->for_files = available && available->known;
	command->because.id = command->for_files ? REMARK_MODULE_MISSING : REMARK_MODULE_PERHAPS;
}

static void add_queue_line(struct plan *plan, const struct host *host, enum role role)
{
	if (host && host->origin == HOST_LIVE && host->interface_count > 0)
		return; /* the exact lines for its interfaces are added by the caller who can see them */
	struct command *command = plan_add_command(plan);
	if (!command)
		return;
	command->host = role;
	command->because.id = REMARK_QUEUE;
}

/* The run's algorithm is not the one that is set where it was sent from. */
static bool program_chose(const struct advice_input *input)
{
	const struct tunable_value *set =
	    input->sender ? &input->sender->values[TUNABLE_TCP_CONGESTION_CONTROL] : NULL;
	const char *used = input->analysis->path.congestion_control;

	return set && set->known && used[0] != '\0' && strcmp(set->word, used) != 0;
}

static void keep(const struct advice_input *input, struct plan *plan)
{
	const char *used = input->analysis->path.congestion_control;
	struct remark because = {.id = REMARK_CC_KEPT, .values = {as_word(used)}};

	if (input->analysis->limit.factor == FACTOR_POLICER) {
		because.id = REMARK_POLICER;
	} else if (program_chose(input)) {
		because.id = REMARK_PROGRAM_CHOSE;
		because.values[1] =
		    as_word(input->sender->values[TUNABLE_TCP_CONGESTION_CONTROL].word);
	}
	plan_refuse(plan, "net.ipv4.tcp_congestion_control", &because);
}

/* Just below the rate of the bucket, where one was fitted: a mean would count the recoveries, too.  fq counts
 * whole packets, as a policer does (net/sched/sch_fq.c). */
#define PACE_OF_BUCKET 0.97
#define PACE_OF_MEAN 0.95

static double pace_bps(const struct path *path)
{
	double all_bps = path->bucket.known ? PACE_OF_BUCKET * path->bucket.rate_bps
					    : PACE_OF_MEAN * path->rate.bps;

	return all_bps / path->streams;
}

/* What the path carries is then not known, and a cap would keep it so. */
static bool still_rises(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;
	bool swept = input->sweep_ceiling_bytes > 0 || input->sweep_send_bytes > 0;

	if (swept && input->sweep_beyond_bytes <= 0)
		return true;
	return !path->bucket.known && (path->phases.governing == PHASE_START ||
					  path->phases.governing == PHASE_RECOVERING);
}

static void add_pacing_line(const struct advice_input *input, struct plan *plan, enum role role)
{
	struct command *command;

	if (input->analysis->limit.factor != FACTOR_POLICER || still_rises(input) ||
	    !(command = plan_add_command(plan)))
		return;
	command->host = role;
	/* A little below the rate it lets through, so that its bucket never runs dry. */
	command->because = (struct remark){.id = REMARK_PACE_POLICED,
	    .values = {as_number(pace_bps(&input->analysis->path) / 1e3)}};
}

void plan_congestion(const struct advice_input *input, struct plan *plan)
{
	enum role role = input->role == ROLE_PROXY ? ROLE_PROXY : ROLE_SENDER;

	if (!input->analysis->run || input->role == ROLE_RECEIVER)
		return;
	struct remark because = bbr_reason(input);
	if (because.id == REMARK_NONE) {
		keep(input, plan);
		add_pacing_line(input, plan, role);
		return;
	}
	add_cost(input, because.values + 4);
	add_word(plan, input->sender, TUNABLE_TCP_CONGESTION_CONTROL, role, "bbr", &because);
	add_module_line(plan, input->sender, role);
	if (input->sender && input->sender->in_namespace)
		return;
	add_word(plan, input->sender, TUNABLE_DEFAULT_QDISC, role, "fq",
	    &(struct remark){.id = REMARK_FQ});
	add_queue_line(plan, input->sender, role);
}
