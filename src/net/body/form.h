/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form - the fields of a form that is the body of a request, decoded by the library
 *
 * Cannot: forms with files; names or values longer than a few KiB, which are refused.
 * Tested by tests/daemon/test_kai_usage.py.
 */
#ifndef FL_NET_BODY_FORM_H
#define FL_NET_BODY_FORM_H

#include "net/server.h"

/*
 * Calls @field for each field of a form in the body (application/x-www-form-urlencoded), in order and decoded,
 * until it is false.  false: then, or it is no such form, or has a zero byte in it.
 */
bool fl_request_form(const struct fl_http_request *r,
		     bool (*field)(void *user, const char *name, const char *value), void *user);

#endif
