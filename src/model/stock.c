#include "model/stock.h"

#include <math.h>

#include "model/window.h"

struct stock_row {
	enum tunable_id id;
	double smallest_bytes, largest_bytes;
	double floor_bytes; /* however little RAM there is; 0: RAM has no part in it */
};

static const struct stock_row rows[] = {
    {TUNABLE_TCP_RMEM, 4 * 0x1p20, 32 * 0x1p20, 131072},
    {TUNABLE_TCP_WMEM, 4 * 0x1p20, 4 * 0x1p20, 65536},
    {TUNABLE_RMEM_MAX, 124928, 4194304, 0},
    {TUNABLE_WMEM_MAX, 124928, 4194304, 0},
};

static double by_ram(double bytes, double floor_bytes, double ram_bytes)
{
	if (ram_bytes <= 0 || floor_bytes <= 0)
		return bytes;
	return fmax(floor_bytes, fmin(bytes, ram_bytes / SOCKET_RAM_SHARE));
}

struct stock stock_ceiling(enum tunable_id id, uint64_t ram_bytes)
{
	double ram = (double)ram_bytes;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].id == id)
			return (struct stock){
			    .smallest_bytes = by_ram(rows[i].smallest_bytes,
				fmin(rows[i].floor_bytes, 65536), STOCK_RAM_USABLE * ram),
			    .largest_bytes =
				by_ram(rows[i].largest_bytes, rows[i].floor_bytes, ram),
			};
	return (struct stock){0};
}
