#include "evidence/ping.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/quote.h"
#include "evidence/scan.h"

/* One ping, from its header or first line to its closing line. */
struct block {
	bool any; /* something of a ping was seen */
	char target[64];
	struct stats rtt_us; /* of the replies that are not duplicates */
	bool has_summary, has_counts;
	bool after_rule; /* "--- X ping statistics ---" was seen */
	double min_us, avg_us, max_us, deviation_us;
	uint64_t sent, received, duplicates, errors, seen_duplicates;
};

/* Targets seen, to tell how many there are; more than these count as the last one. */
#define TARGETS_MAX 64

struct reader {
	struct ping *ping;
	struct block block;
	bool folded; /* a block is already in *ping */
	double weight, sum_us,
	    square_sum_us; /* of the times folded: count, sum of means, of squares */
	uint64_t targets[TARGETS_MAX];
	unsigned target_count;
};

/* FNV-1a: names are only compared, so that a collision costs no more than a wrong count. */
static uint64_t name_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325U;
	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
	return hash;
}

static void target_note(struct reader *reader, const char *name)
{
	uint64_t hash = name_hash(name);
	for (unsigned i = 0; i < reader->target_count; i++)
		if (reader->targets[i] == hash)
			return;
	if (reader->target_count < TARGETS_MAX)
		reader->targets[reader->target_count++] = hash;
}

/* Chan's rule for joining the moments of two samples, with stats' recurrences. */
static void stats_join(struct stats *into, const struct stats *more)
{
	if (more->count == 0)
		return;
	if (into->count == 0) {
		*into = *more;
		return;
	}
	double n = (double)into->count, m = (double)more->count, step = more->mean - into->mean;
	into->m2 += more->m2 + step * step * n * m / (n + m);
	into->mean += step * m / (n + m);
	into->min = fmin(into->min, more->min);
	into->max = fmax(into->max, more->max);
	into->count += more->count;
}

/* Adds a block's times: from its closing line, else from its replies. */
static void times_fold(struct reader *reader, const struct block *block)
{
	struct ping *ping = reader->ping;
	double weight = 1, min_us, avg_us, max_us, deviation_us;

	if (block->has_summary) {
		min_us = block->min_us;
		avg_us = block->avg_us;
		max_us = block->max_us;
		deviation_us = block->deviation_us;
		if (block->has_counts && block->received > 0)
			weight = (double)block->received;
	} else if (block->rtt_us.count > 0) {
		min_us = block->rtt_us.min;
		avg_us = block->rtt_us.mean;
		max_us = block->rtt_us.max;
		deviation_us = stats_deviation(&block->rtt_us);
		weight = (double)block->rtt_us.count;
	} else {
		return;
	}
	bool first = reader->weight <= 0;
	ping->min_us = first ? min_us : fmin(ping->min_us, min_us);
	ping->max_us = first ? max_us : fmax(ping->max_us, max_us);
	reader->weight += weight;
	reader->sum_us += weight * avg_us;
	reader->square_sum_us += weight * (avg_us * avg_us + deviation_us * deviation_us);
	ping->avg_us = first ? avg_us : reader->sum_us / reader->weight;
	double variance = reader->square_sum_us / reader->weight - ping->avg_us * ping->avg_us;
	ping->deviation_us = first ? deviation_us : sqrt(fmax(variance, 0));
}

/* Ends the block: it joins the result when it is of the first target. */
static void block_end(struct reader *reader)
{
	struct block *block = &reader->block;
	struct ping *ping = reader->ping;

	if (!block->any)
		return;
	target_note(reader, block->target);
	if (!reader->folded)
		quote_text(block->target, ping->target, sizeof(ping->target));
	if (!reader->folded || reader->targets[0] == name_hash(block->target)) {
		reader->folded = true;
		times_fold(reader, block);
		stats_join(&ping->rtt_us, &block->rtt_us);
		ping->has_summary = ping->has_summary || block->has_summary;
		ping->has_counts = ping->has_counts || block->has_counts;
		ping->sent += block->sent;
		ping->received += block->received;
		ping->errors += block->errors;
		ping->duplicates += block->has_counts ? block->duplicates : block->seen_duplicates;
	}
	memset(block, 0, sizeof(*block));
}

