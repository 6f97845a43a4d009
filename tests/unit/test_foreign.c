#include "evidence/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void tools_are_named(void **state)
{
	static const struct {
		const char *text, *what; /* what NULL: nothing of the table */
	} rows[] = {
	    {"   12.8750 MB /   1.00 sec =  108.0026 Mbps     0 retrans\n", "nuttcp"},
	    {"MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0\n", "netperf"},
	    {"1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n", "dd"},
	    {"  % Total    % Received % Xferd  Average Speed   Time\n", "curl"},
	    {"   Speedtest by Ookla\n", "speedtest"},
	    {"fio-3.33\nStarting 1 process\n", "fio"},
	    {"traceroute to 192.0.2.1 (192.0.2.1), 30 hops max\n", "traceroute"},
	    {"Receive Window Auto-Tuning Level    : normal\n", "netsh"},
	    {"kern.ostype: FreeBSD\nnet.inet.tcp.recvbuf_max: 2097152\n", "FreeBSD"},
	    {"kern.ostype: Darwin\nnet.inet.tcp.win_scale_factor: 8\n", "macOS"},
	    {"IP 10.0.0.1.5201 > 10.0.0.2.40000: Flags [.], ack 1\n", "tcpdump"},
	    {"1 Mbit/s\n\nLIMIT       a stall (low confidence)\n", "bdp"},
	    {"hello\n", NULL},
	    {"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct foreign *found = foreign_find(rows[i].text, strlen(rows[i].text));
		print_message("%s", rows[i].text);
		assert_int_equal(found != NULL, rows[i].what != NULL);
		if (found == NULL)
			continue;
		assert_non_null(strstr(found->what, rows[i].what));
		assert_true(strlen(found->instead) > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tools_are_named)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
