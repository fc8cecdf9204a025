/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "daemon/cluster/scheduler/event.h"
#include "daemon/cluster/scheduler/state.h"

enum {
	SECOND = 1000, /* ms */
	LATER = 5000,  /* ms: after one that was not taken */
	NOTE = FL_KUBE_EVENT_NOTE
};

struct fl_ring_row {
	struct fl_scheduler *of;
	enum fl_mirror_kind kind;
	char *name;
	bool is, told; /* is it in a ring, or below one? And by the last Event? */
	bool said;     /* by that under way */
	uint64_t ring; /* the number of the ring and its versions, of when it was seen last */
	char cohorts[NOTE / 2];
	struct fl_kube_call *call; /* NULL: none is under way */
};

/* --- what there is --- */

/* Is it in a ring, and not below one? */
static bool is_on(const struct fl_model *m, uint32_t n)
{
	uint32_t at = m->nodes[n].parent.v;

	for (uint32_t i = 0; i < FL_MAX_TREE_DEPTH && at != FL_NONE && at != n; i++)
		at = m->nodes[at].parent.v;
	return at == n;
}

/* The first node above @n, or itself, that is in a ring; FL_NONE: too far. */
static uint32_t ring_above(const struct fl_model *m, uint32_t n)
{
	for (uint32_t i = 0; i < FL_MAX_TREE_DEPTH && n != FL_NONE; i++, n = m->nodes[n].parent.v)
		if (is_on(m, n))
			return n;
	return FL_NONE;
}

static const struct fl_mirror_object *object_of(const struct fl_scheduler *s,
						const struct fl_ring_row *row)
{
	return fl_mirror_find(s->o.cluster->mirror, row->kind, "", row->name);
}

/* Its names from the first one on, and a number that is the same wherever one begins. */
static void describe(const struct fl_scheduler *s, uint32_t ring, struct fl_ring_row *row)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	uint32_t first = ring, at = ring;
	size_t len = 0;

	row->ring = 0;
	do { /* the lowest, which is the same wherever one begins */
		const char *name = fl_model_text(m, m->nodes[at].name);
		const struct fl_mirror_object *o = fl_mirror_find(s->o.cluster->mirror,
								  FL_MIRROR_COHORT, "", name);
		const uint64_t version = o ? o->version : 0;

		row->ring += fl_shared_hash((const uint8_t *)name, (uint32_t)strlen(name)) ^
			     version * UINT64_C(0x9e3779b97f4a7c15);
		first = strcmp(name, fl_model_text(m, m->nodes[first].name)) < 0 ? at : first;
		at = m->nodes[at].parent.v;
	} while (at != ring);
	at = first;
	row->cohorts[0] = '\0';
	do {
		const char *name = fl_model_text(m, m->nodes[at].name);

		if (len + strlen(name) + 8 > sizeof row->cohorts) {
			(void)snprintf(row->cohorts + len, sizeof row->cohorts - len, ", ...");
			return;
		}
		len += (size_t)snprintf(row->cohorts + len, sizeof row->cohorts - len, "%s%s",
					len ? ", " : "", name);
		at = m->nodes[at].parent.v;
	} while (at != first);
}

static int cmp(const void *a, const void *b)
{
	const struct fl_ring_row *x = *(struct fl_ring_row *const *)a;
	const struct fl_ring_row *y = *(struct fl_ring_row *const *)b;

	return x->kind != y->kind ? (x->kind > y->kind ? 1 : -1) : strcmp(x->name, y->name);
}

static void free_row(struct fl_rings *r, struct fl_ring_row *row)
{
	if (row->call) {
		(void)fl_kube_cancel(row->call);
		r->under_way--;
	}
	free(row->name);
	free(row);
}

static int add(struct fl_scheduler *s, uint32_t n, uint32_t ring, struct fl_rings *now,
	       uint32_t *cap, fairlead_error *err)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	struct fl_ring_row *row = calloc(1, sizeof *row);
	int r;

	if (!row)
		return fl_fail_nomem(err);
	r = fl_mem_grow(&fl_mem_heap, &now->rows, cap, now->n + 1, sizeof(struct fl_ring_row *),
			err);
	row->of = s;
	row->is = true;
	row->kind = m->nodes[n].kind == FL_COHORT ? FL_MIRROR_COHORT : FL_MIRROR_CLUSTER_QUEUE;
	row->name = strdup(fl_model_text(m, m->nodes[n].name));
	if (r < 0 || !row->name) {
		free_row(now, row);
		return fl_fail_nomem(err);
	}
	describe(s, ring, row);
	now->rows[now->n++] = row;
	return 0;
}

static int find_all(struct fl_scheduler *s, struct fl_rings *now, uint32_t *cap,
		    fairlead_error *err)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *row = &m->nodes[n];
		uint32_t ring;

		if (row->inactive != FL_INACTIVE_COHORT_CYCLE)
			continue;
		ring = ring_above(m, n);
		if (ring != FL_NONE && (row->kind == FL_CLUSTER_QUEUE || ring == n))
			r = add(s, n, ring, now, cap, err);
	}
	if (now->n)
		qsort(now->rows, now->n, sizeof(struct fl_ring_row *), cmp);
	return r;
}

