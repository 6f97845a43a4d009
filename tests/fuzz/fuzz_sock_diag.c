/* The kernel's answer about one socket: whatever the bytes are, the numbers are finite and the
 * strings safe to print, and what is reckoned of them is finite, too. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "evidence/sock_diag.h"
#include "model/tally.h"

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
	static const struct holding_rule rule = {.factor = 2, .floor_bytes = 262144};
	static struct tally tally;
	struct listed item;

	if (!sock_diag_take(&item.info, NULL, data, size))
		return 0;
	check_printable(item.info.state);
	check_printable(item.info.local);
	check_printable(item.info.peer);
	check_printable(item.info.cc);
	if ((item.info.has & SOCKET_RTT) && item.info.rtt_us <= 0)
		abort();
	holding_reckon(&item.holding, &item.info, NULL, &rule);
	check_number(item.holding.held_bytes);
	check_number(item.holding.receive.bdp_bytes);
	check_number(item.holding.receive.ratio);
	check_number(item.holding.send.bdp_bytes);
	check_number(item.holding.send.ratio);
	check_number(item.holding.rwnd_share);
	tally_add(&tally, &item);
	if (tally.largest_count > TALLY_LARGEST || tally.slow_count > TALLY_SLOW)
		abort();
	return 0;
}
