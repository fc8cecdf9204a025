/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_make - a certificate that is signed by its own key, for a server without another one */
#ifndef FL_NET_CERTIFICATE_MAKE_H
#define FL_NET_CERTIFICATE_MAKE_H

#include <stdint.h>

#include "base/error.h"

struct fl_certificate_wish {
	const char *chain, *key;  /* files */
	const char *const *names; /* of machines, or addresses */
	uint32_t n;
};

enum { FL_CERTIFICATE_NEW = 1, FL_CERTIFICATE_AGAIN };

/*
 * Makes what is missing: a key, readable by its owner alone, and a certificate that is signed by it.  One
 * that lacks a name, or ends within 14 days, is made again with its key, so that clients that know the
 * key go on.  0: what is there will do; FL_CERTIFICATE_NEW, FL_CERTIFICATE_AGAIN: it was made, in
 * place of another one. FAIRLEAD_EIO: a file cannot be read or written.
 */
int fl_certificate_make(const struct fl_certificate_wish *wish, fairlead_error *err);

#endif
