/* SPDX-License-Identifier: Apache-2.0 */
#include "net/shown.h"

#include <arpa/inet.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>

#include "net/loaded/loaded.h"

/* Loaded as libcurl is (net/loaded/curl.h): for a few errors and for `login` only. */
#define FUNCTIONS(X)                                                                               \
	X(init)                                                                                    \
	X(import)                                                                                  \
	X(deinit)                                                                                  \
	X(get_key_id)                                                                              \
	X(get_fingerprint)                                                                         \
	X(get_activation_time)                                                                     \
	X(get_expiration_time)                                                                     \
	X(get_subject_alt_name)                                                                    \
	X(get_dn_by_oid)                                                                           \
	X(check_hostname)

struct library {
#define X(name) __typeof__(gnutls_x509_crt_##name) *name;
	FUNCTIONS(X)
#undef X
};

static int load(struct library *l, fairlead_error *err)
{
	static const char *const names[] = { "libgnutls.so.30", NULL };
	static const struct fl_loaded_function functions[] = {
#define X(name) { "gnutls_x509_crt_" #name, offsetof(struct library, name) },
		FUNCTIONS(X)
#undef X
	};
	const struct fl_loaded gnutls = { names, "libgnutls30", functions,
					  sizeof functions / sizeof *functions };

	return fl_load(&gnutls, l, err);
}

/* -1: it has none. */
static fl_time time_of(time_t seconds)
{
	return seconds < 0 || seconds > FL_NEVER / FL_SECOND ? FL_NEVER :
							       (fl_time)seconds * FL_SECOND;
}

static void add_name(struct fl_shown *c, const char *name)
{
	size_t len = strlen(c->names);

	snprintf(c->names + len, sizeof c->names - len, "%s%s", len ? ", " : "", name);
}

/* Those of DNS and the addresses; where there are none, its common name. */
static void take_names(const struct library *l, gnutls_x509_crt_t cert, struct fl_shown *c)
{
	char name[256], address[INET6_ADDRSTRLEN];
	size_t size;

	for (unsigned i = 0; i < 64; i++) {
		size = sizeof name - 1;
		int type = l->get_subject_alt_name(cert, i, name, &size, NULL);

		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			break;
		if (type == GNUTLS_SAN_DNSNAME) {
			name[size] = '\0';
			add_name(c, name);
		} else if (type == GNUTLS_SAN_IPADDRESS && (size == 4 || size == 16)) {
			add_name(c, inet_ntop(size == 4 ? AF_INET : AF_INET6, name, address,
					      sizeof address));
		}
	}
	size = sizeof name;
	if (!*c->names &&
	    l->get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &size) == 0)
		add_name(c, name);
}

int fl_shown_read(const char *pem, const char *host, struct fl_shown *ret, fairlead_error *err)
{
	struct fl_shown c = { 0 };
	gnutls_datum_t text = { (unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem) };
	unsigned char digest[32], key[32];
	size_t size = sizeof digest, key_size = sizeof key;
	gnutls_x509_crt_t cert;
	struct library l = { 0 };
	int rc = load(&l, err);

	if (rc < 0)
		return rc;
	if (l.init(&cert) < 0)
		return fl_fail_nomem(err);
	if (l.import(cert, &text, GNUTLS_X509_FMT_PEM) < 0 ||
	    l.get_fingerprint(cert, GNUTLS_DIG_SHA256, digest, &size) < 0 ||
	    l.get_key_id(cert, GNUTLS_KEYID_USE_SHA256, key, &key_size) < 0 ||
	    size != sizeof digest || key_size != sizeof key) {
		l.deinit(cert);
		return fl_fail(err, FAIRLEAD_EINPUT, "the server's certificate is not understood");
	}
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(c.fingerprint + 3 * i, 4, i + 1 < sizeof digest ? "%02X:" : "%02X",
			 digest[i]);
	fl_remote_key(key, c.key);
	take_names(&l, cert, &c);
	c.from = time_of(l.get_activation_time(cert));
	c.until = time_of(l.get_expiration_time(cert));
	c.fits = l.check_hostname(cert, host);
	l.deinit(cert);
	*ret = c;
	return 0;
}
