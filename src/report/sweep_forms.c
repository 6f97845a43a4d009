/* The forms of a sweep; those that a machine runs are the plan's. */
#include "report/run_groups_report.h"

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

const struct sweep_form sweep_forms[] = {
    {.name = "text", .print = sweep_text},
    {.name = "json", .print = sweep_json},
    {.name = "sysctl", .print = sweep_sysctl},
    {.name = "sh", .print = sweep_sh},
    {.name = "k8s", .print = sweep_k8s},
    {.name = NULL},
};

const struct compare_form compare_forms[] = {
    {.name = "text", .print = compare_text},
    {.name = "json", .print = compare_json},
    {.name = NULL},
};
