#include "evidence/socket_filter.h"
#include "evidence/socket_state.h"

#include <string.h>

#include "near.h"

#define ROWS(array) (sizeof(array) / sizeof((array)[0]))

static void test_blocks(void **state)
{
	static const struct row {
		const char *block, *address;
		bool in;
	} rows[] = {
	    {"192.0.2.10", "192.0.2.10", true},
	    {"192.0.2.10", "192.0.2.11", false},
	    {"192.0.2.0/24", "192.0.2.255", true},
	    {"192.0.2.0/24", "192.0.3.0", false},
	    {"192.0.2.77/24", "192.0.2.1", true}, /* bits behind the length do not count */
	    {"192.0.2.128/25", "192.0.2.127", false},
	    {"192.0.2.128/25", "192.0.2.128", true},
	    {"172.16.0.0/12", "172.31.255.255", true},
	    {"172.16.0.0/12", "172.32.0.0", false},
	    {"0.0.0.0/0", "203.0.113.9", true},
	    {"0.0.0.0/0", "2001:db8::1", false}, /* of IPv4 only */
	    {"::/0", "2001:db8::1", true},
	    {"::/0", "203.0.113.9", true}, /* as a mapped address */
	    {"2001:db8::/33", "2001:db8:7fff::1", true},
	    {"2001:db8::/33", "2001:db8:8000::1", false},
	    {"::ffff:192.0.2.0/120", "192.0.2.3", true},
	    {"192.0.2.10/32", "::ffff:192.0.2.10", true},
	    {"fe80::%eth0/64", "fe80::5054:ff:fe12:3456", true},
	    {"fe80::%eth0/64", "2001:db8::1", false},
	    {"192.0.2.0/24", "*", false},
	    {"192.0.2.0/24", "", false},
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct address_block block;
		const char *why;

		print_message("%s in %s\n", rows[i].address, rows[i].block);
		assert_true(address_block_parse(rows[i].block, &block, &why));
		assert_int_equal(address_block_has(&block, rows[i].address), rows[i].in);
	}
}

static void test_bad_blocks(void **state)
{
	static const char *const rows[] = {"", "/", "/24", "192.0.2.0/", "192.0.2.0/33",
	    "192.0.2.0/-1", "192.0.2.0/2 4", "192.0.2/24", "2001:db8::/129", "example.org",
	    "[2001:db8::1]", "192.0.2.1:80", "192.0.2.0/24/24",
	    "1111111111111111111111111111111111111111111111111111111111111111111111/8"};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct address_block block;
		const char *why = NULL;

		print_message("%s\n", rows[i]);
		assert_false(address_block_parse(rows[i], &block, &why));
		assert_non_null(why);
	}
}

static void test_endpoints(void **state)
{
	static const struct row {
		const char *text, *address; /* NULL: refused */
		uint16_t port;
	} rows[] = {
	    {"192.0.2.10", "192.0.2.10", 0},
	    {"192.0.2.10:443", "192.0.2.10", 443},
	    {"192.0.2.10:65535", "192.0.2.10", 65535},
	    {"2001:db8::1", "2001:db8::1", 0},
	    {"[2001:db8::1]", "2001:db8::1", 0},
	    {"[2001:db8::1]:443", "2001:db8::1", 443},
	    {"[192.0.2.10]:443", "192.0.2.10", 443},
	    {"::1", "::1", 0},
	    /* the zone that ip(8) and ss(8) print */
	    {"fe80::1%eth0", "fe80::1", 0},
	    {"[fe80::1%eth0]:443", "fe80::1", 443},
	    {"[fe80::1]%eth0:443", NULL, 0},
	    {"fe80::1%", NULL, 0},
	    {"fe80::1%a%b", NULL, 0},
	    {"fe80::1%eth0:443", NULL, 0},
	    {"192.0.2.10%eth0", NULL, 0},
	    {"%eth0", NULL, 0},
	    {"", NULL, 0},
	    {":443", NULL, 0},
	    {"192.0.2.10:", NULL, 0},
	    {"192.0.2.10:0", NULL, 0},
	    {"192.0.2.10:65536", NULL, 0},
	    {"192.0.2.10:44x", NULL, 0},
	    {"192.0.2.0/24:443", NULL, 0},
	    {"[2001:db8::1", NULL, 0},
	    {"[2001:db8::1]443", NULL, 0},
	    {"[]:1", NULL, 0},
	    {"example.org:443", NULL, 0},
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct endpoint endpoint = {.port = 1};
		const char *why = NULL;

		print_message("%s\n", rows[i].text);
		assert_int_equal(
		    endpoint_parse(rows[i].text, &endpoint, &why), rows[i].address != NULL);
		if (!rows[i].address)
			continue;
		assert_true(address_block_has(&endpoint.address, rows[i].address));
		assert_string_equal(endpoint.name, rows[i].text);
		assert_int_equal(endpoint.address.bits, 128);
		assert_int_equal(endpoint.port, rows[i].port);
	}
}

