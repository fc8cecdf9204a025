/* SPDX-License-Identifier: Apache-2.0 */
#include "net/loaded/curl.h"

#include "net/loaded/loaded.h"

int fl_curl_load(struct fl_curl *c, fairlead_error *err)
{
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };
	static const struct fl_loaded_function functions[] = {
#define X(name) { "curl_" #name, offsetof(struct fl_curl, name) },
		FL_CURL_FUNCTIONS(X)
#undef X
	};
	const struct fl_loaded curl = { names, "libcurl3-gnutls", functions,
					sizeof functions / sizeof *functions };

	return fl_load(&curl, c, err);
}
