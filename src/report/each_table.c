#include "report/each_table.h"

#include <string.h>

#include "base/quote.h"
#include "report/layout.h"
#include "report/phrase.h"

#define FILE_LEAST 16u
#define FILE_MOST 48u
/* Of the columns behind the name; what to set ends the line, however long. */
#define REST_COLUMNS 64u

/* The end of a long name says more. */
static void put_file(const struct each_table *table, const char *file)
{
	char safe[1024];
	const char *at = quote_text(file, safe, sizeof(safe));
	unsigned width = layout_width(at), most = table->file_columns;
	bool cut = width > most;

	for (; width > (cut ? most - 3 : most); width--) {
		at++;
		while (((unsigned char)*at & 0xc0) == 0x80)
			at++;
	}
	fprintf(table->stream, "%s%s%*s", cut ? "..." : "", at, (int)(most - width - (cut ? 3 : 0)),
	    "");
}

void each_table_begin(
    struct each_table *table, const struct style *style, size_t longest, FILE *stream)
{
	unsigned most = style->width > REST_COLUMNS ? style->width - REST_COLUMNS : 0;
	unsigned wanted = longest > 0 && longest < FILE_MOST ? (unsigned)longest : FILE_MOST;

	*table =
	    (struct each_table){.stream = stream, .file_columns = wanted < most ? wanted : most};
	if (table->file_columns < FILE_LEAST)
		table->file_columns = FILE_LEAST;
	put_file(table, "FILE");
	fprintf(stream, "  %11s  %-16s %-6s  %8s  %s\n", "RATE", "LIMIT", "SURE", "RTT", "SET");
}

/* Marked where it is only likely: the first of those that remain, or one named with low confidence. */
static struct unit_text limit_text(const struct limit *limit)
{
	struct unit_text text = {""};

	if (limit->factor == FACTOR_UNKNOWN && limit->candidate_count > 0)
		snprintf(text.s, sizeof(text.s), "%s?", factor_table[limit->candidates[0]].name);
	else
		snprintf(text.s, sizeof(text.s), "%s%s", factor_table[limit->factor].name,
		    limit->confidence == CONFIDENCE_LOW ? "?" : "");
	return text;
}

/* The first setting that changes, and how many others do. */
static struct phrase change_text(const struct plan *plan)
{
	struct phrase text = {""};
	size_t others = plan_changes(plan);
	char value[256];

	for (size_t i = 0; i < plan->setting_count && text.s[0] == '\0'; i++) {
		const struct setting *setting = &plan->settings[i];
		const char *dot = strrchr(tunables[setting->id].key, '.');
		bool buffer = setting->id == TUNABLE_TCP_RMEM || setting->id == TUNABLE_TCP_WMEM;
		if (!setting->change)
			continue;
		tunable_value_text(setting->id, &setting->value, value, sizeof(value));
		phrase_add(&text, "%s %s", dot ? dot + 1 : tunables[setting->id].key,
		    buffer ? size_text((double)setting->value.number[2]).s : value);
	}
	if (others > 1)
		phrase_add(&text, ", +%zu", others - 1);
	if (others == 0)
		phrase_add(&text, "-");
	return text;
}

static bool written(const struct each_table *table)
{
	return !ferror(table->stream);
}

bool each_table_line(struct each_table *table, const struct report *report, const char *file)
{
	const struct analysis *chosen = report_chosen(report);
	const struct path *path = chosen ? &chosen->path : NULL;
	bool has_run = chosen && chosen->run;

	put_file(table, file);
	fprintf(table->stream, "  %11s  %-16s %-6s  %8s  %s\n",
	    path && path->rate.known ? rate_text(path->rate.bps).s : "-",
	    has_run ? limit_text(&chosen->limit).s : "-",
	    has_run ? confidence_name(chosen->limit.confidence) : "-",
	    path && path->rtt.method != RTT_UNKNOWN ? time_text(path->rtt.us).s : "-",
	    change_text(report->plan).s);
	return written(table);
}

bool each_table_failure(struct each_table *table, const char *file, const char *why)
{
	put_file(table, file);
	fprintf(table->stream, "  %11s  %s\n", "-", why);
	return written(table);
}
