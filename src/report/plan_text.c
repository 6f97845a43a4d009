#include "report/plan_text.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "report/finding_text.h"
#include "report/limit_text.h"
#include "report/template.h"

#define BBR_COST \
	"[; with it the baseline carried {4} for {5} sent again instead of {6}]" \
	"[, RTT {7} instead of {8}]"
#define BBR_BASELINE \
	": loss-based control keeps running into that ceiling; BBR paces itself below it; it costs " \
	"fairness to CUBIC flows: compare both runs" BBR_COST
#define IN_FLIGHT "{0} must be in flight ({1}{2? of each stream} x {3})"
#define NO_DEVICE "{14?; DEV is the one towards the path}"
#define LOAD_BBR "sudo modprobe tcp_bbr && echo tcp_bbr | sudo tee /etc/modules-load.d/bdp.conf"
#define SHRINKING_KERNELS "(6.5 and later do, and 6.1.y since October 2023)"

/* Places beyond a remark's own values: the host it is about, the setting's name in short and in full, the
 * interface towards the path, the cause's remedy, and whether that interface is not known. */
enum place {
	PLACE_HOST = REMARK_VALUES,
	PLACE_SHORT_KEY,
	PLACE_KEY,
	PLACE_DEVICE,
	PLACE_REMEDY,
	PLACE_NO_DEVICE,
	PLACE_COUNT
};

