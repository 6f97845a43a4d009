#include "model/loss.h"

#include <math.h>

/* sqrt(3/2): one loss per sawtooth, an ACK per packet; Linux counts bytes acknowledged. */
#define RENO_C 1.2247448713915890
/* [0.4 x 3.7 / (4 x 0.3)]^(1/4), RFC 9438 section 5.1 with C = 0.4, beta = 0.7. */
#define CUBIC_K 1.0538289

double reno_rate_bps(uint32_t mss, double rtt_us, double loss_ratio)
{
	return 8.0 * mss / (rtt_us / 1e6) * RENO_C / sqrt(loss_ratio);
}

double cubic_rate_bps(uint32_t mss, double rtt_us, double loss_ratio)
{
	double rtt_s = rtt_us / 1e6;
	double segments = CUBIC_K * pow(rtt_s / loss_ratio, 0.75);

	return fmax(8.0 * mss / rtt_s * segments, reno_rate_bps(mss, rtt_us, loss_ratio));
}

double reno_loss_for_rate(uint32_t mss, double rtt_us, double rate_bps)
{
	return fmin(1, pow(RENO_C * 8.0 * mss / (rate_bps * rtt_us / 1e6), 2));
}

double cubic_loss_for_rate(uint32_t mss, double rtt_us, double rate_bps)
{
	double cubic = pow(CUBIC_K * 8.0 * mss / (rate_bps * pow(rtt_us / 1e6, 0.25)), 4.0 / 3);

	return fmin(1, fmax(cubic, reno_loss_for_rate(mss, rtt_us, rate_bps)));
}
