/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "decide/borrow/borrow.h"
#include "decide/drf/drf.h"
#include "decide/entitle/entitle.h"
#include "prop/lockstep.h"

static const char *const kinds[] = {
	[FL_ADMIT] = "ADMIT", [FL_RESERVE] = "RESERVE", [FL_EVICT] = "EVICT", [FL_WAIT] = "WAIT"
};

bool lockstep_differ(struct lockstep *l, const char *format, ...)
{
	va_list args;

	if (l->difference[0])
		return false;
	va_start(args, format);
	(void)vsnprintf(l->difference, sizeof l->difference, format, args);
	va_end(args);
	return false;
}

static const char *name_of(const struct lockstep *l, struct fl_workload w)
{
	return w.v == FL_NONE ? "-" : fl_model_text(l->m, l->m->workloads[w.v].name);
}

/* --- decisions --- */

/* NULL: none. */
static void say_row(const struct lockstep *l, const struct fl_decision *d, char *text, size_t size)
{
	if (d)
		(void)snprintf(text, size, "%s %s (%s) for %s, %u placements, %d%s", kinds[d->kind],
			       name_of(l, d->workload), fl_reason_name(d->reason),
			       name_of(l, d->preemptor), d->placement.n, d->count,
			       d->already_evicting ? ", goes already" : "");
	else
		(void)snprintf(text, size, "nothing more");
}

void lockstep_say_rows(const struct lockstep *l, const struct fl_decisions *d)
{
	char text[200];

	for (uint32_t i = 0; i < d->n; i++) {
		say_row(l, &d->rows[i], text, sizeof text);
		(void)fprintf(stderr, "    %s\n", text);
		for (uint32_t k = 0; k < d->rows[i].placement.n; k++) {
			const struct fl_placement *p =
				&d->placements[d->rows[i].placement.first + k];

			(void)fprintf(stderr, "      podset %u: %d, resource %d in %d: %lld\n",
				      p->podset, p->count, (int)p->resource.v, (int)p->flavor.v,
				      (long long)p->amount);
		}
	}
}

static bool differ_in_row(struct lockstep *l, const char *what, const struct fl_decision *full,
			  const struct fl_decision *part)
{
	char texts[BOTH][200];

	say_row(l, full, texts[FULL], sizeof texts[FULL]);
	say_row(l, part, texts[PART], sizeof texts[PART]);
	return lockstep_differ(l, "%s: full: %s; else: %s", what, texts[FULL], texts[PART]);
}

static bool same_placement(const struct fl_placement *a, const struct fl_placement *b)
{
	return a->podset == b->podset && a->count == b->count && a->resource.v == b->resource.v &&
	       a->flavor.v == b->flavor.v && a->amount == b->amount;
}

static bool same_row(const struct fl_decisions *da, const struct fl_decision *a,
		     const struct fl_decisions *db, const struct fl_decision *b)
{
	if (a->kind != b->kind || a->reason != b->reason || a->workload.v != b->workload.v ||
	    a->preemptor.v != b->preemptor.v || a->cluster_queue.v != b->cluster_queue.v ||
	    a->already_evicting != b->already_evicting || a->action != b->action ||
	    a->count != b->count || a->placement.n != b->placement.n)
		return false;
	for (uint32_t i = 0; i < a->placement.n; i++)
		if (!same_placement(&da->placements[a->placement.first + i],
				    &db->placements[b->placement.first + i]))
			return false;
	return true;
}

/* Those of the second are some of the first's, in the same order. */
static bool same_heads(struct lockstep *l, const struct fl_decisions d[BOTH])
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < d[PART].n_heads; i++, at++) {
		while (at < d[FULL].n_heads && d[FULL].heads[at].v != d[PART].heads[i].v)
			at++;
		if (at == d[FULL].n_heads)
			return lockstep_differ(l, "head %s is none of the full step, or not there",
					       name_of(l, d[PART].heads[i]));
	}
	return true;
}

/* Who got this row: it, or who it must go for. */
static uint32_t owner_of(const struct fl_decision *d)
{
	return d->kind == FL_EVICT && d->preemptor.v != FL_NONE ? d->preemptor.v : d->workload.v;
}

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x100000001b3);
}