/* What is behind the end of a line is for long reports. */
static const char *const remark_words[REMARK_COUNT] = {
    [REMARK_TARGET_MET] = "the target of {0} is met",
    [REMARK_DEFAULTS] = "every Linux default covers it",
    [REMARK_COVERED] = "the {10} ceiling of {0} {9} covers it",
    [REMARK_OTHER_END] = "{10} {9} must grow for that, and --role leaves it out",
    [REMARK_LOOK_FIRST] =
	"{10} needs a maximum of {0} {9}, and what is set there is not known (Linux ships {1} to {2})",
    [REMARK_NO_SIZE] =
	"neither the RTT nor what is in flight is known, so no size can be told: give a ping of the path, or the sender's iperf3 -J",
    [REMARK_PERMITS_MANY] =
	"the {10} ceiling of {0} {9} permits {1} times that rate: buffers are not what held this run",
    [REMARK_NO_BUFFER] = "a larger buffer does not lift that[: {13}]",
    [REMARK_UNDECIDED] = "nothing is set on a cause that is not known with more confidence",
    [REMARK_WINDOW_END] =
	"{0|stream carries|streams carry} {1} at most: no window is larger than 1 GiB (RFC 7323)",
    [REMARK_LOSS_BOUND] =
	"with {0} lost, CUBIC and Reno carry about {1}{2? in all}, whatever the buffers[ (if lost by chance, {3} streams bear it)]",
    [REMARK_SWEPT] = "measured by the sweep: {0} carried {1}",
    [REMARK_SCALED] =
	"{0} x {1} / {2} = {3}, rounded up to {4}\n: what was measured under the present ceiling scales, whatever the RTT and the kernel's share",
    [REMARK_SCALED_SEND] =
	"{0} x {1} / {2}[ x {5} (a larger one holds less of itself in flight)] = {3}, rounded up to {4}\n: what was measured under the present ceiling scales",
    [REMARK_OBSERVED] =
	IN_FLIGHT "\n; the peer's window is {4} of its ceiling now, so {5}, rounded up to {6}",
    [REMARK_RULE_RECEIVE] = IN_FLIGHT "\n; {4} of the buffer is window, so {5}, rounded up to {6}",
    [REMARK_RULE_SEND] = IN_FLIGHT "\n; {4} of it is in flight, so {5}, rounded up to {6}",
    [REMARK_IN_STEP] =
	"in step with tcp_rmem: what comes in over the long path goes out again\n; the default of {0} lets a new connection send before its buffer has grown",
    [REMARK_PROGRAMS] =
	"lets a program ask for {0} with {1}\n, of which the kernel makes twice that: enough for {2} in flight; such a socket is not autotuned any more",
    [REMARK_BBR_LOSS] =
	"{0} of the segments are lost whatever is sent: CUBIC carries about {1} a stream under that\n (RFC 9438), BBR does not slow down for it; it costs more retransmits, and is hard on CUBIC flows beside it" BBR_COST,
    [REMARK_BBR_QUEUE] =
	"the queue at the bottleneck takes the RTT to {0}\n: CUBIC fills it, BBR keeps it short at the same rate; beside CUBIC flows it may get less, or take more, than its share" BBR_COST,
    [REMARK_BBR_BASELINE] = "the baseline loses {0} of its segments ({1}) at {2}\n" BBR_BASELINE,
    [REMARK_BBR_SWEPT] =
	"a run under a larger ceiling loses {0} of its segments ({1}) at {2}\n" BBR_BASELINE,
    [REMARK_FQ] =
	"paces BBR's packets\n; preferred, not required: since Linux 4.13 TCP paces by itself with a timer a socket (net/ipv4/tcp_bbr.c); for interfaces that come up from now on",
    [REMARK_RUNAWAY] =
	"the counters show windows that had to be closed and were not, and buffers over their limit: with 1 the kernel takes the window back, and a slow reader's buffer stays where it is; connections that are up follow at once",
    [REMARK_RUNAWAY_CEILING] =
	"LOWER than now: it bounds what one slow reader can hold, and still covers the largest BDP seen here, {0}, since about half of the buffer is window",
    [REMARK_GROWS] =
	"headroom, not a reservation; a slow reader can fill it\n; connections that are up grow into it, too",
    [REMARK_SCALE_STAYS] =
	"headroom, not a reservation; a slow reader can fill it\n; connections that are up stay below a window of {0}, by the scale of their SYN",
    [REMARK_VALUE_UNKNOWN] = "what is set there now is not known: where a value is larger, keep it",
    [REMARK_SYN] = "agreed in the SYN: connections that are up stay without it",
    /* a socket that stuck at a zero window on 6.6.74 and not with 0 (netdev, May 2025); slow or hanging
     * MPTCP (multipath-tcp/mptcp_net-next issue 439, 6.5.3); senders that mishandle a retracted window
     * (google/gvisor issue 10312) */
    [REMARK_SHRINKS] =
	"a window may be taken back, which RFC 7323, section 2.4, discourages: sockets stuck at a zero window were reported on 6.6, hanging MPTCP on 6.5, and peers that mishandle it; watch for connections that stop, and set it back to 0 then",
    [REMARK_HOLDS_BACK] =
	"a connection over a longer or faster path than any seen now is held back by it; buffers that are larger already do not shrink, so reconnect",
    [REMARK_MEM_NAMESPACE] =
	"not in this network namespace: it is one setting for the whole host, in pages",
    [REMARK_MEM_SIZED] =
	"in pages, not bytes: its {0} bounds all sockets together; the kernel sized it by RAM",
    [REMARK_MEM_BEYOND_RAM] =
	"in pages, not bytes: its {0} bounds all sockets together at more than the RAM: see the finding",
    [REMARK_MEM] =
	"in pages, not bytes: it bounds all sockets together, and the kernel sizes it by RAM",
    [REMARK_ADV_WIN_SCALE] =
	"does nothing since Linux 6.6: the share of a buffer that is window is measured per socket",
    [REMARK_RMEM_MAX] =
	"caps what a program asks for with SO_RCVBUF; autotuning goes by tcp_rmem alone",
    [REMARK_WMEM_MAX] =
	"caps what a program asks for with SO_SNDBUF; autotuning goes by tcp_wmem alone",
    [REMARK_POLICER] =
	"BBR is no cure for a policer with a shallow bucket: it overshoots and is cut back in turn; pace below its rate instead (fq maxrate, SO_MAX_PACING_RATE), or have the bucket hold a BDP",
    [REMARK_PROGRAM_CHOSE] =
	"the program chose {0} itself (iperf3 -C, TCP_CONGESTION): what is set on the sender, {1}, does not matter to it",
    [REMARK_CC_KEPT] = "kept[ at {0}]: nothing here speaks for a change",
    [REMARK_MAXRATE_ENDS] =
	"ends at {0} a flow, in the kernel's 32 bits: a program paces a faster stream itself (SO_MAX_PACING_RATE, iperf3 --fq-rate)",
    [REMARK_LEAVE_ASKED] =
	"a ceiling of {0} would bound what a slow reader can hold and still cover the largest BDP seen, {1}; that is lower than now, so it is advised with --allow-lower only",
    [REMARK_SHRINK_NOT_KNOWN] = "whether that host's kernel has it is not known " SHRINKING_KERNELS
				": give its sysctl -a with --sysctl FILE",
    [REMARK_SHRINK_NOT_THERE] =
	"[Linux {0} there]{1?the kernel there} does not have it " SHRINKING_KERNELS,
    [REMARK_SHRINK_ON_ALREADY] =
	"it is 1 already, and buffers run away all the same: look at the readers",
    [REMARK_SHRINK_NOT_COUNTED] =
	"leave it as it is: TCPWantZeroWindowAdv is not among the counters, so whether windows had to be closed is not known",
    [REMARK_SHRINK_NOT_NEEDED] =
	"leave it at 0: the counters show no window that had to be closed and could not",
    [REMARK_SHRINK_ON_UNNEEDED] =
	"it is 1, and the counters show no need for that (the default is 0)",
    [REMARK_SHRINK_READ_TWICE] =
	"leave it at 0 until the counters are read twice and show that windows had to be closed and could not",
    [REMARK_LOOK_AT_VECTOR] = "{9}: its third number must be at least {0} ({1}) for that rate",
    [REMARK_LOOK_AT_NUMBER] = "{9}: its value must be at least {0} ({1}) for that rate",
    [REMARK_MEASURE_AGAIN] =
	"measures again: a window of {0} does not come from the present ceiling of {1}, which may have been raised since",
    [REMARK_WITHOUT_OPTION] =
	"without -w lets autotuning work; a program that must set buffers needs net.core.rmem_max or wmem_max of what it asks for",
    [REMARK_SET_THERE] = "sets it there, until the next boot",
    [REMARK_MODULE_MISSING] =
	"bbr is not among the available algorithms there: load its module, now and at boot",
    [REMARK_MODULE_PERHAPS] =
	"if bbr is not available there (sysctl net.ipv4.tcp_available_congestion_control)",
    [REMARK_QUEUE] = "default_qdisc does not change interfaces that are up" NO_DEVICE,
    [REMARK_QUEUE_OF_ONE] =
	"{0} is up and keeps {2}: default_qdisc is for interfaces that come up later",
    [REMARK_QUEUE_OF_MANY] =
	"{0} is up and keeps {2} on its {3} queues; a new mq gives each what default_qdisc says then, so set that to {1} first",
    [REMARK_PACE_POLICED] = "paces each flow just below the policer's rate" NO_DEVICE,
    [REMARK_PACE_STREAMS] =
	"paces each stream just above its part, so that none takes the others' room" NO_DEVICE,
    [REMARK_READ_COUNTERS] =
	"reads the counters twice, on that host (or give it two outputs of nstat -az)",
};

