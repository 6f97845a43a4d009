#include "evidence/ss_info.h"

#include <stddef.h>
#include <string.h>

#include "evidence/scan.h"

/*
 * Words as iproute2 prints them: misc/ss.c, tcp_stats_print and print_skmeminfo, 3.16 to 7.1.
 * Zero values are left out.  A word is "name:value", a bare name, or a name and the next word.
 */

/* What a value is, and so how it is read and into which type. */
enum shape {
	SHAPE_U64,    /* uint64_t */
	SHAPE_U32,    /* uint32_t, saturating */
	SHAPE_MS,     /* double: milliseconds, kept as us */
	SHAPE_PLAIN,  /* double, kept as it is */
	SHAPE_RATE,   /* double: "426.5Mbps" or "426456632bps" */
	SHAPE_CUSTOM, /* by its function */
};

struct word {
	const char *name;
	enum shape shape;
	unsigned has;
	size_t offset;
	bool (*read)(struct socket_info *info, const char *value);
};

/* Prefixes of sprint_bw: K up to iproute2 4.17, k since; -n prints plain bits. */
static bool rate_read(const char **at, double *rate_bps)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {
	    {"bps", 1}, {"kbps", 1e3}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}};
	double value;
	const char *p = *at;

	if (!scan_decimal(&p, &value) || value > 1e18)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (scan_prefix(&p, units[i].unit)) {
			*rate_bps = value * units[i].factor;
			*at = p;
			return true;
		}
	return false;
}

/* Milliseconds up to the 2^64 us that the kernel could print. */
static bool ms_read(const char **at, double *us)
{
	double ms;

	if (!scan_decimal(at, &ms) || ms > 1e16)
		return false;
	*us = ms * 1000;
	return true;
}

/* "(r0,rb131072,t0,tb69120,f1616,w137648,o0,bl0,d0)": letters, then a number. */
static bool skmem_read(struct socket_info *info, const char *value)
{
	const struct {
		const char *name;
		uint64_t *to;
	} fields[] = {{"rb", &info->rcvbuf}, {"r", &info->rmem_alloc}, {"tb", &info->sndbuf},
	    {"t", &info->wmem_alloc}, {"f", &info->forward_alloc}, {"w", &info->wmem_queued},
	    {"bl", &info->backlog}, {"d", &info->drops}};
	bool any = false;

	for (const char *at = value; *at == '(' || *at == ','; at += strcspn(at, ",")) {
		at++;
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			const char *number = at;
			if (!scan_prefix(&number, fields[i].name) ||
			    !scan_uint(&number, fields[i].to))
				continue;
			any = any || fields[i].to == &info->rcvbuf;
			break;
		}
	}
	/* an int that may go below zero and is printed unsigned: include/net/sock.h */
	if (info->forward_alloc > INT32_MAX)
		info->forward_alloc = 0;
	return any;
}

static bool rtt_read(struct socket_info *info, const char *value)
{
	double rtt_us, rttvar_us = 0;

	if (!ms_read(&value, &rtt_us) || rtt_us <= 0)
		return false;
	if (*value == '/') {
		value++;
		ms_read(&value, &rttvar_us);
	}
	info->rtt_us = rtt_us;
	info->rttvar_us = rttvar_us;
	return true;
}

static bool wscale_read(struct socket_info *info, const char *value)
{
	uint64_t snd, rcv;

	/* RFC 7323, section 2.3: at most 14; the kernel keeps four bits */
	if (!scan_uint(&value, &snd) || *value != ',')
		return false;
	value++;
	if (!scan_uint(&value, &rcv) || snd > 15 || rcv > 15)
		return false;
	info->snd_wscale = (unsigned)snd;
	info->rcv_wscale = (unsigned)rcv;
	return true;
}

/* "retrans:0/12": under way, and in all. */
static bool retrans_read(struct socket_info *info, const char *value)
{
	uint64_t now, total;

	if (!scan_uint(&value, &now) || *value != '/')
		return false;
	value++;
	if (!scan_uint(&value, &total))
		return false;
	info->retransmits = total;
	return true;
}

/* "(persist,1min13sec,9)": the peer's window is closed, and is probed. */
static bool timer_read(struct socket_info *info, const char *value)
{
	info->persists = strncmp(value, "(persist,", 9) == 0;
	return true;
}

/* "(bw:425981488bps,mrtt:52.051,pacing_gain:1.25,cwnd_gain:2)" */
static bool bbr_read(struct socket_info *info, const char *value)
{
	double bw_bps, mrtt_us;

	if (!scan_prefix(&value, "(bw:") || !rate_read(&value, &bw_bps) ||
	    !scan_prefix(&value, ",mrtt:") || !ms_read(&value, &mrtt_us))
		return false;
	info->bbr_bw_bps = bw_bps;
	info->bbr_min_rtt_us = mrtt_us;
	return true;
}

