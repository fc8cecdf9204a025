/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curl - libcurl, loaded when it is needed; private to net and kube
 *
 * libcurl loads thirty other libraries, which would add four milliseconds to each start of the
 * command, five times of what it takes now, and most of its verbs never ask a daemon.
 */
#ifndef FL_NET_LOADED_CURL_H
#define FL_NET_LOADED_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/error.h"

#define FL_CURL_FUNCTIONS(X)                                                                       \
	X(easy_init)                                                                               \
	X(easy_reset)                                                                              \
	X(easy_setopt)                                                                             \
	X(easy_perform)                                                                            \
	X(easy_send)                                                                               \
	X(easy_recv)                                                                               \
	X(easy_getinfo)                                                                            \
	X(easy_cleanup)                                                                            \
	X(easy_strerror)                                                                           \
	X(multi_init)                                                                              \
	X(multi_setopt)                                                                            \
	X(multi_add_handle)                                                                        \
	X(multi_remove_handle)                                                                     \
	X(multi_socket_action)                                                                     \
	X(multi_assign)                                                                            \
	X(multi_info_read)                                                                         \
	X(multi_cleanup)                                                                           \
	X(getdate)                                                                                 \
	X(slist_append)                                                                            \
	X(slist_free_all)

struct fl_curl {
#define X(name) __typeof__(curl_##name) *name;
	FL_CURL_FUNCTIONS(X)
#undef X
};

/* FAIRLEAD_EIO: it is not there. */
int fl_curl_load(struct fl_curl *c, fairlead_error *err);

#endif