/* The command that it is about, where advice/ has not made it. */
static const char *const remark_commands[REMARK_COUNT] = {
    [REMARK_LOOK_AT_VECTOR] = "sysctl {11}",
    [REMARK_LOOK_AT_NUMBER] = "sysctl {11}",
    [REMARK_MODULE_MISSING] = LOAD_BBR,
    [REMARK_MODULE_PERHAPS] = LOAD_BBR,
    [REMARK_QUEUE] = "sudo tc qdisc replace dev {12} root fq",
    [REMARK_QUEUE_OF_ONE] = "sudo tc qdisc replace dev {0} root {1}",
    [REMARK_QUEUE_OF_MANY] = "sudo tc qdisc replace dev {0} root mq",
    [REMARK_PACE_POLICED] = "sudo tc qdisc replace dev {12} root fq maxrate {0}kbit",
    [REMARK_PACE_STREAMS] = "sudo tc qdisc replace dev {12} root fq maxrate {0}mbit",
    [REMARK_READ_COUNTERS] = "bdp sockets --interval 10",
};

/* What lifts a cause when no setting does. */
static const char *const remedies[FACTOR_COUNT] = {
    [FACTOR_APPLICATION] = "it sends no more than it is asked to",
    [FACTOR_SOCKET_OPTION] = "the program must ask for a larger buffer, or for none",
    [FACTOR_CPU] = "more streams, each with a core of its own, or larger segments",
    [FACTOR_WINDOW_SCALING_OFF] =
	"window scaling is on here: the other end or something on the way takes it out",
    [FACTOR_RANDOM_LOSS] = "the path must lose less, or more streams share it",
    [FACTOR_POLICER] = "pace below the policer's rate, or have it let through more",
    [FACTOR_QUEUE] = "the path carries no more: a larger buffer makes its queue longer",
    [FACTOR_LINK] = "the link carries no more",
};

