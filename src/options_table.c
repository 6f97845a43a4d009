#include "options_table.h"

#include "evidence/socket_filter.h"
#include "evidence/socket_state.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TARGET(member) .target = offsetof(struct options, member)

/* With both maxima of each at INT_MAX, the worst case of so many still fits 64 bits. */
#define CONNECTIONS_MAX 1000000000

static const char *const forms[] = {"text", "json", "sysctl", "sh", NULL};
static const char *const report_forms_only[] = {"text", "json", NULL};
static const char *const roles[] = {[ROLE_RECEIVER - 1] = "receiver",
    [ROLE_SENDER - 1] = "sender",
    [ROLE_PROXY - 1] = "proxy",
    NULL};
static const char *const colors[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL};

static bool check_endpoint(const char *word, const char **why)
{
	struct address_block peer;
	uint16_t port;

	return endpoint_parse(word, &peer, &port, why);
}

static bool check_peer(const char *word, const char **why)
{
	struct address_block peer;

	return address_block_parse(word, &peer, why);
}

static bool check_state(const char *word, const char **why)
{
	unsigned states;

	return socket_states_parse(word, &states, why);
}

/* clang-format off */
const struct option_row option_rows[OPTION_COUNT] = {
    [OPTION_BANDWIDTH] = {.name = "bandwidth", .letter = 'b', .argument = "RATE",
	.example = "703M", .verbs = IN(VERB_ADVISE), .what = "bandwidth",
	.help = "measured or planned rate; any two of -b, -r and -w give the third",
	.kind = KIND_RATE, TARGET(bandwidth_bps), .given = GIVEN_BANDWIDTH},
    [OPTION_RTT] = {.name = "rtt", .letter = 'r', .argument = "TIME", .example = "52ms",
	.verbs = IN(VERB_ADVISE), .what = "round-trip time",
	.help = "round-trip time with its unit (52ms, 0.052s, 800us)", .kind = KIND_TIME,
	TARGET(rtt_us), .given = GIVEN_RTT},
    [OPTION_WINDOW] = {.name = "window", .letter = 'w', .argument = "SIZE", .example = "4.36M",
	.verbs = IN(VERB_ADVISE), .what = "window", .help = "window in flight", .kind = KIND_SIZE,
	TARGET(window_bytes), .given = GIVEN_WINDOW, .min = 1},
    [OPTION_LOSS] = {.name = "loss", .letter = 'l', .argument = "PERCENT", .example = "0.126",
	.verbs = IN(VERB_ADVISE), .what = "loss", .help = "share of segments lost, in percent",
	.kind = KIND_PERCENT, TARGET(loss_ratio), .given = GIVEN_LOSS},
    [OPTION_IDLE_RTT] = {.name = "idle-rtt", .argument = "TIME", .example = "50ms",
	.verbs = IN(VERB_ADVISE), .what = "idle round-trip time",
	.help = "round-trip time of the idle path, to tell queueing delay", .kind = KIND_TIME,
	TARGET(idle_rtt_us), .given = GIVEN_IDLE_RTT},
    [OPTION_TARGET] = {.name = "target", .letter = 't', .argument = "RATE", .example = "3.34G",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "target rate",
	.help = "rate to size for; default: the baseline's, else -b, else the measured rate",
	.kind = KIND_RATE, TARGET(target_bps), .given = GIVEN_TARGET},
    [OPTION_BASELINE] = {.name = "baseline", .argument = "FILE", .example = "direct.json",
	.verbs = IN(VERB_ADVISE), .what = "baseline",
	.help = "a run over the same path that shows what it can carry", .kind = KIND_TEXT,
	TARGET(baseline)},
    [OPTION_CONNECTIONS] = {.name = "connections", .letter = 'c', .argument = "N",
	.example = "10000", .verbs = IN(VERB_ADVISE), .what = "connections",
	.help = "concurrent connections, for what they can take of memory", .kind = KIND_COUNT,
	TARGET(connections), .given = GIVEN_CONNECTIONS, .min = 1, .max = CONNECTIONS_MAX},
    [OPTION_ACTIVE] = {.name = "active", .argument = "N|PERCENT", .example = "500 or 5%",
	.verbs = IN(VERB_ADVISE), .what = "active connections",
	.help = "how many of them move bulk data at once; default: all", .kind = KIND_ACTIVE,
	.given = GIVEN_ACTIVE},
    [OPTION_ROLE] = {.name = "role", .argument = "receiver|sender|proxy", .example = "proxy",
	.verbs = IN(VERB_ADVISE), .what = "role",
	.help = "what this host is on the path; default: from the evidence", .kind = KIND_ROLE,
	.words = roles},
    [OPTION_RUN] = {.name = "run", .argument = "N", .example = "2", .verbs = IN(VERB_ADVISE),
	.what = "run",
	.help = "which run of the input to advise on; default: the last complete one",
	.kind = KIND_UNSIGNED, TARGET(run), .given = GIVEN_RUN, .min = 1, .max = 65535},
    [OPTION_EACH] = {.name = "each", .verbs = IN(VERB_ADVISE),
	.help = "take every FILE by itself: one JSON report a line", .kind = KIND_FLAG,
	TARGET(each)},
    [OPTION_NULL] = {.name = "null", .letter = '0', .verbs = IN(VERB_ADVISE),
	.help = "with --each: also the files named on standard input, as find -print0 writes them",
	.kind = KIND_FLAG, TARGET(null_names)},
    [OPTION_SYSCTL] = {.name = "sysctl", .argument = "FILE", .example = "lb-sysctl.txt",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "sysctl dump", .help = "'sysctl -a' of the host advised",
	.kind = KIND_TEXT, TARGET(sysctl)},
    [OPTION_SYSROOT] = {.name = "sysroot", .argument = "DIR", .example = "/srv/recorded/lb",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "sysroot",
	.help = "read /proc and /sys below DIR (a recorded host)", .kind = KIND_TEXT,
	TARGET(sysroot)},
    [OPTION_KERNEL] = {.name = "kernel", .argument = "VERSION", .example = "6.1",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "kernel", .help = "kernel version of the host advised",
	.kind = KIND_KERNEL},
    [OPTION_MEMORY] = {.name = "memory", .argument = "SIZE", .example = "16G",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "memory", .help = "RAM of the host advised",
	.kind = KIND_SIZE, TARGET(memory_bytes), .given = GIVEN_MEMORY, .min = 1 << 20,
	.max = 1ULL << 50},
    [OPTION_NO_HOST] = {.name = "no-host", .verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS),
	.help = "use no facts of this machine", .kind = KIND_FLAG, TARGET(no_host)},
    [OPTION_ALLOW_LOWER] = {.name = "allow-lower", .verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS),
	.help = "also advise values below the current ones", .kind = KIND_FLAG,
	TARGET(allow_lower)},
    [OPTION_SETSOCKOPT] = {.name = "setsockopt", .verbs = IN(VERB_ADVISE),
	.help = "also size rmem_max and wmem_max, for programs that set SO_RCVBUF or SO_SNDBUF",
	.kind = KIND_FLAG, TARGET(setsockopt)},
    [OPTION_SOCKET] = {.name = "socket", .argument = "ADDR[:PORT]", .example = "192.0.2.10:443",
	.verbs = IN(VERB_ADVISE), .what = "peer",
	.help = "watch a live connection to that peer for some seconds, in place of a run",
	.kind = KIND_TEXT, TARGET(socket), .check = check_endpoint},
    [OPTION_INTERVAL] = {.name = "interval", .argument = "SECONDS", .example = "10",
	.verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS), .what = "interval",
	.help = "how long to watch live sockets; sockets and counters are read at both ends of it",
	.kind = KIND_UNSIGNED, TARGET(interval_seconds), .min = 1, .max = 86400},
    [OPTION_WATCH] = {.name = "watch", .argument = "SECONDS", .example = "2",
	.verbs = IN(VERB_SOCKETS), .what = "watch",
	.help = "repeat in place, with the rates of the time between", .kind = KIND_UNSIGNED,
	TARGET(watch_seconds), .min = 1, .max = 86400},
    [OPTION_PORT] = {.name = "port", .argument = "PORT", .example = "443",
	.verbs = IN(VERB_SOCKETS), .what = "port", .help = "only sockets with that port at either end",
	.kind = KIND_UNSIGNED, TARGET(port), .min = 1, .max = 65535},
    [OPTION_PEER] = {.name = "peer", .argument = "ADDR[/LEN]", .example = "192.0.2.0/24",
	.verbs = IN(VERB_SOCKETS), .what = "peer", .help = "only sockets with such a peer",
	.kind = KIND_TEXT, TARGET(peer), .check = check_peer},
    [OPTION_STATE] = {.name = "state", .argument = "STATES", .example = "established",
	.verbs = IN(VERB_SOCKETS), .what = "state",
	.help = "only sockets in those states, as ss names them, or connected (the default) or all",
	.kind = KIND_TEXT, TARGET(state), .check = check_state},
    [OPTION_MIN_HELD] = {.name = "min-held", .argument = "SIZE", .example = "1M",
	.verbs = IN(VERB_SOCKETS), .what = "held memory",
	.help = "only sockets that hold as much memory, or more", .kind = KIND_SIZE,
	TARGET(min_held_bytes), .min = 1},
    [OPTION_FACTOR] = {.name = "factor", .argument = "N", .example = "4",
	.verbs = IN(VERB_SOCKETS), .what = "factor",
	.help = "a buffer is too large beyond N times the path's BDP; default: 2",
	.kind = KIND_NUMBER, TARGET(factor), .min = 1, .max = 1000000},
    [OPTION_ALL] = {.name = "all", .verbs = IN(VERB_SOCKETS),
	.help = "list every socket, before the report", .kind = KIND_FLAG, TARGET(all)},
    [OPTION_OUTPUT] = {.name = "output", .letter = 'o', .argument = "text|json|sysctl|sh",
	.example = "json", .verbs = IN(VERB_ADVISE), .what = "report form",
	.help = "report form; default: text", .kind = KIND_WORD, TARGET(form), .words = forms},
    [OPTION_OUTPUT_REPORT] = {.name = "output", .letter = 'o', .argument = "text|json",
	.example = "json", .verbs = IN(VERB_SOCKETS), .what = "report form",
	.help = "report form; default: text", .kind = KIND_WORD, TARGET(form),
	.words = report_forms_only},
    [OPTION_CHECK] = {.name = "check", .verbs = IN(VERB_ADVISE) | IN(VERB_SOCKETS),
	.help = "exit 5 when there is something to change or a problem", .kind = KIND_FLAG,
	TARGET(check)},
    [OPTION_COLOR] = {.name = "color", .argument = "auto|always|never", .example = "never",
	.verbs = IN_ALL, .what = "color",
	.help = "when to color; default: auto, on a terminal unless NO_COLOR is set",
	.kind = KIND_COLOR, .words = colors},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .verbs = IN_ALL, .help = "print this help",
	.kind = KIND_HELP},
    [OPTION_VERSION] = {.name = "version", .letter = 'V', .verbs = IN_ALL,
	.help = "print the version", .kind = KIND_VERSION},
};
/* clang-format on */