/* "120000000bps/120000000bps": with what SO_MAX_PACING_RATE permits behind, where it is set. */
static bool pacing_read(struct socket_info *info, const char *value)
{
	double rate_bps, most_bps;

	if (!rate_read(&value, &rate_bps))
		return false;
	info->pacing_rate_bps = rate_bps;
	if (scan_prefix(&value, "/") && rate_read(&value, &most_bps))
		info->max_pacing_bps = most_bps;
	return true;
}

#define AT(member) .offset = offsetof(struct socket_info, member)

/* With a colon. */
static const struct word words_with_value[] = {
    {.name = "skmem", .shape = SHAPE_CUSTOM, .has = SOCKET_SKMEM, .read = skmem_read},
    {.name = "wscale", .shape = SHAPE_CUSTOM, .has = SOCKET_WSCALE, .read = wscale_read},
    {.name = "rtt", .shape = SHAPE_CUSTOM, .has = SOCKET_RTT, .read = rtt_read},
    {.name = "mss", .shape = SHAPE_U32, .has = SOCKET_MSS, AT(mss)},
    {.name = "cwnd", .shape = SHAPE_U32, .has = SOCKET_CWND, AT(cwnd_segments)},
    {.name = "ssthresh", .shape = SHAPE_U32, .has = SOCKET_SSTHRESH, AT(ssthresh_segments)},
    {.name = "bytes_sent", .shape = SHAPE_U64, .has = SOCKET_BYTES_SENT, AT(bytes_sent)},
    {.name = "bytes_retrans", .shape = SHAPE_U64, .has = SOCKET_BYTES_RESENT, AT(bytes_resent)},
    {.name = "bytes_acked", .shape = SHAPE_U64, .has = SOCKET_BYTES_ACKED, AT(bytes_acked)},
    {.name = "bytes_received",
	.shape = SHAPE_U64,
	.has = SOCKET_BYTES_RECEIVED,
	AT(bytes_received)},
    {.name = "data_segs_out", .shape = SHAPE_U64, .has = SOCKET_DATA_SEGS_OUT, AT(data_segs_out)},
    {.name = "delivered", .shape = SHAPE_U64, AT(delivered)},
    {.name = "delivered_ce", .shape = SHAPE_U64, AT(delivered_ce)},
    {.name = "bbr", .shape = SHAPE_CUSTOM, .has = SOCKET_BBR, .read = bbr_read},
    {.name = "lastsnd", .shape = SHAPE_PLAIN, .has = SOCKET_LAST_SND, AT(lastsnd_ms)},
    {.name = "lastrcv", .shape = SHAPE_PLAIN, .has = SOCKET_LAST_SND, AT(lastrcv_ms)},
    {.name = "busy", .shape = SHAPE_MS, .has = SOCKET_BUSY, AT(busy_us)},
    {.name = "rwnd_limited", .shape = SHAPE_MS, AT(rwnd_limited_us)},
    {.name = "sndbuf_limited", .shape = SHAPE_MS, AT(sndbuf_limited_us)},
    {.name = "backoff", .shape = SHAPE_U32, .has = SOCKET_BACKOFF, AT(backoff)},
    {.name = "timer", .shape = SHAPE_CUSTOM, .read = timer_read},
    {.name = "unacked", .shape = SHAPE_U32, .has = SOCKET_UNACKED, AT(unacked_segments)},
    {.name = "retrans", .shape = SHAPE_CUSTOM, .has = SOCKET_RETRANS, .read = retrans_read},
    {.name = "rcv_rtt", .shape = SHAPE_MS, .has = SOCKET_RCV_RTT, AT(rcv_rtt_us)},
    {.name = "rcv_space", .shape = SHAPE_U64, .has = SOCKET_RCV_SPACE, AT(rcv_space)},
    {.name = "rcv_ssthresh", .shape = SHAPE_U64, .has = SOCKET_RCV_SSTHRESH, AT(rcv_ssthresh)},
    {.name = "notsent", .shape = SHAPE_U64, .has = SOCKET_NOTSENT, AT(notsent_bytes)},
    {.name = "minrtt", .shape = SHAPE_MS, .has = SOCKET_MIN_RTT, AT(min_rtt_us)},
    {.name = "snd_wnd", .shape = SHAPE_U64, .has = SOCKET_PEER_WINDOW, AT(peer_window_bytes)},
};

/* With a blank before the value. */
static const struct word words_with_rate[] = {
    {.name = "send", .shape = SHAPE_CUSTOM},
    {.name = "pacing_rate", .shape = SHAPE_CUSTOM, .has = SOCKET_PACING_RATE, .read = pacing_read},
    {.name = "delivery_rate",
	.shape = SHAPE_RATE,
	.has = SOCKET_DELIVERY_RATE,
	AT(delivery_rate_bps)},
};

/* Alone. */
static const struct word words_alone[] = {
    {.name = "ts", AT(has_timestamps)},
    {.name = "sack", AT(has_sack)},
    {.name = "app_limited", AT(app_limited)},
};

static const struct word *word_find(
    const struct word *words, size_t count, const char *at, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i].name) == length && memcmp(words[i].name, at, length) == 0)
			return &words[i];
	return NULL;
}

#define FIND(words, at, length) word_find(words, sizeof(words) / sizeof((words)[0]), at, length)