static const char *const at_end[] = {
    [ROLE_UNKNOWN] = "on that host",
    [ROLE_RECEIVER] = "on the receiver",
    [ROLE_SENDER] = "on the sender",
    [ROLE_PROXY] = "on the proxy",
};

/*
 * The interface towards the other end, as the host itself finds it; where that end is not known, as a
 * proxy's is not, the word DEV stands for it.
 */
static struct phrase device_towards(const struct plan *plan, enum role role)
{
	const char *peer = plan && role == ROLE_SENDER ? plan_host_word(plan, ROLE_RECEIVER) : "";
	struct phrase device = {""};

	if (*peer == '\0' || strspn(peer, "0123456789abcdefABCDEF.:") != strlen(peer))
		phrase_add(&device, "DEV");
	else
		phrase_add(
		    &device, "$(ip -o route get %s | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')", peer);
	return device;
}

/* Fills in a template of a remark; `host` is the one that a command is for. */
static void fill(struct phrase *out, const char *text, const struct remark *remark,
    const struct plan *plan, enum role host)
{
	const char *key = tunables[remark->key].key;
	struct phrase device = device_towards(plan, host);
	struct value values[PLACE_COUNT] = {
	    [PLACE_HOST] = as_word(at_end[remark->end]),
	    [PLACE_SHORT_KEY] = as_word(strrchr(key, '.') + 1),
	    [PLACE_KEY] = as_word(key),
	    [PLACE_DEVICE] = as_word(device.s),
	};

	memcpy(values, remark->values, sizeof(remark->values));
	if (remark->id == REMARK_NO_BUFFER)
		values[PLACE_REMEDY] = as_word(remedies[(int)remark->values[0].number]);
	if (strcmp(device.s, "DEV") == 0)
		values[PLACE_NO_DEVICE] = as_word(device.s);
	if (text)
		template_fill(out, text, values, PLACE_COUNT);
}

static void remark_text(char *out, size_t size, size_t *brief, const struct remark *remark,
    const struct plan *plan, enum role host)
{
	struct phrase text = {""};

	if (remark->id == REMARK_NONE)
		return;
	fill(&text, remark_words[remark->id], remark, plan, host);
	char *more = strchr(text.s, '\n');
	if (brief && more)
		*brief = (size_t)(more - text.s);
	if (more)
		memmove(more, more + 1, strlen(more));
	strlcpy(out, text.s, size);
}

