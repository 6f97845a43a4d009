#include "verbs/verbs.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/override.h"
#include "apply/tree.h"
#include "base/quote.h"
#include "evidence/evidence.h"
#include "report/host_report.h"
#include "system/procfs.h"
#include "system/qdisc_netlink.h"
#include "verbs/output.h"

/* Everything of one host, from its facts to its report. */
struct look {
	struct evidence evidence;
	struct host host;
	bool has_tree; /* of /etc, which a dump has not */
	struct capacity capacity;
	struct deviations deviations;
	struct findings findings;
	struct exposure memory;
	struct host_need need;
	struct host_mend mends[HOST_MENDS_MAX];
	size_t mend_count;
	struct host_boot boots[HOST_BOOTS_MAX];
	size_t boot_count;
	struct tuned tuned;
};

/* ---- whose settings ------------------------------------------------------------------------ */

/* A recorded host: a dump, or what `bdp record --host` wrote. */
static int read_file(struct look *look, const char *name)
{
	enum operand_result result = evidence_read(&look->evidence, name);

	if (result != OPERAND_OK)
		return result == OPERAND_SYSTEM ? 1 : 3;
	for (int end = END_NONE; end < END_COUNT; end++)
		if (look->evidence.hosts[end].origin != HOST_UNKNOWN) {
			look->host = look->evidence.hosts[end];
			return 0;
		}
	warnx("%s: no settings of a host in it; give sysctl -a or bdp record --host",
	    quoted(strcmp(name, "-") ? name : "standard input"));
	return 3;
}

static int read_system(struct look *look, const char *sysroot)
{
	look->has_tree = true;
	if (!host_read_system(&look->host, sysroot ? sysroot : "")) {
		warnx("%s: no kernel settings below it", quoted(sysroot ? sysroot : "/proc"));
		return 3;
	}
	if (!sysroot)
		host_read_qdiscs(&look->host);
	return 0;
}

static int read_host(struct look *look, const struct options *options)
{
	if (options->operand_count > 1) {
		warnx("'%s': one host at a time", quoted(options->operands[1]));
		return 2;
	}
	int code = options->operand_count == 1 ? read_file(look, options->operands[0])
					       : read_system(look, options->sysroot);
	if (code == 0 && options->kernel.known)
		look->host.kernel = options->kernel;
	if (code == 0 && (options->given & GIVEN_MEMORY))
		look->host.mem_total_bytes = options->memory_bytes;
	return code;
}

/* ---- what sets what at boot ---------------------------------------------------------------- */

/* Values that no file can hold, so that every line that sets a key is found. */
static void want_all(struct tunable_value wanted[TUNABLE_COUNT])
{
	for (unsigned i = 0; i < TUNABLE_COUNT; i++)
		wanted[i] = (struct tunable_value){
		    .known = true, .count = 3, .number = {INT64_MIN, INT64_MIN, INT64_MIN}};
}

static void boot_take(struct look *look, const struct override *from)
{
	struct host_boot *boot = &look->boots[look->boot_count++];
	struct tunable_value value;

	*boot = (struct host_boot){.line = from->line, .id = from->id, .wins = true};
	strlcpy(boot->file, from->path, sizeof(boot->file));
	strlcpy(boot->value, from->value, sizeof(boot->value));
	boot->differs = look->host.values[from->id].known &&
			tunable_value_parse(from->id, from->value, &value) &&
			!tunable_value_equal(from->id, &value, &look->host.values[from->id]);
	for (size_t i = 0; i + 1 < look->boot_count; i++)
		if (look->boots[i].id == boot->id)
			look->boots[i].wins = look->boots[i].differs = false;
}

static void take_all(struct look *look, const struct override *found, size_t count)
{
	for (size_t i = 0; i < count && look->boot_count < HOST_BOOTS_MAX; i++)
		if (found[i].id != TUNABLE_COUNT)
			boot_take(look, &found[i]);
}

/* tuned starts after sysctl.d was read; unless told otherwise it has those files read once more, behind its
 * own settings (reapply_sysctl). */