/*
 * What was known of one that is there still goes on.  One that is in no ring any more is kept until that is told; not where
 * nothing was told of it, or it was deleted.
 */
static int merge(struct fl_scheduler *s, struct fl_rings *now, uint32_t *cap, fairlead_error *err)
{
	struct fl_rings *old = &s->rings;
	const uint32_t found = now->n;
	uint32_t i = 0;
	int r = fl_mem_grow(&fl_mem_heap, &now->rows, cap, found + old->n + 1,
			    sizeof(struct fl_ring_row *), err);

	if (r < 0)
		return r;
	for (uint32_t k = 0; k < old->n; k++) {
		struct fl_ring_row *row = old->rows[k];

		while (i < found && cmp(&now->rows[i], &row) < 0)
			i++;
		if (i < found && cmp(&now->rows[i], &row) == 0) {
			row->is = true;
			row->ring = now->rows[i]->ring;
			memcpy(row->cohorts, now->rows[i]->cohorts, sizeof row->cohorts);
			free_row(now, now->rows[i]);
			now->rows[i] = row;
		} else if ((row->told || row->call) && object_of(s, row)) {
			row->is = false;
			now->rows[now->n++] = row;
		} else {
			free_row(old, row);
		}
	}
	if (now->n)
		qsort(now->rows, now->n, sizeof(struct fl_ring_row *), cmp);
	fl_mem_free(&fl_mem_heap, old->rows);
	old->rows = now->rows;
	old->n = now->n;
	return 0;
}

int fl_rings_look(struct fl_scheduler *s, fairlead_error *err)
{
	struct fl_rings now = { 0 };
	uint32_t cap = 0;
	int r = find_all(s, &now, &cap, err);

	if (r == 0 && (now.n || s->rings.n))
		r = merge(s, &now, &cap, err);
	if (r < 0)
		fl_rings_done(&now);
	return r;
}

/* --- Events --- */

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_ring_row *row = user;
	struct fl_scheduler *s = row->of;
	const enum fl_kube_event_fate fate = fl_kube_event_fate_of(answer);
	const bool refused = fate == FL_KUBE_EVENT_REFUSED;

	row->call = NULL;
	s->rings.under_way--;
	if (fate == FL_KUBE_EVENT_UNKNOWN) {
		s->rings.not_before = uv_now(s->o.cluster->o.loop) + LATER;
	} else {
		row->told = row->said;
		s->tellings[refused ? FL_TELLING_REJECTED : FL_TELLING_DONE]++;
	}
	if (refused && !s->rings.refused)
		fl_cluster_log(s->o.cluster,
			       "the API server refuses an Event about a ring of cohorts: %s",
			       answer->problem ? answer->problem->text : "");
	s->rings.refused |= refused;
}

static int send_one(struct fl_scheduler *s, struct fl_ring_row *row,
		    const struct fl_mirror_object *o, fairlead_error *err)
{
	const bool is_cohort = row->kind == FL_MIRROR_COHORT;
	char note[NOTE];
	const struct fl_kube_event event = {
		.number = row->ring + row->is + 2 * is_cohort,
		.type = row->is ? "Warning" : "Normal",
		.reason = row->is ? "CohortCycle" : "CohortCycleEnded",
		.action = row->is ? "StopAdmission" : "ResumeAdmission",
		.note = note,
		.kind = row->kind,
		.namespace = "",
		.name = row->name,
		.uid = fl_mirror_uid(o),
	};
	int r;

	(void)snprintf(note, sizeof note, "%s a ring of cohorts%s%s%s",
		       row->is   ? is_cohort ? "It is part of" : "It is below" :
		       is_cohort ? "It is no longer part of" :
				   "It is no longer below",
		       row->is ? ", where nothing is admitted: " : "", row->is ? row->cohorts : "",
		       row->is ? "" : ".");
	row->said = row->is;
	r = fl_kube_event_send(s, &event, on_answer, row, &row->call, err);
	s->rings.under_way += r == 0;
	return r;
}

void fl_rings_send(struct fl_scheduler *s)
{
	struct fl_rings *r = &s->rings;
	const uint64_t now = uv_now(s->o.cluster->o.loop);
	fairlead_error err = { 0 };

	if (!r->n || now < r->not_before)
		return;
	if (now - r->from >= SECOND) {
		r->from = now;
		r->sent = 0;
	}
	for (uint32_t i = 0; i < r->n && r->sent < FL_RINGS_MOST && r->under_way < FL_RINGS_MOST;
	     i++) {
		struct fl_ring_row *row = r->rows[i];
		const struct fl_mirror_object *o = object_of(s, row);

		if (row->is == row->told || row->call || !o)
			continue;
		r->sent++;
		if (send_one(s, row, o, &err) < 0)
			r->not_before = now + LATER;
	}
}

void fl_rings_stop(struct fl_rings *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i]->call) {
			r->rows[i]->call = fl_kube_cancel(r->rows[i]->call);
			r->under_way--;
		}
}

void fl_rings_done(struct fl_rings *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free_row(r, r->rows[i]);
	fl_mem_free(&fl_mem_heap, r->rows);
	*r = (struct fl_rings){ 0 };
}
