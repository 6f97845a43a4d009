/*
 * How a setting or a file is changed: for real, or not at all.
 *
 * backend_proc writes; backend_null remembers what would have been written and reads that back, so
 * that a dry run goes the same way and reports the same.
 */
#ifndef BDP_BACKEND_H
#define BDP_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/journal.h"
#include "apply/tree.h"
#include "evidence/tunable.h"

/* What is known of one file; `text` only where it is wanted. */
struct file_state {
	bool exists;
	uint64_t hash;
	unsigned mode;
};

struct backend {
	bool writes;
	bool changed; /* something was written, or would have been */
	const struct tree *tree;
	/* All return false with errno. */
	bool (*read)(struct backend *backend, enum tunable_id id, struct tunable_value *value);
	/* Opens for writing, so that a refusal shows before anything is changed. */
	bool (*prepare)(struct backend *backend, enum tunable_id id);
	/* One write(2) of the whole value; a short one is EIO. */
	bool (*write)(
	    struct backend *backend, enum tunable_id id, const struct tunable_value *value);
	bool (*file_read)(struct backend *backend, const char *path, struct file_state *state);
	/* text NULL removes the file. */
	bool (*file_write)(struct backend *backend, const char *path, const char *text,
	    size_t length, unsigned mode);

	int fd[TUNABLE_COUNT];			    /* proc: open for writing, -1 when not */
	struct tunable_value shadow[TUNABLE_COUNT]; /* null: written, .known */
	struct {
		char path[JOURNAL_PATH_MAX];
		struct file_state state;
	} shadow_files[64]; /* null */
	size_t shadow_file_count;
};

#define PERSIST_FILE_MAX 65536

void backend_proc(struct backend *backend, const struct tree *tree);
void backend_null(struct backend *backend, const struct tree *tree);
void backend_close(struct backend *backend);

/* Opens the directory of a path below the root, no link followed; *name is its last part.  -1 with
 * errno. */
int backend_open_directory(const struct tree *tree, const char *path, const char **name);

enum put_result {
	PUT_DONE,
	PUT_FAILED,   /* errno in *error; `before` is in place */
	PUT_REJECTED, /* taken, but it reads back otherwise; `before` is in place again */
	PUT_STUCK     /* what is there now is neither */
};

/* Writes, reads back and compares; whatever fails, writes `before` again and reads that back.
 * *found is what was read last (.known false when nothing could be). */
enum put_result backend_put(struct backend *backend, enum tunable_id id,
    const struct tunable_value *before, const struct tunable_value *wanted,
    struct tunable_value *found, int *error);

#endif
