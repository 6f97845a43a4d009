#include "evidence/socket_state.h"

#include <string.h>
#include <strings.h>

/* misc/ss.c, sstate_name. */
static const char *const names[STATE_COUNT] = {
    [STATE_UNKNOWN] = "",
    [STATE_ESTAB] = "ESTAB",
    [STATE_SYN_SENT] = "SYN-SENT",
    [STATE_SYN_RECV] = "SYN-RECV",
    [STATE_FIN_WAIT_1] = "FIN-WAIT-1",
    [STATE_FIN_WAIT_2] = "FIN-WAIT-2",
    [STATE_TIME_WAIT] = "TIME-WAIT",
    [STATE_CLOSED] = "UNCONN",
    [STATE_CLOSE_WAIT] = "CLOSE-WAIT",
    [STATE_LAST_ACK] = "LAST-ACK",
    [STATE_LISTEN] = "LISTEN",
    [STATE_CLOSING] = "CLOSING",
};

/* What ss calls them on its command line where that differs, and sets of them. */
static const struct alias {
	const char *name;
	unsigned states;
} aliases[] = {
    {"established", STATE_BIT(STATE_ESTAB)},
    {"listening", STATE_BIT(STATE_LISTEN)},
    {"closed", STATE_BIT(STATE_CLOSED)},
    {"connected", STATES_CONNECTED},
    {"all", STATES_ALL},
};

const char *socket_state_name(enum socket_state state)
{
	return names[state];
}

enum socket_state socket_state_find(const char *name)
{
	for (unsigned i = 1; i < STATE_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return (enum socket_state)i;
	return STATE_UNKNOWN;
}

static bool is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

static unsigned word_states(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (is_word(word, length, aliases[i].name))
			return aliases[i].states;
	for (unsigned i = 1; i < STATE_COUNT; i++)
		if (is_word(word, length, names[i]))
			return STATE_BIT(i);
	return 0;
}

bool socket_states_parse(const char *text, unsigned *states, const char **why)
{
	unsigned found = 0;

	for (;;) {
		size_t length = strcspn(text, ",");
		unsigned word = word_states(text, length);
		if (word == 0) {
			*why = "expected connected, all, or states as ss names them, such as "
			       "established,close-wait";
			return false;
		}
		found |= word;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	*states = found;
	return true;
}
