#include "evidence/session.h"

#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

/* A prompt is no longer than this. */
#define PROMPT_MAX 160
/* What is kept of a line behind SESSION_PART_MAX, to look for a prompt. */
#define LINE_SPARE 4096

struct session {
	struct source *source;
	char *text;
	size_t length, capacity;
	size_t line;  /* where the last line begins, which has no end yet */
	size_t given; /* length of the part given last, to be let go */
	const char *chunk;
	size_t chunk_left;
	char host[64];	    /* of the part that is being filled */
	bool cut, dropping; /* of the line that is being taken */
	int state;	    /* of the source: 1 more may come, 0 its end, -1 an error */
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr("._-", c) != NULL);
}

/* "user@host:dir" or "host": the host goes into out. */
static void host_copy(const char *from, size_t length, char out[64])
{
	const char *at = memchr(from, '@', length), *end = from + length;
	size_t size = 0;

	if (at)
		from = at + 1;
	while (from < end && is_name(*from) && size < 63)
		out[size++] = *from++;
	out[size] = '\0';
}

/* Length of what stands before the prompt's sign, or length when it is no prompt. */
static size_t prompt_words(const char *line, size_t length, bool *user)
{
	size_t at = 0;
	bool bracket = length > 0 && line[0] == '[';

	*user = false;
	for (; at < length && at < PROMPT_MAX; at++) {
		char c = line[at];
		*user = *user || c == '@';
		if (bracket && c == ']')
			return at + 1;
		if (!bracket && (c == '$' || c == '#'))
			return at;
		if (!is_name(c) && strchr("@:~/", c) == NULL &&
		    !(bracket && (c == ' ' || c == '[')))
			break;
	}
	return length;
}

bool session_prompt(const char *line, size_t length, char host[64])
{
	bool user;
	size_t words = prompt_words(line, length, &user);

	host[0] = '\0';
	if (length < 3 || words + 2 >= length || line[words + 1] != ' ')
		return false;
	if (line[words] != '$' && !(line[words] == '#' && user))
		return false;
	char first = line[words + 2];
	if (!isalpha((unsigned char)first) && strchr("./({[", first) == NULL)
		return false;
	host_copy(line + (line[0] == '['), words - (line[0] == '['), host);
	return true;
}

bool session_is(const char *bytes, size_t length)
{
	const char *end = bytes + length;
	char host[64];
	unsigned prompts = 0;

	for (const char *line = bytes; line < end && prompts < 2;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t size = (size_t)((stop ? stop : end) - line);

		if (session_prompt(line, size, host))
			prompts++;
		else if (prompts == 0 && size > 0 && line[0] != '\r')
			return false;
		if (!stop)
			break;
		line = stop + 1;
	}
	return prompts == 2;
}

struct session *session_open(struct source *source)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		err(1, NULL);
	session->source = source;
	session->state = 1;
	return session;
}

static void keep(struct session *session, const char *bytes, size_t length)
{
	if (session->length + length > session->capacity) {
		session->capacity = (session->length + length) * 2;
		session->text = realloc(session->text, session->capacity);
		if (!session->text)
			err(1, NULL);
	}
	memcpy(session->text + session->length, bytes, length);
	session->length += length;
}

/* Takes bytes up to a line's end; true when the line is whole.  Past the bound no more of a line is
 * kept than a prompt may need, and a longer one goes. */
static bool line_take(struct session *session)
{
	const char *stop = memchr(session->chunk, '\n', session->chunk_left);
	size_t length = stop ? (size_t)(stop - session->chunk) + 1 : session->chunk_left;
	size_t line = session->length - session->line;

	if (session->length + length <= SESSION_PART_MAX || line + length <= LINE_SPARE)
		keep(session, session->chunk, length);
	else
		session->dropping = session->cut = true;
	session->chunk += length;
	session->chunk_left -= length;
	if (stop && session->dropping) {
		session->length = session->line;
		session->dropping = false;
		return false;
	}
	return stop != NULL;
}

/* Makes room: the part that was given, and what is behind it moves to the front. */
static void let_go(struct session *session)
{
	memmove(session->text, session->text + session->given, session->length - session->given);
	session->length -= session->given;
	session->line -= session->given;
	session->given = 0;
}

static int give(struct session *session, struct session_part *part, size_t length)
{
	const char *stop = memchr(session->text, '\n', length);

	*part = (struct session_part){.text = session->text,
	    .length = length,
	    .output = stop ? (size_t)(stop - session->text) + 1 : length,
	    .cut = session->cut};
	memcpy(part->host, session->host, sizeof(part->host));
	session->given = length;
	session->cut = false;
	return 1;
}

/* The last line is whole: a prompt ends the part before it, if there is one. */
static bool line_end(struct session *session, struct session_part *part)
{
	char host[64];
	size_t line = session->line;
	bool prompt = session_prompt(session->text + line, session->length - line - 1, host);

	if (session->length > SESSION_PART_MAX && !prompt) {
		session->length = line;
		session->cut = true;
	}
	session->line = session->length;
	if (!prompt)
		return false;
	bool given = line > 0;
	if (given)
		give(session, part, line);
	memcpy(session->host, host, sizeof(host));
	return given;
}

int session_next(struct session *session, struct session_part *part)
{
	if (session->given > 0)
		let_go(session);
	while (session->state > 0) {
		if (session->chunk_left == 0) {
			ssize_t got = source_chunk(session->source, &session->chunk);
			session->state = got > 0 ? 1 : (int)got;
			session->chunk_left = got > 0 ? (size_t)got : 0;
			continue;
		}
		if (line_take(session) && line_end(session, part))
			return 1;
	}
	if (session->length > 0)
		return give(session, part, session->length);
	return session->state;
}

void session_close(struct session *session)
{
	if (session)
		free(session->text);
	free(session);
}
