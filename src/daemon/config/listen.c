/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config/listen.h"

#include <unistd.h>

static const struct fl_daemon_listen_row *row_of(const struct fl_model *m, uint32_t row)
{
	return &m->daemon_listens[m->daemon.listens.first + row];
}

static int fail_row(const struct fl_model *m, uint32_t row, fairlead_error *err)
{
	fl_fail_in(err, "Daemon/%.253s .spec.listen[%u]", fl_model_text(m, m->daemon.name), row);
	fl_model_fail_at(m, row_of(m, row)->place, err);
	return FAIRLEAD_EINPUT;
}

static bool asks_for_tokens(const struct fl_daemon_listen_row *row)
{
	return row->api == FL_SERVES_TOKEN || row->metrics == FL_SERVES_TOKEN;
}

/* A token that is sent as it is can be read on the way. */
static int check_tls(const struct fl_model *m, uint32_t row, const struct fl_tcp_address *address,
		     fairlead_error *err)
{
	const struct fl_daemon_listen_row *r = row_of(m, row);
	char text[FL_TCP_TEXT];

	if (r->tls || !asks_for_tokens(r) || fl_tcp_is_loopback(address))
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT,
		"TLS is missing: tokens would be sent in clear text to %s, beyond this machine",
		fl_tcp_text(address, text));
	fl_fail_hint(err, "add tls: {selfSigned: true}, or tls: {certificate: FILE, key: FILE}; or "
			  "listen on 127.0.0.1");
	return fail_row(m, row, err);
}

int fl_listen_find(const struct fl_config *config, struct fl_listen_places *ret,
		   fairlead_error *err)
{
	const struct fl_model *m = fl_config_objects(config);
	struct fl_tcp_address found[FL_LISTEN_MOST];
	int r = 0;

	ret->n = 0;
	for (uint32_t i = 0; i < m->daemon.listens.n; i++) {
		const struct fl_daemon_listen_row *row = row_of(m, i);
		uint32_t n = 0;

		if (fl_tcp_find(fl_model_text(m, row->host), row->port, found,
				FL_LISTEN_MOST - ret->n, &n, err) < 0)
			return fail_row(m, i, err);
		for (uint32_t k = 0; k < n && r == 0; k++) {
			r = check_tls(m, i, &found[k], err);
			ret->at[ret->n].row = i;
			ret->at[ret->n++].address = found[k];
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int fl_listen_check_tokens(const struct fl_config *config, const struct fl_listen_places *places,
			   uint32_t tokens, fairlead_error *err)
{
	const struct fl_model *m = fl_config_objects(config);
	char text[FL_TCP_TEXT];

	for (uint32_t i = 0; i < places->n && tokens == 0; i++) {
		uint32_t row = places->at[i].row;

		if (!asks_for_tokens(row_of(m, row)) || fl_tcp_is_loopback(&places->at[i].address))
			continue;
		fl_fail(err, FAIRLEAD_EINPUT,
			"a valid token is missing: no request could be served at %s",
			fl_tcp_text(&places->at[i].address, text));
		fl_fail_hint(err, "start the daemon without .spec.listen, make a token (fairlead "
				  "token create), and start it with .spec.listen again");
		return fail_row(m, row, err);
	}
	return 0;
}

int fl_listen_open(const struct fl_listen_places *places, struct fl_listening *ret,
		   fairlead_error *err)
{
	ret->places.n = 0;
	for (uint32_t i = 0; i < places->n; i++) {
		int r = fl_tcp_listen(&places->at[i].address, &ret->fds[i], err);

		if (r < 0) {
			while (i > 0)
				(void)close(ret->fds[--i]);
			return r;
		}
	}
	ret->places = *places;
	return 0;
}
