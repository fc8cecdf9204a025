/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codec/job/job_json.h"
#include "daemon/api/call.h"
#include "daemon/api/tokens.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/people.h"
#include "daemon/machine/tokens.h"

enum { HOLD_MS = 15 * 1000 }; /* proxies close what is silent for a minute */

static fl_time now_of(const struct fl_api *a) { return fl_clock_now(&a->daemon->clock); }

/* --- tokens of pages --- */

int fl_api_page_bearer(struct fl_api *a, const char *secret, struct fl_principal *ret)
{
	const struct fl_page *page = fl_pages_find(a->pages, secret, now_of(a));
	const struct fl_token_row *token;
	struct fl_principal who;
	int r = 0;

	if (!page)
		return FAIRLEAD_ENOENT;
	who = page->who;
	if (who.kind == FL_PRINCIPAL_TOKEN) {
		token = a->core ? fl_core_token_of(a->core, &who) : NULL;
		/* Another one of the same name may have been made since. */
		if (!token || strcmp(token->id, page->parent) != 0 ||
		    !fl_access_find_account(a->access, &who, token->user))
			r = FAIRLEAD_ESTATE;
	} else if (who.kind == FL_PRINCIPAL_KUBE) {
		r = a->options.people->bearer(a->options.people, page->bearer, &who);
		who.page = page->number;
	}
	if (r == 0)
		*ret = who;
	return r;
}

bool fl_api_page_is_new(const struct fl_api *a, const char *secret)
{
	const struct fl_page *page = fl_pages_find(a->pages, secret, now_of(a));

	return page && page->bearer && a->options.people->is_new(a->options.people, page->bearer);
}

bool fl_api_page_is_still(const struct fl_api *a, const struct fl_principal *who)
{
	return !who->page || fl_pages_at(a->pages, who->page, now_of(a));
}

/* --- codes --- */

/* The request that a page ends with. */
struct holding {
	struct fl_api *api;
	struct fl_exchange *x;
	uint32_t page;
	uv_timer_t timer;
};

static void timer_closed(uv_handle_t *handle) { free(handle->data); }

static void let_go(void *user)
{
	struct holding *h = user;

	fl_pages_end(h->api->pages, h->page);
	fl_server_look_again(h->api->server);
	uv_close((uv_handle_t *)&h->timer, timer_closed);
}

/* Says that it is there still; ends when the page has, for whatever reason. */
static void hold_on(uv_timer_t *timer)
{
	static const char ended[] = "{\"status\":\"ended\"}\n";
	struct holding *h = timer->data;

	if (fl_pages_at(h->api->pages, h->page, now_of(h->api))) {
		(void)fl_exchange_write(h->x, "\n", 1);
		return;
	}
	(void)fl_exchange_write(h->x, ended, strlen(ended));
	fl_exchange_end(h->x);
	let_go(h);
}

