/* Congestion control and queueing discipline: kept unless the evidence says otherwise. */
#include "advice/advice.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "base/units.h"
#include "model/loss.h"

/* On shorter paths loss is repaired so fast that BBR has little to win. */
#define LONG_PATH_US 5000
/* Loss of a baseline from here on means that it keeps running into its ceiling. */
#define BASELINE_LOSS 1e-3

#define PACES_BBR "paces BBR's packets"

/* Why BBR is advised; NULL when it is not. */
struct bbr_reason {
	char why[480];
	size_t brief; /* as struct setting has it */
	bool advised;
};

static bool path_is_long(const struct path *path)
{
	return path->rtt.method == RTT_UNKNOWN || path->rtt.us >= LONG_PATH_US;
}

static void reason_loss(const struct path *path, struct bbr_reason *reason)
{
	double bound = path->rtt.us > 0 && path->loss_ratio > 0
			   ? cubic_rate_bps(path->mss, path->rtt.us, path->loss_ratio)
			   : 0;

	reason->advised = true;
	text_append(reason->why, sizeof(reason->why), &reason->brief,
	    "%s of the segments are lost whatever is sent: CUBIC carries about %s a stream under that",
	    percent_text(path->loss_ratio).s, bound > 0 ? rate_text(bound).s : "little");
	text_append(reason->why, sizeof(reason->why), NULL,
	    " (RFC 9438), BBR does not slow down for it; it costs more retransmits, and is hard on "
	    "CUBIC flows beside it");
}

static void reason_queue(const struct path *path, struct bbr_reason *reason)
{
	reason->advised = true;
	text_append(reason->why, sizeof(reason->why), &reason->brief,
	    "the queue at the bottleneck takes the RTT to %s",
	    time_text(path->loaded_rtt_us > 0 ? path->loaded_rtt_us : path->rtt_max_us).s);
	text_append(reason->why, sizeof(reason->why), NULL,
	    ": CUBIC fills it, BBR keeps it short at the same rate; beside CUBIC flows it may get less, "
	    "or take more, than its share");
}

static void reason_baseline(const struct advice_input *input, struct bbr_reason *reason)
{
	const struct path *baseline = &input->baseline->path;

	reason->advised = true;
	text_append(reason->why, sizeof(reason->why), &reason->brief,
	    "%s loses %s of its segments (%s) at %s",
	    input->baseline_is_swept ? "a run under a larger ceiling" : "the baseline",
	    percent_text(baseline->loss_ratio).s, count_text(baseline->retransmits).s,
	    rate_text(baseline->rate_bps).s);
	text_append(reason->why, sizeof(reason->why), NULL,
	    ": loss-based control keeps running into that ceiling; BBR paces itself below it; it costs "
	    "fairness to CUBIC flows: compare both runs");
}

/* A policer may be what drops, which BBR overruns, or so much is lost that BBR collapses, too (tcp_bbr.c:
 * its rate holds up to 15-20 % lost; measured on 6.18), or it is hardly more than a guess. */
#define POLICER_POSSIBLE 0.24
#define LOSS_TOO_MUCH 0.10

static bool bbr_may_help(const struct limit *limit, const struct path *path)
{
	return limit->shares[FACTOR_POLICER] < POLICER_POSSIBLE &&
	       limit->confidence >= CONFIDENCE_MEDIUM &&
	       (!(path->has & PATH_LOSS) || path->loss_ratio < LOSS_TOO_MUCH);
}

static struct bbr_reason bbr_reason_for(const struct advice_input *input)
{
	const struct path *path = &input->analysis->path;
	struct bbr_reason reason = {.advised = false};

	if (congestion_is_bbr(path->congestion_control))
		return reason;
	if (input->baseline && (input->baseline->path.has & PATH_LOSS) &&
	    input->baseline->path.loss_ratio >= BASELINE_LOSS && path_is_long(path) &&
	    !congestion_is_bbr(input->baseline->path.congestion_control))
		reason_baseline(input, &reason);
	else if (input->analysis->limit.factor == FACTOR_RANDOM_LOSS &&
		 input->analysis->limit.where == WHERE_PATH && path_is_long(path) &&
		 bbr_may_help(&input->analysis->limit, path))
		reason_loss(path, &reason);
	else if (input->analysis->limit.factor == FACTOR_QUEUE &&
		 input->analysis->limit.confidence == CONFIDENCE_HIGH)
		reason_queue(path, &reason);
	return reason;
}

/* What BBR cost where the baseline is a run with it. */
static void add_cost(const struct advice_input *input, struct bbr_reason *reason)
{
	const struct path *path = &input->analysis->path;
	const struct path *bbr = input->baseline ? &input->baseline->path : NULL;
	char delay[96] = "";

	if (!reason->advised || !bbr || !congestion_is_bbr(bbr->congestion_control) ||
	    !(bbr->has & PATH_LOSS) || !(path->has & PATH_LOSS))
		return;
	if ((bbr->has & PATH_LOADED_RTT) && (path->has & PATH_LOADED_RTT))
		snprintf(delay, sizeof(delay), ", RTT %s instead of %s",
		    time_text(bbr->loaded_rtt_us).s, time_text(path->loaded_rtt_us).s);
	text_append(reason->why, sizeof(reason->why), NULL,
	    "; with it the baseline carried %s for %s sent again instead of %s%s",
	    rate_text(bbr->rate_bps).s, percent_text(bbr->loss_ratio).s,
	    percent_text(path->loss_ratio).s, delay);
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
    const char *word, const char *why, size_t brief)
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
	strlcpy(setting->why, why, sizeof(setting->why));
	setting->why_brief = brief;
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
	strlcpy(command->command,
	    "sudo modprobe tcp_bbr && echo tcp_bbr | sudo tee /etc/modules-load.d/bdp.conf",
	    sizeof(command->command));
	snprintf(command->why, sizeof(command->why), "%s",
	    command->for_files
		? "bbr is not among the available algorithms there: load its module, now and at boot"
		: "if bbr is not available there (sysctl net.ipv4.tcp_available_congestion_control)");
}

