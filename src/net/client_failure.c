/* SPDX-License-Identifier: Apache-2.0 */
#include "net/client_failure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

/* --- a server that is not trusted --- */

static void say_untrusted(const struct fl_client *c, const struct fl_shown *cert,
			  fairlead_error *err)
{
	char host[FL_REMOTE_HOST + 1], text[40];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	fl_time t = (fl_time)now.tv_sec * FL_SECOND;
	fl_remote_host(c->remote.url, host);
	if (cert->until < t) {
		fl_fail(err, FAIRLEAD_EIO, "the server's certificate expired at %s",
			fl_time_format(text, cert->until));
		fl_fail_hint(err,
			     "its admin has to renew it; or the clock of this machine is wrong");
	} else if (cert->from > t) {
		fl_fail(err, FAIRLEAD_EIO, "the server's certificate is valid only from %s on",
			fl_time_format(text, cert->from));
		fl_fail_hint(err, "the clock of this machine, or of the server, is wrong");
	} else if (!cert->fits) {
		fl_fail(err, FAIRLEAD_EIO, "the server's certificate is for %.200s, not for %.100s",
			*cert->names ? cert->names : "no name", host);
		fl_fail_hint(err,
			     "use one of its names in the address; or 'fairlead login %s' shows "
			     "its fingerprint",
			     c->remote.url);
	} else {
		fl_fail(err, FAIRLEAD_EIO, "no authority %s has signed the server's certificate",
			c->ca_file ? "of the CA file" : "that this machine trusts");
		fl_fail_hint(err,
			     "'fairlead login %s' shows its fingerprint; or --ca-file FILE names "
			     "the certificate of its authority",
			     c->remote.url);
	}
}

static void fail_untrusted(struct fl_client *c, fairlead_error *err)
{
	struct fl_shown cert;

	if (fl_client_shown(c, &cert, err) == 0) {
		say_untrusted(c, &cert, err);
	} else {
		fl_fail(err, FAIRLEAD_EIO, "the server's certificate is not trusted");
		fl_fail_hint(err, "--ca-file FILE names the certificate of its authority");
	}
}

/* --- all others --- */

static void fail_socket(const struct fl_client *c, fairlead_error *err)
{
	if (access(c->socket, F_OK) == 0 && access(c->socket, W_OK) != 0) {
		fl_fail(err, FAIRLEAD_EIO, "you may not connect to the daemon's socket");
		fl_fail_hint(err, "its mode is .spec.socket.mode of the Daemon document");
		return;
	}
	fl_fail(err, FAIRLEAD_EIO, "no daemon listens here");
	fl_fail_hint(err, "start one: systemctl start fairleadd, or fairleadd --state "
			  "FOLDER; if it has another socket: --socket, FAIRLEAD_SOCKET; "
			  "if it is on another machine: --server, FAIRLEAD_SERVER");
}

/* What there is to say of each; the rest is a connection that broke. */
static const struct {
	int code;
	const char *text, *hint;
} remote_failures[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, "there is no machine of this name",
	  "is the address right, and is this machine in the network?" },
	{ CURLE_COULDNT_CONNECT, "no daemon listens there",
	  "is the address right, with its port, and does .spec.listen of the Daemon document have "
	  "it?" },
	{ CURLE_SSL_PINNEDPUBKEYNOTMATCH,
	  "the server has another certificate than the one that was confirmed",
	  "if its admin changed it, 'fairlead login' shows the new one; else another machine may "
	  "pretend to be it" },
	{ CURLE_SSL_CACERT_BADFILE, "the certificates of --ca-file cannot be read",
	  "it has to be a file of certificates as PEM" },
	{ CURLE_SSL_CONNECT_ERROR, "no connection with TLS could be made",
	  "does the server serve TLS there, of version 1.2 or 1.3?" },
};

static bool fail_remote(int code, fairlead_error *err)
{
	for (size_t i = 0; i < sizeof remote_failures / sizeof *remote_failures; i++)
		if (remote_failures[i].code == code) {
			fl_fail(err, FAIRLEAD_EIO, "%s", remote_failures[i].text);
			fl_fail_hint(err, "%s", remote_failures[i].hint);
			return true;
		}
	return false;
}

static void fail_broken(const struct fl_client *c, CURLcode code, bool writes, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EIO, "the daemon closed the connection before it answered (%s)",
		c->curl.easy_strerror(code));
	if (writes)
		fl_fail_hint(err, "whether it accepted the request is not known: see "
				  "fairlead jobs");
}

int fl_client_failed(struct fl_client *c, CURLcode code, bool writes, fairlead_error *err)
{
	bool remote = fl_client_is_remote(c);

	c->distrusts = false;
	if (code == CURLE_OUT_OF_MEMORY)
		return fl_fail_nomem(err);
	if (code == CURLE_PEER_FAILED_VERIFICATION) {
		fail_untrusted(c, err);
		c->distrusts = true;
	} else if (code == CURLE_COULDNT_CONNECT && !remote) {
		fail_socket(c, err);
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		fl_fail(err, FAIRLEAD_EIO, "the daemon does not answer");
		fl_fail_hint(err, remote ?
					  "is the address right, and does a firewall let it pass?" :
					  "its log says why: journalctl -u fairleadd");
	} else if (!remote || !fail_remote((int)code, err)) {
		fail_broken(c, code, writes, err);
	}
	return fl_fail_in(err, "%s", fl_client_place(c));
}
