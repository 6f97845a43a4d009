#include "evidence/ss.h"

#include <bsd/string.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/scan.h"
#include "evidence/ss_info.h"
#include "evidence/ss_stamp.h"

/* tcp_info takes 1 KiB; users:(...) of a listener that forked much may take more, and is cut. */
#define LINE_MAX_BYTES 16384
/* The columns of a row, without what users:(...) adds behind them. */
#define ROW_MAX_BYTES 512

struct ss_reader {
	struct source *source;
	struct socket_info pending; /* read, but its last line may not be */
	struct ss_words words;
	bool has_pending;
	bool foreign;		 /* below a row that is no TCP socket: its lines are not ours */
	bool stamped, used;	 /* `stamp` holds; a socket stood below it, or below the header */
	struct ss_stamp stamp;	 /* of the sockets that follow */
	unsigned listing;	 /* the number of what follows */
	char row[ROW_MAX_BYTES]; /* one that a terminal wrapped before its addresses; "" if none */
	int ended;		 /* 1: at the end, -1: a read failed */
	uint64_t skipped;
	char line[LINE_MAX_BYTES];
};

/* misc/ss.c, sock_state_print. */
static const char *const states[] = {"ESTAB", "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2",
    "TIME-WAIT", "UNCONN", "CLOSE-WAIT", "LAST-ACK", "LISTEN", "CLOSING", "UNKNOWN"};

/* The Netid column, printed when several kinds of socket were asked for: misc/ss.c. */
static const char *const foreign_kinds[] = {"udp", "raw", "u_str", "u_dgr", "u_seq", "nl", "p_raw",
    "p_dgr", "icmp6", "sctp", "dccp", "mptcp", "tipc", "ti_st", "ti_sq", "ti_dg", "ti_rd", "v_str",
    "v_dgr", "vsock", "xdp", "???"};

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(word, words) is_one_of(word, words, sizeof(words) / sizeof((words)[0]))

/* Ports that ss without -n prints by name and that matter here; others stay 0. */
static uint16_t port_by_name(const char *name)
{
	static const struct {
		const char *name;
		uint16_t port;
	} ports[] = {{"ssh", 22}, {"http", 80}, {"https", 443}, {"http-alt", 8080},
	    {"targus-getdata1", 5201} /* what IANA calls iperf3's */};

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (strcmp(name, ports[i].name) == 0)
			return ports[i].port;
	return 0;
}

/*
 * "[::ffff:10.77.0.2]:5201", "10.0.0.1%eth0:22", "fe80::1%eth0:22" (before iproute2 4.15), "*:*":
 * the port is behind the last colon.  False when there is none.
 */
static bool endpoint_read(const char *word, char *address, size_t size, uint16_t *port)
{
	const char *colon = strrchr(word, ':');
	uint64_t number;

	if (colon == NULL || colon == word || colon[1] == '\0')
		return false;
	const char *digits = colon + 1;
	if (scan_uint(&digits, &number)) {
		if (*digits != '\0' || number > UINT16_MAX)
			return false;
		*port = (uint16_t)number;
	} else {
		*port = port_by_name(digits);
	}
	const char *start = word + (*word == '[');
	size_t length = strcspn(start, "]%");
	if (start + length > colon)
		length = (size_t)(colon - start);
	/* iperf3 and the sender's own ss print mapped addresses as IPv4 */
	if (strncmp(start, "::ffff:", 7) == 0 && memchr(start, '.', length) != NULL) {
		start += 7;
		length -= 7;
	}
	if (length >= size)
		length = size - 1;
	memcpy(address, start, length);
	address[length] = '\0';
	scan_printable(address);
	return true;
}

enum row { ROW_NONE, ROW_TCP, ROW_FOREIGN, ROW_WRAPPED };

/*
 * "[tcp] [ESTAB] 0 131824 10.77.0.1:33398 10.77.0.2:5201": ss leaves out the kind when only TCP was
 * asked for, and the state when only one was.  *rest is what follows.
 */
static enum row row_read(const char *line, struct socket_info *info, const char **rest)
{
	char word[128];
	const char *at = line, *behind = line;