static void test_states(void **state)
{
	static const struct row {
		const char *text;
		unsigned states; /* 0: refused */
	} rows[] = {
	    {"ESTAB", STATE_BIT(STATE_ESTAB)},
	    {"established", STATE_BIT(STATE_ESTAB)},
	    {"Established,CLOSE-WAIT", STATE_BIT(STATE_ESTAB) | STATE_BIT(STATE_CLOSE_WAIT)},
	    {"listening", STATE_BIT(STATE_LISTEN)},
	    {"fin-wait-2", STATE_BIT(STATE_FIN_WAIT_2)},
	    /* include/net/tcp_states.h: eleven states from 1 */
	    {"all", 0xffe},
	    /* ss without -a: not LISTEN 10, CLOSE 7, TIME_WAIT 6, SYN_RECV 3 */
	    {"connected", 0xffe & ~(1u << 10 | 1u << 7 | 1u << 6 | 1u << 3)},
	    {"", 0},
	    {"open", 0},
	    {"estab,", 0},
	    {",estab", 0},
	    {"estab established", 0},
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		unsigned states = 0;
		const char *why = NULL;

		print_message("%s\n", rows[i].text);
		assert_int_equal(
		    socket_states_parse(rows[i].text, &states, &why), rows[i].states != 0);
		assert_int_equal(states, rows[i].states);
	}
	for (unsigned i = 1; i < STATE_COUNT; i++)
		assert_int_equal(socket_state_find(socket_state_name((enum socket_state)i)), i);
	assert_int_equal(socket_state_find(""), STATE_UNKNOWN);
	assert_int_equal(socket_state_find("SOMETHING"), STATE_UNKNOWN);
}

static void test_filter(void **state)
{
	const struct socket_info info = {.state = "ESTAB",
	    .local = "192.0.2.1",
	    .peer = "198.51.100.7",
	    .local_port = 443,
	    .peer_port = 51000,
	    .has = SOCKET_SKMEM,
	    .rmem_alloc = 1000,
	    .wmem_queued = 2000,
	    .forward_alloc = 96};
	struct socket_filter any = {.states = STATES_CONNECTED}, filter = any;
	const char *why;
	(void)state;

	assert_true(socket_filter_takes(&any, &info));
	filter.port = 443;
	assert_true(socket_filter_takes(&filter, &info));
	filter.port = 51000;
	assert_true(socket_filter_takes(&filter, &info));
	filter.port = 80;
	assert_false(socket_filter_takes(&filter, &info));

	filter = any;
	filter.has_peer = address_block_parse("198.51.100.0/24", &filter.peer, &why);
	assert_true(socket_filter_takes(&filter, &info));
	/* the peer's, not this end's */
	filter.has_peer = address_block_parse("192.0.2.0/24", &filter.peer, &why);
	assert_false(socket_filter_takes(&filter, &info));

	filter = any;
	filter.min_held = 3096;
	assert_true(socket_filter_takes(&filter, &info));
	filter.min_held = 3097;
	assert_false(socket_filter_takes(&filter, &info));

	struct socket_info other = info;
	strcpy(other.state, "LISTEN");
	assert_false(socket_filter_takes(&any, &other));
	other.state[0] = '\0'; /* ss leaves the column out when it was asked for one state */
	assert_true(socket_filter_takes(&any, &other));
	other.has = 0;
	filter.min_held = 1;
	assert_false(socket_filter_takes(&filter, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_bad_blocks),
	    cmocka_unit_test(test_endpoints),
	    cmocka_unit_test(test_states),
	    cmocka_unit_test(test_filter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
