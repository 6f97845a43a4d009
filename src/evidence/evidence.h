/*
 * Everything the operands said, sorted by what it is about: the one input of all later stages.
 */
#ifndef BDP_EVIDENCE_H
#define BDP_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence/counters.h"
#include "evidence/drops.h"
#include "evidence/host.h"
#include "evidence/ping.h"
#include "evidence/run.h"
#include "evidence/ss.h"
#include "evidence/tc.h"
#include "evidence/tracepath.h"

enum input_kind {
	INPUT_IPERF_TEXT,
	INPUT_IPERF_JSON,
	INPUT_SS,
	INPUT_PING,
	INPUT_SYSCTL,
	INPUT_COUNTERS,
	INPUT_TC,
	INPUT_IPERF2,
	INPUT_MTR,
	INPUT_TRACEPATH,
	INPUT_SOCKSTAT,
	INPUT_DROPS,
	/* taken for what they are, in order to say so */
	INPUT_CSV,
	INPUT_HTML,
	INPUT_EMPTY,
	INPUT_BINARY,
	INPUT_OTHER_JSON,
	INPUT_UNKNOWN,
	INPUT_KIND_COUNT
};

/* Which end of the path something belongs to.  That of a session is the end which ran the client, or
 * the other one: who of them sends, each run says. */
enum end { END_NONE, END_SENDER, END_RECEIVER, END_CLIENT, END_SERVER, END_COUNT };

/* What a kind is called in reports ("iperf3 text") and in json ("iperf3-text"). */
const char *input_kind_text(enum input_kind kind);
const char *input_kind_name(enum input_kind kind);

/* Tells the kind from the first bytes alone; reads nothing. */
enum input_kind sniff(struct source *source);

struct input {
	char *name; /* as given, without its label; owned */
	enum input_kind kind;
	enum end label;	   /* sender=FILE, receiver=FILE */
	char detail[120];  /* "3.12 client, 2 runs"; safe to print */
	char warning[240]; /* what was wrong with it though it was used; "" when nothing */
};

#define SOCKETS_MAX 256 /* sockets kept of ss operands given as evidence (the busiest) */
#define PINGS_MAX 8

struct evidence {
	struct input *inputs;
	size_t input_count;

	struct runs runs;
	struct runs socket_runs; /* what sockets come to as a run, of each input of them */
	struct ping pings[PINGS_MAX];
	/* which test a ping ran beside, from 1; 0 when that is not told */
	unsigned ping_tests[PINGS_MAX];
	unsigned ping_count;
	struct tc tc;
	bool has_tc;
	struct tracepath tracepath;
	bool has_tracepath;
	struct socket_info *sockets; /* owned */
	enum end *socket_ends;	     /* owned, parallel */
	size_t socket_count;
	/* facts by end; END_NONE holds those of a host whose end was not told */
	struct host hosts[END_COUNT];
	bool
	    none_is_far; /* facts of END_NONE are of a session that names its host, and has no run */
	bool host_is_beside[END_COUNT]; /* read beside a run: an operand of its own replaces it */
	/* two readings give a delta */
	struct counters counters_first[END_COUNT], counters_last[END_COUNT];
	unsigned counters_readings[END_COUNT];
	/* what the host itself dropped, of qdiscs too; readings are counted in it */
	struct drops drops[END_COUNT];
};

enum operand_result {
	OPERAND_OK,
	OPERAND_UNUSABLE, /* holds no usable evidence: exit 3 */
	OPERAND_SYSTEM,	  /* could not be read: exit 1 */
};

/*
 * Reads one operand ("FILE", "-", "sender=FILE", "receiver=FILE") into the bundle; on failure one
 * error has been made.  A session (session.h) is read command by command.  What the first
 * SOURCE_PEEK_MAX bytes hold of other kinds (a paste of
 * several commands) becomes inputs of its own; beside a run it is of the end that printed the run.
 */
enum operand_result evidence_read(struct evidence *evidence, const char *operand);
/* Without a run of iperf3's, what the sockets come to stands for one: the sender's view of the test that
 * moved most, else the receiver's. */
void evidence_use_sockets(struct evidence *evidence);
/* When the tests from `first_test` on all went one way, their client's facts and their server's become the
 * sender's and the receiver's. */
void evidence_resolve(struct evidence *evidence, unsigned first_test);
/* When all operands are read: facts of a host that are of no run, beside a session with one, are of
 * the other end. */
void evidence_settle(struct evidence *evidence);
/* The end of `run` that is meant: END_CLIENT and END_SERVER become the sender or the receiver. */
enum end evidence_end_in(enum end end, const struct run *run);
/* Facts of that run's sender or receiver, by label or by session; NULL when there are none. */
const struct host *evidence_host(
    const struct evidence *evidence, enum end end, const struct run *run);
/* Frees what the bundle owns. What it holds by value is left, and is void. */
void evidence_free(struct evidence *evidence);

/* Reads the output of one command of a session: false, and nothing is said, when there is no evidence in
 * it.  `text` need not end in NUL. */
bool evidence_read_part(
    struct evidence *evidence, const char *name, enum end label, const char *text, size_t length);

/* For readers of what is no file: an input as the reports name it, and a socket among those kept. */
struct input *evidence_add_input(struct evidence *evidence, const char *name, enum input_kind kind);
void evidence_keep_socket(struct evidence *evidence, const struct socket_info *info, enum end end);

#endif
