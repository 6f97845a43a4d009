#include "advice/qdisc_lines.h"

#include <bsd/string.h>
#include <string.h>

#include "base/quote.h"

/* What a kernel gives an interface unasked: net/sched/sch_generic.c (pfifo_fast, mq, noqueue), and
 * what distributions make of default_qdisc; systemd has fq_codel since version 217. */
static const char *const defaults[] = {"pfifo_fast", "fq_codel", "fq", "pfifo", "sfq"};

static bool is_default(const struct host *host, const char *kind)
{
	const struct tunable_value *set = &host->values[TUNABLE_DEFAULT_QDISC];
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (strcmp(kind, defaults[i]) == 0)
			return true;
	return set->known && strcmp(kind, set->word) == 0;
}

enum choice { CHOICE_NONE, CHOICE_ROOT, CHOICE_MQ, CHOICE_LEAVE };

static enum choice choose(
    const struct host *host, const struct interface *interface, const char *qdisc)
{
	const char *kind = interface->qdisc;
	if (!interface->up || kind[0] == '\0' || strcmp(kind, qdisc) == 0 ||
	    strcmp(kind, "noqueue") == 0 || strcmp(kind, "noop") == 0)
		return CHOICE_NONE;
	if (strcmp(kind, "mq") != 0)
		return is_default(host, kind) ? CHOICE_ROOT : CHOICE_LEAVE;
	if (strcmp(interface->leaf_qdisc, qdisc) == 0)
		return CHOICE_NONE;
	/* Children of several kinds show as none: somebody chose at least one of them. */
	return is_default(host, interface->leaf_qdisc) ? CHOICE_MQ : CHOICE_LEAVE;
}

static void fill(struct command *line, const struct interface *interface, const char *qdisc,
    enum role role, enum choice choice)
{
	bool mq = choice == CHOICE_MQ;

	*line = (struct command){.host = role,
	    .because = {.id = mq ? REMARK_QUEUE_OF_MANY : REMARK_QUEUE_OF_ONE,
		.values = {as_word(interface->name), as_word(qdisc),
		    as_word(mq ? interface->leaf_qdisc : interface->qdisc),
		    as_number(interface->tx_queues)}}};
}

static void leave(const struct interface *interface, char *left_alone, size_t size)
{
	char name[80];
	const char *kind = strcmp(interface->qdisc, "mq") == 0 && interface->leaf_qdisc[0] != '\0'
			       ? interface->leaf_qdisc
			       : interface->qdisc;
	if (left_alone[0] != '\0')
		strlcat(left_alone, ", ", size);
	strlcat(left_alone, quote_text(interface->name, name, sizeof(name)), size);
	strlcat(left_alone, " (", size);
	strlcat(left_alone, quote_text(kind, name, sizeof(name)), size);
	strlcat(left_alone, ")", size);
}

size_t qdisc_lines(const struct host *host, const char *qdisc, enum role role,
    struct command *lines, size_t max, char *left_alone, size_t size)
{
	size_t count = 0;
	char word[24], wanted[24];
	left_alone[0] = '\0';
	if (!quote_word(qdisc, wanted, sizeof(wanted)))
		return 0;
	for (unsigned i = 0; i < host->interface_count; i++) {
		const struct interface *interface = &host->interfaces[i];
		enum choice choice = choose(host, interface, qdisc);
		if (choice == CHOICE_LEAVE ||
		    (choice != CHOICE_NONE && !quote_word(interface->name, word, sizeof(word))))
			leave(interface, left_alone, size);
		else if (choice != CHOICE_NONE && count < max)
			fill(&lines[count++], interface, qdisc, role, choice);
	}
	return count;
}
