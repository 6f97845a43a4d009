/*
 * One socket as a row of a table, with as many columns as the terminal has room for.
 */
#ifndef BDP_SOCKETS_TABLE_H
#define BDP_SOCKETS_TABLE_H

#include <stdbool.h>

#include "model/socket_totals.h"
#include "report/layout.h"

/* The head of the table; `growth`: there are two readings, so rates of now. */
void sockets_table_head(struct layout *layout, bool delta);

/* The row, and with `rest` what the columns had no room for below it. */
void sockets_table_row(struct layout *layout, const struct listed *item, bool delta, bool rest);

/* "192.0.2.10:443", "[2001:db8::1]:443". */
const char *sockets_endpoint(const char *address, unsigned port, char *out, size_t size);

#endif
