/* Journals: a sealed text that is taken comes out again as it went in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const struct journal *journal)
{
	static char again[JOURNAL_TEXT_MAX];
	static struct journal back;
	const char *why;
	size_t written = journal_text(journal, again);
	if (!journal_parse(&back, again, written, &why))
		abort();
	for (size_t i = 0; i < journal->setting_count; i++)
		if (tunables[journal->settings[i].id].access != TUNABLE_WRITABLE)
			abort();
	for (size_t i = 0; i < journal->file_count; i++)
		if (journal->files[i].path[0] == '/' ||
		    strstr(journal->files[i].path, "/../") != NULL)
			abort();
}

/* The seal would stop nearly everything: it is put on behind the fuzzer's bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[JOURNAL_TEXT_MAX];
	static struct journal journal;
	const char *why;
	if (journal_parse(&journal, (const char *)data, size, &why))
		check_taken(&journal);
	if (size + 32 >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	if (size == 0 || text[size - 1] != '\n')
		text[size++] = '\n';
	int seal =
	    snprintf(text + size, 32, "end %016llx\n", (unsigned long long)text_hash(text, size));
	if (journal_parse(&journal, text, size + (size_t)seal, &why))
		check_taken(&journal);
	return 0;
}
