#include "evidence/iperf_json.h"

/* The addresses of the first stream: the others have the same. */
static bool connected_item(struct json *json, void *record)
{
	static const struct field rows[] = {
	    FIELD_IGNORED("socket"),
	    FIELD_INTO("local_host", struct document, facts.local, 0),
	    FIELD_IGNORED("local_port"),
	    FIELD_INTO("remote_host", struct document, facts.remote, 0),
	    FIELD_IGNORED("remote_port"),
	};
	static const struct fields fields = FIELDS(rows);
	const struct document *document = record;

	return document->facts.local[0] != '\0' ? json_skip(json)
						: fields_read(json, &fields, record);
}

static bool connected_read(struct json *json, enum json_token token, void *record)
{
	return array_read(json, token, connected_item, record);
}

/* The other end's address, and by its key the role of this one. */
static bool peer_read(struct json *json, enum json_token token, void *record, unsigned role)
{
	static const struct field rows[] = {
	    FIELD_INTO("host", struct document, facts.host, 0),
	    FIELD_IGNORED("port"),
	};
	static const struct fields fields = FIELDS(rows);
	struct document *document = record;

	if (token == JSON_BEGIN_OBJECT)
		document->facts.has |= role;
	return fields_read_value(json, token, &fields, record);
}

static bool connecting_to_read(struct json *json, enum json_token token, void *record)
{
	return peer_read(json, token, record, DOCUMENT_CLIENT);
}

static bool accepted_connection_read(struct json *json, enum json_token token, void *record)
{
	return peer_read(json, token, record, DOCUMENT_SERVER);
}

static bool test_start_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_INTO("protocol", struct document, protocol, 0),
	    FIELD_IGNORED("num_streams"),
	    FIELD_IGNORED("blksize"),
	    FIELD_INTO("omit", struct document, facts.omit_s, RUN_OMIT),
	    FIELD_INTO("duration", struct document, facts.duration_s, RUN_DURATION),
	    FIELD_IGNORED("bytes"),
	    FIELD_IGNORED("blocks"),
	    FIELD_INTO("reverse", struct document, reverse, 0),
	    FIELD_IGNORED("tos"),
	    FIELD_INTO(
		"target_bitrate", struct document, test_target_rate_bps, DOCUMENT_TEST_TARGET_RATE),
	    FIELD_INTO("bidir", struct document, bidir, 0),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read_value(json, token, &fields, record);
}

static bool timestamp_read(struct json *json, enum json_token token, void *record)
{
	static const struct field rows[] = {
	    FIELD_IGNORED("time"),
	    FIELD_INTO("timesecs", struct document, began, 0),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read_value(json, token, &fields, record);
}

bool start_read(struct json *json, enum json_token token, void *record)
{
	/* tcp_mss is what was asked for with -M, tcp_mss_default what the socket said; one of both */
	static const struct field rows[] = {
	    FIELD_BY("connected", connected_read),
	    FIELD_INTO("version", struct document, facts.version, 0),
	    FIELD_INTO("system_info", struct document, facts.system_info, 0),
	    FIELD_BY("timestamp", timestamp_read),
	    FIELD_BY("connecting_to", connecting_to_read),
	    FIELD_BY("accepted_connection", accepted_connection_read),
	    FIELD_INTO("cookie", struct document, cookie, 0),
	    FIELD_NONZERO("tcp_mss_default", struct document, facts.mss, RUN_MSS),
	    FIELD_NONZERO("tcp_mss", struct document, facts.mss, RUN_MSS),
	    FIELD_INTO("target_bitrate", struct document, facts.target_rate_bps, RUN_TARGET_RATE),
	    FIELD_IGNORED("fq_rate"),
	    FIELD_INTO(
		"sock_bufsize", struct document, facts.socket_buffer_bytes, RUN_SOCKET_BUFFER),
	    FIELD_IGNORED("sndbuf_actual"),
	    FIELD_IGNORED("rcvbuf_actual"),
	    FIELD_BY("test_start", test_start_read),
	};
	static const struct fields fields = FIELDS(rows);

	return fields_read_value(json, token, &fields, record);
}
