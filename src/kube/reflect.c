/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/reflect/step.h"

static int copy_text(const char *from, const char **to)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -1 : 0;
}

static int copy_source(struct fl_kube_reflector *r, const struct fl_kube_source *from)
{
	struct fl_kube_source *to = &r->source;
	int rc = copy_text(from->group, &to->group);

	for (int i = 0; i < FL_KUBE_VERSIONS; i++)
		rc |= copy_text(from->versions[i], &to->versions[i]);
	rc |= copy_text(from->plural, &to->plural);
	rc |= copy_text(from->namespace, &to->namespace);
	rc |= copy_text(from->fields, &to->fields);
	rc |= copy_text(from->labels, &to->labels);
	to->initial_events = from->initial_events;
	if (asprintf(&r->kind, "%s%s%s", from->plural, *from->group ? "." : "", from->group) < 0) {
		r->kind = NULL;
		rc = -1;
	}
	return rc;
}

static void free_handle(uv_handle_t *handle) { free(handle); }

int fl_kube_reflect(struct fl_kube_client *k, const struct fl_kube_source *source,
		    const struct fl_kube_listener *listener, void *user,
		    struct fl_kube_reflector **ret, fairlead_error *err)
{
	struct fl_kube_reflector *r = calloc(1, sizeof *r);

	if (!r)
		return fl_fail_nomem(err);
	r->client = k;
	r->listener = listener;
	r->user = user;
	fl_kube_frames_init(&r->frames, FL_KUBE_LIST, NULL, NULL);
	r->timer = malloc(sizeof *r->timer);
	if (r->timer) {
		(void)uv_timer_init(k->loop, r->timer);
		r->timer->data = r;
	}
	if (!r->timer || copy_source(r, source) < 0) {
		fl_kube_reflector_free(r);
		return fl_fail_nomem(err);
	}
	fl_reflect_after(r, FL_REFLECT_LOOK, 0);
	*ret = r;
	return 0;
}

struct fl_kube_reflector *fl_kube_reflector_free(struct fl_kube_reflector *r)
{
	struct fl_kube_source *s = r ? &r->source : NULL;

	if (!r)
		return NULL;
	if (r->call)
		fl_kube_cancel(r->call);
	fl_kube_discovery_free(r->discovery);
	if (r->timer)
		uv_close((uv_handle_t *)r->timer, free_handle);
	fl_kube_frames_done(&r->frames);
	free((char *)s->group);
	for (int i = 0; i < FL_KUBE_VERSIONS; i++)
		free((char *)s->versions[i]);
	free((char *)s->plural);
	free((char *)s->namespace);
	free((char *)s->fields);
	free((char *)s->labels);
	free(r->kind);
	free(r);
	return NULL;
}

void fl_kube_reflector_again(struct fl_kube_reflector *r)
{
	if (r->call)
		r->call = fl_kube_cancel(r->call);
	r->discovery = fl_kube_discovery_free(r->discovery);
	r->at[0] = r->token[0] = '\0';
	r->listed = 0;
	fl_reflect_after(r, r->version ? FL_REFLECT_LIST : FL_REFLECT_LOOK, 0);
}

void fl_kube_reflector_standing(const struct fl_kube_reflector *r, struct fl_kube_standing *ret)
{
	*ret = r->standing;
}
