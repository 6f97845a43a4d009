#include "verbs/verbs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "diagnosis/diagnosis.h"
#include "evidence/counters.h"
#include "evidence/tunable.h"
#include "model/window.h"
#include "report/finding_text.h"
#include "report/layout.h"
#include "report/limit_text.h"
#include "verbs/output.h"
#include "verbs/glossary.h"

/*
 * The kernel's own values where they do not follow from a version: what a host without a sysctl.d
 * has.  net/ipv4/tcp_ipv4.c, tcp_sk_init; net/ipv4/tcp.c, tcp_init; net/core/sysctl_net_core.c.
 */
static const char *const defaults[TUNABLE_COUNT] = {
    [TUNABLE_TCP_MEM] = "by RAM: 4.7, 6.25 and 9.4 % of it",
    [TUNABLE_RMEM_DEFAULT] = "212992",
    [TUNABLE_WMEM_DEFAULT] = "212992",
    [TUNABLE_TCP_CONGESTION_CONTROL] = "cubic, unless the kernel was built otherwise",
    [TUNABLE_DEFAULT_QDISC] = "pfifo_fast; fq_codel where systemd sets it",
    [TUNABLE_TCP_ADV_WIN_SCALE] = "1 (2 before Linux 3.4); not read since 6.6",
    [TUNABLE_TCP_MODERATE_RCVBUF] = "1",
    [TUNABLE_TCP_WINDOW_SCALING] = "1",
    [TUNABLE_TCP_TIMESTAMPS] = "1",
    [TUNABLE_TCP_SACK] = "1",
    [TUNABLE_TCP_SHRINK_WINDOW] = "0; there is none before Linux 6.5, but for 6.1.y since October "
				  "2023",
    [TUNABLE_TCP_NO_METRICS_SAVE] = "0",
    [TUNABLE_TCP_SLOW_START_AFTER_IDLE] = "1",
    [TUNABLE_TCP_MTU_PROBING] = "0",
    [TUNABLE_TCP_BASE_MSS] = "1024 (512 before Linux 4.1)",
    [TUNABLE_TCP_NOTSENT_LOWAT] = "4294967295: no limit",
    [TUNABLE_TCP_LIMIT_OUTPUT_BYTES] = "262144; 1048576 from Linux 4.20, 4194304 from 6.16",
    [TUNABLE_TCP_APP_WIN] = "31",
    [TUNABLE_TCP_ECN] = "2: used when the peer asks for it",
    [TUNABLE_TCP_RCVBUF_LOW_RTT] = "1000 us; there is none before Linux 6.19",
    [TUNABLE_TCP_MAX_ORPHANS] = "by RAM",
    [TUNABLE_NETDEV_MAX_BACKLOG] = "1000",
};

/* Names longer than that push their meaning to the right. */
#define NAME_MAX_COLUMNS 25

/* The versions at which a default that the model knows may have changed. */
static const struct {
	const char *text;
	unsigned major, minor;
} versions[] = {{"4.4", 4, 4}, {"4.20", 4, 20}, {"6.16", 6, 16}, {"6.18", 6, 18}};

static void line(struct layout *layout, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	layout_item(layout, INK_DIM, label);
	layout_text(layout, INK_PLAIN, text);
	layout_break(layout);
}

static void title(struct layout *layout, const char *name, const char *kind)
{
	layout_tab(layout, 0);
	layout_raw(layout, INK_BOLD, name);
	layout_textf(layout, INK_PLAIN, "(%s)", kind);
	layout_break(layout);
}

/* A maximum by version, with enough RAM: "6 MiB; 32 MiB from Linux 6.16". */
static void default_steps(
    enum tunable_id id, const struct kernel_version *version, char *out, size_t size)
{
	double bytes = id == TUNABLE_TCP_RMEM	? default_rmem_max(version, 0)
		       : id == TUNABLE_TCP_WMEM ? default_wmem_max(version, 0)
						: default_core_max(version);
	const char *rest = id == TUNABLE_TCP_RMEM
			       ? kernel_before(version, 4, 20) ? "4096 87380 " : "4096 131072 "
			   : id == TUNABLE_TCP_WMEM ? "4096 16384 "
						    : "";

