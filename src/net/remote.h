/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote - a daemon that is reached over the network: its address, and what makes it trusted
 *
 * Without TLS only this machine itself is reached: a token, and what jobs print, is never sent over a
 * network that others could read.  Where there is only such a way, a tunnel has its end on this
 * machine.
 */
#ifndef FL_NET_REMOTE_H
#define FL_NET_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
	FL_REMOTE_HOST = 253, /* bytes of a name of DNS */
	/* "https://", '[', host, ']', ':', port, NUL */
	FL_REMOTE_URL = 8 + 1 + FL_REMOTE_HOST + 1 + 1 + 5 + 1,
	FL_REMOTE_FINGERPRINT = 3 * 32, /* 32 bytes as "AB:CD:...", NUL */
	FL_REMOTE_KEY = 8 + 44 + 1,     /* "sha256//", digits of base 64, NUL */
	FL_REMOTE_TOKEN = 16384,        /* bytes of a token: one of a cluster has about 1,000 */
};

struct fl_remote {
	char url[FL_REMOTE_URL]; /* as fl_remote_url makes it; "": none */
	const char *token;       /* NULL: none is sent */
	const char *ca_file;     /* certificates to trust; NULL: those of the system */
	/*
	 * What the server must have, with any name, date and signature: its certificate, or its public
	 * key, which stays when a certificate is renewed; "": none.  Of the first comes the second.
	 */
	char fingerprint[FL_REMOTE_FINGERPRINT], key[FL_REMOTE_KEY];
};

/*
 * "https://HOST[:PORT]", or "http://" of this machine alone, in one form: equal servers are equal
 * texts.  FAIRLEAD_EINPUT: it is none.
 */
int fl_remote_url(const char *text, char ret[FL_REMOTE_URL], fairlead_error *err);
/* The host of such a URL, without the brackets of an IPv6 address. */
void fl_remote_host(const char *url, char ret[FL_REMOTE_HOST + 1]);
/* Such a host is reached without any network: 127.0.0.0/8, ::1, localhost. */
bool fl_remote_is_this_machine(const char *host);

/*
 * SHA-256 of a certificate as `openssl x509 -fingerprint -sha256` prints it, "AB:CD:..."; also with
 * "sha256:" before it, without colons and in small letters.
 */
int fl_remote_fingerprint(const char *text, char ret[FL_REMOTE_FINGERPRINT], fairlead_error *err);
/* SHA-256 of a public key (SubjectPublicKeyInfo), as libcurl writes it. */
void fl_remote_key(const unsigned char digest[32], char ret[FL_REMOTE_KEY]);
/* Has a text this form? */
bool fl_remote_is_key(const char *text);

/*
 * The first @len bytes of @text as a token, without blanks and line ends at its end, which stay the
 * caller's.  FAIRLEAD_EINPUT: there is none, or it has bytes that no token has.
 */
int fl_remote_token(char *text, size_t len, fairlead_error *err);

#endif
