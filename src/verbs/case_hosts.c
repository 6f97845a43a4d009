/* Whose facts are whose: labelled dumps, the host advised, and this machine. */
#include "verbs/case.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

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

bool case_host_read(struct host *host, const char *sysroot, const struct options *options)
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

static const struct host *labelled(const struct advise_case *c, enum end end)
{
	return evidence_host(&c->evidence, end, c->analyses[c->chosen].run);
}

/* The end whose host the unlabelled facts describe, when no role says so: the one that holds the flow. */
static enum end advised_end(const struct advise_case *c)
{
	const struct analysis *analysis = &c->analyses[c->chosen];

	return analysis->limit.factor == FACTOR_SEND_BUFFER ? END_SENDER : END_RECEIVER;
}

static void assign_advised(struct advise_case *c, const struct options *options)
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

/* This machine's facts count for the end that it is, and for no other. */
static void assign_here(struct advise_case *c, const struct options *options)
{
	const struct run *run = c->analyses[c->chosen].run;
	bool wanted = !options->no_host && !options->sysroot && c->advised.origin == HOST_UNKNOWN;

	if (options->no_host || options->sysroot)
		return;
	/* Numbers name no host: this machine need not be an end of what they are about. */
	if (!run)
		return;
	bool told = run->system_info[0] != '\0';
	if (told && !run_is_of_here(run))
		return;
	/* Facts of a recorded host beside a text run: the run need not have been made here. */
	if (!told && (!wanted || labelled(c, END_SENDER) || labelled(c, END_RECEIVER)))
		return;
	if (!case_host_read(&c->here, "", options))
		return;
	c->local_assumed = !told;
	if (local_end(run) == END_SENDER) {
		c->here_role = ROLE_SENDER;
		c->sender = c->sender ? c->sender : &c->here;
	} else {
		c->here_role = ROLE_RECEIVER;
		c->receiver = c->receiver ? c->receiver : &c->here;
	}
}

void case_hosts(struct advise_case *c, const struct options *options)
{
	c->receiver = labelled(c, END_RECEIVER);
	c->sender = labelled(c, END_SENDER);
	assign_advised(c, options);
	/* "This host" of --role is this machine when no facts of another were given. */
	if (options->role != ROLE_UNKNOWN && c->advised.origin == HOST_UNKNOWN &&
	    !options->no_host && !labelled(c, END_RECEIVER) && !labelled(c, END_SENDER) &&
	    case_host_read(&c->here, "", options)) {
		c->here_role = options->role;
		if (options->role != ROLE_SENDER)
			c->receiver = &c->here;
		if (options->role != ROLE_RECEIVER)
			c->sender = &c->here;
		return;
	}
	assign_here(c, options);
}
