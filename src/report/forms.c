#include "report/forms.h"

#include "report/host_report.h"
#include "report/report.h"
#include "report/run_groups_report.h"

/* What a machine runs of a sweep is the plan of its knee. */
static bool sweep_sysctl(const struct sweep_report *report, const struct style *style, FILE *stream)
{
	return report_sysctl(report->advice, style, stream);
}

static bool sweep_sh(const struct sweep_report *report, const struct style *style, FILE *stream)
{
	return report_sh(report->advice, style, stream);
}

static bool sweep_k8s(const struct sweep_report *report, const struct style *style, FILE *stream)
{
	return report_k8s(report->advice, style, stream);
}

/* The table of advise --each has a line for each of many reports: each_table.h. */
const struct form_row form_table[FORM_COUNT] = {
    [FORM_TEXT] = {report_text, sweep_text, compare_text, host_text},
    [FORM_JSON] = {report_json, sweep_json, compare_json, host_json},
    [FORM_SYSCTL] = {report_sysctl, sweep_sysctl, NULL, host_sysctl},
    [FORM_SH] = {report_sh, sweep_sh, NULL, NULL},
    [FORM_K8S] = {report_k8s, sweep_k8s, NULL, NULL},
};
