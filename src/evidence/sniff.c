#include "evidence/sniff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A text that only that kind holds; the first row that is found decides. */
struct mark {
	const char *text;
	enum input_kind kind;
	bool at_line_start; /* blanks apart */
};

/*
 * The order matters: what contains other things goes first (a paste of ping and iperf3 is an iperf3
 * paste with a ping beside; iperf2 shares words with iperf3).
 */
static const struct mark marks[] = {
    {"<!DOCTYPE", INPUT_HTML, true},
    {"<!doctype", INPUT_HTML, true},
    {"<html", INPUT_HTML, true},
    {"<HTML", INPUT_HTML, true},
    {"<?xml", INPUT_HTML, true},
    {"Client connecting to ", INPUT_IPERF2, true},
    {"Server listening on TCP port ", INPUT_IPERF2, true},
    {"Server listening on UDP port ", INPUT_IPERF2, true},
    {"TCP window size:", INPUT_IPERF2, true},
    {"UDP buffer size:", INPUT_IPERF2, true},
    {"[ ID] Interval", INPUT_IPERF_TEXT, false},
    {"[ ID][Role] Interval", INPUT_IPERF_TEXT, false},
    {"Connecting to host ", INPUT_IPERF_TEXT, false},
    {"Server listening on ", INPUT_IPERF_TEXT, false},
    {"Accepted connection from ", INPUT_IPERF_TEXT, false},
    {"iperf3: ", INPUT_IPERF_TEXT, false},
    {"iperf Done.", INPUT_IPERF_TEXT, false},
    {"qdisc ", INPUT_TC, true},
    {"\"handle\":", INPUT_TC, false},
    {"Loss%", INPUT_MTR, false},
    {"\"hubs\":", INPUT_MTR, false},
    {"[LOCALHOST]", INPUT_TRACEPATH, false},
    {"Resume: pmtu ", INPUT_TRACEPATH, false},
    {" bytes of data", INPUT_PING, false},
    {" data bytes", INPUT_PING, false},
    {"packets transmitted", INPUT_PING, false},
    {"icmp_seq=", INPUT_PING, false},
    {"TcpExt:", INPUT_COUNTERS, true},
    {"Tcp: RtoAlgorithm", INPUT_COUNTERS, true},
    {"TcpExt", INPUT_COUNTERS, true},
    {"TcpRetransSegs", INPUT_COUNTERS, true},
    {"TcpActiveOpens", INPUT_COUNTERS, true},
    {"IpInReceives", INPUT_COUNTERS, true},
    {"{\"kernel\":{", INPUT_COUNTERS, true}, /* nstat -j */
    /* netstat -s, whole or of grep */
    {" segments retransmit", INPUT_COUNTERS, false},
    {" receive queue due to low socket buffer", INPUT_COUNTERS, false},
    {" pruned from receive queue", INPUT_COUNTERS, false},
    {"TCP ran low on memory ", INPUT_COUNTERS, false},
    {"TCP: inuse ", INPUT_SOCKSTAT, true},
    {"TCP6: inuse ", INPUT_SOCKSTAT, true},
    {"TCP: out of memory", INPUT_SOCKSTAT, false},
    {"orphaned sockets", INPUT_SOCKSTAT, false},
    {"NIC statistics", INPUT_DROPS, true},
    {"\"stats64\":", INPUT_DROPS, false},
    {"RX: ", INPUT_DROPS, true},
    {"RX errors ", INPUT_DROPS, true},
    {"Inter-|   Receive", INPUT_DROPS, true},
    {"rx_missed_errors:", INPUT_DROPS, true},
    {"rx_discards_phy:", INPUT_DROPS, true},
    {"rx_out_of_buffer:", INPUT_DROPS, true},
    {"rx_no_buffer_count:", INPUT_DROPS, true},
    {"rx_dropped:", INPUT_DROPS, true},
    {"Recv-Q", INPUT_SS, false},
    {"skmem:(", INPUT_SS, false},
    {" rcv_space:", INPUT_SS, false},
    {" cwnd:", INPUT_SS, false},
    {"net.ipv4.", INPUT_SYSCTL, false},
    {"net.core.", INPUT_SYSCTL, false},
    {"net/ipv4/", INPUT_SYSCTL, false},
    {"net/core/", INPUT_SYSCTL, false},
    {"kernel.osrelease", INPUT_SYSCTL, true},
    {" sec  ", INPUT_IPERF_TEXT, false},
    {"\"bits_per_second\"", INPUT_IPERF_JSON, false},
};