/* The row at @at and, behind a promise, those of who must go for it: so many rows. */
static uint32_t rows_of(const struct fl_decisions *d, uint32_t at)
{
	uint32_t end = at + 1;

	while (d->rows[at].kind == FL_RESERVE && end < d->n && d->rows[end].kind == FL_EVICT &&
	       owner_of(&d->rows[end]) == d->rows[at].workload.v)
		end++;
	return end - at;
}

/* Of one who waits as before, perhaps: for nothing, or for those who go already. */
static bool may_be_left_out(const struct fl_decision *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (!rows[i].already_evicting)
			return false;
	return rows[0].kind == FL_WAIT || rows[0].kind == FL_RESERVE;
}

static uint64_t hash_of(const struct fl_decisions *d, uint32_t at, uint32_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const struct fl_decision *row = &d->rows[at]; row < &d->rows[at + n]; row++) {
		mix(&hash, row->kind);
		mix(&hash, row->reason);
		mix(&hash, row->workload.v);
		mix(&hash, row->cluster_queue.v);
		mix(&hash, row->action);
		mix(&hash, (uint64_t)row->count);
		for (uint32_t i = 0; i < row->placement.n; i++) {
			const struct fl_placement *p = &d->placements[row->placement.first + i];

			mix(&hash, p->podset);
			mix(&hash, (uint64_t)p->count);
			mix(&hash, (uint64_t)p->flavor.v << 32 | p->resource.v);
			mix(&hash, (uint64_t)p->amount);
		}
	}
	return hash;
}

static bool same_rows(const struct fl_decisions d[BOTH], uint32_t full, uint32_t part, uint32_t n)
{
	if (part + n > d[PART].n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!same_row(&d[FULL], &d[FULL].rows[full + i], &d[PART], &d[PART].rows[part + i]))
			return false;
	return true;
}

static bool same_rest(struct lockstep *l, const struct fl_decisions d[BOTH])
{
	if (d[FULL].moved != d[PART].moved)
		return lockstep_differ(l, "moved: full: %d; else: %d", d[FULL].moved,
				       d[PART].moved);
	if (d[FULL].waiting != d[PART].waiting)
		return lockstep_differ(l, "waiting: full: %d; else: %d", d[FULL].waiting,
				       d[PART].waiting);
	return same_heads(l, d);
}

/*
 * A promise that is left out is the one that the full steps spoke of last.  Why somebody waits
 * need not have been said: the state has it.
 */
static bool is_told(const struct lockstep *l, const struct fl_decision *row, uint64_t hash)
{
	bool told = row->kind == FL_WAIT || !l->told;

	for (uint32_t i = 0; !told && i < LOCKSTEP_TOLD; i++)
		told = l->told->of[owner_of(row)][i] == hash;
	return told;
}

static void tell(struct lockstep_told *told, uint32_t owner, uint64_t hash)
{
	told->of[owner][told->next[owner]++ % LOCKSTEP_TOLD] = hash;
}

bool lockstep_same_step(struct lockstep *l, const struct fl_decisions d[BOTH])
{
	uint32_t part = 0;

	mix(&l->decided, hash_of(&d[FULL], 0, d[FULL].n));
	if (d[FULL].waiting != (d[FULL].n_heads > 0))
		return lockstep_differ(l, "waiting: %d with %u heads", d[FULL].waiting,
				       d[FULL].n_heads);
	for (uint32_t full = 0, n; full < d[FULL].n; full += n) {
		const struct fl_decision *row = &d[FULL].rows[full];
		const struct fl_decision *other = part < d[PART].n ? &d[PART].rows[part] : NULL;
		uint64_t hash;

		n = rows_of(&d[FULL], full);
		hash = hash_of(&d[FULL], full, n);
		if (same_rows(d, full, part, n)) {
			part += n;
			if (l->told)
				tell(l->told, owner_of(row), hash);
		} else if (!may_be_left_out(row, n)) {
			return differ_in_row(l, "row", row, other);
		} else if (!is_told(l, row, hash)) {
			return differ_in_row(l, "left out, and not as before", row, other);
		} else {
			l->counts.left_out += n;
		}
	}
	if (part < d[PART].n)
		return differ_in_row(l, "row", NULL, &d[PART].rows[part]);
	return same_rest(l, d);
}

