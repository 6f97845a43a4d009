#include "model/capacity.h"

#include <math.h>

#include "model/path.h"
#include "model/window.h"

static bool is_off(const struct host *host, enum tunable_id id)
{
	return host->values[id].known && host->values[id].number[0] == 0;
}

/* The scale of the SYN goes by the larger of the ceiling and rmem_max. */
static double scaled_limit(const struct host *host, double ceiling_bytes)
{
	const struct tunable_value *core = &host->values[TUNABLE_RMEM_MAX];

	if (is_off(host, TUNABLE_TCP_WINDOW_SCALING))
		return window_scale_limit(0);
	return window_scale_limit(
	    window_scale_for(fmax(ceiling_bytes, core->known ? (double)core->number[0] : 0)));
}

static struct share receive_share(const struct host *host)
{
	return window_share(&host->kernel, &host->values[TUNABLE_TCP_ADV_WIN_SCALE]);
}

static bool sends_by_bbr(const struct host *host)
{
	return congestion_is_bbr(host->values[TUNABLE_TCP_CONGESTION_CONTROL].word);
}

void capacity_of_host(const struct host *host, struct capacity *capacity)
{
	const struct tunable_value *rmem = &host->values[TUNABLE_TCP_RMEM],
				   *wmem = &host->values[TUNABLE_TCP_WMEM];

	*capacity = (struct capacity){.has_receive = rmem->known, .has_send = wmem->known};
	if (rmem->known) {
		/* without autotuning a socket keeps the buffer that it was born with */
		int at = is_off(host, TUNABLE_TCP_MODERATE_RCVBUF) ? 1 : 2;
		double window =
		    window_of_buffer((double)rmem->number[at], receive_share(host).typical);
		capacity->receive_bytes = fmin(window, scaled_limit(host, (double)rmem->number[2]));
	}
	if (wmem->known)
		capacity->send_bytes = fmin(SEND_SHARE_SETTLED * (double)wmem->number[2],
		    is_off(host, TUNABLE_TCP_WINDOW_SCALING) ? window_scale_limit(0)
							     : WINDOW_MAX_BYTES);
}

double capacity_bps(double bytes, double rtt_us)
{
	return bytes * 8 / (rtt_us / 1e6);
}

static double ceiling_for(double rate_bps, double rtt_us, double share)
{
	double bdp_bytes = rate_bps / 8 * rtt_us / 1e6;

	if (bdp_bytes > WINDOW_MAX_BYTES)
		return 0;
	return ceiling_round(buffer_for_window(bdp_bytes, share));
}

double capacity_receive_ceiling(const struct host *host, double rate_bps, double rtt_us)
{
	return ceiling_for(rate_bps, rtt_us, receive_share(host).planning);
}

double capacity_send_ceiling(const struct host *host, double rate_bps, double rtt_us)
{
	return ceiling_for(rate_bps, rtt_us, send_share(sends_by_bbr(host)).planning);
}