	snprintf(out, size, "%s%.0f", rest, bytes);
}

static void default_by_version(enum tunable_id id, char *out, size_t size)
{
	char before[64] = "", now[64];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		const struct kernel_version version = {
		    .known = true, .major = versions[i].major, .minor = versions[i].minor};
		default_steps(id, &version, now, sizeof(now));
		if (strcmp(before, now) == 0)
			continue;
		int n = snprintf(out + used, size - used, used ? "; %s from Linux %s" : "%s", now,
		    versions[i].text);
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
		snprintf(before, sizeof(before), "%s", now);
	}
	if (id == TUNABLE_TCP_RMEM || id == TUNABLE_TCP_WMEM)
		snprintf(out + used, size - used, " (less with little RAM)");
}

static void explain_tunable(struct layout *layout, unsigned id)
{
	const struct tunable *tunable = &tunables[id];
	bool by_version = id == TUNABLE_TCP_RMEM || id == TUNABLE_TCP_WMEM ||
			  id == TUNABLE_RMEM_MAX || id == TUNABLE_WMEM_MAX;
	char text[256];

	title(layout, tunable->key, "kernel setting");
	line(layout, "what", tunable->about);
	line(layout, "unit", tunable->unit);
	if (tunable->kind == TUNABLE_VECTOR3)
		line(layout, "values",
		    id == TUNABLE_TCP_MEM ? "low pressure high" : "minimum default maximum");
	if (by_version)
		default_by_version((enum tunable_id)id, text, sizeof(text));
	line(layout, "default", by_version ? text : defaults[id]);
	line(layout, "scope",
	    tunable->per_netns ? "each network namespace has its own"
			       : "the whole machine; not there, or not writable, in a namespace");
	if (tunable->access == TUNABLE_READ_ONLY)
		line(layout, "set", "never by bdp: it only reads it");
	line(layout, "pitfall", tunable->pitfall);
	line(layout, "manual",
	    strncmp(tunable->key, "net.ipv4.", 9) == 0
		? "tcp(7); Documentation/networking/ip-sysctl.rst of the kernel"
		: "socket(7); Documentation/admin-guide/sysctl/net.rst of the kernel");
}

static void explain_finding(struct layout *layout, unsigned id)
{
	const struct finding_row *row = &finding_table[id];

	title(layout, row->id, "finding");
	line(layout, "what", finding_words[id].meaning);
	line(layout, "severity", severity_name(row->severity));
	line(layout, "do", finding_words[id].advice);
	line(layout, "manual", "bdp(1), DIAGNOSTICS, Findings");
}

static void explain_factor(struct layout *layout, unsigned id)
{
	const struct factor_row *row = &factor_table[id];

	title(layout, row->name, "what limits a flow");
	line(layout, "what", factor_words[id].meaning);
	line(layout, "where", where_name(row->where));
	line(layout, "manual", "bdp(1), DIAGNOSTICS, Limits");
}

static void explain_counter(struct layout *layout, unsigned id)
{
	title(layout, counter_table[id].name, "counter");
	line(layout, "what", counter_table[id].about);
	line(layout, "unit",
	    id == COUNTER_MEMORY_PRESSURES_CHRONO ? "milliseconds, ever rising"
	    : id == COUNTER_TCP_CURR_ESTAB	  ? "connections, now"
						  : "events, ever rising");
	line(layout, "scope", "each network namespace counts its own");
	line(layout, "manual", "nstat(8); bdp sockets reads it twice with --interval TIME");
}

static void explain_term(struct layout *layout, unsigned id)
{
	title(layout, glossary[id].name, "term");
	line(layout, "what", glossary[id].about);
	line(layout, "manual", glossary[id].manual);
}

static const char *tunable_about(unsigned id)
{
	return tunables[id].about;
}

