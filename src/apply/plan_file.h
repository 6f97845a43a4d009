/*
 * Reads a plan back: the JSON that `bdp -o json` prints, or lines as in sysctl.d.
 *
 * It is refused whole, naming the line, when anything in it is not a setting that bdp may write
 * with a value that it may have.
 */
#ifndef BDP_PLAN_FILE_H
#define BDP_PLAN_FILE_H

#include <stdbool.h>

#include "advice/plan.h"
#include "base/source.h"

struct plan_note {
	char text[320]; /* completes "NAME: ..." */
};

/* False with the reason in the note; errno is the cause only when note->text says so. */
bool plan_file_read(struct plan *plan, struct source *source, struct plan_note *note);

#endif