bool lockstep_same_try(struct lockstep *l, const struct fl_decisions d[BOTH])
{
	if (d[FULL].n != d[PART].n)
		return lockstep_differ(l, "try: full: %u rows; else: %u", d[FULL].n, d[PART].n);
	for (uint32_t i = 0; i < d[FULL].n; i++)
		if (!same_row(&d[FULL], &d[FULL].rows[i], &d[PART], &d[PART].rows[i]))
			return differ_in_row(l, "try", &d[FULL].rows[i], &d[PART].rows[i]);
	return same_rest(l, d);
}

/* --- states --- */

static bool same_workload(struct lockstep *l, struct fl_workload w)
{
	const struct fl_placement *rows[BOTH];
	enum fl_workload_state state[BOTH];
	enum fl_reason reason[BOTH];
	uint32_t n[BOTH];
	bool same;

	for (int i = 0; i < BOTH; i++) {
		state[i] = l->ops[i]->state(l->p[i], w);
		reason[i] = l->ops[i]->reason(l->p[i], w);
		rows[i] = l->ops[i]->placement(l->p[i], w, &n[i]);
	}
	if (state[FULL] != state[PART])
		return lockstep_differ(l, "state of %s: full: %d; else: %d", name_of(l, w),
				       (int)state[FULL], (int)state[PART]);
	if (reason[FULL] != reason[PART])
		return lockstep_differ(l, "reason of %s: full: %s; else: %s", name_of(l, w),
				       fl_reason_name(reason[FULL]), fl_reason_name(reason[PART]));
	same = n[FULL] == n[PART];
	for (uint32_t i = 0; same && i < n[FULL]; i++)
		same = same_placement(&rows[FULL][i], &rows[PART][i]);
	for (uint32_t r = 0; same && r < l->m->n_resources; r++)
		same = l->ops[FULL]->held(l->p[FULL], w, (struct fl_resource){ r }) ==
		       l->ops[PART]->held(l->p[PART], w, (struct fl_resource){ r });
	return same || lockstep_differ(l, "placement of %s", name_of(l, w));
}

static bool same_share(struct lockstep *l, struct fl_node n)
{
	struct fl_share s[BOTH];

	for (int i = 0; i < BOTH; i++)
		l->ops[i]->share(l->p[i], n, &s[i]);
	return (s[FULL].precise == s[PART].precise && s[FULL].ratio == s[PART].ratio &&
		s[FULL].weight == s[PART].weight && s[FULL].borrowing == s[PART].borrowing &&
		s[FULL].dominant.v == s[PART].dominant.v) ||
	       lockstep_differ(l, "share of %s: full: %.17g; else: %.17g",
			       fl_model_text(l->m, l->m->nodes[n.v].name), s[FULL].precise,
			       s[PART].precise);
}

static bool same_borrow_books(struct lockstep *l)
{
	const struct fl_tree *t = fl_borrow_tree(l->p[FULL]);
	const struct fl_usage *full = fl_borrow_usage(l->p[FULL]),
			      *part = fl_borrow_usage(l->p[PART]);

	if (memcmp(full->cell, part->cell, t->cells * sizeof *full->cell) != 0)
		return lockstep_differ(l, "usage");
	for (uint32_t lq = 0; l->m->settings.admission_fair_sharing && lq < l->m->n_queues; lq++)
		for (uint32_t r = 0; r < l->m->n_resources; r++)
			if (fl_borrow_consumed(l->p[FULL], (struct fl_queue){ lq },
					       (struct fl_resource){ r }) !=
			    fl_borrow_consumed(l->p[PART], (struct fl_queue){ lq },
					       (struct fl_resource){ r }))
				return lockstep_differ(l, "usage of a local queue");
	return true;
}