/* Copies a host name or address, up to a character that cannot be part of one. */
static void target_copy(char *target, size_t size, const char *at)
{
	size_t length = strcspn(at, " \t\r()[],");
	/* "bytes from 10.0.0.1: icmp_seq" and "--- ::1 ping": a colon at the end is not the name's */
	if (length > 0 && at[length - 1] == ':')
		length--;
	if (length >= size)
		length = size - 1;
	memcpy(target, at, length);
	target[length] = '\0';
}

/* "PING host (10.0.0.1) 56(84) bytes", "PING6(56=40+8+8 bytes) ::1 --> ::2", "Pinging host [...]". */
static bool header_line(struct reader *reader, const char *line)
{
	const char *at = line, *arrow = strstr(line, " --> ");

	if (scan_prefix(&at, "PING6(") && arrow != NULL)
		at = arrow + strlen(" --> ");
	else if (!scan_prefix(&at, "PING ") && !scan_prefix(&at, "Pinging "))
		return false;
	block_end(reader);
	reader->block.any = true;
	target_copy(reader->block.target, sizeof(reader->block.target), scan_blanks(at));
	return true;
}

/* "--- host ping statistics ---"; Windows: "Ping statistics for 10.0.0.1:". */
static bool rule_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	const char *at = line;
	bool dashes =
	    scan_prefix(&at, "--- ") && strstr(at, " ---") != NULL && strcasestr(at, "ping");

	if (!dashes && !scan_prefix(&at, "Ping statistics for "))
		return false;
	char target[sizeof(block->target)];
	target_copy(target, sizeof(target), at);
	/* the closing lines of another ping whose header is not in the file */
	if (block->after_rule)
		block_end(reader);
	block->any = block->after_rule = true;
	if (block->target[0] == '\0')
		memcpy(block->target, target, sizeof(target));
	return true;
}

/* An echo that took longer than this is damage, not a time: 1000 s. */
#define RTT_MS_MAX 1e6

/* Finds "=12.3 ms" or "<1ms" and the time in it: whatever language the word before it is in. */
static bool reply_time(const char *line, double *time_us, const char **after)
{
	for (const char *at = line; (at = strpbrk(at, "=<")) != NULL;) {
		const char *number = ++at;
		double ms;
		if (!scan_decimal(&number, &ms) || ms > RTT_MS_MAX)
			continue;
		number = scan_blanks(number);
		if (!scan_prefix(&number, "ms"))
			continue;
		*time_us = ms * 1000;
		*after = number;
		return true;
	}
	return false;
}

/* A reply names the hops left: ttl=, TTL=, hlim=. */
static bool reply_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	const char *ttl = strcasestr(line, "ttl=");
	const char *from = strstr(line, "from "), *after;
	double time_us;

	if (ttl == NULL)
		ttl = strstr(line, "hlim=");
	/* Windows leaves it out for IPv6 */
	if (ttl == NULL && strncmp(line, "Reply from ", strlen("Reply from ")) == 0)
		ttl = line;
	if (ttl == NULL || !reply_time(line, &time_us, &after))
		return false;
	if (block->after_rule)
		block_end(reader);
	block->any = true;
	if (block->target[0] == '\0' && from != NULL)
		target_copy(block->target, sizeof(block->target), from + strlen("from "));
	/* a duplicate's time tells of the copy's path, not of the packet's */
	if (strstr(after, "DUP!") != NULL)
		block->seen_duplicates++;
	else if (time_us > 0)
		stats_add(&block->rtt_us, time_us);
	return true;
}

/* "4 packets transmitted, 3 received, +1 duplicates, 25% packet loss": sent first, then received,
 * in every language that iputils speaks. */
