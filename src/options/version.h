/*
 * What --version prints: this build, and how new its knowledge of the kernel is.
 */
#ifndef BDP_VERSION_H
#define BDP_VERSION_H

/* To standard output, three lines; the first is "bdp VERSION" and nothing more, for scripts. */
void version_print(void);

#endif
