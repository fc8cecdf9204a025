/* SPDX-License-Identifier: Apache-2.0 */
/* change_sealed - changes against a sealed model alone: cells, or they are refused */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/edit/change.h"
#include "codec/edit/change_node.h"

/* A state, and the model of the changes: each has symbols of its own. */
struct sides {
	const struct fl_model *old, *fresh;
};

static bool same_text(const struct sides *s, struct fl_sym old, struct fl_sym fresh)
{
	if (old.v == FL_NONE || fresh.v == FL_NONE)
		return old.v == fresh.v;
	return strcmp(fl_model_text(s->old, old), fl_model_text(s->fresh, fresh)) == 0;
}

static bool same_texts(const struct sides *s, struct fl_span old, struct fl_span fresh)
{
	for (uint32_t i = 0; i < old.n && old.n == fresh.n; i++)
		if (!same_text(s, s->old->syms[old.first + i], s->fresh->syms[fresh.first + i]))
			return false;
	return old.n == fresh.n;
}

static bool same_selector(const struct sides *s, const struct fl_selector *old,
			  const struct fl_selector *fresh)
{
	struct fl_span a = old->requirements, b = fresh->requirements;

	for (uint32_t i = 0; i < a.n && a.n == b.n; i++) {
		const struct fl_requirement *x = &s->old->requirements[a.first + i];
		const struct fl_requirement *y = &s->fresh->requirements[b.first + i];

		if (x->op != y->op || !same_text(s, x->key, y->key) ||
		    !same_texts(s, x->values, y->values))
			return false;
	}
	return a.n == b.n && old->present == fresh->present;
}

static bool same_flavor(const struct sides *s, const struct fl_group_flavor *old,
			const struct fl_group_flavor *fresh)
{
	for (uint32_t i = 0; i < old->quotas.n && old->quotas.n == fresh->quotas.n; i++)
		if (!same_text(s, s->old->quotas[old->quotas.first + i].resource_name,
			       s->fresh->quotas[fresh->quotas.first + i].resource_name))
			return false;
	return old->quotas.n == fresh->quotas.n && same_text(s, old->name, fresh->name);
}

static bool same_group(const struct sides *s, const struct fl_group *old,
		       const struct fl_group *fresh)
{
	if (old->flavors.n != fresh->flavors.n || !same_texts(s, old->resources, fresh->resources))
		return false;
	for (uint32_t i = 0; i < old->flavors.n; i++)
		if (!same_flavor(s, &s->old->group_flavors[old->flavors.first + i],
				 &s->fresh->group_flavors[fresh->flavors.first + i]))
			return false;
	return true;
}

/* Are they equal except for quotas, limits and the weight? */
static bool same_node(const struct sides *s, const struct fl_node_row *old,
		      const struct fl_node_row *fresh)
{
	if (!same_text(s, old->parent_name, fresh->parent_name) ||
	    old->groups.n != fresh->groups.n || old->strategy != fresh->strategy ||
	    old->stop != fresh->stop || old->within_queue != fresh->within_queue ||
	    old->reclaim != fresh->reclaim || old->borrow_within != fresh->borrow_within ||
	    old->has_borrow_threshold != fresh->has_borrow_threshold ||
	    old->borrow_threshold != fresh->borrow_threshold ||
	    old->when_can_borrow != fresh->when_can_borrow ||
	    old->when_can_preempt != fresh->when_can_preempt ||
	    old->preference != fresh->preference || old->usage_based != fresh->usage_based ||
	    !same_selector(s, &old->namespaces, &fresh->namespaces))
		return false;
	for (uint32_t i = 0; i < old->groups.n; i++)
		if (!same_group(s, &s->old->groups[old->groups.first + i],
				&s->fresh->groups[fresh->groups.first + i]))
			return false;
	return true;
}

static int refuse(const char *name, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT,
		"in an image only quotas, limits and weights of its ClusterQueues and Cohorts can "
		"be changed");
	fl_fail_in(err, "%s", name);
	fl_fail_hint(err, "give the manifests that the image was saved from");
	return FAIRLEAD_EINPUT;
}

/* The declared node of a row; FL_NONE: of another kind, or not there. */
static struct fl_node node_of(const struct fl_model *m, const char *key)
{
	static const struct {
		const char *head;
		enum fl_node_kind kind;
	} kinds[] = { { "ClusterQueue/", FL_CLUSTER_QUEUE }, { "Cohort/", FL_COHORT } };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t len = strlen(kinds[i].head);
		struct fl_node n;

		if (strncmp(key, kinds[i].head, len) != 0)
			continue;
		n = fl_model_find_node(m, kinds[i].kind, key + len);
		if (n.v != FL_NONE && m->nodes[n.v].declared)
			return n;
	}
	return (struct fl_node){ FL_NONE };
}

/* What the changed nodes become over what the sealed model says of them. */
static int merge_nodes(struct fl_changes *c, const struct fl_model *m, struct fl_model *changes,
		       fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < c->n && r == 0; i++) {
		struct fl_node n = node_of(m, fl_change_name(c, i));
		struct fl_doc old;

		if (n.v == FL_NONE || c->rows[i].deleted)
			continue;
		fl_doc_init(&old, c->mem);
		r = fl_change_node_doc(m, n, &old, err);
		if (r == 0)
			r = fl_change_merge_met(c, i, &old, err);
		fl_doc_done(&old);
	}
	return r < 0 ? r : fl_changes_read_merged(c, changes, err);
}

/* An object that does not exist: the caller says it better. */
static bool is_missing(const struct fl_change *row)
{
	return fl_change_is_set(row) && (strcmp(row->kind, fl_kind_cluster_queue.name) == 0 ||
					 strcmp(row->kind, fl_kind_cohort.name) == 0);
}

int fl_changes_compare_sealed(struct fl_changes *c, const struct fl_model *m,
			      struct fl_model *changes, fairlead_error *err)
{
	int r = c->merges ? merge_nodes(c, m, changes, err) : 0;
	const struct sides s = { .old = m, .fresh = changes };

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < c->n; i++)
		c->rows[i].met = false;
	for (uint32_t i = 0; i < changes->n_nodes; i++) {
		const struct fl_node_row *row = &changes->nodes[i];
		const char *name = fl_model_text(changes, row->name);
		struct fl_node old = fl_model_find_node(m, row->kind, name);
		char key[FL_MAX_NAME + 32];
		struct fl_sym sym;

		(void)snprintf(key, sizeof key, "%s/%s",
			       row->kind == FL_COHORT ? "Cohort" : "ClusterQueue", name);
		sym = fl_names_find(&c->names, key, strlen(key));
		if (sym.v == FL_NONE || sym.v == 0 || old.v == FL_NONE || row->kind == FL_QUEUE ||
		    !m->nodes[old.v].declared)
			continue;
		if (!same_node(&s, &m->nodes[old.v], row))
			return refuse(key, err);
		c->rows[sym.v - 1].met = true;
	}
	for (uint32_t i = 0; i < c->n; i++)
		if ((!c->rows[i].met && !is_missing(&c->rows[i])) || c->rows[i].deleted)
			return refuse(fl_change_name(c, i), err);
	return 0;
}