static bool counts_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	const char *at = scan_blanks(line), *part = strchr(line, ',');
	uint64_t sent, count;

	if (!block->after_rule || block->has_counts || !scan_uint(&at, &sent) || *at != ' ' ||
	    part == NULL)
		return false;
	at = scan_blanks(part + 1);
	if (!scan_uint(&at, &count) || *at != ' ' || strchr(at, '%') == NULL)
		return false;
	block->has_counts = true;
	block->sent = sent;
	block->received = count;
	while ((part = strchr(at, ',')) != NULL) {
		at = scan_blanks(part + 1);
		bool plus = scan_prefix(&at, "+");
		if (!scan_uint(&at, &count))
			continue;
		at = scan_blanks(at);
		if (scan_prefix(&at, "dup"))
			block->duplicates = count;
		else if (plus && !scan_prefix(&at, "corrupted"))
			block->errors = count;
	}
	return true;
}

/* Windows: "Packets: Sent = 4, Received = 3, Lost = 1 (25% loss),". */
static bool windows_counts_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	uint64_t counts[3];
	const char *at = line;

	if (!block->after_rule || strchr(line, '%') == NULL)
		return false;
	for (int i = 0; i < 3; i++) {
		at = strchr(at, '=');
		if (at == NULL)
			return false;
		at = scan_blanks(at + 1);
		if (!scan_uint(&at, &counts[i]))
			return false;
	}
	/* another line with figures behind equals signs does not add up */
	if (counts[1] > counts[0] || counts[2] != counts[0] - counts[1])
		return false;
	block->has_counts = true;
	block->sent = counts[0];
	block->received = counts[1];
	return true;
}

/* "rtt min/avg/max/mdev = 1.1/1.2/1.3/0.04 ms", "round-trip min/avg/max/stddev = ...". */
static bool summary_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	const char *at = strstr(line, "min/avg/max");
	double ms[4] = {0};
	int count = 0;

	if (at == NULL || (at = strstr(at, " = ")) == NULL)
		return false;
	at += strlen(" = ");
	while (count < 4 && scan_decimal(&at, &ms[count])) {
		count++;
		if (*at != '/')
			break;
		at++;
	}
	at = scan_blanks(at);
	if (count < 3 || !scan_prefix(&at, "ms") || ms[0] > ms[1] || ms[1] > ms[2] ||
	    ms[2] > RTT_MS_MAX || ms[3] > RTT_MS_MAX)
		return false;
	block->any = block->has_summary = true;
	block->min_us = ms[0] * 1000;
	block->avg_us = ms[1] * 1000;
	block->max_us = ms[2] * 1000;
	block->deviation_us = ms[3] * 1000;
	return true;
}

/* Windows: "Minimum = 12ms, Maximum = 14ms, Average = 13ms", the last word in its language. */
static bool windows_summary_line(struct reader *reader, const char *line)
{
	struct block *block = &reader->block;
	const char *at = line;
	double us[3];

	for (int i = 0; i < 3; i++) {
		at = strstr(at, " = ");
		if (at == NULL)
			return false;
		const char *number = at += strlen(" = ");
		if (!scan_decimal(&number, &us[i]) || !scan_prefix(&number, "ms"))
			return false;
		us[i] *= 1000;
	}
	if (!block->after_rule || us[0] > us[2] || us[2] > us[1] || us[1] > RTT_MS_MAX * 1000)
		return false;
	block->any = block->has_summary = true;
	block->min_us = us[0];
	block->max_us = us[1];
	block->avg_us = us[2];
	return true;
}

/* Tried in this order; the first that takes the line ends the search. */
static bool (*const line_readers[])(struct reader *reader, const char *line) = {
    header_line,
    rule_line,
    reply_line,
    counts_line,
    windows_counts_line,
    summary_line,
    windows_summary_line,
};

bool ping_read(struct ping *ping, struct source *source, unsigned *targets, const char **why)
{
	struct reader reader = {.ping = ping};
	char line[512];
	bool cut;
	int got;

	memset(ping, 0, sizeof(*ping));
	*targets = 0;
	while ((got = source_line(source, line, sizeof(line), &cut)) > 0)
		for (size_t i = 0; i < sizeof(line_readers) / sizeof(line_readers[0]); i++)
			if (line_readers[i](&reader, line))
				break;
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	block_end(&reader);
	*targets = reader.target_count;
	if (!reader.folded) {
		errno = 0;
		*why = "no line of ping output in it";
		return false;
	}
	return true;
}