/* A NUL, or many control characters: no text at all. */
static bool is_binary(const char *bytes, size_t length)
{
	size_t strange = 0, look = length < 4096 ? length : 4096;

	for (size_t i = 0; i < look; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\0')
			return true;
		if (c < 0x20 && !isspace(c) && c != 0x1b && c != 0x08)
			strange++;
	}
	return strange * 10 > look;
}

static bool starts_line(const char *bytes, const char *at)
{
	while (at > bytes && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '>'))
		at--;
	return at == bytes || at[-1] == '\n';
}

/* A line of /proc/net/softnet_stat: nine words or more of eight hexadecimal digits. */
static bool is_softnet(const char *line, const char *end)
{
	unsigned words = 0;

	for (;;) {
		while (line < end && *line == ' ')
			line++;
		const char *word = line;
		while (line < end && isxdigit((unsigned char)*line))
			line++;
		if (line - word != 8)
			return words >= 9 && line == word &&
			       (line == end || *line == '\n' || *line == '\r');
		words++;
	}
}

static bool softnet_is_there(const char *bytes, size_t length)
{
	const char *end = bytes + length;

	for (const char *line = bytes; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		if (is_softnet(line, end))
			return true;
		line = stop ? stop + 1 : end;
	}
	return false;
}

static bool mark_is_there(const struct mark *mark, const char *bytes, size_t length)
{
	const char *from = bytes, *end = bytes + length;
	size_t size = strlen(mark->text);

	for (const char *at; (at = memmem(from, (size_t)(end - from), mark->text, size));
	     from = at + 1)
		if (!mark->at_line_start || starts_line(bytes, at))
			return true;
	return false;
}

/* A row of iperf's table: a bracket, a number or SUM, a bracket, and a time range in seconds. One
 * decimal in the range is iperf2's, two are iperf3's. */
static enum input_kind row_kind(const char *bytes, size_t length)
{
	const char *end = bytes + length;

	for (const char *at = bytes; (at = memchr(at, '[', (size_t)(end - at))); at++) {
		const char *p = at + 1;
		while (p < end && (*p == ' ' || isalnum((unsigned char)*p)))
			p++;
		if (p == at + 1 || p >= end || *p != ']')
			continue;
		for (p++; p < end && (*p == ' ' || *p == '['); p++)
			if (*p == '[')
				while (p < end && *p != ']' && *p != '\n')
					p++;
		const char *number = p;
		while (p < end && isdigit((unsigned char)*p))
			p++;
		if (p == number || p >= end || *p != '.')
			continue;
		const char *decimals = ++p;
		while (p < end && isdigit((unsigned char)*p))
			p++;
		if (p < end && *p == '-')
			return p - decimals == 2 ? INPUT_IPERF_TEXT : INPUT_IPERF2;
	}
	return INPUT_UNKNOWN;
}