static void hold(const struct fl_call *call, const char *line, uint32_t page)
{
	struct holding *h = calloc(1, sizeof *h);
	const struct fl_stream_callbacks callbacks = { NULL, let_go, h };

	if (!h || uv_timer_init(call->api->options.loop, &h->timer) != 0) {
		free(h);
		fl_pages_end(call->api->pages, page);
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	h->api = call->api;
	h->x = call->x;
	h->page = page;
	h->timer.data = h;
	uv_timer_start(&h->timer, hold_on, HOLD_MS, HOLD_MS);
	fl_exchange_header(call->x, "Cache-Control", "no-store");
	fl_exchange_begin(call->x, 200, "application/x-ndjson", &callbacks);
	(void)fl_exchange_write(call->x, line, strlen(line));
}

/* What the caller has shown; of one that was asked for it that is a token. */
static const char *shown_by(const struct fl_call *call)
{
	static const char scheme[] = "Bearer ";
	const char *value = fl_request_header(call->r, "Authorization");

	if (!value || strncasecmp(value, scheme, sizeof scheme - 1) != 0)
		return NULL;
	return value + sizeof scheme - 1 + strspn(value + sizeof scheme - 1, " ");
}

static int open_page(const struct fl_call *call, char ret[FL_TOKEN_TEXT],
		     const struct fl_page **ret_page, fairlead_error *err)
{
	struct fl_api *a = call->api;
	const struct fl_principal *who = &call->r->who;
	const struct fl_token_row *token = who->kind == FL_PRINCIPAL_TOKEN && a->core ?
						   fl_core_token_of(a->core, who) :
						   NULL;
	const struct fl_page_wish wish = {
		.who = who,
		.parent = token ? token->id : NULL,
		.bearer = who->kind == FL_PRINCIPAL_KUBE ? shown_by(call) : NULL,
		.expires = token ? token->expires : FL_TIME_NONE,
	};

	return fl_pages_open(a->pages, &wish, now_of(a), ret, ret_page, err);
}

void fl_api_page_code(struct fl_call *call)
{
	struct fl_api *a = call->api;
	char code[FL_TOKEN_TEXT];
	const struct fl_page *page;
	fairlead_error err = { 0 };
	json_t *json;

	if (call->r->who.page) {
		fl_api_fail(call, 403, "a page opens no other one", "open it by: fairlead page");
		return;
	}
	if (open_page(call, code, &page, &err) < 0) {
		fl_api_error(call, &err);
		return;
	}
	json = json_pack("{s:s, s:o}", "code", code, "expires", fl_api_moment(a, page->until));
	explicit_bzero(code, sizeof code);
	if (!fl_api_flag(call, "hold")) {
		fl_exchange_header(call->x, "Cache-Control", "no-store");
		fl_api_json(call, 200, json);
		return;
	}

	char *line = json ? json_dumps(json, JSON_COMPACT) : NULL, *whole = NULL;

	json_decref(json);
	if (line && asprintf(&whole, "%s\n", line) >= 0) {
		hold(call, whole, page->number);
	} else {
		fl_pages_end(a->pages, page->number);
		fl_api_fail(call, 503, "out of memory", NULL);
	}
	free(line);
	free(whole);
}

/* --- the exchange --- */

static int code_of(const struct fl_call *call, json_t **ret_body, const char **ret,
		   fairlead_error *err)
{
	json_t *body = NULL;
	int r = fl_job_json_load(call->r->body, call->r->body_len, &body, err);

	if (r < 0)
		return r;
	*ret_body = body;
	*ret = json_string_value(json_object_get(body, "code"));
	if (*ret && json_object_size(body) == 1)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the request must have the code, and nothing else");
	return fl_fail_hint(err,
			    "{\"code\": \"...\"}, from the address that 'fairlead page' prints");
}

static void tell_token(const struct fl_call *call, const char *token, const struct fl_page *page)
{
	json_t *json = json_pack("{s:s, s:o}", "token", token, "expires",
				 fl_api_moment(call->api, page->until));

	if (json && !fl_api_add_rights(call->api, &page->who, json)) {
		json_decref(json);
		json = NULL;
	}
	fl_exchange_header(call->x, "Cache-Control", "no-store");
	fl_api_json(call, 200, json);
}

static void refuse(const struct fl_call *call, const fairlead_error *err)
{
	fl_exchange_header(call->x, "WWW-Authenticate", "Bearer realm=\"fairlead\"");
	fl_api_fail(call, 401, err->text, err->hint[0] ? err->hint : NULL);
}

void fl_api_page_token(struct fl_call *call)
{
	struct fl_api *a = call->api;
	char token[FL_TOKEN_TEXT];
	const struct fl_page *page;
	struct fl_principal who;
	json_t *body = NULL;
	const char *code;
	fairlead_error err = { 0 };
	int r = code_of(call, &body, &code, &err);

	if (r == 0)
		r = fl_pages_exchange(a->pages, code, now_of(a), token, &page, &err);
	/* The caller that opened it may have lost its own token since. */
	if (r == 0 && fl_api_page_bearer(a, token, &who) == FAIRLEAD_ESTATE) {
		fl_pages_end(a->pages, page->number);
		fl_fail(&err, FAIRLEAD_ENOENT, "the token by which the page was opened has ended");
		fl_fail_hint(&err, "make another one, and open the page by it");
		r = FAIRLEAD_ENOENT;
	}
	json_decref(body);
	if (r == FAIRLEAD_ENOENT)
		refuse(call, &err);
	else if (r < 0)
		fl_api_error(call, &err);
	else
		tell_token(call, token, page);
	explicit_bzero(token, sizeof token);
}

void fl_api_page_end(struct fl_call *call)
{
	if (!call->r->who.page) {
		fl_api_fail(call, 409, "this is not the token of a page",
			    "'fairlead token revoke' ends others");
		return;
	}
	fl_pages_end(call->api->pages, call->r->who.page);
	fl_server_look_again(call->api->server);
	fl_api_json(call, 200, json_pack("{s:s}", "status", "ended"));
}

/* --- the relay --- */

void fl_api_page_relay(struct fl_call *call)
{
	uint64_t port;

	if (call->r->is_far) {
		fl_api_fail(call, 409, "a relay asks at the daemon's socket, on its machine",
			    "over the network the page is at the daemon's own address");
		return;
	}
	if (!fl_api_number(call, "port", 0, UINT16_MAX, &port))
		return;
	if (port == 0)
		fl_api_fail(call, 400, "'port' is missing: where the relay listens", NULL);
	else if (fl_exchange_relay(call->x, (uint32_t)port))
		fl_exchange_answer(call->x, 204, NULL, "", 0);
}