/* `key="4096 131072 6291456"` for each change on that host, behind what is in out[size] already. */
static bool add_values(const struct plan *plan, enum role host, char *out, size_t size)
{
	bool any = false;

	for (size_t i = 0; i < plan->setting_count; i++) {
		const struct setting *setting = &plan->settings[i];
		char value[256];
		size_t used = strlen(out);

		if (!setting->change || setting->host != host)
			continue;
		tunable_value_text(setting->id, &setting->value, value, sizeof(value));
		int n = snprintf(
		    out + used, size - used, " %s=\"%s\"", tunables[setting->id].key, value);
		if (n < 0 || (size_t)n >= size - used)
			return false;
		any = true;
	}
	return any;
}

/* False when the command does not fit. */
static bool command_text(struct command *command, const struct plan *plan)
{
	struct remark remark = command->because;
	const char *template = remark_commands[remark.id];
	struct phrase text = {""};
	char name[24], qdisc[24];

	/* names of interfaces go into a shell's line */
	if (remark.id == REMARK_QUEUE_OF_ONE || remark.id == REMARK_QUEUE_OF_MANY) {
		if (!quote_word(remark.values[0].word, name, sizeof(name)) ||
		    !quote_word(remark.values[1].word, qdisc, sizeof(qdisc)))
			return false;
		remark.values[0].word = name;
		remark.values[1].word = qdisc;
	}
	remark_text(command->why, sizeof(command->why), NULL, &remark, plan, command->host);
	if (remark.id == REMARK_SET_THERE) {
		phrase_add(&text, "ssh %s 'sudo sysctl -w", plan_host_word(plan, command->host));
		if (!add_values(plan, command->host, text.s, sizeof(command->command) - 1))
			return false;
		phrase_add(&text, "'");
	} else if (!template) {
		return true;
	}
	fill(&text, template, &remark, plan, command->host);
	return strlcpy(command->command, text.s, sizeof(command->command)) <
	       sizeof(command->command);
}

void commands_text(struct command *commands, size_t count)
{
	for (size_t i = 0; i < count; i++)
		command_text(&commands[i], NULL);
}

static void others_text(struct setting *setting)
{
	struct phrase text = {""};

	for (int i = SIZING_SWEEP; i < SIZING_COUNT; i++)
		if (setting->other_bytes[i] > 0)
			phrase_add(&text, "%s%s by %s", *text.s ? "; " : "",
			    size_text(setting->other_bytes[i]).s, sizing_name((enum sizing)i));
	if (*text.s)
		strlcpy(setting->sizing_others, text.s, sizeof(setting->sizing_others));
}

static void setting_text(struct setting *setting, const struct plan *plan)
{
	if (setting->answers)
		strlcpy(
		    setting->why, finding_words[setting->finding].meaning, sizeof(setting->why));
	remark_text(setting->why, sizeof(setting->why), &setting->why_brief, &setting->because,
	    plan, setting->host);
	remark_text(setting->risk, sizeof(setting->risk), &setting->risk_brief, &setting->danger,
	    plan, setting->host);
	others_text(setting);
}

void plan_text(struct plan *plan)
{
	size_t kept = 0;

	remark_text(
	    plan->reason_text, sizeof(plan->reason_text), NULL, &plan->because, plan, ROLE_UNKNOWN);
	for (size_t i = 0; i < plan->setting_count; i++)
		setting_text(&plan->settings[i], plan);
	for (size_t i = 0; i < plan->not_advised_count; i++) {
		struct not_advised *entry = &plan->not_advised[i];
		if (entry->because.id == REMARK_MAXRATE_ENDS)
			entry->key = "fq maxrate";
		remark_text(
		    entry->why, sizeof(entry->why), NULL, &entry->because, plan, ROLE_UNKNOWN);
	}
	for (size_t i = 0; i < plan->command_count; i++) {
		struct command command = plan->commands[i];
		if (command_text(&command, plan))
			plan->commands[kept++] = command;
	}
	plan->command_count = kept;
}