	memset(info, 0, sizeof(*info));
	scan_word(&behind, word, sizeof(word));
	if (IS_ONE_OF(word, foreign_kinds))
		return ROW_FOREIGN;
	if (strcmp(word, "tcp") == 0) {
		at = behind;
		scan_word(&behind, word, sizeof(word));
	}
	if (IS_ONE_OF(word, states)) {
		strlcpy(info->state, word, sizeof(info->state));
		at = behind;
	}
	at = scan_blanks(at);
	if (!scan_uint(&at, &info->recv_queue) || scan_blanks(at) == at)
		return ROW_NONE;
	at = scan_blanks(at);
	if (!scan_uint(&at, &info->send_queue))
		return ROW_NONE;
	/* without a state any two numbers would do */
	enum row missing = info->state[0] != '\0' ? ROW_WRAPPED : ROW_NONE;
	if (*scan_blanks(at) == '\0')
		return missing;
	if (scan_blanks(at) == at || scan_word(&at, word, sizeof(word)) >= sizeof(word) ||
	    !endpoint_read(word, info->local, sizeof(info->local), &info->local_port))
		return ROW_NONE;
	if (*scan_blanks(at) == '\0')
		return missing;
	if (scan_word(&at, word, sizeof(word)) >= sizeof(word) ||
	    !endpoint_read(word, info->peer, sizeof(info->peer), &info->peer_port))
		return ROW_NONE;
	*rest = at;
	return ROW_TCP;
}

/* "State Recv-Q Send-Q Local Address:Port ...": every release's header has these. */
static bool is_header(const char *line)
{
	return strstr(line, "Recv-Q") != NULL && strstr(line, "Address:Port") != NULL;
}

/* What follows is another output of ss. */
static void listing_begin(struct ss_reader *reader)
{
	reader->listing += reader->used;
	reader->used = false;
}

/* A line that is no row: of the socket above it, or of when ss ran. */
static void other_line_read(struct ss_reader *reader)
{
	struct ss_stamp stamp;

	if (reader->has_pending && ss_info_read(&reader->pending, &reader->words, reader->line) > 0)
		return;
	if (ss_stamp_read(reader->line, &stamp)) {
		listing_begin(reader);
		reader->stamp = stamp;
		reader->stamped = true;
	} else if (!reader->foreign) {
		reader->skipped++;
	}
}

static void socket_begin(struct ss_reader *reader, const struct socket_info *info, const char *rest)
{
	reader->pending = *info;
	reader->pending.listing = reader->listing;
	reader->used = true;
	if (reader->stamped) {
		reader->pending.taken_s = reader->stamp.seconds;
		reader->pending.has |=
		    SOCKET_TAKEN | (reader->stamp.is_exact ? SOCKET_TAKEN_EXACT : 0U);
	}
	memset(&reader->words, 0, sizeof(reader->words));
	ss_info_read(&reader->pending, &reader->words, rest);
}

/* The line as a row, after what of it a terminal left in the line before. */
static enum row row_complete(struct ss_reader *reader, struct socket_info *info, const char **rest)
{
	enum row row = row_read(reader->line, info, rest);

	if (row == ROW_NONE && reader->row[0] != '\0') {
		strlcat(reader->row, " ", sizeof(reader->row));
		if (strlcat(reader->row, reader->line, sizeof(reader->row)) < sizeof(reader->row)) {
			strlcpy(reader->line, reader->row, sizeof(reader->line));
			row = row_read(reader->line, info, rest);
		}
	}
	reader->row[0] = '\0';
	if (row == ROW_WRAPPED)
		strlcpy(reader->row, reader->line, sizeof(reader->row));
	return row;
}

/* Takes one line; true when it began a socket and *info is the one before. */
static bool line_read(struct ss_reader *reader, struct socket_info *info)
{
	struct socket_info next;
	const char *rest;

	if (scan_blanks(reader->line)[0] == '\0')
		return false;
	if (is_header(reader->line)) {
		listing_begin(reader);
		return false;
	}
	enum row row = row_complete(reader, &next, &rest);
	if (row == ROW_NONE)
		other_line_read(reader);
	if (row == ROW_NONE || row == ROW_WRAPPED)
		return false;
	bool done = reader->has_pending;
	if (done) {
		*info = reader->pending;
		ss_info_end(info);
	}
	reader->foreign = row == ROW_FOREIGN;
	reader->has_pending = row == ROW_TCP;
	if (row == ROW_TCP)
		socket_begin(reader, &next, rest);
	return done;
}

struct ss_reader *ss_open(struct source *source)
{
	struct ss_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		err(1, NULL);
	reader->source = source;
	return reader;
}

int ss_next(struct ss_reader *reader, struct socket_info *info)
{
	bool cut;

	while (reader->ended == 0) {
		int got = source_line(reader->source, reader->line, sizeof(reader->line), &cut);
		if (got <= 0)
			reader->ended = got < 0 ? -1 : 1;
		else if (line_read(reader, info))
			return 1;
	}
	if (reader->has_pending) {
		reader->has_pending = false;
		*info = reader->pending;
		ss_info_end(info);
		return 1;
	}
	return reader->ended < 0 ? -1 : 0;
}

uint64_t ss_skipped(const struct ss_reader *reader)
{
	return reader->skipped;
}

void ss_close(struct ss_reader *reader)
{
	free(reader);
}
