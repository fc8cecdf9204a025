/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/outcome.h"

#include <math.h>
#include <string.h>

#include "ask/entitle/obstacle.h"

/* --- one end --- */

static int look(const struct fl_outcome *o, const struct fl_policy_ops *ops,
		const struct fl_policy *p, struct fl_arena *a, void **ret, fairlead_error *err)
{
	struct fl_standings *s = fl_arena_alloc(a, 1, sizeof(*s), err);
	int rc = s ? fl_standings_init(s, o->model, a, err) : FAIRLEAD_ENOMEM;

	(void)ops;
	if (rc < 0)
		return rc;
	fl_standings_look(s, p);
	*ret = s;
	return 0;
}

/* The largest saturation, in thousandths as the share of borrowing is. */
static double share(const struct fl_outcome *o, struct fl_node n)
{
	double most = 0;

	for (int r = 0; r < FL_BUNDLE; r++)
		most = fmax(most, 1000 * fl_standings_saturation(fl_entitle_stand(o), n, r));
	return most;
}

static int resource_named(const char *name)
{
	return strcmp(name, "cpu") == 0                                        ? FL_CPU :
	       strcmp(name, "memory") == 0                                     ? FL_MEMORY :
	       strcmp(name, "gpu") == 0 || strcmp(name, "nvidia.com/gpu") == 0 ? FL_GPU :
										 FL_BUNDLE;
}

static bool has_resource(const char *resource) { return resource_named(resource) != FL_BUNDLE; }

static fl_nanos amount(const struct fl_outcome *o, struct fl_node n, enum fl_node_amount what,
		       const char *resource)
{
	const struct fl_standing *q = &fl_entitle_stand(o)->rows[n.v];
	int res = resource_named(resource);

	if (res == FL_BUNDLE)
		return 0;
	double over = q->allocated.of[res] - q->deserved.of[res];
	bool unbounded = q->deserved.of[res] == FL_UNBOUNDED;
	double amount = what == FL_NODE_USAGE      ? q->allocated.of[res] :
			what == FL_NODE_FAIR_SHARE ? q->fair_share.of[res] :
			what == FL_NODE_QUOTA      ? q->deserved.of[res] :
			unbounded || over < 0      ? 0 :
						     over;

	if (amount == FL_UNBOUNDED || amount > 1e20)
		return FL_NANOS_INFINITE;
	return (fl_nanos)round(amount * (res == FL_CPU ? 1e6 : 1e9));
}

/* --- two ends --- */

static bool same_machine(const struct fl_difference *d, struct fl_machine a, struct fl_machine b)
{
	if (a.v == FL_NONE || b.v == FL_NONE)
		return a.v == b.v;
	return strcmp(fl_model_text(d->before->model, d->before->model->machines[a.v].name),
		      fl_model_text(d->after->model, d->after->model->machines[b.v].name)) == 0;
}

static bool same_place(const struct fl_difference *d, const struct fl_placement *p,
		       const struct fl_placement *q)
{
	return same_machine(d, p->machine, q->machine);
}

static bool same_bundle(const struct fl_bundle *x, const struct fl_bundle *y)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (x->of[r] != y->of[r])
			return false;
	return true;
}

static unsigned compare(const struct fl_difference *d, const struct fl_pair *pair)
{
	bool both = pair->before != FL_NONE && pair->after != FL_NONE;
	unsigned what = 0;

	if (!both)
		return FL_DIFF_CELLS;
	const struct fl_standing *x = &fl_entitle_stand(d->before)->rows[pair->before];
	const struct fl_standing *y = &fl_entitle_stand(d->after)->rows[pair->after];
	if (d->before->nodes[pair->before].active != d->after->nodes[pair->after].active ||
	    !same_bundle(&x->fair_share, &y->fair_share))
		what |= FL_DIFF_SHARE;
	if (!same_bundle(&x->deserved, &y->deserved) || !same_bundle(&x->limit, &y->limit) ||
	    !same_bundle(&x->weight, &y->weight) || !same_bundle(&x->allocated, &y->allocated) ||
	    x->priority != y->priority)
		what |= FL_DIFF_CELLS;
	return what;
}

const struct fl_ask_face fl_entitle_asks = {
	.why_new = fl_obstacle_new,
	.look = look,
	.compare = compare,
	.same_place = same_place,
	.share = share,
	.amount = amount,
	.has_resource = has_resource,
	.divides = true,
};