/*
 * The interface towards the other end, as the host itself finds it; where that end is not known, as a
 * proxy's is not, the word DEV stands for it.
 */
const char *device_towards(const struct plan *plan, enum role role, char *out, size_t size)
{
	const char *peer = role == ROLE_SENDER ? quote_host(plan->receiver_name, "") : "";

	if (*peer == '\0' || strspn(peer, "0123456789abcdefABCDEF.:") != strlen(peer))
		snprintf(out, size, "DEV");
	else
		snprintf(out, size, "$(ip -o route get %s | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')",
		    peer);
	return out;
}

const char *device_note(const char *device)
{
	return strcmp(device, "DEV") == 0 ? "; DEV is the one towards the path" : "";
}

static void add_queue_line(struct plan *plan, const struct host *host, enum role role)
{
	char device[160];

	if (host && host->origin == HOST_LIVE && host->interface_count > 0)
		return; /* the exact lines for its interfaces are added by the caller who can see them */
	struct command *command = plan_add_command(plan);
	if (!command)
		return;
	command->host = role;
	device_towards(plan, role, device, sizeof(device));
	snprintf(command->command, sizeof(command->command), "sudo tc qdisc replace dev %s root fq",
	    device);
	snprintf(command->why, sizeof(command->why),
	    "default_qdisc does not change interfaces that are up%s", device_note(device));
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
	const struct path *path = &input->analysis->path;

	if (input->analysis->limit.factor == FACTOR_POLICER)
		plan_refuse(plan, "net.ipv4.tcp_congestion_control",
		    "BBR is no cure for a policer with a shallow bucket: it overshoots and is cut back in "
		    "turn; pace below its rate instead (fq maxrate, SO_MAX_PACING_RATE), or have the bucket "
		    "hold a BDP");
	else if (program_chose(input))
		plan_refuse(plan, "net.ipv4.tcp_congestion_control",
		    "the program chose %s itself (iperf3 -C, TCP_CONGESTION): what is set on the sender, %s, "
		    "does not matter to it",
		    path->congestion_control,
		    input->sender->values[TUNABLE_TCP_CONGESTION_CONTROL].word);
	else
		plan_refuse(plan, "net.ipv4.tcp_congestion_control",
		    "kept%s%s: nothing here speaks for a change",
		    path->congestion_control[0] ? " at " : "", path->congestion_control);
}

/* Just below the rate of the bucket, where one was fitted: a mean would count the recoveries, too.  fq counts
 * whole packets, as a policer does (net/sched/sch_fq.c). */
#define PACE_OF_BUCKET 0.97
#define PACE_OF_MEAN 0.95

static double pace_bps(const struct path *path)
{
	double all_bps = path->bucket.known ? PACE_OF_BUCKET * path->bucket.rate_bps
					    : PACE_OF_MEAN * path->rate_bps;

	return all_bps / path->streams;
}

/* What the path carries is then not known, and a cap would keep it so. */
static bool still_rises(const struct path *path)
{
	return !path->bucket.known && (path->phases.governing == PHASE_START ||
					  path->phases.governing == PHASE_RECOVERING);
}

static void add_pacing_line(const struct advice_input *input, struct plan *plan, enum role role)
{
	struct command *command;
	char device[160];

	if (input->analysis->limit.factor != FACTOR_POLICER ||
	    still_rises(&input->analysis->path) || !(command = plan_add_command(plan)))
		return;
	command->host = role;
	/* A little below the rate it lets through, so that its bucket never runs dry. */
	device_towards(plan, role, device, sizeof(device));
	snprintf(command->command, sizeof(command->command),
	    "sudo tc qdisc replace dev %s root fq maxrate %.0fkbit", device,
	    pace_bps(&input->analysis->path) / 1e3);
	snprintf(command->why, sizeof(command->why),
	    "paces each flow just below the policer's rate%s", device_note(device));
}

void plan_congestion(const struct advice_input *input, struct plan *plan)
{
	enum role role = input->role == ROLE_PROXY ? ROLE_PROXY : ROLE_SENDER;
	struct bbr_reason reason;

	if (!input->analysis->run || input->role == ROLE_RECEIVER)
		return;
	reason = bbr_reason_for(input);
	add_cost(input, &reason);
	if (!reason.advised) {
		keep(input, plan);
		add_pacing_line(input, plan, role);
		return;
	}
	add_word(plan, input->sender, TUNABLE_TCP_CONGESTION_CONTROL, role, "bbr", reason.why,
	    reason.brief);
	add_module_line(plan, input->sender, role);
	if (input->sender && input->sender->in_namespace)
		return;
	add_word(plan, input->sender, TUNABLE_DEFAULT_QDISC, role, "fq",
	    PACES_BBR
	    "; preferred, not required: since Linux 4.13 TCP paces by itself with a timer a "
	    "socket (net/ipv4/tcp_bbr.c); for interfaces that come up from now on",
	    strlen(PACES_BBR));
	add_queue_line(plan, input->sender, role);
}
