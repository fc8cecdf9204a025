/* SPDX-License-Identifier: Apache-2.0 */
#include "net/loaded/loaded.h"

#include <dlfcn.h>
#include <string.h>

int fl_load(const struct fl_loaded *l, void *table, fairlead_error *err)
{
	void *library = NULL;

	for (const char *const *name = l->names; *name && !library; name++)
		library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fl_fail(err, FAIRLEAD_EIO, "%s", dlerror());
		return fl_fail_hint(err, "install it: apt-get install %s", l->package);
	}
	for (size_t i = 0; i < l->n; i++) {
		void *symbol = dlsym(library, l->functions[i].name);

		if (!symbol)
			return fl_fail(err, FAIRLEAD_EIO, "%s", dlerror());
		/* The bytes of a void * become a pointer to a function: C has no conversion. */
		memcpy((char *)table + l->functions[i].at, &symbol, sizeof symbol);
	}
	return 0;
}
