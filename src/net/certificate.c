/* SPDX-License-Identifier: Apache-2.0 */
#include "net/certificate.h"

#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LOOK_MS = 1000, SOON_SECONDS = 14 * 24 * 3600, DAY = 24 * 3600 };

/* What the files were when they were read; connections hold it, and so does the certificate. */
struct fl_certificate_use {
	uint32_t holders;
	gnutls_certificate_credentials_t credentials;
	char fingerprint[FL_FINGERPRINT];
	time_t expires;
};

struct state {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct fl_certificate {
	struct fl_certificate_files files;
	char *chain, *key;
	struct state states[2]; /* that were looked at last, valid or not */
	uint64_t looked;        /* ms */
	struct fl_certificate_use *use;
};

/* --- one state of the files --- */

struct fl_certificate_use *fl_certificate_drop(struct fl_certificate_use *use)
{
	if (!use || --use->holders > 0)
		return NULL;
	if (use->credentials)
		gnutls_certificate_free_credentials(use->credentials);
	free(use);
	return NULL;
}

gnutls_certificate_credentials_t fl_certificate_credentials(const struct fl_certificate_use *use)
{
	return use->credentials;
}

static void spell(const unsigned char *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		ret += snprintf(ret, 4, "%s%02X", i ? ":" : "", bytes[i]);
}

/* Fingerprint and end of the first certificate of the chain. */
static int describe(struct fl_certificate_use *use)
{
	unsigned char digest[32];
	size_t size = sizeof digest;
	gnutls_datum_t der;
	gnutls_x509_crt_t crt = NULL;
	int code = gnutls_certificate_get_crt_raw(use->credentials, 0, 0, &der);

	if (code == 0)
		code = gnutls_fingerprint(GNUTLS_DIG_SHA256, &der, digest, &size);
	if (code == 0)
		code = gnutls_x509_crt_init(&crt);
	if (code == 0)
		code = gnutls_x509_crt_import(crt, &der, GNUTLS_X509_FMT_DER);
	if (code == 0) {
		spell(digest, sizeof digest, use->fingerprint);
		use->expires = gnutls_x509_crt_get_expiration_time(crt);
	}
	if (crt)
		gnutls_x509_crt_deinit(crt);
	return code;
}

static int fail_to_read(const struct fl_certificate *c, int code, fairlead_error *err)
{
	if (code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH) {
		fl_fail(err, FAIRLEAD_EINPUT, "the key is not the one of the certificate");
		fl_fail_hint(err, "both are made together; %s has the key", c->key);
		return fl_fail_in(err, "%s", c->chain);
	}
	fl_fail(err, FAIRLEAD_EINPUT, "not a certificate and its key: %s", gnutls_strerror(code));
	fl_fail_hint(err, "both are PEM, the key without a password");
	return fl_fail_in(err, "%s and %s", c->chain, c->key);
}

static int read_files(const struct fl_certificate *c, struct fl_certificate_use **ret,
		      fairlead_error *err)
{
	struct fl_certificate_use *use = calloc(1, sizeof *use);
	int code;

	if (!use)
		return fl_fail_nomem(err);
	use->holders = 1;
	code = gnutls_certificate_allocate_credentials(&use->credentials);
	if (code == 0)
		code = gnutls_certificate_set_x509_key_file(use->credentials, c->chain, c->key,
							    GNUTLS_X509_FMT_PEM);
	if (code >= 0)
		code = describe(use);
	if (code < 0) {
		fl_certificate_drop(use);
		return fail_to_read(c, code, err);
	}
	*ret = use;
	return 0;
}

/* --- files that change --- */

static bool state_of(const char *path, struct state *ret)
{
	struct stat s;

	*ret = (struct state){ 0 };
	if (stat(path, &s) != 0)
		return false;
	*ret = (struct state){ s.st_dev, s.st_ino, s.st_size, s.st_mtim };
	return true;
}

static bool same_state(const struct state *a, const struct state *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static void warn(const struct fl_certificate *c, const char *text)
{
	if (c->files.warn)
		c->files.warn(c->files.user, text);
}

static void warn_of_end(const struct fl_certificate *c)
{
	time_t left = c->use->expires - time(NULL);
	char line[600];

	if (left > SOON_SECONDS)
		return;
	if (left <= 0)
		(void)snprintf(line, sizeof line,
			       "warning: the certificate %.400s is not valid any more", c->chain);
	else
		(void)snprintf(line, sizeof line,
			       "warning: the certificate %.400s is valid for %lld more days",
			       c->chain, (long long)(left / DAY));
	warn(c, line);
}

/* Looks whether the files are others than those that were read. */
static void look(struct fl_certificate *c)
{
	struct state now[2];
	struct fl_certificate_use *use = NULL;
	fairlead_error err = { 0 };
	char line[1200];

	/* One that is replaced may be away for a moment. */
	if (!state_of(c->chain, &now[0]) || !state_of(c->key, &now[1]) ||
	    (same_state(&now[0], &c->states[0]) && same_state(&now[1], &c->states[1])))
		return;
	memcpy(c->states, now, sizeof now);
	if (read_files(c, &use, &err) < 0) {
		(void)snprintf(line, sizeof line,
			       "warning: %.500s: %.300s; the certificate from before stays in use",
			       err.subject, err.text);
		warn(c, line);
		return;
	}
	fl_certificate_drop(c->use);
	c->use = use;
	(void)snprintf(line, sizeof line, "the certificate %.400s was read again: SHA-256 %s",
		       c->chain, use->fingerprint);
	warn(c, line);
	warn_of_end(c);
}

struct fl_certificate_use *fl_certificate_take(struct fl_certificate *c, uint64_t now)
{
	if (now - c->looked >= LOOK_MS) {
		c->looked = now;
		look(c);
	}
	c->use->holders++;
	return c->use;
}

/* --- begin and end --- */

int fl_certificate_open(const struct fl_certificate_files *files, struct fl_certificate **ret,
			fairlead_error *err)
{
	struct fl_certificate *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return fl_fail_nomem(err);
	c->files = *files;
	c->chain = strdup(files->chain);
	c->key = strdup(files->key);
	if (!c->chain || !c->key) {
		fl_certificate_free(c);
		return fl_fail_nomem(err);
	}
	(void)state_of(c->chain, &c->states[0]);
	(void)state_of(c->key, &c->states[1]);
	r = read_files(c, &c->use, err);
	if (r < 0) {
		fl_certificate_free(c);
		return r;
	}
	warn_of_end(c);
	*ret = c;
	return 0;
}

struct fl_certificate *fl_certificate_free(struct fl_certificate *c)
{
	if (!c)
		return NULL;
	fl_certificate_drop(c->use);
	free(c->chain);
	free(c->key);
	free(c);
	return NULL;
}

const char *fl_certificate_fingerprint(const struct fl_certificate *c)
{
	return c->use->fingerprint;
}
