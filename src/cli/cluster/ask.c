/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/ask.h"

#include <stdlib.h>
#include <string.h>

struct asking {
	struct fl_reach *reach;
	struct fl_asked *ret;
	fairlead_error *err;
	int rc;
};

static int take(struct asking *a, const struct fl_kube_answer *answer)
{
	a->ret->status = answer->status;
	if (answer->problem) {
		*a->err = *answer->problem;
		return a->err->code;
	}
	a->ret->body = json_loadb(answer->bytes, answer->len, 0, NULL);
	if (json_is_object(a->ret->body))
		return 0;
	fl_fail(a->err, FAIRLEAD_EIO, "the API server's answer is no object");
	return fl_fail_in(a->err, "%s", fl_kube_server(a->reach->client));
}

static void on_done(void *user, const struct fl_kube_answer *answer)
{
	struct asking *a = user;

	a->rc = take(a, answer);
	uv_stop(&a->reach->loop);
}

int fl_reach_ask(struct fl_reach *r, const char *method, const char *path, const char *type,
		 json_t *body, struct fl_asked *ret, fairlead_error *err)
{
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	struct asking a = { .reach = r, .ret = ret, .err = err };
	const struct fl_kube_request request = { .method = method,
						 .path = path,
						 .body = text,
						 .len = text ? strlen(text) : 0,
						 .type = type,
						 .done = on_done,
						 .user = &a };
	struct fl_kube_call *call;
	int rc = body && !text ? fl_fail_nomem(err) : 0;

	*ret = (struct fl_asked){ 0 };
	if (rc == 0)
		rc = fl_kube_ask(r->client, &request, &call, err);
	if (rc == 0) {
		uv_run(&r->loop, UV_RUN_DEFAULT);
		rc = a.rc;
	}
	json_decref(body);
	free(text);
	return rc;
}
