#include "evidence/iperf_row.h"

#include <bsd/string.h>
#include <string.h>

/* More digits than any figure of iperf3 has, and few enough for exact arithmetic in a double's
 * range. */
#define DIGITS_MAX 100000000000000000ULL
#define BYTES_MAX 1e17
/* Words looked at behind the rate; a row has at most seven. */
#define TAIL_WORDS_MAX 10

struct number {
	double value;
	uint64_t digits; /* as printed, without the point */
	unsigned decimals;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool literal_take(const char **cursor, const char *literal)
{
	size_t length = strlen(literal);

	if (strncmp(*cursor, literal, length) != 0)
		return false;
	*cursor += length;
	return true;
}

/* strtod is locale-dependent, takes "nan", hex and exponents, and is several times slower. */
static bool number_take(const char **cursor, struct number *number)
{
	static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	const char *p = *cursor;
	uint64_t digits = 0;
	unsigned decimals = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++) {
		if (digits >= DIGITS_MAX)
			return false;
		digits = digits * 10 + (uint64_t)(*p - '0');
	}
	if (*p == '.' && is_digit(p[1])) {
		for (p++; is_digit(*p); p++) {
			if (decimals == 9 || digits >= DIGITS_MAX)
				continue;
			digits = digits * 10 + (uint64_t)(*p - '0');
			decimals++;
		}
	}
	number->digits = digits;
	number->decimals = decimals;
	number->value = (double)digits / tens[decimals];
	*cursor = p;
	return true;
}

bool iperf_number_take(const char **cursor, double *value)
{
	struct number number;

	if (!number_take(cursor, &number))
		return false;
	*value = number.value;
	return true;
}

/* The K, M, G or T in front of a unit, as a power of `base`. */
static double prefix_take(const char **cursor, double base)
{
	double factor = 1;

	switch (**cursor) {
	case 'T':
		factor *= base;
		/* fallthrough */
	case 'G':
		factor *= base;
		/* fallthrough */
	case 'M':
		factor *= base;
		/* fallthrough */
	case 'K':
		factor *= base;
		(*cursor)++;
		break;
	default:
		break;
	}
	return factor;
}

/* "MBytes", 1024-based (iperf3 units.c, unit_snprintf). */
static bool size_unit_take(const char **cursor, double *factor)
{
	const char *p = *cursor;

	*factor = prefix_take(&p, 1024);
	if (!literal_take(&p, "Byte"))
		return false;
	if (*p == 's')
		p++;
	if (is_letter(*p) || *p == '/')
		return false;
	*cursor = p;
	return true;
}

/* "Mbits/sec" is 1000-based, "MBytes/sec" is 1024-based bytes (units.c). */
static bool rate_unit_take(const char **cursor, double *factor)
{
	const char *p = *cursor, *unit = p;

	*factor = prefix_take(&unit, 1000);
	if (literal_take(&unit, "bits/s")) {
		p = unit;
	} else {
		*factor = 8 * prefix_take(&p, 1024);
		if (!literal_take(&p, "Bytes/s"))
			return false;
	}
	if (p[0] == 'e' && p[1] == 'c')
		p += 2;
	if (is_letter(*p))
		return false;
	*cursor = p;
	return true;
}

/* The Transfer column.  iperf3 before 3.3 printed bytes under the name of bits from 1 TiB on. */
static bool transfer_take(const char **cursor, uint64_t *bytes)
{
	struct number number;
	const char *p = *cursor;
	double factor = 1;

	if (!number_take(&p, &number))
		return false;
	p = skip_blanks(p);
	if (!size_unit_take(&p, &factor) &&
	    !(number.value >= 1e12 && literal_take(&p, "bits") && *p != '/'))
		return false;
	if (number.value * factor > BYTES_MAX)
		return false;
	*bytes = (uint64_t)(number.value * factor + 0.5);
	*cursor = p;
	return true;
}

