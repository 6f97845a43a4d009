/*
 * Letting go of descriptors that whoever started this process left open.
 */
#ifndef BDP_DESCRIPTORS_H
#define BDP_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/* Closes every descriptor from 3 on that is not among kept[count], however many are open.  False when
 * some may still be open.  kept[] is sorted in place; negative ones stand for none. */
bool descriptors_close_others(int *kept, size_t count);

/* What it does where close_range(2) is missing (before Linux 5.9): by /proc/self/fd.  Named here so
 * that the tests run it on any kernel; kept[] must be in ascending order. */
bool descriptors_close_listed(const int *kept, size_t count);

#endif
