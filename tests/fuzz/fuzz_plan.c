/* Plans, JSON and lines: whatever is taken may be written, and nothing is taken of a refused one. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply/plan_check.h"
#include "apply/plan_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const struct plan *plan)
{
	char why[300];
	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		if (!setting_check(setting, why, sizeof(why)) ||
		    tunables[setting->id].access != TUNABLE_WRITABLE)
			abort();
		for (const char *at = setting->value.word; *at != '\0'; at++)
			if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL)
				abort();
		if (memchr(setting->why, '\0', sizeof(setting->why)) == NULL)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct plan plan;
	struct plan_note note;
	struct source *source = source_memory("fuzz", data, size);
	bool good = plan_file_read(&plan, source, &note);

	source_close(source);
	if (good)
		check_taken(&plan);
	else if (plan.setting_count != 0 || note.text[0] == '\0')
		abort();
	/* the note goes to a terminal */
	for (const char *at = note.text; !good && *at != '\0'; at++)
		if (iscntrl((unsigned char)*at))
			abort();
	return 0;
}
