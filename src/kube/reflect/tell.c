/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflect/tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/client.h"

/* --- trouble --- */

void fl_reflect_trouble(struct fl_kube_reflector *r, const char *verb, unsigned status,
			const fairlead_error *error)
{
	struct timespec now;

	if (!r->in_trouble) {
		(void)clock_gettime(CLOCK_REALTIME, &now);
		r->trouble.since = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	}
	r->in_trouble = true;
	r->standing.current = false;
	r->trouble.kind = r->kind;
	r->trouble.verb = verb;
	r->trouble.status = status;
	r->trouble.error = *error;
	if (status == 403)
		(void)fl_fail_hint(&r->trouble.error,
				   "a ClusterRole has to grant `%s` on `%s` of the group `%s`",
				   verb, r->source.plural, r->source.group);
	if (r->listener->troubled)
		r->listener->troubled(r->user, &r->trouble);
}

void fl_reflect_fine(struct fl_kube_reflector *r)
{
	r->failures = 0;
	r->standing.current = r->step == FL_REFLECT_WATCH;
	if (!r->in_trouble)
		return;
	r->in_trouble = false;
	if (r->listener->troubled)
		r->listener->troubled(r->user, NULL);
}

/* --- objects --- */

void fl_reflect_begin(struct fl_kube_reflector *r)
{
	r->listed = 0;
	r->standing.lists++;
	if (r->listener->begun)
		r->listener->begun(r->user, r->version);
}

int fl_reflect_hand_on(struct fl_kube_reflector *r, enum fl_kube_what what,
		       const struct fl_kube_frame *frame)
{
	const struct fl_kube_object *object = &frame->object;

	if (!*object->name || !*object->resource_version) {
		r->end = FL_REFLECT_WRONG;
		return fl_fail(&r->error, FAIRLEAD_EINPUT,
			       "an object has no name or no resourceVersion");
	}
	r->standing.objects++;
	if (!object->json)
		r->standing.skipped++;
	int rc = r->listener->object ? r->listener->object(r->user, what, object) : 0;
	if (rc < 0) {
		r->end = FL_REFLECT_FULL;
		(void)fl_fail_nomem(&r->error);
	}
	return rc;
}

void fl_reflect_listed(struct fl_kube_reflector *r, const char *version)
{
	memcpy(r->at, version, strlen(version) + 1);
	r->standing.listed = true;
	r->standing.heard = uv_now(r->client->loop);
	if (r->listener->listed)
		r->listener->listed(r->user, version);
}

bool fl_reflect_piece(void *user, const char *bytes, size_t len)
{
	struct fl_kube_reflector *r = user;
	int rc = fl_kube_frames_take(&r->frames, bytes, len, &r->error);

	if (rc < 0 && r->end == FL_REFLECT_ON)
		r->end = rc == FAIRLEAD_ENOMEM ? FL_REFLECT_FULL : FL_REFLECT_WRONG;
	return rc == 0;
}

/* --- paths --- */

static int append(char **to, const char *before, const char *value)
{
	char *escaped = fl_client_escape(value), *longer = NULL;

	if (escaped && asprintf(&longer, "%s%s%s", *to, before, escaped) < 0)
		longer = NULL;
	free(escaped);
	if (!longer)
		return -1;
	free(*to);
	*to = longer;
	return 0;
}

char *fl_reflect_path(const struct fl_kube_reflector *r, const char *query, ...)
{
	const struct fl_kube_source *s = &r->source;
	char *path = fl_kube_group_path(s->group, r->version), *longer = NULL, *rest = NULL;
	va_list args;
	int rc = path ? 0 : -1;

	va_start(args, query);
	if (vasprintf(&rest, query, args) < 0) {
		rest = NULL;
		rc = -1;
	}
	va_end(args);
	if (rc == 0 && s->namespace)
		rc = append(&path, "/namespaces/", s->namespace);
	if (rc == 0 && asprintf(&longer, "%s/%s?%s", path, s->plural, rest) < 0) {
		longer = NULL;
		rc = -1;
	}
	if (rc == 0 && s->fields)
		rc = append(&longer, "&fieldSelector=", s->fields);
	if (rc == 0 && s->labels)
		rc = append(&longer, "&labelSelector=", s->labels);
	free(path);
	free(rest);
	if (rc == 0)
		return longer;
	free(longer);
	return NULL;
}