static bool rate_take(const char **cursor, struct iperf_row *row)
{
	struct number number = {0};
	const char *p = *cursor;
	double factor;

	if (*p == '-')
		p++;
	if (!literal_take(&p, "nan") && !literal_take(&p, "inf")) {
		if (!number_take(&p, &number))
			return false;
	}
	p = skip_blanks(p);
	if (!rate_unit_take(&p, &factor))
		return false;
	row->data.rate_bps = number.value * factor;
	/* -f g prints "0.35 Gbits/sec": too coarse to compute with */
	if (number.digits >= 100)
		row->data.has |= ROW_RATE;
	*cursor = p;
	return true;
}

/* "[  5]", "[SUM]", "[ ID]" (then *header), and the role behind it. */
static bool bracket_take(const char **cursor, struct iperf_row *row, bool *header)
{
	static const struct {
		const char *text;
		enum row_role role;
	} roles[] = {
	    {.text = "[TX-C]", .role = ROLE_TX_CLIENT},
	    {.text = "[RX-C]", .role = ROLE_RX_CLIENT},
	    {.text = "[TX-S]", .role = ROLE_TX_SERVER},
	    {.text = "[RX-S]", .role = ROLE_RX_SERVER},
	    {.text = "[Role]", .role = ROLE_NONE},
	};
	const char *p = skip_blanks(*cursor + 1);

	*header = false;
	if (is_digit(*p)) {
		for (; is_digit(*p); p++) {
			if (row->data.id > 99999)
				return false;
			row->data.id = row->data.id * 10 + (unsigned)(*p - '0');
		}
	} else if (literal_take(&p, "SUM")) {
		row->data.sum = true;
	} else if (literal_take(&p, "ID")) {
		*header = true;
	} else {
		return false;
	}
	p = skip_blanks(p);
	if (*p == '\\') /* Markdown escapes brackets */
		p++;
	if (*p++ != ']')
		return false;
	if (*p == '[') {
		for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
			if (literal_take(&p, roles[i].text)) {
				row->role = roles[i].role;
				break;
			}
		}
	}
	*cursor = p;
	return true;
}

/* "0.00-1.00   sec".  ROW_DATA for iperf3's two decimals. */
static enum row_kind interval_take(const char **cursor, struct iperf_row *row)
{
	struct number start, end;
	const char *p = *cursor;

	if (*p == '-')
		p++;
	if (!number_take(&p, &start))
		return ROW_NONE;
	if (*p++ != '-')
		return ROW_NONE;
	p = skip_blanks(p);
	if (!number_take(&p, &end))
		return ROW_NONE;
	p = skip_blanks(p);
	if (*p++ != 's')
		return ROW_NONE;
	if (p[0] == 'e' && p[1] == 'c')
		p += 2;
	if (is_letter(*p) || end.value < start.value)
		return ROW_NONE;
	row->data.start_s = start.value;
	row->data.end_s = end.value;
	*cursor = skip_blanks(p);
	return start.decimals == 2 && end.decimals == 2 ? ROW_DATA : ROW_IPERF2;
}

/* "0.521 ms  2982/57385 (5.2%)", the number already taken; "Unknown/57385" has no loss. */
static bool jitter_take(const char **cursor, double jitter_ms, struct iperf_row *row)
{
	struct number lost = {0}, packets;
	const char *p = *cursor;
	bool known = true;

	if (!literal_take(&p, "ms"))
		return false;
	p = skip_blanks(p);
	/* reordered datagrams can drive the count of lost ones below zero */
	bool negative = *p == '-';
	if (negative)
		p++;
	if (literal_take(&p, "Unknown"))
		known = false;
	else if (!number_take(&p, &lost))
		return false;
	if (*p++ != '/' || !number_take(&p, &packets))
		return false;
	p = skip_blanks(p);
	if (*p == '(') {
		const char *close = strchr(p, ')');
		if (close)
			p = close + 1;
	}
	if (known) {
		row->data.has |= ROW_JITTER;
		row->data.jitter_ms = jitter_ms;
		row->data.lost = (negative ? -1.0 : 1.0) * (double)lost.digits;
		row->data.packets = packets.digits;
	}
	*cursor = p;
	return true;
}

/* Behind Retr: the congestion window, and in Apple's iperf3 the bytes in flight and the peer's window.
 * A size without Retr is of a receiver, and no congestion window. */