const struct verb_row verb_rows[] = {
    {.verb = VERB_ADVISE,
	.name = "advise",
	.operands = "[[sender=|receiver=]FILE ...]",
	.help = "say what limits the path, what to set on which host and why, how sure that is, "
		"and what it costs in memory (the default: the word may be left out)"},
    {.verb = VERB_SOCKETS,
	.name = "sockets",
	.operands = "[FILE ...]",
	.help = "say which live sockets (or those of ss -tmin) hold more memory than their paths "
		"need, and whether receive buffers run away"},
    {.verb = VERB_EXPLAIN,
	.name = "explain",
	.operands = "[NAME]",
	.help = "say what is known of a kernel setting, a finding, a limit or a counter; without "
		"a name, list them"},
};
const size_t verb_row_count = COUNT(verb_rows);

const struct relation relations[] = {
    {.option = OPTION_ACTIVE,
	.other = OPTION_CONNECTIONS,
	.needs = true,
	.why = "it says how many of those are busy; add -c N"},
    {.option = OPTION_NULL,
	.other = OPTION_EACH,
	.needs = true,
	.why = "many files at once are a case each"},
    {.option = OPTION_SYSROOT,
	.other = OPTION_NO_HOST,
	.why = "the tree is read in place of this machine; leave one out"},
    {.option = OPTION_SYSROOT,
	.other = OPTION_SYSCTL,
	.why = "both say what is set on the host advised; leave one out"},
    {.option = OPTION_INTERVAL,
	.other = OPTION_SOCKET,
	.needs = true,
	.verbs = IN(VERB_ADVISE),
	.why = "it is how long a live connection is watched; a run has its own length"},
    {.option = OPTION_WATCH,
	.other = OPTION_INTERVAL,
	.why = "--watch SECONDS reads at both ends of each of its rounds; leave one out"},
    {.option = OPTION_WATCH,
	.other = OPTION_ALL,
	.why = "a list of every socket is not repeated in place; leave one out"},
};
const size_t relation_count = COUNT(relations);
