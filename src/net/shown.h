/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown - the certificate that a server shows, for people: its fingerprint, for which names, until when
 *
 * Nothing is decided here: libcurl decides about trust.  This says why it did not trust, and what there
 * is to compare before a person does.
 */
#ifndef FL_NET_SHOWN_H
#define FL_NET_SHOWN_H

#include <stdbool.h>

#include "base/ids.h"
#include "net/remote.h"

struct fl_shown {
	char fingerprint[FL_REMOTE_FINGERPRINT];
	char key[FL_REMOTE_KEY];
	char names[512]; /* "a.example, 192.0.2.1"; "": none */
	fl_time from, until;
	bool fits; /* the host that was asked for is among its names */
};

/* Of a certificate as PEM.  FAIRLEAD_EIO: libgnutls is not there; FAIRLEAD_EINPUT: it is none. */
int fl_shown_read(const char *pem, const char *host, struct fl_shown *ret, fairlead_error *err);

#endif
