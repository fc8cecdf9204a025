/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/mirrored.h"

#include <stdio.h>

#include "daemon/cluster/follow.h"
#include "mirror/essence.h"

enum { SLOTS = 1024 /* of a page: some hundred objects, and 1 ms */ };

_Static_assert((int)FL_MIRROR_KINDS <= (int)FL_MIRRORED_KINDS, "too many kinds");
_Static_assert((int)FL_MIRROR_DIGEST == (int)FL_MIRRORED_DIGEST, "digests of one length");

static const char *or_null(const char *text) { return *text ? text : NULL; }

static void add_kind(const struct fl_cluster *c, enum fl_mirror_kind kind,
		     struct fl_mirrored_answer *ret)
{
	const struct fl_mirror_kind_row *row = fl_mirror_kind(kind);
	struct fl_mirrored_kind *k = &ret->kinds[ret->n_kinds++];
	struct fl_cluster_source source;

	fl_cluster_source(c, kind, &source);
	*k = (struct fl_mirrored_kind){ .number = kind,
					.kind = row->name,
					.group = row->group,
					.plural = row->plural,
					.version = or_null(fl_mirror_version(c->mirror, kind)),
					.namespace = source.namespace,
					.objects = fl_mirror_count(c->mirror, kind) };
	(void)snprintf(k->fields, sizeof k->fields, "%s", source.fields);
}

static int add(void *user, const struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_mirrored_answer *a = user;
	struct fl_mirrored_object *row;
	int r = fl_mem_grow(&fl_mem_heap, &a->objects, &a->cap, a->n_objects + 1,
			    sizeof *a->objects, err);

	if (r < 0)
		return r;
	row = &a->objects[a->n_objects++];
	*row = (struct fl_mirrored_object){ .of = o->kind,
					    .namespace = or_null(fl_mirror_namespace(o)),
					    .name = fl_mirror_name(o),
					    .uid = or_null(fl_mirror_uid(o)),
					    .version = o->version,
					    .readable = o->n_own > 0 };
	(void)fl_mirror_essence_text(o, row->digest);
	return 0;
}

int fl_cluster_mirrored(const struct fl_cluster *c, const struct fl_mirrored_question *q,
			struct fl_mirrored_answer *ret, fairlead_error *err)
{
	const struct fl_mirror_object *o;
	uint64_t next;
	int r;

	*ret = (struct fl_mirrored_answer){ .version = FAIRLEAD_VERSION,
					    .problem = c->trouble[0] ? c->trouble : NULL,
					    .next = UINT64_MAX };
	(void)fl_mirror_form_text(ret->form);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++)
		if (fl_mirror_reads(c->dialect, k))
			add_kind(c, k, ret);
	if (q->name) {
		o = q->of < FL_MIRROR_KINDS ? fl_mirror_find(c->mirror, (enum fl_mirror_kind)q->of,
							     q->namespace, q->name) :
					      NULL;
		return o ? add(ret, o, err) : 0;
	}
	r = fl_mirror_page(c->mirror, q->from, SLOTS, add, ret, &next, err);
	if (next < FL_MIRROR_PAST)
		ret->next = next;
	return r;
}
