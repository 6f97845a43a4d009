/* iperf 2's text: whatever comes in, the runs are of the promised size and their numbers finite. */
#include <stdint.h>

#include "evidence/iperf2.h"
#include "runs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *source = source_memory("fuzz", data, size);
	struct runs runs = {0};
	struct read_note note;
	enum read_result result = iperf2_read(&runs, source, &note);

	check((runs.count == 0) == (result == READ_NOTHING));
	check((note.text[0] == '\0') == (result == READ_OK));
	check_text(note.text, sizeof(note.text));
	check(runs.count <= RUNS_MAX);
	for (size_t i = 0; i < runs.count; i++)
		check_run(&runs, &runs.items[i]);
	runs_free(&runs);
	source_close(source);
	return 0;
}