static void find_boots(struct look *look, const char *sysroot)
{
	struct tunable_value wanted[TUNABLE_COUNT];
	struct tree tree;

	if (!look->has_tree || !tree_open(&tree, NULL, sysroot))
		return;
	struct override *found = reallocarray(NULL, 2 * HOST_BOOTS_MAX, sizeof(*found));
	if (!found)
		err(1, NULL);
	want_all(wanted);
	/* a name before all others: everything comes later */
	struct override *of_tuned = found + HOST_BOOTS_MAX;
	size_t files = override_find(&tree, "etc/sysctl.d/", wanted, found, HOST_BOOTS_MAX, NULL);
	size_t tuned = tuned_find(&tree, wanted, &look->tuned, of_tuned, HOST_BOOTS_MAX);
	files = files < HOST_BOOTS_MAX ? files : HOST_BOOTS_MAX;
	tuned = tuned < HOST_BOOTS_MAX ? tuned : HOST_BOOTS_MAX;
	if (look->tuned.rereads)
		take_all(look, of_tuned, tuned);
	take_all(look, found, files);
	if (!look->tuned.rereads)
		take_all(look, of_tuned, tuned);
	free(found);
	tree_close(&tree);
}

/* ---- what follows from it ------------------------------------------------------------------ */

/* What the deviations say, too, with the value and the line that mends it. */
static bool is_told(enum finding_id id)
{
	static const enum finding_id told[] = {FINDING_WINDOW_SCALING_OFF, FINDING_SACK_OFF,
	    FINDING_TIMESTAMPS_OFF, FINDING_AUTOTUNING_OFF, FINDING_BUFFER_ORDER,
	    FINDING_HUGE_DEFAULT, FINDING_HUGE_MINIMUM, FINDING_TCP_MEM_IN_BYTES,
	    FINDING_CEILING_BELOW_DEFAULT, FINDING_DEAD_KEY};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (told[i] == id)
			return true;
	return false;
}

static void find_findings(struct look *look)
{
	static const struct limit nothing;
	const struct path path = {0};
	const struct path_context context = {0};
	struct findings all = {.count = 0};
	const struct diagnosis_input input = {
	    .path = &path, .context = &context, .sender = &look->host, .receiver = &look->host};

	findings_collect(&input, &nothing, &all);
	for (size_t i = 0; i < all.count; i++)
		if (!is_told(all.items[i].id))
			look->findings.items[look->findings.count++] = all.items[i];
}

static void compute(struct look *look, const struct options *options)
{
	struct exposure_input memory = exposure_of_host(&look->host);

	memory.receives = memory.sends = true;
	capacity_of_host(&look->host, &look->capacity);
	deviations_find(&look->host, &look->deviations);
	find_findings(look);
	exposure_compute(&memory, &look->memory);
	host_need_find(&look->host, options->given & GIVEN_TARGET ? options->target_bps : 0,
	    options->given & GIVEN_RTT ? options->rtt_us : 0, &look->need);
	look->mend_count = host_mends_find(
	    &look->host, &look->deviations, &look->need, look->mends, HOST_MENDS_MAX);
	find_boots(look, options->sysroot);
}

static bool print(const struct host_report *report, const struct options *options)
{
	const struct style style = output_style(options, OUTPUT_WIDTH_PROSE);

	return form_table[options->form].host(report, &style, stdout);
}

int verb_host(const struct options *options)
{
	/* some 100 KiB, of which most stay untouched */
	struct look *look = calloc(1, sizeof(*look));
	if (!look)
		err(1, NULL);
	int code = read_host(look, options);

	if (code == 0) {
		compute(look, options);
		const struct host_report report = {.version = BDP_VERSION,
		    .host = &look->host,
		    .capacity = &look->capacity,
		    .deviations = &look->deviations,
		    .findings = &look->findings,
		    .memory = &look->memory,
		    .need = &look->need,
		    .mends = look->mends,
		    .mend_count = look->mend_count,
		    .boots = look->boots,
		    .boot_count = look->boot_count,
		    .tuned = look->tuned.profile};
		code = output_finish(print(&report, options));
		if (code == 0 && options->check && host_report_wants_change(&report))
			code = 5;
	}
	evidence_free(&look->evidence);
	free(look);
	return code;
}
