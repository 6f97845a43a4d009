#include "diagnosis/host_findings.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* ---- memory ----------------------------------------------------------------------------------- */

static double page_size(const struct host *host)
{
	return host->page_size ? (double)host->page_size : 4096;
}

/* The log's line stands for many: it is limited to ten in 5 s (net_ratelimit). */
static void find_out_of_memory(struct findings *findings, const struct host *host, const char *end)
{
	const struct sockstat *sockstat = &host->sockstat;
	const struct tunable_value *limits = &host->values[TUNABLE_TCP_MEM];
	char held[64] = "", limit[64] = "";

	if (sockstat->out_of_memory == 0)
		return;
	if (sockstat->has & SOCKSTAT_TCP)
		snprintf(held, sizeof(held), ", it holds %s now",
		    size_text((double)sockstat->memory_pages * page_size(host)).s);
	if (limits->known)
		snprintf(limit, sizeof(limit), ", the high mark is %s",
		    size_text((double)limits->number[2] * page_size(host)).s);
	finding_add(findings, FINDING_OUT_OF_MEMORY,
	    "\"TCP: out of memory\" %s time%s in the kernel's log of the %s%s%s",
	    count_text(sockstat->out_of_memory).s, sockstat->out_of_memory == 1 ? "" : "s", end,
	    held, limit);
}

static void find_orphans(struct findings *findings, const struct host *host, const char *end)
{
	const struct sockstat *sockstat = &host->sockstat;
	const struct tunable_value *most = &host->values[TUNABLE_TCP_MAX_ORPHANS];

	if ((sockstat->has & SOCKSTAT_ORPHANS) && most->known &&
	    (double)sockstat->orphans > (double)most->number[0])
		finding_add(findings, FINDING_ORPHANS,
		    "%s orphaned sockets on the %s, tcp_max_orphans is %s",
		    count_text(sockstat->orphans).s, end, count_text((uint64_t)most->number[0]).s);
	else if (sockstat->too_many_orphans > 0)
		finding_add(findings, FINDING_ORPHANS,
		    "\"too many orphaned sockets\" %s time%s in the kernel's log of the %s",
		    count_text(sockstat->too_many_orphans).s,
		    sockstat->too_many_orphans == 1 ? "" : "s", end);
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
	    "%s TCP sockets are allocated on the %s, %s of them in use%s",
	    count_text(sockstat->allocated).s, end, count_text(used).s,
	    sockstat->has & SOCKSTAT_TCP6 ? "" : " by IPv4 (sockstat6 is not there)");
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
		    "%s without quotes in %s: it sets the first number of three%s",
		    tunables[notes->unquoted_id].key, host->name,
		    notes->unquoted > 1 ? ", as do others" : "");
	if (notes->not_understood > 0)
		finding_add(findings, FINDING_NOT_UNDERSTOOD,
		    "%s line%s in %s, the first line %s: no usable value for %s",
		    count_text(notes->not_understood).s, notes->not_understood == 1 ? "" : "s",
		    host->name, count_text(notes->first_line).s, tunables[notes->first_id].key);
}

/* ---- drops ------------------------------------------------------------------------------------ */

/* This share of the retransmits is enough to lay them on the host. */
#define DROPS_EXPLAIN 0.5

static void find_damage(struct findings *findings, const struct drops *drops, const char *end)
{
	const struct drop_counter *counter = drops_worst(drops, true);

	if (counter != NULL)
		finding_add(findings, FINDING_DAMAGED_FRAMES, "%s%s%s +%s on the %s", counter->dev,
		    counter->dev[0] ? " " : "", counter->name,
		    count_text(counter->last - counter->first).s, end);
}

static void find_earlier(struct findings *findings, const struct drops *drops, const char *end)
{
	const struct drop_counter *counter = drops_largest(drops);

	if (counter != NULL && !drops_have_two(drops))
		finding_add(findings, FINDING_EARLIER_DROPS, "%s%s%s is %s on the %s: %s",
		    counter->dev, counter->dev[0] ? " " : "", counter->name,
		    count_text(counter->last).s, end, drop_family_table[counter->family].what);
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
	char beside[96] = "";

	find_damage(findings, drops, end);
	find_earlier(findings, drops, end);
	if (counter == NULL)
		return;
	if (retransmits > 0)
		snprintf(beside, sizeof(beside), "; %s segments were sent again, %s",
		    count_text(retransmits).s,
		    drops_explain(drops, retransmits) ? "which this explains"
						      : "more than this explains");
	finding_add(findings, FINDING_HOST_DROPS, "%s%s%s +%s on the %s: %s%s", counter->dev,
	    counter->dev[0] ? " " : "", counter->name, count_text(counter->last - counter->first).s,
	    end, drop_family_table[counter->family].what, beside);
}

/* ---- the path --------------------------------------------------------------------------------- */

/* One probe lost of a few is chance. */
#define PROBES_LOST_MIN 2
#define PROBES_SENT_MIN 20

static void find_path_loss(struct findings *findings, const struct probe_loss *loss)
{
	char from[48] = "";

	if (!loss->known || loss->lost < PROBES_LOST_MIN || loss->sent < PROBES_SENT_MIN)
		return;
	if (loss->ping->loss_hop > 0)
		snprintf(from, sizeof(from), ", from hop %u of %u on", loss->ping->loss_hop,
		    loss->ping->hops);
	finding_add(findings, FINDING_PATH_LOSS, "%s lost %s of %s probes to %s (%s)%s",
	    loss->ping->hops > 0 ? "mtr" : "ping", count_text(loss->lost).s,
	    count_text(loss->sent).s, loss->ping->target[0] ? loss->ping->target : "the host",
	    percent_text(loss->ratio).s, from);
}

/* IPv4 and TCP without options: what a segment of the MSS adds to it. */
#define HEADER_BYTES 40

static void find_path_mtu(
    struct findings *findings, const struct path *path, const struct tracepath *found)
{
	uint32_t mtu = found->path_mtu;
	bool segments_are_larger =
	    path != NULL && (path->has & PATH_MSS) && path->mss + HEADER_BYTES > mtu;

	if (segments_are_larger)
		finding_add(findings, FINDING_PATH_MTU,
		    "packets of %u bytes get through, the run's segments need %u (MSS %u)", mtu,
		    path->mss + HEADER_BYTES, path->mss);
	else if (found->local_mtu > mtu)
		finding_add(findings, FINDING_PATH_MTU,
		    "packets of %u bytes get through from hop %u on, the interface has %u", mtu,
		    found->hop, found->local_mtu);
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
