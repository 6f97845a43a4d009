/*
 * bdp: what limits a TCP path, and what to set.
 *
 *     options/        the command line                      bytes come in
 *     evidence/       what the operands say                   |
 *     system/         what the running kernel says            |
 *     model/          RTT, BDP, window, loss, memory          |
 *     diagnosis/      what limits the flow                    |
 *     advice/         what to set, where, why                 v
 *     report/         text, json, sysctl, sh, k8s           bytes go out
 *     apply/          sets it, proves it, takes it back
 *
 * verbs/ carries one question through the stages, a file per verb.
 */
#include "options/options.h"
#include "verbs/output.h"
#include "verbs/verbs.h"

static int (*const verbs[VERB_COUNT])(const struct options *) = {
    [VERB_ADVISE] = verb_advise,
    [VERB_SWEEP] = verb_sweep,
    [VERB_COMPARE] = verb_compare,
    [VERB_SOCKETS] = verb_sockets,
    [VERB_HOST] = verb_host,
    [VERB_RECORD] = verb_record,
    [VERB_APPLY] = verb_apply,
    [VERB_CONFIRM] = verb_confirm,
    [VERB_ROLLBACK] = verb_rollback,
    [VERB_EXPLAIN] = verb_explain,
    [VERB_HELP] = NULL, /* options_parse answers it */
};

int main(int argc, char **argv)
{
	struct options options;

	output_begin();
	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_DONE:
		return output_finish(true);
	case OPTIONS_MISUSE:
		return 2;
	case OPTIONS_RUN:
		break;
	}
	warn_unconfirmed(&options);
	return verbs[options.verb](&options);
}