static const char *finding_about(unsigned id)
{
	return finding_words[id].meaning;
}

static const char *factor_about(unsigned id)
{
	return factor_words[id].meaning;
}

static const char *counter_about(unsigned id)
{
	return counter_table[id].about;
}

static const char *term_about(unsigned id)
{
	return glossary[id].about;
}

static const char *tunable_name(unsigned id)
{
	return tunables[id].key;
}

static const char *finding_name(unsigned id)
{
	return finding_table[id].id;
}

static const char *factor_name(unsigned id)
{
	return factor_table[id].name;
}

static const char *counter_name(unsigned id)
{
	return counter_table[id].name;
}

static const char *term_name(unsigned id)
{
	return glossary[id].name;
}

/* Each table of names; short forms are names without one of the prefixes. */
static const struct kind {
	const char *heading;
	unsigned count; /* 0: glossary_count, which is known only when linked */
	const char *(*name)(unsigned id);
	const char *(*about)(unsigned id);
	void (*explain)(struct layout *layout, unsigned id);
	const char *prefixes[2];
} kinds[] = {
    {"SETTINGS", TUNABLE_COUNT, tunable_name, tunable_about, explain_tunable,
	{"net.ipv4.", "net.core."}},
    {"CAUSES", FACTOR_COUNT, factor_name, factor_about, explain_factor, {NULL, NULL}},
    {"FINDINGS", FINDING_COUNT, finding_name, finding_about, explain_finding, {NULL, NULL}},
    {"COUNTERS", COUNTER_COUNT, counter_name, counter_about, explain_counter, {"TcpExt", "Tcp"}},
    {"TERMS", 0, term_name, term_about, explain_term, {NULL, NULL}},
};

static unsigned count_of(const struct kind *kind)
{
	return kind->count ? kind->count : glossary_count;
}

#define KIND_COUNT_ALL (sizeof(kinds) / sizeof(kinds[0]))

/* The name without its prefix, or as it is. */
static const char *short_name(const struct kind *kind, unsigned id)
{
	const char *name = kind->name(id);

	for (size_t i = 0; i < 2; i++) {
		size_t length = kind->prefixes[i] ? strlen(kind->prefixes[i]) : 0;
		if (length > 0 && strncmp(name, kind->prefixes[i], length) == 0)
			return name + length;
	}
	return name;
}

/* The same name however it is joined and whatever its capitals: in-flight, in_flight, "in flight". */
static bool same_name(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char left = (char)tolower((unsigned char)a[i]);
		char right = (char)tolower((unsigned char)b[i]);
		if (left == '_' || left == ' ')
			left = '-';
		if (right == '_' || right == ' ')
			right = '-';
		if (left != right || left == '\0')
			return false;
	}
	return a[length] == '\0';
}

/* One of the other spellings of a term. */
static bool is_also(const char *also, const char *word)
{
	for (size_t length; also && *also; also += length + (also[length] == ' ')) {
		length = strcspn(also, " ");
		if (same_name(word, also, length))
			return true;
	}
	return false;
}

static bool is_named(const struct kind *kind, unsigned id, const char *word)
{
	const char *name = kind->name(id), *brief = short_name(kind, id);

	return same_name(word, name, strlen(name)) || same_name(word, brief, strlen(brief)) ||
	       (kind->name == term_name && is_also(glossary[id].also, word));
}

/* A word may name things of several kinds, such as window-scaling-off: a limit and a finding.
 * Without a layout they are only counted. */
static unsigned explain_named(struct layout *layout, const char *word)
{
	unsigned found = 0;

	for (size_t k = 0; k < KIND_COUNT_ALL; k++) {
		for (unsigned id = 0; id < count_of(&kinds[k]); id++) {
			if (!is_named(&kinds[k], id, word))
				continue;
			if (layout && found > 0)
				layout_gap(layout);
			if (layout)
				kinds[k].explain(layout, id);
			found++;
		}
	}
	return found;
}

