/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/people/review.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_MS = 10000 };

/* @spec is taken; NULL: FAIRLEAD_ENOMEM. */
static int post(const struct fl_reviewer *by, const char *path, const char *version,
		const char *kind, json_t *spec, struct fl_kube_call **ret)
{
	json_t *body = json_pack("{s:s, s:s, s:o}", "apiVersion", version, "kind", kind, "spec",
				 spec);
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	const struct fl_kube_request request = {
		.method = "POST",
		.path = path,
		.body = text,
		.len = text ? strlen(text) : 0,
		.type = "application/json",
		.lane = FL_KUBE_ASK,
		.timeout = TIMEOUT_MS,
		.done = by->done,
		.user = by->user,
	};
	int code = text ? fl_kube_ask(by->client, &request, ret, NULL) : FAIRLEAD_ENOMEM;

	json_decref(body);
	if (text) /* it may have a token */
		explicit_bzero(text, strlen(text));
	free(text);
	return code;
}

int fl_review_token(const struct fl_reviewer *by, const char *secret, struct fl_kube_call **ret)
{
	return post(by, "/apis/authentication.k8s.io/v1/tokenreviews", "authentication.k8s.io/v1",
		    "TokenReview", json_pack("{s:s}", "token", secret), ret);
}

int fl_review_right(const struct fl_reviewer *by, const char *spec_of_person,
		    const struct fl_right *right, struct fl_kube_call **ret)
{
	json_t *spec = json_loads(spec_of_person, 0, NULL);
	json_t *what = json_pack("{s:s, s:s, s:s}", "verb", "get", "group", right->group,
				 "resource", right->resource);

	if (*right->namespace)
		json_object_set_new(what, "namespace", json_string(right->namespace));
	if (*right->name)
		json_object_set_new(what, "name", json_string(right->name));
	json_object_set_new(spec, "resourceAttributes", what);
	return post(by, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
		    "authorization.k8s.io/v1", "SubjectAccessReview", spec, ret);
}

/* --- answers --- */

bool fl_review_is_there(const struct fl_kube_answer *answer)
{
	return answer->status == 201 || answer->status == 200;
}

static char *spec_of(json_t *user)
{
	json_t *spec = json_object();
	static const char *const parts[][2] = { { "username", "user" },
						{ "uid", "uid" },
						{ "groups", "groups" },
						{ "extra", "extra" } };
	char *text;

	for (size_t i = 0; i < 4; i++) {
		json_t *value = json_object_get(user, parts[i][0]);

		if (value)
			json_object_set(spec, parts[i][1], value);
	}
	text = json_dumps(spec, JSON_COMPACT);
	json_decref(spec);
	return text;
}

void fl_review_take_token(const struct fl_kube_answer *answer, uint64_t now, struct fl_person *one)
{
	json_t *review = json_loadb(answer->bytes, answer->len, 0, NULL);
	json_t *status = json_object_get(review, "status"), *user = json_object_get(status, "user");
	const char *name = json_string_value(json_object_get(user, "username"));

	one->standing = FL_STANDS_REFUSED;
	one->until = now + FL_KNOWN_REFUSED;
	if (json_is_true(json_object_get(status, "authenticated")) && name && *name &&
	    *name != '?' && strlen(name) < sizeof one->name) {
		one->spec = spec_of(user);
		(void)snprintf(one->name, sizeof one->name, "%s", name);
		one->standing = one->spec ? FL_STANDS_VALID : FL_STANDS_REFUSED;
		one->until = now + FL_KNOWN_BELIEVED;
	}
	json_decref(review);
}

bool fl_review_is_allowed(const struct fl_kube_answer *answer)
{
	json_t *review = json_loadb(answer->bytes, answer->len, 0, NULL);
	const json_t *status = json_object_get(review, "status");
	bool allowed = json_is_true(json_object_get(status, "allowed"));

	json_decref(review);
	return allowed;
}
