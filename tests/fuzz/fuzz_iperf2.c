/* iperf 2's text. */
#include "evidence/iperf2.h"
#include "runs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_reader(iperf2_read, data, size);
	return 0;
}
