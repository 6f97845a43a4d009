/* The kernel's answer about one socket: whatever the bytes are, the numbers are finite and the
 * strings safe to print, and what is computed of them is finite, too. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/socket_totals.h"
#include "system/sock_diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (!isprint((unsigned char)*text))
			abort();
}

static void check_number(double number)
{
	if (!isfinite(number) || number < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct socket_memory_rule rule = {.factor = 2, .floor_bytes = 262144};
	static struct socket_totals totals;
	struct listed item;

	if (!sock_diag_take(&item.info, NULL, data, size))
		return 0;
	check_printable(item.info.state);
	check_printable(item.info.local);
	check_printable(item.info.peer);
	check_printable(item.info.cc);
	if ((item.info.has & SOCKET_RTT) && item.info.rtt_us <= 0)
		abort();
	socket_memory_compute(&item.memory, &item.info, NULL, &rule);
	check_number(item.memory.held_bytes);
	check_number(item.memory.receive.bdp_bytes);
	check_number(item.memory.receive.ratio);
	check_number(item.memory.send.bdp_bytes);
	check_number(item.memory.send.ratio);
	check_number(item.memory.rwnd_share);
	socket_totals_add(&totals, &item);
	if (totals.largest_count > SOCKET_TOTALS_LARGEST || totals.slow_count > SOCKET_TOTALS_SLOW)
		abort();
	return 0;
}
