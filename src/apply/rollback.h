/*
 * What is done with an apply afterwards: take it back, keep it, look at it.
 */
#ifndef BDP_ROLLBACK_H
#define BDP_ROLLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/tree.h"
#include "apply/outcome.h"

struct rollback_request {
	const struct kernel_io *io; /* NULL: the real calls */
	const char *sysroot;	    /* NULL, "" or "/": this machine */
	uint32_t to;		    /* this apply and every later one; 0: the newest only */
	bool all;
	bool force;	/* also what somebody changed since */
	bool made_here; /* this process made the apply, so that no namespace is in doubt */
	bool dry_run;
	bool confine;
};

/* Outcomes are zero-initialised by the caller and freed with outcome_free. */
void rollback_run(const struct rollback_request *request, struct outcome *outcome);
void rollback_list(const struct rollback_request *request, struct outcome *outcome);
/* Keeps what waits for confirmation. */
void confirm_run(const struct rollback_request *request, struct outcome *outcome);

/* One sentence for standard error when an apply on this host still waits for its confirmation, was
 * cut short or could not be undone; "" when there is none or it cannot be seen from here.  Cheap:
 * nothing but a look into /run/bdp. Returns text. */
const char *journal_unconfirmed_notice(const char *sysroot, char *text, size_t size);
/* The same by the request's io and sysroot. */
const char *journal_notice(const struct rollback_request *request, char *text, size_t size);

#endif
