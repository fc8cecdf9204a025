/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller - checks of a request on TCP, or that a relay passes on, by its head alone
 *
 * A browser that shows a foreign page can be made to send requests to any address.  What it
 * cannot be made to do is to send another Host than the name it has resolved, or no Origin; and it sends
 * no token, as there are no cookies.  So each of the three stops such a page.
 *
 * The token is looked at although its address may have sent too many requests: valid tokens are not
 * slowed down by other clients behind the same address.  One that has to be asked about elsewhere is not
 * known to be valid, and made-up ones must not fill the places of those that are asked about: its
 * address pays for it.
 */
#include "net/caller.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/connection.h"
#include "net/door.h"
#include "net/server_state.h"
#include "net/tcp.h"
#include "net/tls.h"

/* --- Host and Origin --- */

/* The length of the name in "name:port"; the port may be that of a tunnel. */
static size_t name_length(const char *host)
{
	const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

	return end ? (size_t)(end + 1 - host) : strcspn(host, ":");
}

static bool is_word(const char *host, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(host, word, len) == 0;
}

/* A relay has its port of its own, and no tunnel leads there. */
static bool is_name_of_relay(const struct fl_connection *c, const char *host)
{
	size_t len = name_length(host);
	char port[16];

	(void)snprintf(port, sizeof port, ":%u", c->relay_port);
	return (is_word(host, len, "127.0.0.1") || is_word(host, len, "localhost")) &&
	       strcmp(host + len, port) == 0;
}

static bool is_own_name(const struct fl_connection *c, const char *host)
{
	const struct fl_listener *l = c->entrance->listener;
	size_t len = name_length(host);
	struct fl_tcp_address own;

	if (c->relay_port)
		return is_name_of_relay(c, host);
	for (uint32_t i = 0; i < l->n_names; i++)
		if (is_word(host, len, l->names[i]))
			return true;
	return fl_tcp_own(c->fd, &own) &&
	       (fl_tcp_is(&own, host, len) ||
		(fl_tcp_is_loopback(&own) && is_word(host, len, "localhost")));
}

/* "https://HOST", with the Host of the same request. */
static bool is_own_origin(const char *origin, const char *scheme, const char *host)
{
	size_t len = strlen(scheme);

	return strncmp(origin, scheme, len) == 0 && strcasecmp(origin + len, host) == 0;
}

struct hosts {
	unsigned hosts, origins, tokens;
};

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct hosts *n = user;

	(void)kind;
	(void)value;
	n->hosts += strcasecmp(name, "Host") == 0;
	n->origins += strcasecmp(name, "Origin") == 0;
	n->tokens += strcasecmp(name, "Authorization") == 0;
	return MHD_YES;
}

static enum fl_refusal check_names(const struct fl_exchange *x)
{
	const char *host = fl_request_header(&x->request, "Host");
	const char *origin = fl_request_header(&x->request, "Origin");
	struct hosts n = { 0 };

	(void)MHD_get_connection_values(x->mhd, MHD_HEADER_KIND, count_header, &n);
	if (n.hosts > 1 || n.origins > 1 || n.tokens > 1)
		return FL_REFUSE_TWICE;
	if (host && !is_own_name(x->connection, host))
		return FL_REFUSE_HOST;
	if (origin &&
	    !(host &&
	      is_own_origin(origin, fl_tls_is_on(x->connection) ? "https://" : "http://", host)))
		return FL_REFUSE_ORIGIN;
	return FL_REFUSE_NOTHING;
}

/* --- the token --- */

/* The secret of "Bearer SECRET"; NULL: there is none. */
static const char *secret_of(const struct fl_exchange *x)
{
	static const char scheme[] = "Bearer ";
	const char *value = fl_request_header(&x->request, "Authorization");

	if (!value || strncasecmp(value, scheme, sizeof scheme - 1) != 0)
		return NULL;
	value += sizeof scheme - 1;
	return value + strspn(value, " ");
}

static enum fl_refusal check_token(const struct fl_connection *c, const char *secret,
				   struct fl_principal *ret)
{
	struct fl_server *s = c->server;
	const struct fl_server_options *o = &s->options;
	const struct fl_principal address = fl_principal_behind(&c->who);
	int code;

	if (!secret)
		return FL_REFUSE_NO_TOKEN;
	if (o->is_new && o->is_new(o->user, secret) &&
	    !fl_rate_take(&s->strange, &address, uv_now(o->loop)))
		return FL_REFUSE_RATE;
	code = o->bearer(o->user, secret, ret);
	if (code == FAIRLEAD_ENOENT || code == FAIRLEAD_ESTATE)
		return FL_REFUSE_BAD_TOKEN;
	return code < 0 ? FL_REFUSE_BUSY : FL_REFUSE_NOTHING;
}

enum fl_refusal fl_caller_find(struct fl_exchange *x)
{
	struct fl_connection *c = x->connection;
	struct fl_server *s = c->server;
	const struct fl_server_options *o = &s->options;
	uint32_t listener = c->relay_port ? FL_LISTENER_RELAY :
					    (uint32_t)(c->entrance - s->entrances) - 1;
	const char *secret = secret_of(x);
	enum fl_refusal refusal = check_names(x);
	enum fl_needs needs = refusal ? FL_NEEDS_NOTHING : o->needs(o->user, listener, &x->request);
	struct fl_principal who = c->who;

	/* Where no token is needed a wrong one is of no importance. */
	if (!refusal && needs == FL_NEEDS_TOKEN)
		refusal = check_token(c, secret, &who);
	s->figures.without_token += refusal == FL_REFUSE_NO_TOKEN || refusal == FL_REFUSE_BAD_TOKEN;
	if (refusal)
		who = c->who;
	if (!fl_connection_acts_for(c, &who))
		return FL_REFUSE_BUSY;
	x->request.who = who;
	/* What shows no token sends nothing that is kept. */
	if (who.kind == FL_PRINCIPAL_PROBE)
		x->body_most = needs == FL_NEEDS_NO_TOKEN ? FL_STRANGE_BODY : 0;
	if (!refusal && needs == FL_NEEDS_ANOTHER)
		refusal = FL_REFUSE_ELSEWHERE;
	if (refusal && !fl_rate_take(&s->strange, &c->payer->who, uv_now(o->loop)))
		refusal = FL_REFUSE_RATE;
	return refusal;
}
