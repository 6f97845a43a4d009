#include "apply/comparison.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apply/boot.h"
#include "apply/check.h"
#include "apply/predict.h"
#include "apply/refusal.h"

/* Values copied from guides are often bytes where the kernel counts pages. */
static bool exceeds_memory(
    struct comparison *comparison, const struct setting *setting, char *why, size_t size)
{
	if (setting->id != TUNABLE_TCP_MEM)
		return false;
	char text[4096];
	unsigned long long kib = 0;
	if (tree_read(comparison->tree, comparison->tree->root, "proc/meminfo", true, text,
		sizeof(text)) < 0 ||
	    sscanf(text, "MemTotal: %llu kB", &kib) != 1)
		return false;
	long long pages = (long long)(kib * 1024 / (unsigned long long)sysconf(_SC_PAGESIZE));
	if (setting->value.number[2] <= pages)
		return false;
	snprintf(why, size,
	    "%lld pages are more than the %lld of this host's memory: this key counts "
	    "pages, not bytes",
	    (long long)setting->value.number[2], pages);
	return true;
}

/* What is certain to be refused is refused before anything is written; of what only trying can tell a
 * dry run says so. */
static void predict_setting(
    struct comparison *comparison, const struct setting *setting, struct outcome_setting *item)
{
	char why[sizeof(item->why)];
	switch (predict(comparison->backend, setting->id, &setting->value, why, sizeof(why))) {
	case PREDICTED_REFUSED:
		item->state = ITEM_REFUSED;
		strlcpy(item->why, why, sizeof(item->why));
		break;
	case PREDICTED_NOT:
		if (comparison->request->mode == APPLY_DRY_RUN || !comparison->tree->machine)
			strlcpy(item->why, why, sizeof(item->why));
		break;
	case PREDICTED_TAKEN:
		break;
	}
}

static void compare_setting(struct comparison *comparison, size_t i)
{
	const struct setting *setting = &comparison->request->plan->settings[i];
	struct outcome_setting *item = &comparison->outcome->settings[i];
	*item = (struct outcome_setting){.id = setting->id, .host = setting->host};
	item->wanted = setting->value;
	comparison->current[i] = (struct tunable_value){0};
	if (!comparison->chosen[i]) {
		item->state = ITEM_NOT_HERE;
		return;
	}
	bool only_compare = comparison->request->mode == APPLY_CHECK;
	if (!comparison->backend->read(comparison->backend, setting->id, &item->before)) {
		item->state = ITEM_REFUSED;
		refusal_text(comparison->backend, setting->id, &setting->value, REFUSED_READ, errno,
		    item->why, sizeof(item->why));
		return;
	}
	/* The order of the questions is that of importance: a value that is there already is neither
	 * lower nor out of reach, whatever the plan says. */
	comparison->current[i] = item->after = item->before;
	if (tunable_value_equal(setting->id, &item->before, &setting->value))
		item->state = ITEM_ALREADY;
	else if (only_compare)
		item->state = ITEM_DIFFERS;
	else if ((!comparison->request->allow_lower &&
		     setting_lowers(setting->id, &item->before, &setting->value, item->why,
			 sizeof(item->why))) ||
		 exceeds_memory(comparison, setting, item->why, sizeof(item->why)))
		item->state = ITEM_REFUSED;
	else
		predict_setting(comparison, setting, item);
}

static bool compare_files(struct comparison *comparison)
{
	if (comparison->request->persist == NULL)
		return true;
	if (!comparison->boot_asked)
		boot_reads(comparison->tree, comparison->request->persist, comparison->boot_problem,
		    sizeof(comparison->boot_problem));
	comparison->boot_asked = true;
	struct persist_request request = {
	    .boot_problem = comparison->boot_problem,
	    .tree = comparison->tree,
	    .plan = comparison->request->plan,
	    .chosen = comparison->chosen,
	    .current = comparison->current,
	    .path = comparison->request->persist,
	    .maker = comparison->request->maker != NULL ? comparison->request->maker : "bdp",
	    .now_s = comparison->tree->io->clock_ms(CLOCK_REALTIME) / 1000,
	};
	char why[400];
	/* This runs a second time under the lock: what the first look found is void. */
	persist_free(&comparison->persist);
	comparison->outcome->file_count = comparison->outcome->note_count = 0;
	if (!persist_prepare(
		&comparison->persist, &request, comparison->outcome, why, sizeof(why))) {
		outcome_fail(
		    comparison->outcome, OUTCOME_INCOMPLETE, "%s; nothing was written", why);
		return false;
	}
	for (size_t i = 0; i < comparison->persist.count; i++) {
		const struct persist_file *file = &comparison->persist.files[i];
		struct outcome_file *item = outcome_add_file(comparison->outcome, file->path);
		if (!file->change)
			item->state = ITEM_ALREADY;
		else if (comparison->request->mode == APPLY_CHECK)
			item->state = ITEM_DIFFERS;
	}
	return true;
}

bool comparison_make(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->request->plan->setting_count; i++)
		compare_setting(comparison, i);
	if (!compare_files(comparison))
		return false;
	size_t refused = outcome_count_settings(comparison->outcome, ITEM_REFUSED);
	const char *why;
	if (refused == 0)
		return true;
	/* Whoever may not write at all need not look for other reasons. */
	if (comparison->request->mode == APPLY_SET && !tree_may_write(comparison->tree, &why))
		outcome_fail(
		    comparison->outcome, OUTCOME_INCOMPLETE, "%s: nothing was written", why);
	if (comparison->request->mode != APPLY_CHECK)
		outcome_fail(comparison->outcome, OUTCOME_INCOMPLETE,
		    "%zu of %zu settings cannot be made: nothing was written", refused,
		    comparison->request->plan->setting_count);
	return false;
}

bool comparison_begin(struct comparison *comparison)
{
	char why[300];
	if (comparison->request->plan->setting_count > PLAN_SETTINGS_MAX) {
		outcome_fail(comparison->outcome, OUTCOME_INPUT, "the plan is too long");
		return false;
	}
	for (size_t i = 0; i < comparison->request->plan->setting_count; i++) {
		outcome_add_setting(comparison->outcome);
		if (setting_check(&comparison->request->plan->settings[i], why, sizeof(why)))
			continue;
		comparison->outcome->setting_count = 0;
		outcome_fail(comparison->outcome, OUTCOME_INPUT, "%s: nothing was written", why);
		return false;
	}
	if (settings_choose(comparison->request->plan, comparison->request->role,
		comparison->chosen, why, sizeof(why)))
		return true;
	comparison->outcome->setting_count = 0;
	outcome_fail(comparison->outcome, OUTCOME_INCOMPLETE, "%s; nothing was written", why);
	return false;
}
