#include "options/version.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "evidence/tunable.h"

/* How it was linked, by its own program headers as the kernel hands them over: the options of a build
 * may say otherwise.  A static program has a dynamic section only when it can be moved, and none of
 * them needs a loader. */
static const char *linkage(void)
{
	const ElfW(Phdr) *segment = (const void *)getauxval(AT_PHDR);
	unsigned long count = segment ? getauxval(AT_PHNUM) : 0;
	bool needs_loader = false, has_dynamic = false, moved = false;

	for (unsigned long i = 0; i < count; i++) {
		needs_loader = needs_loader || segment[i].p_type == PT_INTERP;
		has_dynamic = has_dynamic || segment[i].p_type == PT_DYNAMIC;
		if (segment[i].p_type == PT_PHDR)
			moved = (uintptr_t)segment != segment[i].p_vaddr;
	}
	if (count == 0)
		return "unknown linkage";
	if (needs_loader)
		return moved ? "dynamic-pie" : "dynamic";
	return has_dynamic ? "static-pie" : "static";
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
