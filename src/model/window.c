#include "model/window.h"

#include <math.h>
#include <stddef.h>

struct share window_share(
    const struct kernel_version *kernel, const struct tunable_value *adv_win_scale)
{
	if (!kernel->known)
		return (struct share){.planning = 0.5, .typical = 0.5, .low = 0.33, .high = 0.86};
	if (kernel_at_least(kernel, 6, 6))
		return (struct share){.planning = 0.5, .typical = 0.64, .low = 0.33, .high = 0.86};

	int64_t usual = kernel_before(kernel, 3, 4) ? 2 : 1;
	int64_t scale = adv_win_scale && adv_win_scale->known ? adv_win_scale->number[0] : usual;
	double share = scale > 0 ? 1 - ldexp(1, (int)-scale) : ldexp(1, (int)scale);
	return (struct share){.planning = share, .typical = share, .low = share / 2, .high = share};
}

struct share send_share(bool bbr)
{
	return (struct share){
	    .planning = bbr ? 1.0 / 3 : 0.5,
	    .typical = 0.70,
	    .low = 1 / (1.5 * 1.02),
	    .high = 0.94,
	};
}

double send_share_at(double buffer_bytes)
{
	static const struct {
		double kib, share;
	} rows[] = {{512, 0.76}, {768, 0.75}, {1024, 0.745}, {1280, 0.725}, {1536, 0.73},
	    {1792, 0.71}, {2048, 0.72}, {2560, 0.72}, {3072, 0.705}, {3584, 0.67}, {4096, 0.84},
	    {5120, 0.72}, {6144, 0.775}, {7168, 0.695}, {8192, 0.735}, {10240, 0.72},
	    {12288, 0.705}, {16384, 0.685}, {20480, 0.675}, {40960, 0.673}};
	const size_t last = sizeof(rows) / sizeof(rows[0]) - 1;
	double kib = buffer_bytes / 1024;
	size_t i = 0;

	while (i < last && rows[i + 1].kib <= kib)
		i++;
	if (i == last || kib <= rows[0].kib)
		return rows[i].share;
	return rows[i].share + log(kib / rows[i].kib) / log(rows[i + 1].kib / rows[i].kib) *
				   (rows[i + 1].share - rows[i].share);
}

double buffer_for_window(double window_bytes, double share)
{
	return fmin(fmin(window_bytes, WINDOW_MAX_BYTES) / share, BUFFER_MAX_BYTES);
}

double window_of_buffer(double buffer_bytes, double share)
{
	return fmin(buffer_bytes * share, WINDOW_MAX_BYTES);
}

unsigned window_scale_for(double buffer_bytes)
{
	if (buffer_bytes < 65536)
		return 0;
	int scale = ilogb(buffer_bytes) - 15;
	return scale > 14 ? 14 : (unsigned)scale;
}

double window_scale_limit(unsigned scale)
{
	return ldexp(65535, (int)(scale > 14 ? 14 : scale));
}

double setsockopt_buffer(double asked_bytes, double limit_bytes)
{
	return 2 * fmin(fmin(asked_bytes, limit_bytes), (double)(INT32_MAX / 2));
}

double setsockopt_window(
    double asked_bytes, double limit_bytes, const struct kernel_version *kernel)
{
	double buffer = setsockopt_buffer(asked_bytes, limit_bytes);

	/* 6.6 to 6.9 start from scaling_ratio 65 of 256 and clamp such sockets there; mended by
	 * 05f76b2d634e (6.11). */
	if (kernel_at_least(kernel, 6, 6) && kernel_before(kernel, 6, 10))
		return window_of_buffer(buffer, 65.0 / 256);
	if (kernel_at_least(kernel, 6, 11))
		return window_of_buffer(buffer, 0.625);
	return window_of_buffer(buffer, 0.5);
}

/* A default bounded by RAM: net/ipv4/tcp.c tcp_init allows one socket RAM / 128. */
static double bounded_by_ram(double bytes, double floor_bytes, uint64_t ram_bytes)
{
	if (ram_bytes == 0)
		return bytes;
	return fmax(floor_bytes, fmin(bytes, (double)ram_bytes / SOCKET_RAM_SHARE));
}

double default_rmem_max(const struct kernel_version *kernel, uint64_t ram_bytes)
{
	if (!kernel->known)
		return 0;
	double most = kernel_at_least(kernel, 6, 16)  ? 32 * 0x1p20
		      : kernel_at_least(kernel, 3, 4) ? RMEM_MAX_USUAL
						      : 4 * 0x1p20;
	return bounded_by_ram(most, kernel_before(kernel, 4, 20) ? 87380 : 131072, ram_bytes);
}

double default_wmem_max(const struct kernel_version *kernel, uint64_t ram_bytes)
{
	if (!kernel->known)
		return 0;
	return bounded_by_ram(4 * 0x1p20, 65536, ram_bytes);
}

double default_core_max(const struct kernel_version *kernel)
{
	if (!kernel->known)
		return 0;
	return kernel_at_least(kernel, 6, 18) ? 4194304 : 212992;
}

double ceiling_round(double bytes)
{
	if (bytes >= BUFFER_MAX_BYTES)
		return BUFFER_MAX_BYTES;
	if (bytes < 8)
		return ceil(bytes);
	/* The step that leaves three significant bits: an eighth of the next power of two. */
	double step = ldexp(1, ilogb(bytes) - 2);
	return fmin(ceil(bytes / step) * step, BUFFER_MAX_BYTES);
}