static bool uint_store(const char *value, const struct word *word, char *to)
{
	uint64_t number;

	if (!scan_uint(&value, &number))
		return false;
	if (word->shape == SHAPE_U64) {
		memcpy(to, &number, sizeof(number));
	} else {
		uint32_t narrow = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
		memcpy(to, &narrow, sizeof(narrow));
	}
	return true;
}

static bool value_store(struct socket_info *info, const struct word *word, const char *value)
{
	char *to = (char *)info + word->offset;
	double number;
	bool good = false;

	switch (word->shape) {
	case SHAPE_CUSTOM:
		good = word->read == NULL || word->read(info, value);
		break;
	case SHAPE_U64:
	case SHAPE_U32:
		good = uint_store(value, word, to);
		break;
	case SHAPE_MS:
		if ((good = ms_read(&value, &number)))
			memcpy(to, &number, sizeof(number));
		break;
	case SHAPE_PLAIN:
		if ((good = scan_decimal(&value, &number)))
			memcpy(to, &number, sizeof(number));
		break;
	case SHAPE_RATE:
		if ((good = rate_read(&value, &number)))
			memcpy(to, &number, sizeof(number));
		break;
	}
	if (good)
		info->has |= word->has;
	return good;
}

/* End of the word at `at`: a blank that is not inside parentheses, such as a process name's in
 * users:(("Web Content",pid=7,fd=3)). */
static const char *word_end(const char *at)
{
	unsigned depth = 0;
	bool quoted = false;

	for (; *at != '\0'; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (*at == '(' && !quoted)
			depth++;
		else if (*at == ')' && !quoted && depth > 0)
			depth--;
		else if ((*at == ' ' || *at == '\t') && depth == 0 && !quoted)
			break;
	}
	return at;
}

/* A module's name, as far as a congestion control can have it. */
static bool is_cc_name(const char *at, size_t length)
{
	if (length == 0 || length >= sizeof(((struct socket_info *)0)->cc))
		return false;
	return strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_-") >= length && at[0] >= 'a';
}

/* The congestion control is the last bare word before the first of these. */
static bool is_after_cc(const char *at, size_t length)
{
	static const char *const names[] = {
	    "wscale", "rto", "backoff", "rtt", "ato", "mss", "cwnd"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && memcmp(names[i], at, length) == 0)
			return true;
	return false;
}

/* A word without a colon. */
static bool bare_word(
    struct socket_info *info, struct ss_words *words, const char *at, size_t length)
{
	const struct word *word = FIND(words_alone, at, length);

	if (word != NULL) {
		bool yes = true;
		memcpy((char *)info + word->offset, &yes, sizeof(yes));
		return true;
	}
	if (!words->cc_passed && is_cc_name(at, length)) {
		memcpy(words->candidate, at, length);
		words->candidate[length] = '\0';
	}
	return false;
}

static bool valued_word(
    struct socket_info *info, struct ss_words *words, const char *at, size_t length)
{
	if (!words->cc_passed && is_after_cc(at, length)) {
		words->cc_passed = true;
		memcpy(info->cc, words->candidate, sizeof(info->cc));
	}
	const struct word *word = FIND(words_with_value, at, length);
	if (word != NULL)
		return value_store(info, word, at + length + 1);
	/* known, not kept: it still tells that this is ss output */
	return is_after_cc(at, length);
}

/* Stars are what is left of bold print. */
static const char *word_start(const char *at)
{
	return at + strspn(at, " \t\r*");
}

unsigned ss_info_read(struct socket_info *info, struct ss_words *words, const char *line)
{
	unsigned known = 0;

	for (const char *at = word_start(line); *at != '\0'; at = word_start(at)) {
		const char *end = word_end(at);
		size_t length = (size_t)(end - at), name = strcspn(at, ": \t");
		const struct word *rate = name >= length ? FIND(words_with_rate, at, length) : NULL;
		if (rate != NULL) {
			at = scan_blanks(end);
			known += value_store(info, rate, at);
			end = word_end(at);
		} else if (name < length) {
			known += valued_word(info, words, at, name);
		} else {
			known += bare_word(info, words, at, length);
		}
		at = end;
	}
	return known;
}

void ss_info_end(struct socket_info *info)
{
	/* mss is printed from tcp_info only, which has had these from the start; ss leaves out zeros */
	if (info->has & SOCKET_MSS)
		info->has |= SOCKET_RETRANS | SOCKET_UNACKED | SOCKET_LAST_SND | SOCKET_BACKOFF;
	/* tcpi_bytes_sent and tcpi_bytes_retrans came together: Linux 4.19 */
	if (info->has & SOCKET_BYTES_SENT)
		info->has |= SOCKET_BYTES_RESENT;
	else
		info->bytes_sent = info->bytes_acked;
	/* tcpi_min_rtt and tcpi_notsent_bytes came together: include/uapi/linux/tcp.h, Linux 4.6 */
	if (info->has & SOCKET_MIN_RTT)
		info->has |= SOCKET_NOTSENT;
}
