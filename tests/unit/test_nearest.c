#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const known[] = {"sysctl", "sysroot", "role", "run", "connections", "advise"};

static void test_nearest(void **state)
{
	(void)state;
	static const struct {
		const char *word, *expected;
	} rows[] = {
	    {"sysrot", "sysroot"},			  /* an insertion */
	    {"sysroott", "sysroot"},			  /* a deletion */
	    {"sysrood", "sysroot"},			  /* a replacement */
	    {"sysorot", "sysroot"},			  /* a swap */
	    {"sysctl", "sysctl"},			  /* itself */
	    {"conn", "connections"},			  /* a beginning */
	    {"rol", "role"},				  /* nearer than run */
	    {"rn", "run"}, {"conectoins", "connections"}, /* two edits in ten letters */
	    {"frob", NULL}, {"x", NULL},		  /* as far as it is long */
	    {"", NULL}, {"sysrootsysrootsysrootsysrootsysroot", NULL}, /* longer than the table */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct nearest nearest = nearest_to(rows[i].word);
		for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
			nearest_try(&nearest, known[k]);
		print_message("'%s' -> %s\n", rows[i].word, nearest.best ? nearest.best : "none");
		if (rows[i].expected == NULL)
			assert_null(nearest.best);
		else
			assert_string_equal(nearest.best, rows[i].expected);
	}
}

/* Classic pairs with distances known beforehand. */
static void test_distance(void **state)
{
	(void)state;
	static const struct {
		const char *word, *candidate;
		size_t expected;
	} rows[] = {
	    {"kitten", "sitten", 1},
	    {"kittne", "kitten", 1},
	    {"connections", "conetcions", 2},
	    {"receivers", "receiver", 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct nearest nearest = nearest_to(rows[i].word);
		nearest_try(&nearest, rows[i].candidate);
		print_message(
		    "'%s' '%s': %zu\n", rows[i].word, rows[i].candidate, nearest.distance);
		assert_int_equal(nearest.distance, rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nearest),
	    cmocka_unit_test(test_distance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
