#include "report/plan_text.h"

#include <bsd/string.h>

#include "report/finding_text.h"

void plan_text(struct plan *plan)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		struct setting *setting = &plan->settings[i];
		if (setting->answers)
			strlcpy(setting->why, finding_words[setting->finding].meaning,
			    sizeof(setting->why));
	}
}
