#include "report/phrase.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "model/loss.h"
#include "report/limit_text.h"
#include "report/run_groups_report.h"

/* About what is lost on a path that is in order: for a number of streams when no loss was measured. */
#define LOSS_OF_CLEAN_PATH 1e-6

static const char *const role_nouns[ROLE_COUNT] = {
    [ROLE_UNKNOWN] = "the host",
    [ROLE_RECEIVER] = "the receiver",
    [ROLE_SENDER] = "the sender",
    [ROLE_PROXY] = "the proxy",
};

static const char *const rtt_method_words[RTT_METHOD_COUNT] = {
    [RTT_UNKNOWN] = "unknown",
    [RTT_GIVEN] = "as given",
    [RTT_TCP_INFO] = "as the kernel measured it (tcp_info)",
    [RTT_PING] = "by ping",
    [RTT_WINDOW_RATE] = "window / rate, both as given",
    [RTT_PEER_WINDOW] = "from the peer's window / rate, as the flow fills that window",
    [RTT_RMEM_SHARE] = "from the window that the receiver's tcp_rmem permits / rate",
    [RTT_CWND] = "from cwnd / rate: an upper bound, as cwnd need not all be in flight",
};

static const char *const rtt_method_names[RTT_METHOD_COUNT] = {
    [RTT_UNKNOWN] = "unknown",
    [RTT_GIVEN] = "as given",
    [RTT_TCP_INFO] = "by tcp_info",
    [RTT_PING] = "by ping",
    [RTT_WINDOW_RATE] = "window / rate, as given",
    [RTT_PEER_WINDOW] = "by the peer's window / rate",
    [RTT_RMEM_SHARE] = "by tcp_rmem's window / rate",
    [RTT_CWND] = "by cwnd / rate: an upper bound",
};

void phrase_add(struct phrase *text, const char *format, ...)
{
	size_t used = strlen(text->s);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text->s + used, sizeof(text->s) - used, format, arguments);
	va_end(arguments);
}

const struct analysis *report_chosen(const struct report *report)
{
	if (report->chosen >= report->analysis_count)
		return NULL;
	return &report->analyses[report->chosen];
}

/* The name of a role's host, "" when unknown.  A proxy is the end at which the run is held: its
 * other connection is not in the evidence. */
static const char *role_host_name(const struct report *report, enum role role)
{
	const struct analysis *chosen = report_chosen(report);

	if (role == ROLE_RECEIVER)
		return report->plan->receiver_name;
	if (role == ROLE_SENDER)
		return report->plan->sender_name;
	if (role == ROLE_PROXY && chosen && chosen->limit.where == WHERE_RECEIVER)
		return report->plan->receiver_name;
	if (role == ROLE_PROXY && chosen && chosen->limit.where == WHERE_SENDER)
		return report->plan->sender_name;
	return "";
}

struct phrase phrase_host(const struct report *report, enum role role)
{
	const char *name = role_host_name(report, role);
	struct phrase text;
	char safe[160];

	if (*name)
		snprintf(text.s, sizeof(text.s), "%s %s", role_nouns[role],
		    quote_text(name, safe, sizeof(safe)));
	else
		snprintf(text.s, sizeof(text.s), "%s", role_nouns[role]);
	return text;
}

struct phrase phrase_end(const struct report *report, enum where where)
{
	enum role role = where == WHERE_SENDER ? ROLE_SENDER : ROLE_RECEIVER;
	const char *name = role_host_name(report, role);
	struct phrase text;

	if (where == WHERE_EITHER)
		snprintf(text.s, sizeof(text.s), "either end");
	else if (where == WHERE_PATH)
		snprintf(text.s, sizeof(text.s), "the path");
	else if (where != WHERE_NONE && *name)
		quote_text(name, text.s, sizeof(text.s));
	else
		snprintf(text.s, sizeof(text.s), "%s", role_nouns[role]);
	return text;
}

bool phrase_is_at(enum role role, enum where where)
{
	if (where == WHERE_RECEIVER)
		return role == ROLE_RECEIVER || role == ROLE_PROXY;
	if (where == WHERE_SENDER)
		return role == ROLE_SENDER || role == ROLE_PROXY;
	return false;
}

struct phrase phrase_direction(const struct run *run)
{
	bool from_client = run->client == run->local_sends;
	struct phrase text;
	char sender[80], receiver[80];

