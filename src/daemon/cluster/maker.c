/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/maker.h"

#include <stdlib.h>

#include "mirror/adding.h"

/* Objects as they were when the generation was begun. */
struct parts {
	const struct fl_mirror_object **rows;
	uint32_t n, cap;
};

struct making {
	struct fl_cluster *cluster;
	struct fl_mirror_adding adding; /* model NULL: none was added yet */
	struct fl_doc doc;
	struct parts parts;     /* pods, and requests to bind */
	struct parts uncertain; /* Workloads that hold quota, and how much cannot be read */
};

static int add_part(struct parts *p, const struct fl_mirror_object *o, fairlead_error *err)
{
	int r = fl_mem_grow(&fl_mem_heap, &p->rows, &p->cap, p->n + 1, sizeof *p->rows, err);

	if (r == 0)
		p->rows[p->n++] = o;
	return r;
}

static int note_part(void *making, struct fl_mirror_object *o, fairlead_error *err)
{
	return o->n_own ? add_part(&((struct making *)making)->parts, o, err) : 0;
}

static int note_uncertain(void *making, struct fl_mirror_object *o, fairlead_error *err)
{
	return o->uncertain ? add_part(&((struct making *)making)->uncertain, o, err) : 0;
}

static void end(void *making)
{
	struct making *k = making;

	fl_mirror_adding_end(&k->adding);
	fl_doc_done(&k->doc);
	fl_mem_free(&fl_mem_heap, k->parts.rows);
	fl_mem_free(&fl_mem_heap, k->uncertain.rows);
	fl_mirror_unpin(k->cluster->mirror);
	free(k);
}

static int begin(void *cluster, void **ret, fairlead_error *err)
{
	struct fl_cluster *c = cluster;
	struct making *k = calloc(1, sizeof *k);
	int r = 0;

	if (!k)
		return fl_fail_nomem(err);
	k->cluster = c;
	fl_doc_init(&k->doc, &fl_mem_heap);
	fl_mirror_pin(c->mirror);
	for (enum fl_mirror_kind kind = 0; kind < FL_MIRROR_KINDS && r == 0; kind++)
		if (fl_mirror_kind(kind)->use == FL_MIRROR_PARTS)
			r = fl_mirror_each(c->mirror, kind, note_part, k, err);
	if (r == 0 && fl_mirror_uncertain(c->mirror))
		r = fl_mirror_each(c->mirror, FL_MIRROR_WORKLOAD, note_uncertain, k, err);
	if (r < 0)
		end(k);
	else
		*ret = k;
	return r;
}

static int add(void *making, struct fl_model *m, const void *made_of, fairlead_error *err)
{
	const struct fl_mirror_object *o = made_of;
	struct making *k = making;

	if (o->kind == FL_MIRROR_POD_GROUP)
		return fl_mirror_add_text(m, o, &k->doc, err);
	if (k->adding.model != m) {
		fl_mirror_adding_end(&k->adding);
		fl_mirror_adding_begin(&k->adding, m);
	}
	return fl_mirror_add(&k->adding, made_of, err);
}

static int finish(void *making, struct fl_model *m, fairlead_error *err)
{
	struct making *k = making;
	int r = 0;

	for (uint32_t i = 0; i < k->parts.n && r == 0; i++)
		r = fl_mirror_add_text(m, k->parts.rows[i], &k->doc, err);
	for (uint32_t i = 0; i < k->uncertain.n && r == 0; i++)
		r = fl_mirror_add_uncertain(m, k->uncertain.rows[i], err);
	return r;
}

void fl_cluster_maker(struct fl_cluster *c, struct fl_workload_maker *ret)
{
	*ret = (struct fl_workload_maker){
		.begin = begin, .add = add, .finish = finish, .end = end, .user = c
	};
}
