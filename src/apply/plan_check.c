#include "apply/plan_check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/quote.h"
#include "system/addresses.h"

/* include/net/tcp.h, TCP_CA_NAME_MAX, and include/uapi/linux/if.h, IFNAMSIZ: 16 with the NUL; the
 * kernel cuts longer names and sets what is left. */
#define NAME_MAX_LENGTH 15

static bool word_check(const struct setting *setting, char *why, size_t size)
{
	const char *word = setting->value.word;
	size_t length = strlen(word);
	bool plain = length > 0 && length <= NAME_MAX_LENGTH;
	for (size_t i = 0; i < length && plain; i++)
		plain = isalnum((unsigned char)word[i]) || strchr("_-.", word[i]) != NULL;
	if (!plain)
		snprintf(why, size,
		    "%s: '%s' is no name of one: 1 to %d letters, digits, '_', '-', '.'",
		    tunables[setting->id].key, quoted(word), NAME_MAX_LENGTH);
	return plain;
}

static bool numbers_check(const struct setting *setting, char *why, size_t size)
{
	const struct tunable *row = &tunables[setting->id];
	const struct tunable_value *value = &setting->value;
	unsigned wanted = row->kind == TUNABLE_VECTOR3 ? 3 : 1;
	if (value->count != wanted) {
		snprintf(why, size, "%s: takes %u number%s, not %u", row->key, wanted,
		    wanted == 1 ? "" : "s (min default max)", (unsigned)value->count);
		return false;
	}
	for (unsigned i = 0; i < wanted; i++) {
		if (value->number[i] < row->min || value->number[i] > row->max) {
			snprintf(why, size, "%s: %lld is out of bounds: %lld to %lld %s", row->key,
			    (long long)value->number[i], (long long)row->min, (long long)row->max,
			    row->unit);
			return false;
		}
	}
	/* The kernel takes them in any order (kernel/sysctl.c has no such check). */
	if (wanted == 3 &&
	    (value->number[0] > value->number[1] || value->number[1] > value->number[2])) {
		snprintf(why, size, "%s: %lld %lld %lld is out of order: min <= default <= max",
		    row->key, (long long)value->number[0], (long long)value->number[1],
		    (long long)value->number[2]);
		return false;
	}
	return true;
}

bool setting_check(const struct setting *setting, char *why, size_t size)
{
	if ((unsigned)setting->id >= TUNABLE_COUNT) {
		snprintf(why, size, "not a setting that bdp knows");
		return false;
	}
	const struct tunable *row = &tunables[setting->id];
	if (row->access != TUNABLE_WRITABLE) {
		snprintf(why, size, "%s: bdp reads it but never sets it", row->key);
		return false;
	}
	if (!setting->value.known) {
		snprintf(why, size, "%s: no value", row->key);
		return false;
	}
	return row->kind == TUNABLE_WORD ? word_check(setting, why, size)
					 : numbers_check(setting, why, size);
}

/* Settings of which more is room; in the others a smaller number means something else, not less. */
static const bool is_room[TUNABLE_COUNT] = {
    [TUNABLE_TCP_RMEM] = true,
    [TUNABLE_TCP_WMEM] = true,
    [TUNABLE_TCP_MEM] = true,
    [TUNABLE_RMEM_MAX] = true,
    [TUNABLE_WMEM_MAX] = true,
};

bool setting_lowers(enum tunable_id id, const struct tunable_value *current,
    const struct tunable_value *wanted, char *why, size_t size)
{
	static const char *const element[] = {"min", "default", "max"};
	if (!is_room[id] || !current->known)
		return false;
	for (unsigned i = 0; i < wanted->count && i < current->count; i++) {
		if (wanted->number[i] >= current->number[i])
			continue;
		snprintf(why, size, "would lower %s from %lld to %lld; --allow-lower permits it",
		    wanted->count == 3 ? element[i] : "it", (long long)current->number[i],
		    (long long)wanted->number[i]);
		return true;
	}
	return false;
}

/* A proxy receives and sends over the path: what is for either end is for it too. */
static bool is_for(enum role host, enum role role)
{
	return host == ROLE_UNKNOWN || host == role ||
	       (role == ROLE_PROXY && (host == ROLE_RECEIVER || host == ROLE_SENDER));
}

/* Two settings of one key cannot both be meant for this host. */
static bool is_unique(const struct plan *plan, const bool *chosen, char *why, size_t size)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!chosen[i] || !chosen[j] ||
			    plan->settings[i].id != plan->settings[j].id)
				continue;
			snprintf(why, size, "the plan sets %s twice for this host",
			    tunables[plan->settings[i].id].key);
			return false;
		}
	}
	return true;
}

bool settings_choose(
    const struct plan *plan, enum role role, bool chosen[PLAN_SETTINGS_MAX], char *why, size_t size)
{
	enum role only = ROLE_UNKNOWN;
	for (size_t i = 0; i < plan->setting_count && role == ROLE_UNKNOWN; i++) {
		enum role host = plan->settings[i].host;
		if (host == ROLE_UNKNOWN || host == only)
			continue;
		if (only != ROLE_UNKNOWN) {
			snprintf(why, size,
			    "the plan has settings for the %s and for the %s: say which this host is with "
			    "--role",
			    role_name(only), role_name(host));
			return false;
		}
		only = host;
	}
	for (size_t i = 0; i < plan->setting_count; i++)
		chosen[i] = role == ROLE_UNKNOWN || is_for(plan->settings[i].host, role);
	return is_unique(plan, chosen, why, size);
}

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
