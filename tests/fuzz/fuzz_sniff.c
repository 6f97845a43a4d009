/*
 * Any bytes as an operand: what they are taken for is within the table, and what is read of them
 * ends in evidence or in one error.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "evidence/evidence.h"
#include "evidence/session.h"
#include "evidence/sniff.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file;

/* Standard input is a file in memory. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = memfd_create("fuzz", 0);
	if (file < 0 || dup2(file, STDIN_FILENO) < 0)
		abort();
	return 0;
}

static void check_result(
    const struct evidence *evidence, enum operand_result result, const char *error)
{
	size_t length = strlen(error);

	/* of a session in which nothing was found there is no input */
	if (result == OPERAND_SYSTEM || (result == OPERAND_OK && evidence->input_count < 1))
		abort();
	if (result == OPERAND_UNUSABLE && length == 0)
		abort();
	if (memchr(error, '\n', length) || memchr(error, '\033', length))
		abort();
	if (evidence->runs.count > RUNS_MAX || evidence->ping_count > PINGS_MAX ||
	    evidence->socket_count > SOCKETS_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char error[4096];
	struct evidence evidence = {0};
	size_t peek = size < SOURCE_PEEK_MAX ? size : SOURCE_PEEK_MAX;
	enum input_kind kind = sniff_bytes((const char *)data, peek);

	if ((unsigned)kind >= INPUT_KIND_COUNT || !input_kind_name(kind) || !input_kind_text(kind))
		abort();
	if (ftruncate(file, 0) < 0 || pwrite(file, data, size, 0) != (ssize_t)size ||
	    lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
		abort();
	error[0] = '\0';
	errors_keep(error, sizeof(error));
	enum operand_result result = evidence_read(&evidence, "-");
	errors_keep(NULL, 0);
	check_result(&evidence, result, error);
	if (!session_is((const char *)data, peek) && evidence.inputs[0].kind != kind)
		abort();
	evidence_free(&evidence);
	return 0;
}
