/* Sockets of this machine as its kernel tells them: a connection over the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evidence/socket_state.h"
#include "system/sock_diag.h"

#define SENT 100000

struct pair {
	int client, server;
	uint16_t client_port;
};

static int listener = -1;
static uint16_t server_port;

static int port_of(int fd)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin_port);
}

static int make(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET};

	(void)state;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(listener, 8) != 0)
		return -1;
	server_port = (uint16_t)port_of(listener);
	return 0;
}

/* A connection over which so many bytes went, all of which were read. */
static struct pair connect_pair(size_t bytes)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server_port)};
	struct pair pair;
	char block[1000] = {0};

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	pair.client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(pair.client, (struct sockaddr *)&address, sizeof(address)), 0);
	pair.server = accept(listener, NULL, NULL);
	assert_true(pair.server >= 0);
	pair.client_port = (uint16_t)port_of(pair.client);
	for (size_t i = 0; i < bytes; i += sizeof(block)) {
		assert_int_equal(write(pair.client, block, sizeof(block)), sizeof(block));
		assert_int_equal(
		    recv(pair.server, block, sizeof(block), MSG_WAITALL), sizeof(block));
	}
	/* until the last acknowledgement is there */
	usleep(50000);
	return pair;
}

static void end_pair(const struct pair *pair)
{
	close(pair->client);
	close(pair->server);
}

/* Both ends are told once, with what was sent, and the listing ends. */
static void test_listing(void **state)
{
	struct pair pair = connect_pair(SENT);
	struct sock_diag_id id = {0}, sender = {0};
	struct socket_info info;
	unsigned senders = 0, receivers = 0;
	enum sock_diag_result result;
	(void)state;

	if (getenv("EMULATOR"))
		skip();
	struct sock_diag *reader = sock_diag_open(STATES_CONNECTED, 0);
	assert_non_null(reader);
	while ((result = sock_diag_next(reader, &info, &id)) == SOCK_DIAG_SOCKET) {
		if (info.local_port == pair.client_port && info.peer_port == server_port) {
			senders++;
			sender = id;
			assert_string_equal(info.peer, "127.0.0.1");
			assert_string_equal(info.state, "ESTAB");
			assert_true(info.has & SOCKET_RTT);
			assert_true(info.has & SOCKET_BYTES_ACKED);
			/* the SYN counts for one: net/ipv4/tcp_input.c, tcp_snd_una_update */
			assert_in_range(info.bytes_acked, SENT, SENT + 1);
		} else if (info.local_port == server_port && info.peer_port == pair.client_port) {
			receivers++;
			assert_int_equal(info.bytes_received, SENT);
		}
	}
	assert_int_equal(result, SOCK_DIAG_END);
	assert_int_equal(senders, 1);
	assert_int_equal(receivers, 1);
	/* and once more by itself, until it is gone */
	assert_int_equal(sock_diag_look_up(reader, &sender, &info), SOCK_DIAG_SOCKET);
	assert_int_equal(info.local_port, pair.client_port);
	sock_diag_close(reader);
	end_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_listing),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
