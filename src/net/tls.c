/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "net/server_state.h"

static const char priorities[] =
	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-SHA1:-SIGN-RSA-SHA1:%SERVER_PRECEDENCE";

/* Each session gets its own (fl_tls_begin): this is what the library wants to start at all. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int n,
			  const gnutls_pk_algorithm_t *algorithms, int n_algorithms,
			  gnutls_pcert_st **ret_chain, unsigned *ret_n, gnutls_privkey_t *ret_key)
{
	(void)session, (void)authorities, (void)n, (void)algorithms, (void)n_algorithms;
	(void)ret_chain, (void)ret_n, (void)ret_key;
	return -1;
}

struct MHD_Daemon *fl_tls_library(struct fl_server *s)
{
	const struct MHD_OptionItem more[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)no_certificate },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)priorities },
		{ MHD_OPTION_END, 0, NULL },
	};

	return fl_server_library(s, MHD_USE_TLS, more);
}

bool fl_tls_is_on(const struct fl_connection *c)
{
	return c->entrance->listener && c->entrance->listener->certificate;
}

/* The end of the handshake, as the other side says it. */
static int finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
		    const gnutls_datum_t *message)
{
	struct fl_connection *c = gnutls_db_get_ptr(session);

	(void)type, (void)when, (void)message;
	if (incoming && c && !c->shaken) {
		c->shaken = true;
		c->server->secure.handshakes--;
	}
	return 0;
}

/*
 * The pointer for a store of sessions is ours, as there is no such store; others are the library's.
 */
void fl_tls_begin(struct fl_connection *c, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	gnutls_session_t session = info ? info->tls_session : NULL;
	struct fl_certificate *certificate = c->entrance->listener->certificate;

	if (!session) {
		fl_connection_hang_up(c);
		return;
	}
	c->server->secure.handshakes++;
	c->certificate = fl_certificate_take(certificate, uv_now(c->server->options.loop));
	gnutls_db_set_ptr(session, c);
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
					   finished);
	if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE,
				   fl_certificate_credentials(c->certificate)) != 0)
		fl_connection_hang_up(c);
}

void fl_tls_end(struct fl_connection *c)
{
	if (!fl_tls_is_on(c))
		return;
	c->server->figures.handshakes_failed += !c->shaken;
	c->server->secure.handshakes -= c->certificate && !c->shaken;
	c->certificate = fl_certificate_drop(c->certificate);
}
