#include "base/decimal.h"

#include <stdint.h>

#define EXACT_MAX (UINT64_C(1) << 53)

bool decimal_value(const char *text, size_t length, double *value)
{
	/* Digits that fit a double's 53 bits, times or over a power of ten that does too, are right
	 * after one rounding (Clinger, "How to read floating point numbers accurately", 1990). */
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const int power_max = sizeof(powers) / sizeof(*powers) - 1;
	const char *p = text, *end = text + length;
	uint64_t digits = 0;
	int exponent = 0, written = 0;
	bool negative = *p == '-', fraction = false;
	for (p += negative; p < end && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		if (digits > EXACT_MAX / 10)
			return false;
		digits = digits * 10 + (uint64_t)(*p - '0');
		exponent -= fraction;
	}
	if (p < end && (*p | 0x20) != 'e')
		return false;
	if (p < end) {
		bool below = p[1] == '-';
		for (p += below || p[1] == '+' ? 2 : 1; p < end && written < 1000; p++)
			written = written * 10 + (*p - '0');
		exponent += below ? -written : written;
	}
	if (p < end || digits > EXACT_MAX || exponent < -power_max || exponent > power_max)
		return false;
	double exact = (double)digits;
	exact = exponent < 0 ? exact / powers[-exponent] : exact * powers[exponent];
	*value = negative ? -exact : exact;
	return true;
}
