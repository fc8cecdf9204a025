/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/drf/outcome.h"

#include <string.h>

#include "ask/common/shortage.h"
#include "decide/drf/drf.h"

/* --- one end --- */

int fl_drf_stand_init(struct fl_drf_stand *s, const struct fl_model *m, struct fl_arena *a,
		      fairlead_error *err)
{
	size_t of_nodes = (size_t)m->n_nodes * m->n_resources;
	size_t of_flavors = (size_t)m->n_flavors * m->n_resources;

	s->model = m;
	return FL_NEW(a, s->shares, m->n_nodes, err) && FL_NEW(a, s->held, of_nodes, err) &&
			       FL_NEW(a, s->quota, of_nodes, err) &&
			       FL_NEW(a, s->capacity, of_flavors, err) &&
			       FL_NEW(a, s->used, of_flavors, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

void fl_drf_stand_look(struct fl_drf_stand *s, const struct fl_policy_ops *ops,
		       const struct fl_policy *p)
{
	const struct fl_model *m = s->model;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		ops->share(p, (struct fl_node){ n }, &s->shares[n]);
	for (uint32_t r = 0; r < m->n_resources; r++) {
		for (uint32_t n = 0; n < m->n_nodes; n++) {
			size_t at = (size_t)n * m->n_resources + r;

			s->held[at] = fl_drf_held(p, (struct fl_node){ n },
						  (struct fl_resource){ r });
			s->quota[at] = fl_drf_quota(p, (struct fl_node){ n },
						    (struct fl_resource){ r });
		}
		for (uint32_t f = 0; f < m->n_flavors; f++) {
			size_t at = (size_t)f * m->n_resources + r;

			s->capacity[at] = fl_drf_capacity(p, (struct fl_flavor){ f },
							  (struct fl_resource){ r });
			s->used[at] = fl_drf_used(p, (struct fl_flavor){ f },
						  (struct fl_resource){ r });
		}
	}
}

static int look(const struct fl_outcome *o, const struct fl_policy_ops *ops,
		const struct fl_policy *p, struct fl_arena *a, void **ret, fairlead_error *err)
{
	struct fl_drf_stand *s = fl_arena_alloc(a, 1, sizeof *s, err);
	int rc = s ? fl_drf_stand_init(s, o->model, a, err) : FAIRLEAD_ENOMEM;

	if (rc < 0)
		return rc;
	fl_drf_stand_look(s, ops, p);
	*ret = s;
	return 0;
}

static double share(const struct fl_outcome *o, struct fl_node n)
{
	return fl_drf_stand(o)->shares[n.v].precise;
}

static fl_nanos amount(const struct fl_outcome *o, struct fl_node n, enum fl_node_amount what,
		       const char *resource)
{
	const struct fl_drf_stand *s = fl_drf_stand(o);
	struct fl_resource r = fl_model_find_resource(o->model, resource);
	fl_nanos scale = strcmp(resource, "cpu") == 0 ? 1000000 : 1000000000;
	fl_amount held, quota;

	if (r.v == FL_NONE || what == FL_NODE_FAIR_SHARE)
		return 0;
	held = s->held[(size_t)n.v * o->model->n_resources + r.v];
	quota = s->quota[(size_t)n.v * o->model->n_resources + r.v];
	if (what == FL_NODE_BORROWED)
		return fl_amount_max(0, fl_sat_sub(held, quota)) * scale;
	if (what == FL_NODE_QUOTA && quota == FL_UNLIMITED)
		return FL_NANOS_INFINITE;
	return (what == FL_NODE_QUOTA ? quota : held) * scale;
}

/* --- two ends --- */

static bool same_text(const struct fl_difference *d, struct fl_sym a, struct fl_sym b)
{
	return strcmp(fl_model_text(d->before->model, a), fl_model_text(d->after->model, b)) == 0;
}

static bool same_place(const struct fl_difference *d, const struct fl_placement *p,
		       const struct fl_placement *q)
{
	if (p->flavor.v == FL_NONE || q->flavor.v == FL_NONE)
		return p->flavor.v == q->flavor.v;
	return same_text(d, d->before->model->flavors[p->flavor.v].name,
			 d->after->model->flavors[q->flavor.v].name);
}

/* Is what @x has in node @n of all resources what @y has in @k of those of the same names? */
static bool same_amounts(const struct fl_outcome *x, uint32_t n, const struct fl_outcome *y,
			 uint32_t k)
{
	const struct fl_drf_stand *s = fl_drf_stand(x), *t = fl_drf_stand(y);

	for (uint32_t r = 0; r < x->model->n_resources; r++) {
		struct fl_resource other = fl_model_find_resource(
			y->model, fl_model_text(x->model, x->model->resources[r]));
		size_t at = (size_t)n * x->model->n_resources + r;
		size_t to = (size_t)k * y->model->n_resources + other.v;
		bool none = other.v == FL_NONE;

		if (s->held[at] != (none ? 0 : t->held[to]) ||
		    s->quota[at] != (none ? 0 : t->quota[to]))
			return false;
	}
	return true;
}

static unsigned compare(const struct fl_difference *d, const struct fl_pair *pair)
{
	uint32_t n = pair->before, k = pair->after;
	unsigned what = 0;

	if (n == FL_NONE || k == FL_NONE)
		return FL_DIFF_CELLS;
	if (d->before->nodes[n].active != d->after->nodes[k].active ||
	    fl_drf_stand(d->before)->shares[n].precise != fl_drf_stand(d->after)->shares[k].precise)
		what |= FL_DIFF_SHARE;
	if (fl_drf_stand(d->before)->shares[n].weight != fl_drf_stand(d->after)->shares[k].weight ||
	    !same_amounts(d->before, n, d->after, k) || !same_amounts(d->after, k, d->before, n))
		what |= FL_DIFF_CELLS;
	return what;
}

const struct fl_ask_face fl_drf_asks = {
	.why_new = fl_shortage_new,
	.look = look,
	.compare = compare,
	.same_place = same_place,
	.share = share,
	.amount = amount,
};
