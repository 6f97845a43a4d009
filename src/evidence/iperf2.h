/*
 * iperf 2's text output with -e, client or server, of 2.0.9 to 2.2.
 *
 * Without -e it shows neither retransmits nor cwnd, and there is nothing to work from.
 */
#ifndef BDP_IPERF2_H
#define BDP_IPERF2_H

#include "evidence/run.h"

/*
 * Appends the runs of an iperf 2 output; as iperf_text_read.  READ_NOTHING for output without -e: the
 * note then tells the rates and the command that shows more.  Constant memory, linear time.
 */
enum read_result iperf2_read(struct runs *runs, struct source *source, struct read_note *note);

#endif
