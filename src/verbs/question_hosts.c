/* Whose facts are whose: labelled dumps, the host advised, and this machine. */
#include "verbs/question.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/quote.h"
#include "system/addresses.h"
#include "system/procfs.h"

/* iperf3's system_info is uname's fields joined by blanks (iperf_util.c get_system_info). */
bool run_is_of_here(const struct run *run)
{
	struct utsname u;
	char here[sizeof(u.sysname) * 5 + 8];

	if (run->system_info[0] == '\0' || uname(&u) != 0)
		return false;
	snprintf(here, sizeof(here), "%s %s %s %s %s", u.sysname, u.nodename, u.release, u.version,
	    u.machine);
	return strncmp(here, run->system_info, strlen(run->system_info)) == 0;
}

bool question_host_read(struct host *host, const char *sysroot, const struct options *options)
{
	static struct host kept;
	static bool asked, found;

	if (!options->each)
		return host_read_system(host, sysroot);
	if (!asked)
		found = host_read_system(&kept, sysroot);
	asked = true;
	*host = kept;
	return found;
}

static enum role role_of(enum end end)
{
	return end == END_SENDER ? ROLE_SENDER : end == END_RECEIVER ? ROLE_RECEIVER : ROLE_UNKNOWN;
}

static enum end local_end(const struct run *run)
{
	return run->local_sends ? END_SENDER : END_RECEIVER;
}

/* Word `index` of uname's five in the run's system_info, and whether it is `text`. */
static bool system_word_is(const struct run *run, unsigned index, const char *text)
{
	const char *word = run->system_info;

	while (index-- > 0) {
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	size_t length = strcspn(word, " ");
	return length > 0 && strlen(text) == length && strncmp(word, text, length) == 0;
}

/* The end that settings without a label or a role are of: the machine that printed the run, unless the run
 * names another kernel and another host than the settings do. */
static enum end unlabelled_end(const struct run *run, const struct host *advised)
{
	enum end own = local_end(run);

	if (run->system_info[0] == '\0' || !advised->kernel.known ||
	    system_word_is(run, 1, advised->name) ||
	    system_word_is(run, 2, advised->kernel.release))
		return own;
	return own == END_SENDER ? END_RECEIVER : END_SENDER;
}

static void assign_advised(const struct question *c, const struct options *options,
    const struct run *run, struct ends *ends)
{
	const struct host *advised = &c->advised;
	bool both = options->role == ROLE_PROXY || !run;

	if (advised->origin == HOST_UNKNOWN)
		return;
	enum role role =
	    both || options->role ? options->role : role_of(unlabelled_end(run, advised));
	if ((both || role == ROLE_RECEIVER) && !ends->receiver)
		ends->receiver = advised;
	if ((both || role == ROLE_SENDER) && !ends->sender)
		ends->sender = advised;
}

/* The one end whose address this machine has; END_NONE when it has neither, or both. */
static enum end end_by_address(const struct run *run)
{
	bool sends = address_presence(run->sender) == PRESENCE_HERE;
	bool receives = address_presence(run->receiver) == PRESENCE_HERE;

	return sends == receives ? END_NONE : sends ? END_SENDER : END_RECEIVER;
}

/* Both ends are on this machine: it is the one that printed the run. */
static bool is_within_here(const struct run *run)
{
	return address_presence(run->sender) == PRESENCE_HERE &&
	       address_presence(run->receiver) == PRESENCE_HERE;
}

/* Which end of the run this machine is, and how that is known; END_NONE when it is none of them. */
static enum end end_here(const struct run *run, enum here_by *by)
{
	enum end by_address = end_by_address(run);
	const char *own = run->local_sends ? run->sender : run->receiver;

	*by = HERE_BY_SYSTEM;
	if (run_is_of_here(run))
		return local_end(run);
	*by = HERE_BY_ADDRESS;
	if (by_address != END_NONE)
		return by_address;
	if (run->system_info[0] == '\0' && is_within_here(run))
		return local_end(run);
	*by = HERE_BY_ASSUMPTION;
	if (run->system_info[0] == '\0' && address_presence(own) == PRESENCE_UNKNOWN)
		return local_end(run);
	*by = HERE_BY_NOTHING;
	return END_NONE;
}

static void take_here(struct question *c, const struct options *options, enum role role,
    enum here_by by, struct ends *ends)
{
	if (role == ROLE_UNKNOWN ||
	    (c->here.origin == HOST_UNKNOWN && !question_host_read(&c->here, "", options)))
		return;
	ends->here = role;
	ends->here_by = by;
	if (role != ROLE_SENDER && !ends->receiver)
		ends->receiver = &c->here;
	if (role != ROLE_RECEIVER && !ends->sender)
		ends->sender = &c->here;
}

void question_ends(
    struct question *c, const struct options *options, const struct run *run, struct ends *ends)
{
	enum here_by by = HERE_BY_NOTHING;

	*ends = (struct ends){.receiver = evidence_host(&c->evidence, END_RECEIVER, run),
	    .sender = evidence_host(&c->evidence, END_SENDER, run)};
	bool of_others = c->advised.origin != HOST_UNKNOWN || ends->receiver || ends->sender;
	assign_advised(c, options, run, ends);
	/* Numbers name no host: without a role this machine need not be an end of what they are about. */
	if (options->no_host || options->sysroot ||
	    (!run && (of_others || options->role == ROLE_UNKNOWN)))
		return;
	enum role found = run ? role_of(end_here(run, &by)) : ROLE_UNKNOWN;
	bool sure = by == HERE_BY_SYSTEM || (by == HERE_BY_ADDRESS && !is_within_here(run));
	/* Facts of a recorded host beside a run that does not say so: it need not have been made here. */
	if (of_others && by == HERE_BY_ASSUMPTION)
		return;
	if (!of_others && options->role != ROLE_UNKNOWN) {
		if (sure && found != options->role && options->role != ROLE_PROXY)
			ends->contradicts = found;
		found = options->role;
		by = HERE_BY_ROLE;
	}
	take_here(c, options, found, by, ends);
}

int question_take_ends(struct question *c, const struct options *options, const struct ends *ends)
{
	const struct run *run = c->analyses[c->chosen].run;

	c->receiver = ends->receiver;
	c->sender = ends->sender;
	c->here_role = ends->here;
	c->here_by = ends->here_by;
	if (ends->contradicts == ROLE_UNKNOWN)
		return 0;
	report_error(
	    "--role %s, but this machine is the %s of that run%s%s; leave it out, or give the other "
	    "host's settings with %s=FILE",
	    role_name(options->role), role_name(ends->contradicts),
	    *(ends->contradicts == ROLE_SENDER ? run->sender : run->receiver) ? ", " : "",
	    quoted(ends->contradicts == ROLE_SENDER ? run->sender : run->receiver),
	    role_name(options->role));
	return 2;
}
