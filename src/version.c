#include "version.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>

#include "evidence/tunable.h"

/* The linker's name for the first byte of the program itself; ld(1), lld and gold all set it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/* How it was linked, by the program's own header: the options of a build may say otherwise. */
static const char *linkage(void)
{
	const ElfW(Ehdr) *header = &__ehdr_start;

	if (!header)
		return "unknown linkage";
	const ElfW(Phdr) *segment = (const void *)((const char *)header + header->e_phoff);
	bool needs_loader = false;
	for (unsigned i = 0; i < header->e_phnum; i++)
		needs_loader = needs_loader || segment[i].p_type == PT_INTERP;
	if (header->e_type == ET_DYN)
		return needs_loader ? "dynamic-pie" : "static-pie";
	return needs_loader ? "dynamic" : "static";
}

void version_print(void)
{
	printf("bdp %s\n", BDP_VERSION);
#ifdef __clang__
	printf("build: %s, clang %s\n", linkage(), __clang_version__);
#else
	printf("build: %s, gcc %s\n", linkage(), __VERSION__);
#endif
	printf("kernel facts: %s\n", KERNEL_FACTS);
}
