/* cmocka 1.1.5 compares floats only: a helper for doubles with a relative tolerance. */
#ifndef BDP_TEST_NEAR_H
#define BDP_TEST_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define assert_near(got, want, tolerance) \
	near_check(#got, (got), (want), (tolerance), __FILE__, __LINE__)

static inline void near_check(
    const char *what, double got, double want, double tolerance, const char *file, int line)
{
	if (fabs(got - want) <= fabs(want) * tolerance)
		return;
	fprintf(stderr, "%s:%d: %s is %.10g, not %.10g within %g\n", file, line, what, got, want,
	    tolerance);
	_fail(file, line);
}

#endif
