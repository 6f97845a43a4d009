/* iperf3's text. */
#include "runs_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_reader(iperf_text_read, data, size);
	return 0;
}
