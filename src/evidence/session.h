/*
 * A shell session: prompts with a command each, and what the commands printed.  Told by its first
 * line, and cut at its prompts, so that what belongs to one command is read by itself.
 */
#ifndef BDP_SESSION_H
#define BDP_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/source.h"

/* Longest output of one command that is kept; what is beyond it is dropped, and the part is `cut`. */
#define SESSION_PART_MAX ((size_t)16 << 20)

/* One command and its output. */
struct session_part {
	char host[64];	  /* that the prompt names, "" when it names none; not yet safe to print */
	const char *text; /* with the prompt's line; valid until the next part */
	size_t length;
	size_t output; /* where the output begins, behind the prompt's line */
	bool cut;
};

/*
 * True when a line is a prompt with a command behind it: "$ ls", "host$ ls", "user@host:~$ ls",
 * "user@host:~# ls", "[user@host dir]$ ls".  host[64] is filled in; "" where none is named.  A bare "# "
 * is no prompt but a comment.  Pure.
 */
bool session_prompt(const char *line, size_t length, char host[64]);

/* True when the first line that is not empty is a prompt, and another one follows.  Pure. */
bool session_is(const char *bytes, size_t length);

struct session;

/* Cuts what is left of the source, which is borrowed. */
struct session *session_open(struct source *source);
/* 1 and the next part, 0 at the end, -1 on a read error (errno), behind the last part. */
int session_next(struct session *session, struct session_part *part);
/* NULL-safe. */
void session_close(struct session *session);

#endif
