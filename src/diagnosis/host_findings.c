#include "diagnosis/host_findings.h"

/* ---- memory ----------------------------------------------------------------------------------- */

/* The log's line stands for many: it is limited to ten in 5 s (net_ratelimit). */
static void find_out_of_memory(struct findings *findings, const struct host *host, const char *end)
{
	const struct sockstat *sockstat = &host->sockstat;
	const struct tunable_value *limits = &host->values[TUNABLE_TCP_MEM];
	struct value held = {0}, limit = {0};

	if (sockstat->out_of_memory == 0)
		return;
	if (sockstat->has & SOCKSTAT_TCP)
		held = as_size((double)sockstat->memory_pages * (double)host_page_bytes(host));
	if (limits->known)
		limit = as_size((double)limits->number[2] * (double)host_page_bytes(host));
	finding_add(findings, FINDING_OUT_OF_MEMORY, 0, as_count(sockstat->out_of_memory),
	    as_word(end), held, limit);
}

static void find_orphans(struct findings *findings, const struct host *host, const char *end)
{
	const struct sockstat *sockstat = &host->sockstat;
	const struct tunable_value *most = &host->values[TUNABLE_TCP_MAX_ORPHANS];

	if ((sockstat->has & SOCKSTAT_ORPHANS) && most->known &&
	    (double)sockstat->orphans > (double)most->number[0])
		finding_add(findings, FINDING_ORPHANS, ORPHANS_NOW, as_count(sockstat->orphans),
		    as_word(end), as_count((uint64_t)most->number[0]));
	else if (sockstat->too_many_orphans > 0)
		finding_add(findings, FINDING_ORPHANS, ORPHANS_LOGGED,
		    as_count(sockstat->too_many_orphans), as_word(end));
}

/* Sockets that exist and are neither bound nor connected; a busy host has some at any moment. */
#define LEAK_FACTOR 4
#define LEAK_SOCKETS_MIN 1000

/* `alloc` counts the whole machine's, of both families; `inuse` this namespace's, of one. */
static void find_leak(struct findings *findings, const struct host *host, const char *end)
{
	const struct sockstat *sockstat = &host->sockstat;
	uint64_t used = sockstat->inuse + sockstat->inuse6;

	if ((sockstat->has & (SOCKSTAT_TCP | SOCKSTAT_ALLOCATED)) !=
		(SOCKSTAT_TCP | SOCKSTAT_ALLOCATED) ||
	    sockstat->allocated / LEAK_FACTOR < used ||
	    sockstat->allocated - used < LEAK_SOCKETS_MIN)
		return;
	finding_add(findings, FINDING_SOCKET_LEAK,
	    sockstat->has & SOCKSTAT_TCP6 ? LEAK_OF_BOTH : LEAK_WITHOUT_TCP6,
	    as_count(sockstat->allocated), as_word(end), as_count(used));
}

void find_sockstat(struct findings *findings, const struct host *host, const char *end)
{
	find_out_of_memory(findings, host, end);
	find_orphans(findings, host, end);
	find_leak(findings, host, end);
}

void find_dump_notes(struct findings *findings, const struct host *host)
{
	const struct dump_notes *notes = &host->dump;

	if (notes->unquoted > 0)
		finding_add(findings, FINDING_UNQUOTED_VECTOR,
		    notes->unquoted > 1 ? UNQUOTED_SEVERAL : UNQUOTED_ONE,
		    as_word(tunables[notes->unquoted_id].key), as_word(host->name));
	if (notes->not_understood > 0)
		finding_add(findings, FINDING_NOT_UNDERSTOOD, 0, as_count(notes->not_understood),
		    as_word(host->name), as_count(notes->first_line),
		    as_word(tunables[notes->first_id].key));
}

/* ---- drops ------------------------------------------------------------------------------------ */

/* This share of the retransmits is enough to lay them on the host. */
#define DROPS_EXPLAIN 0.5

static void find_damage(struct findings *findings, const struct drops *drops, const char *end)
{
	const struct drop_counter *counter = drops_worst(drops, true);

	if (counter != NULL)
		finding_add(findings, FINDING_DAMAGED_FRAMES, 0, as_word(counter->dev),
		    as_word(counter->name), as_count(counter->last - counter->first), as_word(end));
}

static void find_earlier(struct findings *findings, const struct drops *drops, const char *end)
{
	const struct drop_counter *counter = drops_largest(drops);

	if (counter != NULL && !drops_have_two(drops))
		finding_add(findings, FINDING_EARLIER_DROPS, 0, as_word(counter->dev),
		    as_word(counter->name), as_count(counter->last), as_word(end),
		    as_word(drop_family_table[counter->family].what));
}

bool drops_explain(const struct drops *drops, uint64_t retransmits)
{
	const struct drop_counter *counter = drops_worst(drops, false);

	return counter != NULL && retransmits > 0 &&
	       (double)(counter->last - counter->first) >= DROPS_EXPLAIN * (double)retransmits;
}

void find_drops(
    struct findings *findings, const struct drops *drops, const char *end, uint64_t retransmits)
{
	const struct drop_counter *counter = drops_worst(drops, false);

	find_damage(findings, drops, end);
	find_earlier(findings, drops, end);
	if (counter != NULL)
		finding_add(findings, FINDING_HOST_DROPS,
		    drops_explain(drops, retransmits) ? DROPS_EXPLAIN_ALL : DROPS_EXPLAIN_PART,
		    as_word(counter->dev), as_word(counter->name),
		    as_count(counter->last - counter->first), as_word(end),
		    as_word(drop_family_table[counter->family].what),
		    retransmits > 0 ? as_count(retransmits) : (struct value){0});
}

/* ---- the path --------------------------------------------------------------------------------- */

static void find_path_loss(struct findings *findings, const struct probe_loss *loss)
{
	const struct ping *ping = loss->ping;

	if (!probe_loss_tells(loss))
		return;
	finding_add(findings, FINDING_PATH_LOSS,
	    ping->target[0] ? PROBES_TO_NAMED : PROBES_TO_UNNAMED,
	    as_word(ping->hops > 0 ? "mtr" : "ping"), as_count(loss->lost), as_count(loss->sent),
	    as_share(loss->ratio),
	    ping->loss_hop > 0 ? as_count(ping->loss_hop) : (struct value){0}, as_count(ping->hops),
	    as_word(ping->target));
}

/* IPv4 and TCP without options: what a segment of the MSS adds to it. */
#define HEADER_BYTES 40

static void find_path_mtu(
    struct findings *findings, const struct path *path, const struct tracepath *found)
{
	uint32_t mtu = found->path_mtu;
	bool segments_are_larger =
	    path != NULL && path->mss_is_measured && path->mss + HEADER_BYTES > mtu;

	if (segments_are_larger)
		finding_add(findings, FINDING_PATH_MTU, MTU_BELOW_SEGMENT, as_number(mtu),
		    as_number(path->mss + HEADER_BYTES), as_number(path->mss));
	else if (found->local_mtu > mtu)
		finding_add(findings, FINDING_PATH_MTU, MTU_BELOW_INTERFACE, as_number(mtu),
		    as_number(found->hop), as_number(found->local_mtu));
}

void find_probes(
    struct findings *findings, const struct path *path, const struct path_context *context)
{
	if (context == NULL)
		return;
	find_path_loss(findings, &context->probe_loss);
	if (context->tracepath != NULL)
		find_path_mtu(findings, path, context->tracepath);
}