	quote_text(run->sender, sender, sizeof(sender));
	quote_text(run->receiver, receiver, sizeof(receiver));
	if (!*sender)
		snprintf(sender, sizeof(sender), "%s", from_client ? "client" : "server");
	if (!*receiver)
		snprintf(receiver, sizeof(receiver), "%s", from_client ? "server" : "client");
	snprintf(text.s, sizeof(text.s), "%s -> %s", sender, receiver);
	return text;
}

struct unit_text phrase_decimal_size(double bytes)
{
	static const char *const decimal_units[] = {"bytes", "kB", "MB", "GB", "TB"};
	const size_t last = sizeof(decimal_units) / sizeof(decimal_units[0]) - 1;
	struct unit_text text;
	size_t unit = 0;

	/* 999.5 would be printed as 1000 */
	for (; bytes >= 999.5 && unit < last; unit++)
		bytes /= 1000;
	snprintf(text.s, sizeof(text.s), "%.*f %s",
	    unit == 0 || bytes >= 99.95 ? 0
	    : bytes >= 9.995		? 1
					: 2,
	    bytes, decimal_units[unit]);
	return text;
}

struct unit_text phrase_ratio(double ratio)
{
	return ratio < 10 ? percent_text(ratio) : factor_text(ratio);
}

struct phrase phrase_candidates(const struct limit *limit)
{
	struct phrase text = {""};

	for (size_t i = 0; i < limit->candidate_count; i++)
		phrase_add(&text, "%s%s",
		    i == 0			     ? ""
		    : i + 1 < limit->candidate_count ? ", "
						     : " or ",
		    factor_words[limit->candidates[i]].text);
	return text;
}

struct unit_text phrase_digit(double ratio)
{
	struct unit_text text;

	snprintf(text.s, sizeof(text.s), "%.0e", ratio);
	return text;
}

struct phrase phrase_bearing(const struct plan *plan, const struct path *path)
{
	struct phrase text = {""};
	double usual = cubic_rate_bps(path->mss, path->rtt.us, LOSS_OF_CLEAN_PATH);

	phrase_add(&text, "%s over %s with CUBIC takes less than %s of the segments lost",
	    rate_text(path->target.bps).s, time_text(path->rtt.us).s,
	    phrase_digit(plan->bears_loss).s);
	if (plan->loss_bound_bps > 0 && plan->loss_bound_bps < path->target.bps)
		phrase_add(&text, ", or %.0f streams at the loss that is known",
		    ceil(path->target.bps / (plan->loss_bound_bps / fmax(1, path->streams))));
	else if (path->target.bps > usual)
		phrase_add(&text, ", or %.0f streams at %s", ceil(path->target.bps / usual),
		    phrase_digit(LOSS_OF_CLEAN_PATH).s);
	return text;
}

const char *phrase_rtt_method(enum rtt_method method, bool brief)
{
	return (brief ? rtt_method_names : rtt_method_words)[method];
}

size_t plan_changes(const struct plan *plan)
{
	size_t changes = 0;

	for (size_t i = 0; i < plan->setting_count; i++)
		changes += plan->settings[i].change ? 1 : 0;
	return changes;
}

size_t plan_host_changes(const struct plan *plan, enum role host)
{
	size_t changes = 0;

	for (size_t i = 0; i < plan->setting_count; i++)
		changes += plan->settings[i].host == host && plan->settings[i].change ? 1 : 0;
	for (size_t i = 0; i < plan->command_count; i++)
		changes += plan->commands[i].host == host && plan->commands[i].for_files ? 1 : 0;
	return changes;
}

static size_t add_host(enum role hosts[ROLE_COUNT], size_t count, enum role host)
{
	for (size_t i = 0; i < count; i++) {
		if (hosts[i] == host)
			return count;
	}
	hosts[count] = host;
	return count + 1;
}

size_t plan_hosts(const struct plan *plan, enum role hosts[ROLE_COUNT])
{
	size_t count = 0;

	for (size_t i = 0; i < plan->setting_count; i++)
		count = add_host(hosts, count, plan->settings[i].host);
	for (size_t i = 0; i < plan->command_count; i++) {
		if (plan->commands[i].for_files)
			count = add_host(hosts, count, plan->commands[i].host);
	}
	return count;
}

bool plan_repeats_risk(const struct plan *plan, const struct setting *setting, bool brief)
{
	for (const struct setting *earlier = plan->settings; earlier < setting; earlier++) {
		bool same = strcmp(earlier->risk, setting->risk) == 0;
		if (brief && setting->risk_brief > 0)
			same = earlier->risk_brief == setting->risk_brief &&
			       strncmp(earlier->risk, setting->risk, setting->risk_brief) == 0;
		if (earlier->change && same && (brief || earlier->host == setting->host))
			return true;
	}
	return false;
}
