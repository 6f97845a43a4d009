#include "report/report.h"

#include <stddef.h>

const struct report_form report_forms[] = {
    {.name = "text", .print = report_text},
    {.name = "json", .print = report_json},
    {.name = "sysctl", .print = report_sysctl},
    {.name = "sh", .print = report_sh},
    {.name = "k8s", .print = report_k8s},
    {.name = NULL},
};