static void size_store(struct iperf_row *row, double bytes, bool negative)
{
	bool good = !negative && bytes > 0 && bytes <= BYTES_MAX;

	row->sizes++;
	if (row->sizes == 3 && good) {
		row->data.peer_window_bytes = (uint64_t)(bytes + 0.5);
		row->data.has |= ROW_PEER_WINDOW;
	}
	if (row->sizes > 1 || !(row->data.has & ROW_COUNT))
		return;
	row->data.has |= ROW_CWND_COLUMN;
	row->data.has |= bytes > 0 ? 0U : ROW_CWND_ZERO;
	/* A window of nothing or less is none: user-space stacks print 0 (iperf issue 725), and before
	 * 3.12 an int wrapped above 2 GiB. */
	if (good) {
		row->data.cwnd_bytes = (uint64_t)(bytes + 0.5);
		row->data.has |= ROW_CWND;
	}
}

/* "2ms", "0.000s" of Apple's iperf3: RTT, Flow-Ctrl, Rwnd-Lmtd; in a summary the latter two. */
static bool time_take(const char **cursor, double value, struct iperf_row *row)
{
	const char *p = *cursor;
	double us = value * 1e6;

	if (literal_take(&p, "ms"))
		us = value * 1e3;
	else if (!literal_take(&p, "s"))
		return false;
	if (*p != '\0' && *p != ' ' && *p != '\t')
		return false;
	if (++row->times == 3) {
		row->data.has |= ROW_RWND_LIMITED;
		row->data.rwnd_limited_us = us;
	}
	*cursor = p;
	return true;
}

/* One figure behind the rate: a count, a size, a time, or jitter and loss. */
static bool figure_take(const char **cursor, struct iperf_row *row)
{
	struct number number;
	const char *p = *cursor;
	bool negative = *p == '-';
	double factor;

	if (negative)
		p++;
	if (!number_take(&p, &number))
		return false;
	const char *unit = skip_blanks(p);
	if (size_unit_take(&unit, &factor)) {
		size_store(row, number.value * factor, negative);
		*cursor = unit;
		return true;
	}
	if (!negative && jitter_take(&unit, number.value, row)) {
		*cursor = unit;
		return true;
	}
	if (!negative && (row->data.has & ROW_COUNT) && time_take(&p, number.value, row)) {
		*cursor = p;
		return true;
	}
	if (number.decimals > 0 || (row->data.has & ROW_COUNT) || (*p && *p != ' ' && *p != '\t'))
		return false;
	row->count = negative ? -(int64_t)number.digits : (int64_t)number.digits;
	row->data.has |= ROW_COUNT;
	*cursor = p;
	return true;
}

static bool word_take(const char **cursor, const char *word)
{
	const char *p = *cursor;

	if (!literal_take(&p, word) || is_letter(*p))
		return false;
	*cursor = p;
	return true;
}

/* What follows the rate: figures, then at most one of the tags.  People annotate their pastes, so
 * the first foreign word ends the row. */
static void tail_take(const char *p, struct iperf_row *row)
{
	for (unsigned words = 0; words < TAIL_WORDS_MAX; words++) {
		p = skip_blanks(p);
		if (!*p)
			return;
		if (literal_take(&p, "(omitted)")) {
			row->data.omitted = true;
		} else if (word_take(&p, "sender")) {
			row->data.side = SIDE_SENDER;
		} else if (word_take(&p, "receiver")) {
			row->data.side = SIDE_RECEIVER;
		} else if (!figure_take(&p, row)) {
			break;
		}
	}
	row->data.has |= ROW_TRAILING;
}

static enum row_kind data_take(const char *p, struct iperf_row *row)
{
	enum row_kind kind = interval_take(&p, row);

	if (kind == ROW_NONE)
		return ROW_NONE;
	if (!transfer_take(&p, &row->data.bytes)) {
		/* "31 datagrams received out-of-order" has one decimal and no Transfer */
		const char *end = p + strcspn(p, " \t");
		return kind == ROW_DATA && !*skip_blanks(end) ? ROW_CUT : ROW_NONE;
	}
	p = skip_blanks(p);
	if (!rate_take(&p, row)) {
		const char *end = p + strcspn(p, " \t");
		return kind == ROW_DATA && !*skip_blanks(end) ? ROW_CUT : ROW_NONE;
	}
	tail_take(p, row);
	return kind;
}

