/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate that is signed by its own key. */
#include "net/certificate_make.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"

enum { DAY = 24 * 3600, DAYS = 3650, LAST_DAYS = 14, SERIAL = 16, PEM = 8192, NAME = 1024 };

struct made {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt, old, new; /* old: as it is there; new: as it would be read */
	unsigned char chain_text[PEM], key_text[PEM];
	size_t chain_len, key_len;
};

static int add_name(gnutls_x509_crt_t crt, const char *name)
{
	struct in6_addr address;
	int family = strchr(name, ':') ? AF_INET6 : AF_INET;

	if (inet_pton(family, name, &address) == 1)
		return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, &address,
							    family == AF_INET6 ? 16 : 4,
							    GNUTLS_FSAN_APPEND);
	return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, name,
						    (unsigned)strlen(name), GNUTLS_FSAN_APPEND);
}

static int fill(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, const char *const *names,
		uint32_t n)
{
	unsigned char serial[SERIAL];
	time_t now = time(NULL);
	int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);

	serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40); /* positive, of this length */
	if (code == 0)
		code = gnutls_x509_crt_set_version(crt, 3);
	if (code == 0)
		code = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
	if (code == 0)
		code = gnutls_x509_crt_set_activation_time(crt, now - DAY);
	if (code == 0)
		code = gnutls_x509_crt_set_expiration_time(crt, now + (time_t)DAYS * DAY);
	if (code == 0)
		code = gnutls_x509_crt_set_key(crt, key);
	if (code == 0)
		code = gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0,
						     "fairlead", sizeof "fairlead" - 1);
	if (code == 0)
		code = gnutls_x509_crt_set_basic_constraints(crt, /* ca= */ 0, -1);
	if (code == 0)
		code = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
	if (code == 0)
		code = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
	for (uint32_t i = 0; i < n && code == 0; i++)
		code = add_name(crt, names[i]);
	return code;
}

/* --- what is there --- */

static bool is_there(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 || errno != ENOENT;
}

static int read_key(gnutls_x509_privkey_t key, const char *path)
{
	gnutls_datum_t text = { NULL, 0 };
	int code = gnutls_load_file(path, &text);

	if (code == 0)
		code = gnutls_x509_privkey_import(key, &text, GNUTLS_X509_FMT_PEM);
	if (text.data)
		gnutls_memset(text.data, 0, text.size);
	gnutls_free(text.data);
	return code;
}

static int read_certificate(gnutls_x509_crt_t crt, const char *path)
{
	gnutls_datum_t text = { NULL, 0 };
	int code = gnutls_load_file(path, &text);

	if (code == 0)
		code = gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM);
	gnutls_free(text.data);
	return code;
}

struct name {
	int type; /* negative: there are no more */
	size_t len;
	unsigned char bytes[NAME];
};

static struct name name_at(gnutls_x509_crt_t crt, unsigned i)
{
	struct name name = { .len = NAME };

	name.type = gnutls_x509_crt_get_subject_alt_name(crt, i, name.bytes, &name.len, NULL);
	return name;
}

static bool has(gnutls_x509_crt_t crt, const struct name *wanted)
{
	struct name name;

	for (unsigned i = 0; name = name_at(crt, i), name.type >= 0; i++)
		if (name.type == wanted->type && name.len == wanted->len &&
		    memcmp(name.bytes, wanted->bytes, name.len) == 0)
			return true;
	return false;
}

/* Has it all names of @wanted, and is it valid for long enough? */
static bool will_do(gnutls_x509_crt_t crt, gnutls_x509_crt_t wanted)
{
	struct name name;

	for (unsigned i = 0; name = name_at(wanted, i), name.type >= 0; i++)
		if (!has(crt, &name))
			return false;
	return gnutls_x509_crt_get_expiration_time(crt) - time(NULL) > (time_t)LAST_DAYS * DAY;
}

/* --- make --- */

static int begin(struct made *m, const char *key)
{
	int code = gnutls_x509_privkey_init(&m->key);

	if (code == 0)
		code = gnutls_x509_crt_init(&m->crt);
	if (code == 0)
		code = gnutls_x509_crt_init(&m->old);
	if (code == 0)
		code = gnutls_x509_crt_init(&m->new);
	if (code == 0 && is_there(key))
		return read_key(m->key, key);
	if (code == 0)
		code = gnutls_x509_privkey_generate(
			m->key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
			0);
	return code;
}

static int sign(struct made *m)
{
	int code = gnutls_x509_crt_sign2(m->crt, m->crt, m->key, GNUTLS_DIG_SHA256, 0);

	m->chain_len = m->key_len = PEM;
	if (code == 0)
		code = gnutls_x509_crt_export(m->crt, GNUTLS_X509_FMT_PEM, m->chain_text,
					      &m->chain_len);
	if (code == 0)
		code = gnutls_x509_privkey_export(m->key, GNUTLS_X509_FMT_PEM, m->key_text,
						  &m->key_len);
	if (code == 0)
		code = gnutls_x509_crt_import(
			m->new, &(gnutls_datum_t){ m->chain_text, (unsigned)m->chain_len },
			GNUTLS_X509_FMT_PEM);
	return code;
}

static int write_file(const char *path, const void *bytes, size_t len, mode_t mode,
		      fairlead_error *err)
{
	char draft[4200];
	int written;

	(void)snprintf(draft, sizeof draft, "%.4096s.new", path);
	(void)unlink(draft);

	FL_FD fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

	written = fd < 0 ? -1 : fl_fd_write(fd, bytes, len);
	if (written == 0)
		written = fsync(fd);
	if (written == 0)
		written = rename(draft, path);
	if (written == 0)
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "cannot write: %s", strerror(errno));
	return fl_fail_in(err, "%s", path);
}

static int fail(const char *key, int code, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EIO, "cannot make a certificate: %s", gnutls_strerror(code));
	fl_fail_hint(err, "without this file a new key is made, too");
	return fl_fail_in(err, "%s", key);
}

/* 0: what is there will do. */
static int make(struct made *m, const struct fl_certificate_wish *w, fairlead_error *err)
{
	bool was = is_there(w->chain), had_key = is_there(w->key);
	int code = begin(m, w->key), r = 0;

	if (code == 0)
		code = fill(m->crt, m->key, w->names, w->n);
	if (code == 0)
		code = sign(m);
	if (code < 0)
		return fail(w->key, code, err);
	/* One that cannot be read is not replaced: its reader says what is wrong. */
	if (was && had_key && (read_certificate(m->old, w->chain) < 0 || will_do(m->old, m->new)))
		return 0;
	if (!had_key)
		r = write_file(w->key, m->key_text, m->key_len, 0600, err);
	if (r == 0)
		r = write_file(w->chain, m->chain_text, m->chain_len, 0644, err);
	return r < 0 ? r : was && had_key ? FL_CERTIFICATE_AGAIN : FL_CERTIFICATE_NEW;
}

int fl_certificate_make(const struct fl_certificate_wish *wish, fairlead_error *err)
{
	struct made *m = calloc(1, sizeof *m);
	int r;

	if (!m)
		return fl_fail_nomem(err);
	r = make(m, wish, err);
	if (m->new)
		gnutls_x509_crt_deinit(m->new);
	if (m->old)
		gnutls_x509_crt_deinit(m->old);
	if (m->crt)
		gnutls_x509_crt_deinit(m->crt);
	if (m->key)
		gnutls_x509_privkey_deinit(m->key);
	gnutls_memset(m->key_text, 0, sizeof m->key_text);
	free(m);
	return r;
}
