/* Whose facts are whose: labelled dumps, the host advised, and this machine. */
#include "verbs/question.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/quote.h"
#include "evidence/addresses.h"

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

static enum end local_end(const struct run *run)
{
	return run->local_sends ? END_SENDER : END_RECEIVER;
}

static const struct host *labelled(const struct question *c, enum end end)
{
	return evidence_host(&c->evidence, end, c->analyses[c->chosen].run);
}

/* The end whose host the unlabelled facts describe, when no role says so: the one that holds the flow. */
static enum end advised_end(const struct question *c)
{
	const struct analysis *analysis = &c->analyses[c->chosen];

	return analysis->limit.factor == FACTOR_SEND_BUFFER ? END_SENDER : END_RECEIVER;
}

static void assign_advised(struct question *c, const struct options *options)
{
	const struct host *advised = &c->advised;
	bool both = options->role == ROLE_PROXY || !c->analyses[c->chosen].run;

	if (advised->origin == HOST_UNKNOWN)
		return;
	if (both || options->role == ROLE_RECEIVER ||
	    (!options->role && advised_end(c) == END_RECEIVER))
		c->receiver = c->receiver ? c->receiver : advised;
	if (both || options->role == ROLE_SENDER ||
	    (!options->role && advised_end(c) == END_SENDER))
		c->sender = c->sender ? c->sender : advised;
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

static enum role role_of(enum end end)
{
	return end == END_SENDER ? ROLE_SENDER : end == END_RECEIVER ? ROLE_RECEIVER : ROLE_UNKNOWN;
}

static int take_here(
    struct question *c, const struct options *options, enum role role, enum here_by by)
{
	if (role == ROLE_UNKNOWN || !question_host_read(&c->here, "", options))
		return 0;
	c->here_role = role;
	c->here_by = by;
	if (role != ROLE_SENDER)
		c->receiver = c->receiver ? c->receiver : &c->here;
	if (role != ROLE_RECEIVER)
		c->sender = c->sender ? c->sender : &c->here;
	return 0;
}

static int refuse_role(enum role asked, enum role found, const struct run *run)
{
	const char *name = found == ROLE_SENDER ? run->sender : run->receiver;

	report_error(
	    "--role %s, but this machine is the %s of that run%s%s; leave it out, or give the other "
	    "host's settings with %s=FILE",
	    role_name(asked), role_name(found), *name ? ", " : "", quoted(name), role_name(asked));
	return 2;
}

int question_hosts(struct question *c, const struct options *options)
{
	const struct run *run = c->analyses[c->chosen].run;
	bool of_others = c->advised.origin != HOST_UNKNOWN || labelled(c, END_RECEIVER) ||
			 labelled(c, END_SENDER);
	enum here_by by = HERE_BY_NOTHING;

	c->receiver = labelled(c, END_RECEIVER);
	c->sender = labelled(c, END_SENDER);
	assign_advised(c, options);
	/* Numbers name no host: without a role this machine need not be an end of what they are about. */
	if (options->no_host || options->sysroot ||
	    (!run && (of_others || options->role == ROLE_UNKNOWN)))
		return 0;
	enum role found = run ? role_of(end_here(run, &by)) : ROLE_UNKNOWN;
	/* Facts of a recorded host beside a run that does not say so: it need not have been made here. */
	if (of_others)
		return take_here(c, options, by == HERE_BY_ASSUMPTION ? ROLE_UNKNOWN : found, by);
	if (options->role == ROLE_UNKNOWN)
		return take_here(c, options, found, by);
	bool sure = by == HERE_BY_SYSTEM || (by == HERE_BY_ADDRESS && !is_within_here(run));
	if (sure && found != options->role && options->role != ROLE_PROXY)
		return refuse_role(options->role, found, run);
	return take_here(c, options, options->role, HERE_BY_ROLE);
}
