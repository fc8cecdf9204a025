/* SPDX-License-Identifier: Apache-2.0 */
/* memory - a library for LD_PRELOAD: the machine has as many pages as the environment's MEMORY_PAGES says */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name)
{
	long (*real)(int);
	const char *pages = getenv("MEMORY_PAGES");

	*(void **)&real = dlsym(RTLD_NEXT, "sysconf");
	return name == _SC_PHYS_PAGES && pages ? atol(pages) : real(name);
}
