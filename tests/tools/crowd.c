/*
 * Makes TCP connections over the loopback interface and holds them until its standard input ends.
 * Usage: crowd N [zoo]
 *
 * N connections over IPv4, a process and a local address for each few thousand; "zoo" adds what else there is: IPv6, a reader
 * that never reads, an end that was closed by one side, and one over which data keeps moving.
 * Prints "ready" when all are up.  Meant for a network namespace of its own.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 5000
/* Both ends must fit the usual limit of open files, which not even root may raise everywhere. */
#define PER_PROCESS 4000

struct pair {
	int near, far;
};

static void raise_limit(unsigned long files)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		err(1, "getrlimit");
	if (limit.rlim_cur >= files)
		return;
	limit.rlim_cur = files;
	if (limit.rlim_max < files)
		limit.rlim_max = files;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		err(1, "%lu open files", files);
}

static int listen_on(int family, const struct sockaddr *address, socklen_t size)
{
	int one = 1, fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
	    bind(fd, address, size) != 0 || listen(fd, 4096) != 0)
		err(1, "listen");
	return fd;
}

static struct sockaddr_in local4(uint32_t host, uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons(port),
	    .sin_addr.s_addr = htonl(UINT32_C(0x7f000000) | host)};
}

static struct pair connect4(int listener, const struct sockaddr_in *to, uint32_t host)
{
	struct sockaddr_in from = local4(host, 0);
	struct pair pair = {.near = socket(AF_INET, SOCK_STREAM, 0)};

	if (pair.near < 0 || bind(pair.near, (struct sockaddr *)&from, sizeof(from)) != 0 ||
	    connect(pair.near, (const struct sockaddr *)to, sizeof(*to)) != 0)
		err(1, "connect");
	pair.far = accept(listener, NULL, NULL);
	if (pair.far < 0)
		err(1, "accept");
	return pair;
}

static struct pair connect6(int listener, const struct sockaddr_in6 *to)
{
	struct pair pair = {.near = socket(AF_INET6, SOCK_STREAM, 0)};

	if (pair.near < 0 || connect(pair.near, (const struct sockaddr *)to, sizeof(*to)) != 0 ||
	    (pair.far = accept(listener, NULL, NULL)) < 0)
		err(1, "connect over IPv6");
	return pair;
}

/* Writes until the other end, which does not read, takes no more. */
static void fill(struct pair pair)
{
	static const char bytes[4096];

	if (fcntl(pair.near, F_SETFL, O_NONBLOCK) != 0)
		err(1, "fcntl");
	for (unsigned quiet = 0; quiet < 20;) {
		if (write(pair.near, bytes, sizeof(bytes)) > 0) {
			quiet = 0;
			continue;
		}
		quiet++;
		usleep(10000);
	}
}

/* Some 6 MB/s, for as long as the parent lives. */
static void pump(struct pair pair)
{
	static char bytes[6000];

	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (write(pair.near, bytes, sizeof(bytes)) < 0 ||
		    read(pair.far, bytes, sizeof(bytes)) <= 0)
			_exit(0);
		usleep(1000);
	}
}

static void zoo(int listener, const struct sockaddr_in *at)
{
	struct sockaddr_in6 any6 = {
	    .sin6_family = AF_INET6, .sin6_port = htons(PORT + 1), .sin6_addr = IN6ADDR_ANY_INIT};
	int listener6 = listen_on(AF_INET6, (struct sockaddr *)&any6, sizeof(any6));

	any6.sin6_addr = in6addr_loopback;
	for (int i = 0; i < 10; i++)
		connect6(listener6, &any6);
	/* a listener for both families gives IPv4 peers a mapped address */
	struct sockaddr_in to = local4(1, PORT + 1);
	int near = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(near, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    accept(listener6, NULL, NULL) < 0)
		err(1, "connect to a mapped address");
	fill(connect4(listener, at, 1));
	/* FIN-WAIT-2 here, CLOSE-WAIT there */
	shutdown(connect4(listener, at, 1).near, SHUT_WR);
	pump(connect4(listener, at, 1));
}

/* A process with its own listener; it ends with its parent. */
static void hold(long count, uint32_t number)
{
	struct sockaddr_in at = local4(1 + number, (uint16_t)(PORT + 10 + number));
	int told[2];
	char byte;

	if (pipe(told) != 0)
		err(1, "pipe");
	pid_t child = fork();
	if (child < 0)
		err(1, "fork");
	if (child > 0) {
		close(told[1]);
		if (read(told[0], &byte, 1) != 1)
			errx(1, "process %u could not connect", number);
		close(told[0]);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise_limit(2 * PER_PROCESS + 100);
	int listener = listen_on(AF_INET, (struct sockaddr *)&at, sizeof(at));
	for (long i = 0; i < count; i++)
		connect4(listener, &at, 1 + number);
	if (write(told[1], "", 1) != 1)
		err(1, "pipe");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	struct sockaddr_in at = local4(1, PORT);
	char byte;

	if (count <= 0 || count > 200000 || argc > 3)
		errx(2, "usage: crowd N [zoo]");
	for (uint32_t i = 0; count > 0; i++, count -= PER_PROCESS)
		hold(count < PER_PROCESS ? count : PER_PROCESS, i);
	int listener = listen_on(AF_INET, (struct sockaddr *)&at, sizeof(at));
	if (argc == 3 && strcmp(argv[2], "zoo") == 0)
		zoo(listener, &at);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	return 0;
}
