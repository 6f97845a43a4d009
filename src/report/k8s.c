/* The part of a pod's spec that sets its network namespace: securityContext.sysctls.  Keys that the
 * kernel has once for the whole machine cannot stand there: they are comments for the node. */
#include "report/report.h"

#include <stdio.h>

#include "report/script.h"

/* Safe, and so allowed to every pod, since Kubernetes 1.32; all other keys of this list a kubelet has
 * to be told of. */
static const bool is_safe[TUNABLE_COUNT] = {
    [TUNABLE_TCP_RMEM] = true,
    [TUNABLE_TCP_WMEM] = true,
};

static bool is_for_pod(const struct plan *plan, size_t i, enum role host)
{
	const struct setting *setting = &plan->settings[i];

	return setting->host == host && setting->change && tunables[setting->id].per_netns;
}

/* Each host is a document of its own; one without a key for the pod is comments alone. */
static void host_begin(const struct plan *plan, enum role host, FILE *stream)
{
	bool any = false, unsafe = false;

	for (size_t i = 0; i < plan->setting_count; i++) {
		any = any || is_for_pod(plan, i, host);
		unsafe = unsafe || (is_for_pod(plan, i, host) && !is_safe[plan->settings[i].id]);
	}
	if (!any)
		return;
	script_comment(stream,
	    unsafe
		? "the pod's spec (not with hostNetwork); the kubelet must allow what is not tcp_rmem "
		  "or tcp_wmem: --allowed-unsafe-sysctls"
		: "the pod's spec (not with hostNetwork); before Kubernetes 1.32 the kubelet must "
		  "allow it: --allowed-unsafe-sysctls");
	fputs("securityContext:\n  sysctls:\n", stream);
}

/* Quoted: YAML would take a lone number for one, and a pod's sysctls are strings. */
static void setting_entry(const struct setting *setting, FILE *stream)
{
	char value[256];

	tunable_value_text(setting->id, &setting->value, value, sizeof(value));
	if (tunables[setting->id].per_netns)
		fprintf(stream, "    - name: %s\n      value: \"%s\"\n", tunables[setting->id].key,
		    value);
	else
		script_commentf(stream,
		    "for the node, as a pod has no such key: sysctl -w %s=\"%s\"",
		    tunables[setting->id].key, value);
}

static void command_line(const struct command *command, FILE *stream)
{
	script_commentf(stream, "for the node: %s", command->command);
}

bool report_k8s(const struct report *report, const struct style *style, FILE *stream)
{
	static const struct script_form form = {.separator = "---",
	    .begin = host_begin,
	    .setting = setting_entry,
	    .command = command_line};

	(void)style;
	return script_print(report, &form, stream);
}