static bool same_drf_books(struct lockstep *l)
{
	const struct fl_policy *x = l->p[FULL], *y = l->p[PART];

	for (uint32_t r = 0; r < l->m->n_resources; r++) {
		struct fl_resource res = { r };

		for (uint32_t n = 0; n < l->m->n_nodes; n++)
			if (fl_drf_held(x, (struct fl_node){ n }, res) !=
				    fl_drf_held(y, (struct fl_node){ n }, res) ||
			    fl_drf_quota(x, (struct fl_node){ n }, res) !=
				    fl_drf_quota(y, (struct fl_node){ n }, res))
				return lockstep_differ(l, "books of node %u", n);
		for (uint32_t f = 0; f < l->m->n_flavors; f++)
			if (fl_drf_used(x, (struct fl_flavor){ f }, res) !=
				    fl_drf_used(y, (struct fl_flavor){ f }, res) ||
			    fl_drf_capacity(x, (struct fl_flavor){ f }, res) !=
				    fl_drf_capacity(y, (struct fl_flavor){ f }, res))
				return lockstep_differ(l, "books of flavor %u", f);
	}
	return fl_drf_next(x).v == fl_drf_next(y).v || lockstep_differ(l, "who is next");
}

static bool same_bundle(const struct fl_bundle *a, const struct fl_bundle *b)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (a->of[r] != b->of[r])
			return false;
	return true;
}

static bool differ_in_bundle(struct lockstep *l, const char *what, const char *name,
			     const struct fl_bundle *full, const struct fl_bundle *part)
{
	return lockstep_differ(l, "%s of %s: full: %.17g %.17g %.17g; else: %.17g %.17g %.17g",
			       what, name, full->of[0], full->of[1], full->of[2], part->of[0],
			       part->of[1], part->of[2]);
}

static bool same_standing(struct lockstep *l, struct fl_node n)
{
	const struct fl_standing *a = fl_entitle_standing(l->p[FULL], n),
				 *b = fl_entitle_standing(l->p[PART], n);
	const char *name = fl_model_text(l->m, l->m->nodes[n.v].name);
	struct fl_bundle usage[BOTH] = { fl_entitle_usage(l->p[FULL], n),
					 fl_entitle_usage(l->p[PART], n) };

	if (!same_bundle(&a->fair_share, &b->fair_share))
		return differ_in_bundle(l, "fair share", name, &a->fair_share, &b->fair_share);
	if (!same_bundle(&a->request, &b->request))
		return differ_in_bundle(l, "request", name, &a->request, &b->request);
	if (!same_bundle(&a->allocated, &b->allocated) ||
	    !same_bundle(&a->non_preemptible, &b->non_preemptible))
		return lockstep_differ(l, "what %s holds", name);
	return same_bundle(&usage[FULL], &usage[PART]) || lockstep_differ(l, "usage of %s", name);
}

static bool same_entitle_books(struct lockstep *l)
{
	for (uint32_t n = 0; n < l->m->n_nodes; n++)
		if (!same_standing(l, (struct fl_node){ n }))
			return false;
	for (uint32_t i = 0; i < l->m->n_machines; i++) {
		struct fl_bundle idle[BOTH] = {
			fl_entitle_idle(l->p[FULL], (struct fl_machine){ i }),
			fl_entitle_idle(l->p[PART], (struct fl_machine){ i })
		};

		if (!same_bundle(&idle[FULL], &idle[PART]))
			return lockstep_differ(l, "room of machine %u", i);
	}
	return true;
}

static bool same_digest(struct lockstep *l)
{
	uint64_t h[BOTH][2];

	for (int i = 0; i < BOTH; i++)
		l->ops[i]->digest(l->p[i], l->now, h[i]);
	return memcmp(h[FULL], h[PART], sizeof h[FULL]) == 0 || lockstep_differ(l, "digest");
}

bool lockstep_same_state(struct lockstep *l)
{
	fl_time wake[BOTH] = { l->ops[FULL]->wake(l->p[FULL], l->now),
			       l->ops[PART]->wake(l->p[PART], l->now) };

	for (uint32_t w = 0; w < l->m->n_workloads; w++)
		if (!same_workload(l, (struct fl_workload){ w }))
			return false;
	for (uint32_t n = 0; n < l->m->n_nodes; n++)
		if (!same_share(l, (struct fl_node){ n }))
			return false;
	if (wake[FULL] != wake[PART])
		return lockstep_differ(l, "wake: full: %lld; else: %lld", (long long)wake[FULL],
				       (long long)wake[PART]);
	if (l->apart)
		return true;
	if (!(strcmp(l->ops[FULL]->name, "borrow") == 0 ? same_borrow_books(l) :
	      strcmp(l->ops[FULL]->name, "drf") == 0    ? same_drf_books(l) :
							  same_entitle_books(l)))
		return false;
	return same_digest(l);
}