static enum row_columns header_columns(const char *text)
{
	if (strstr(text, "Lost/Total"))
		return COLUMNS_JITTER;
	if (strstr(text, "Datagrams"))
		return COLUMNS_DATAGRAMS;
	if (strstr(text, "Cwnd"))
		return COLUMNS_RETR_CWND;
	if (strstr(text, "Retr"))
		return COLUMNS_RETR;
	return COLUMNS_PLAIN;
}

/* The line from one of its brackets on. */
static enum row_kind row_take(const char *p, struct iperf_row *row)
{
	bool header;

	if (!bracket_take(&p, row, &header))
		return ROW_NONE;
	p = skip_blanks(p);
	row->rest = p;
	if (header) {
		if (!literal_take(&p, "Interval"))
			return ROW_NONE;
		row->columns = header_columns(p);
		return ROW_HEADER;
	}
	if (!row->data.sum && literal_take(&p, "local ")) {
		row->rest = p;
		return ROW_CONNECTED;
	}
	return data_take(p, row);
}

enum row_kind iperf_row_parse(const char *line, struct iperf_row *row)
{
	const char *p = strchr(line, '[');

	row->kind = ROW_NONE;
	for (; p && row->kind == ROW_NONE; p = strchr(p + 1, '[')) {
		memset(row, 0, sizeof(*row));
		row->data.side = SIDE_NONE;
		row->prefix = (size_t)(p - line);
		row->kind = row_take(p, row);
	}
	return row->kind;
}

bool iperf_row_completes(const struct iperf_row *first, const struct iperf_row *joined)
{
	const unsigned figures = ROW_COUNT | ROW_CWND | ROW_JITTER;

	if (joined->kind != ROW_DATA || (joined->data.has & ROW_TRAILING))
		return false;
	if (first->kind == ROW_CUT)
		return true;
	return (joined->data.has & figures) != (first->data.has & figures) ||
	       joined->data.side != first->data.side || joined->data.omitted != first->data.omitted;
}

/* Words of the default time stamp ("Mon Nov 30 14:53:43 2026"), of ISO 8601 and of syslog. */
static bool word_is_time(const char *word, size_t length)
{
	static const char names[] =
	    " Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep "
	    "Oct Nov Dec UTC GMT CET PM AM ";
	char padded[8];
	bool digits = false;

	for (size_t i = 0; i < length; i++) {
		if (is_digit(word[i]))
			digits = true;
		else if (!strchr("-:/.,+TZ[]()", word[i]))
			break;
		if (i + 1 == length)
			return digits;
	}
	if (length < 2 || length > 3)
		return false;
	padded[0] = ' ';
	memcpy(padded + 1, word, length);
	padded[length + 1] = ' ';
	padded[length + 2] = '\0';
	return strstr(names, padded) != NULL;
}

/* A title can be a number (-T 1), but not one as long as seconds since 1970. */
static bool word_is_number(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(word[i]))
			return false;
	}
	return length < 10;
}

void iperf_title_take(const char *line, size_t prefix, char *title, size_t size)
{
	const char *p = line, *end = line + prefix;

	title[0] = '\0';
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end == p || (end[-1] != ':' && end[-1] != '|'))
		return;
	end--;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (;;) {
		while (p < end && (*p == ' ' || *p == '\t' || *p == '>'))
			p++;
		if (end - p >= 2 && p[0] == '^' && p[1] == 'C') /* echo of the interrupt key */
			p += 2;
		const char *word = p;
		while (p < end && *p != ' ' && *p != '\t')
			p++;
		if (!word_is_time(word, (size_t)(p - word)) ||
		    (p == end && word_is_number(word, (size_t)(p - word)))) {
			p = word;
			break;
		}
		if (p == end)
			return;
	}
	if ((size_t)(end - p) < size)
		size = (size_t)(end - p) + 1;
	strlcpy(title, p, size);
}