static int refuse_name(const char *word)
{
	struct nearest nearest = nearest_to(word);

	for (size_t k = 0; k < KIND_COUNT_ALL; k++)
		for (unsigned id = 0; id < count_of(&kinds[k]); id++) {
			nearest_try(&nearest, kinds[k].name(id));
			nearest_try(&nearest, short_name(&kinds[k], id));
		}
	if (nearest.best)
		report_error(
		    "nothing is known of '%s'; did you mean %s?", quoted(word), nearest.best);
	else
		report_error("nothing is known of '%s'; bdp explain lists the names", quoted(word));
	return 2;
}

/* Length of the first sentence. */
static size_t sentence_length(const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '.' && (at[1] == ' ' || at[1] == '\0'))
			return (size_t)(at - text);
	return strlen(text);
}

/* How much of the first sentence fits: up to a stop, else whole words, with dots behind them. */
static void shorten(const char *text, size_t room, char *out, size_t size)
{
	size_t length = sentence_length(text), stop = 0, word = 0;

	if (length <= room) {
		snprintf(out, size, "%.*s", (int)length, text);
		return;
	}
	for (size_t i = 1; i <= room; i++) {
		if (i <= room - 3 && text[i] == ' ')
			word = text[i - 1] == ',' ? i - 1 : i;
		if (text[i] == ' ' && strchr(":;", text[i - 1]))
			stop = i - 1;
	}
	if (stop >= room / 2)
		snprintf(out, size, "%.*s", (int)stop, text);
	else
		snprintf(out, size, "%.*s...", (int)word, text);
}

static void list_name(struct layout *layout, size_t column, const char *name, const char *about)
{
	char line[160];
	size_t width = layout->style->width < sizeof(line) ? layout->style->width : sizeof(line);

	if (strlen(name) + 4 > column)
		column = strlen(name) + 4;
	layout_tab(layout, 2);
	layout_raw(layout, INK_PLAIN, name);
	if (width >= column + 20) {
		shorten(about, width - column, line, sizeof(line));
		layout_tab(layout, (unsigned)column);
		layout_raw(layout, INK_DIM, line);
	}
	layout_break(layout);
}

/* Where the meanings begin: behind the longest name but for a few. */
static size_t list_column(const struct kind *kind)
{
	size_t longest = 0;

	for (unsigned id = 0; id < count_of(kind); id++) {
		size_t length = strlen(short_name(kind, id));
		if (length > longest && length <= NAME_MAX_COLUMNS)
			longest = length;
	}
	return longest + 4;
}

static void list_names(struct layout *layout)
{
	for (size_t k = 0; k < KIND_COUNT_ALL; k++) {
		if (k > 0)
			layout_gap(layout);
		layout_heading(layout, kinds[k].heading);
		layout_break(layout);
		for (unsigned id = 0; id < count_of(&kinds[k]); id++)
			list_name(layout, list_column(&kinds[k]), short_name(&kinds[k], id),
			    kinds[k].about(id));
	}
}

/* The same name in slashes, as a path below /proc/sys has it. */
static const char *dotted(const char *word, char *out, size_t size)
{
	snprintf(out, size, "%s", word);
	if (strncmp(out, "net/", 4) == 0)
		for (char *at = strchr(out, '/'); at; at = strchr(at, '/'))
			*at = '.';
	return out;
}

int verb_explain(const struct options *options)
{
	struct style style = output_style(options, OUTPUT_WIDTH_PROSE);
	struct layout layout;
	char word[128];

	for (size_t i = 0; i < options->operand_count; i++)
		if (explain_named(NULL, dotted(options->operands[i], word, sizeof(word))) == 0)
			return refuse_name(options->operands[i]);
	layout_begin(&layout, stdout, &style);
	if (options->operand_count == 0)
		list_names(&layout);
	for (size_t i = 0; i < options->operand_count; i++) {
		if (i > 0)
			layout_gap(&layout);
		explain_named(&layout, dotted(options->operands[i], word, sizeof(word)));
	}
	return output_finish(true);
}
