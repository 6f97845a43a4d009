#include "apply/own_part.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/quote.h"
#include "system/addresses.h"

/* The one end that has an address of this host; ROLE_UNKNOWN when none has, or both. */
static enum role role_by_address(const struct plan *plan)
{
	bool sends = address_presence(plan->sender_name) == PRESENCE_HERE;
	bool receives = address_presence(plan->receiver_name) == PRESENCE_HERE;

	if (address_presence(plan->proxy_name) == PRESENCE_HERE && !(sends && receives))
		return ROLE_PROXY;
	if (sends == receives)
		return ROLE_UNKNOWN;
	return sends ? ROLE_SENDER : ROLE_RECEIVER;
}

static bool neither_is_here(const struct plan *plan)
{
	return address_presence(plan->sender_name) == PRESENCE_ABSENT &&
	       address_presence(plan->receiver_name) == PRESENCE_ABSENT;
}

static bool was_made_here(const struct plan *plan)
{
	struct utsname u;

	return plan->made_on[0] != '\0' && uname(&u) == 0 && strcmp(u.nodename, plan->made_on) == 0;
}

static const char *name_of(const struct plan *plan, enum role role)
{
	return quoted(role == ROLE_SENDER     ? plan->sender_name
		      : role == ROLE_RECEIVER ? plan->receiver_name
					      : plan->proxy_name);
}

bool plan_own_role(
    const struct plan *plan, enum role asked, enum role *role, char *why, size_t size)
{
	enum role found = role_by_address(plan);
	bool proxy = asked == ROLE_PROXY || found == ROLE_PROXY;

	*role = asked != ROLE_UNKNOWN ? asked : found;
	if (asked != ROLE_UNKNOWN && found != ROLE_UNKNOWN && asked != found && !proxy) {
		snprintf(why, size,
		    "--role %s, but this host has the address of the plan's %s, %s: leave --role out",
		    role_name(asked), role_name(found), name_of(plan, found));
		return false;
	}
	/* what somebody said of this machine when the plan was made on it still holds */
	if (*role == ROLE_UNKNOWN && plan->here_by == HERE_BY_ROLE && was_made_here(plan))
		*role = plan->here;
	if (*role != ROLE_UNKNOWN)
		return true;
	if (neither_is_here(plan)) {
		snprintf(why, size,
		    "this host is neither the sender %s nor the receiver %s of the plan; if it is one of "
		    "them behind another address, say which with --role",
		    quoted(plan->sender_name), quoted(plan->receiver_name));
		return false;
	}
	/* a plan of a release that did not say where it was made is taken as made here */
	if (plan->made_on[0] == '\0' || was_made_here(plan))
		*role = plan->here;
	return true;
}
