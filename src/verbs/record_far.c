#include "verbs/record_steps.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "verbs/transcript.h"

/* A password may have to be typed. */
#define READY_LIMIT_S 60
#define END_LIMIT_S 6
#define LOOK_MS 50
/* What it prints when it has shown its settings and begins to look at its sockets. */
#define READY "$ while sleep 1"

unsigned record_far_seconds(const struct options *options, double test_s)
{
	unsigned tests = options->no_reverse ? 1 : 2;

	/* before, between and after: settings, the idle path, a server that is still busy */
	return tests * (unsigned)(test_s + 15) + 30;
}

static bool is_ready(const struct process *far)
{
	return far->length > 0 && memmem(far->text, far->length, READY, strlen(READY)) != NULL;
}

void record_far_begin(struct record *record)
{
	const struct options *options = record->options;
	const struct collect collect = {.part = COLLECT_ALL,
	    .name = true,
	    .until_input = true,
	    .seconds = record_far_seconds(options, record->test_s),
	    .port = options->port ? options->port : RECORD_PORT};
	const char *const *words;
	struct process *far = &record->far;

	memcpy(&words, &record->far_words.items, sizeof(words));
	record_say(record, "the far end's settings, by %s", quoted(options->far));
	char *script = collect_script(&collect);
	record->has_far = process_start(far, words, script, true, false);
	free(script);
	int64_t deadline_ms = process_now_ms() + READY_LIMIT_S * 1000;
	while (record->has_far && !is_ready(far) && !process_is_over(far) && !record_is_stopped() &&
	       process_now_ms() < deadline_ms)
		process_wait(&far, 1, LOOK_MS);
	if (!is_ready(far) && !record_is_stopped())
		warnx("--far '%s': it shows nothing of its host; is a POSIX shell there?",
		    quoted(options->far));
}

void record_far_end(struct record *record)
{
	struct process *far = &record->far;
	int64_t deadline_ms = process_now_ms() + END_LIMIT_S * 1000;

	/* the script sees the end of its input, shows the counters anew and ends */
	process_close_input(far);
	while (!process_is_over(far)) {
		process_wait(&far, 1, LOOK_MS);
		if (process_now_ms() >= deadline_ms)
			process_end(far);
	}
	transcript_line(record->options->far);
	transcript_output(far, record->far_words.items[0]);
	if (!is_ready(far))
		transcript_note("the far end showed nothing of its host");
	process_free(far);
	record->has_far = false;
	fflush(stdout);
}
