/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificate - a certificate of TLS and its private key, from files
 *
 * Guarantees: files that change are noticed before the next connection, within a second, and
 * connections go on with what they began with; new files that are not valid together are not used, the
 * old ones stay, and one warning says why.
 */
#ifndef FL_NET_CERTIFICATE_H
#define FL_NET_CERTIFICATE_H

#include <gnutls/gnutls.h>
#include <stdint.h>

#include "base/error.h"

struct fl_certificate;

/* "AB:CD:...", as `openssl x509 -fingerprint -sha256` prints it. */
enum { FL_FINGERPRINT = 3 * 32 };

struct fl_certificate_files {
	const char *chain; /* PEM: the certificate, then those between it and its authority */
	const char *key;   /* PEM */
	void (*warn)(void *user, const char *text); /* a line */
	void *user;
};

/*
 * Reads the files, whose names are copied. FAIRLEAD_EIO: they cannot be read; FAIRLEAD_EINPUT: they are
 * not valid together.
 */
int fl_certificate_open(const struct fl_certificate_files *files, struct fl_certificate **ret,
			fairlead_error *err);
struct fl_certificate *fl_certificate_free(struct fl_certificate *c);
/* Of the newest files. Valid until the next call of fl_certificate_take. */
const char *fl_certificate_fingerprint(const struct fl_certificate *c);

/*
 * The newest files as a new connection uses them; to be given back by fl_certificate_drop when that has
 * ended.  @now: ms.
 */
struct fl_certificate_use;
struct fl_certificate_use *fl_certificate_take(struct fl_certificate *c, uint64_t now);
struct fl_certificate_use *fl_certificate_drop(struct fl_certificate_use *use); /* returns NULL */
gnutls_certificate_credentials_t fl_certificate_credentials(const struct fl_certificate_use *use);

#endif
