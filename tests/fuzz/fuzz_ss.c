/* ss -tmi: every socket's numbers are finite and its strings safe to print. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "evidence/ss.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (!isprint((unsigned char)*text))
			abort();
}

static void check_time(double us)
{
	if (!isfinite(us) || us < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *source = source_memory("fuzz", data, size);
	struct ss_reader *reader = ss_open(source);
	struct socket_info info;
	size_t count = 0;

	while (ss_next(reader, &info) > 0) {
		check_printable(info.state);
		check_printable(info.local);
		check_printable(info.peer);
		check_printable(info.cc);
		check_time(info.rtt_us);
		check_time(info.min_rtt_us);
		check_time(info.busy_us);
		check_time(info.delivery_rate_bps);
		check_time(info.bbr_bw_bps);
		check_time(info.lastsnd_ms);
		if ((info.has & SOCKET_RTT) && info.rtt_us <= 0)
			abort();
		/* "0 0 a:1 b:1": a socket takes a line of at least this */
		if (++count > size / 11 + 1)
			abort();
	}
	ss_close(reader);
	source_close(source);
	return 0;
}