static const char *skip_blanks(const char *at, const char *end)
{
	if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* The first brace that begins a line, as iperf3's does behind whatever was printed before it. */
static const char *json_start(const char *bytes, const char *end)
{
	const char *at = skip_blanks(bytes, end);

	if (at < end && (*at == '{' || (*at == '[' && skip_blanks(at + 1, end) < end)))
		if (*at == '{' || strchr("{[]\"", *skip_blanks(at + 1, end)))
			return at;
	for (const char *line = at; line < end;) {
		/* blank lines are passed over once, not from each of them again */
		const char *body = skip_blanks(line, end);
		if (body + 1 < end && body[0] == '^' && body[1] == 'C')
			body = skip_blanks(body + 2, end);
		if (body < end && *body == '{')
			return body;
		const char *stop = body < end ? memchr(body, '\n', (size_t)(end - body)) : NULL;
		if (!stop)
			break;
		line = stop + 1;
	}
	return NULL;
}

/* Keys that tell whose JSON it is; the first row that is found decides. */
static const struct mark json_marks[] = {
    {"\"kernel\":{", INPUT_COUNTERS, false}, /* nstat -j */
    {"\"hubs\"", INPUT_MTR, false},
    {"\"stats64\"", INPUT_DROPS, false},
    {"\"handle\"", INPUT_TC, false},
    {"\"start\"", INPUT_IPERF_JSON, false},
    {"\"intervals\"", INPUT_IPERF_JSON, false},
    {"\"end\"", INPUT_IPERF_JSON, false},
    {"\"event\"", INPUT_IPERF_JSON, false},
    {"\"error\"", INPUT_IPERF_JSON, false},
    {"\"connected\"", INPUT_IPERF_JSON, false},
    {"\"streams\"", INPUT_IPERF_JSON, false},
    {"\"bits_per_second\"", INPUT_IPERF_JSON, false},
    {"\"diags\"", INPUT_IPERF_JSON, false},
};

static enum input_kind json_kind(const char *start, size_t length)
{
	for (size_t i = 0; i < sizeof(json_marks) / sizeof(json_marks[0]); i++)
		if (memmem(start, length, json_marks[i].text, strlen(json_marks[i].text)))
			return json_marks[i].kind;
	return INPUT_OTHER_JSON;
}

/* Two lines or more with the same number (three or more) of commas and no blanks around them. */
static bool is_csv(const char *bytes, size_t length)
{
	const char *end = bytes + length;
	size_t commas[2] = {0, 0}, line = 0;

	for (const char *at = bytes; at < end && line < 2; at++) {
		if (*at == ',' || *at == ';')
			commas[line]++;
		else if (*at == '\n')
			line++;
	}
	return commas[0] >= 3 &&
	       (line < 2 ? commas[1] == 0 || commas[1] == commas[0] : commas[1] == commas[0]);
}

enum input_kind sniff_bytes(const char *bytes, size_t length)
{
	const char *end = bytes + length;

	if (skip_blanks(bytes, end) == end)
		return length == 0 || length < SOURCE_PEEK_MAX ? INPUT_EMPTY : INPUT_UNKNOWN;
	const char *json = json_start(bytes, end);
	if (json && json == skip_blanks(bytes, end))
		return json_kind(json, (size_t)(end - json));
	if (is_binary(bytes, length))
		return INPUT_BINARY;
	enum input_kind row = row_kind(bytes, length);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		/* Two-decimal rows settle it, whatever words stand around them. */
		if (marks[i].kind == INPUT_TC && row != INPUT_UNKNOWN)
			return row;
		if (mark_is_there(&marks[i], bytes, length)) {
			if (json && json_kind(json, (size_t)(end - json)) == INPUT_IPERF_JSON &&
			    row == INPUT_UNKNOWN && marks[i].kind != INPUT_HTML)
				return INPUT_IPERF_JSON;
			return marks[i].kind;
		}
	}
	if (row != INPUT_UNKNOWN)
		return row;
	if (softnet_is_there(bytes, length))
		return INPUT_DROPS;
	if (json)
		return json_kind(json, (size_t)(end - json));
	return is_csv(bytes, length) ? INPUT_CSV : INPUT_UNKNOWN;
}

/* One JSON document and nothing else, as far as can be seen: the usual input, told without a search. */
static bool is_json_alone(const char *bytes, size_t length)
{
	const char *end = bytes + length;

	while (end > bytes && isspace((unsigned char)end[-1]))
		end--;
	const char *start = skip_blanks(bytes, end);
	return start < end && *start == '{' && (end[-1] == '}' || length >= SOURCE_PEEK_MAX);
}

unsigned sniff_beside(const char *bytes, size_t length, enum input_kind first)
{
	const unsigned may_stand = 1u << INPUT_TC | 1u << INPUT_PING | 1u << INPUT_COUNTERS |
				   1u << INPUT_SS | 1u << INPUT_SYSCTL | 1u << INPUT_MTR |
				   1u << INPUT_TRACEPATH | 1u << INPUT_SOCKSTAT | 1u << INPUT_DROPS;
	unsigned found = 0;

	if (first != INPUT_IPERF_TEXT && first != INPUT_IPERF_JSON && first != INPUT_IPERF2 &&
	    !(may_stand & 1u << first))
		return 0;
	if (first == INPUT_IPERF_JSON && is_json_alone(bytes, length))
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		unsigned kind = 1u << marks[i].kind;

		if ((may_stand & kind) && !(found & kind) && marks[i].kind != first &&
		    mark_is_there(&marks[i], bytes, length))
			found |= kind;
	}
	/* iperf3's own words beside iperf 2's */
	if (first == INPUT_IPERF2 && (memmem(bytes, length, "Connecting to host ", 19) ||
					 memmem(bytes, length, "iperf Done.", 11)))
		found |= 1u << INPUT_IPERF_TEXT;
	if (first != INPUT_DROPS && !(found & 1u << INPUT_DROPS) && softnet_is_there(bytes, length))
		found |= 1u << INPUT_DROPS;
	return found;
}

enum input_kind sniff(struct source *source)
{
	const char *bytes;
	size_t length = source_peek(source, &bytes);

	return sniff_bytes(bytes, length);
}
