#include "verbs/socket_log.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "evidence/socket_state.h"
#include "evidence/ss_print.h"
#include "system/process.h"
#include "system/sock_diag.h"

/* 128 streams and their control connection, which is all that one iperf3 has, and some. */
#define SOCKETS_KEPT 160
#define STEP_MS 1000

void socket_log_begin(struct socket_log *log, uint16_t port)
{
	*log = (struct socket_log){.port = port, .next_ms = process_now_ms() + STEP_MS};
	log->stream = open_memstream(&log->text, &log->length);
	if (!log->stream)
		err(1, NULL);
}

static void print_reading(struct socket_log *log, const struct timespec *now,
    const struct socket_info *sockets, size_t count)
{
	fprintf(log->stream, "%lld.%09ld\n", (long long)now->tv_sec, now->tv_nsec);
	ss_print_header(log->stream);
	for (size_t i = 0; i < count; i++)
		ss_print(log->stream, &sockets[i]);
}

static void read_sockets(struct socket_log *log)
{
	static struct socket_info sockets[SOCKETS_KEPT];
	struct socket_info info;
	size_t count = 0;
	struct timespec now;
	enum sock_diag_result result = SOCK_DIAG_ERROR;
	struct sock_diag *reader = sock_diag_open(STATES_CONNECTED, log->port);

	clock_gettime(CLOCK_REALTIME, &now);
	while (reader && (result = sock_diag_next(reader, &info, NULL)) != SOCK_DIAG_END &&
	       result != SOCK_DIAG_ERROR)
		if (result == SOCK_DIAG_AGAIN)
			count = 0;
		else if (count < SOCKETS_KEPT)
			sockets[count++] = info;
	if (result == SOCK_DIAG_ERROR)
		log->error = errno;
	else if (count > 0)
		print_reading(log, &now, sockets, count);
	sock_diag_close(reader);
}

int socket_log_tick(struct socket_log *log)
{
	int64_t now_ms = process_now_ms();

	if (now_ms >= log->next_ms) {
		read_sockets(log);
		log->next_ms += STEP_MS;
		/* a machine that was held up does not catch up with a burst of readings */
		if (log->next_ms <= now_ms)
			log->next_ms = now_ms + STEP_MS;
	}
	return (int)(log->next_ms - now_ms);
}

void socket_log_end(struct socket_log *log)
{
	if (log->stream && fclose(log->stream) != 0)
		err(1, NULL);
	log->stream = NULL;
}

void socket_log_free(struct socket_log *log)
{
	socket_log_end(log);
	free(log->text);
	log->text = NULL;
}
