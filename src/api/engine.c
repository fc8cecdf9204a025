/* SPDX-License-Identifier: Apache-2.0 */
/* engine - the public interface over model, codec and policy */
#include <fairlead/fairlead.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/object/kube.h"
#include "decide/entitle/entitle.h"
#include "model/model.h"

struct fairlead_engine {
	struct fl_mem mem;
	struct fl_model *model;
	const struct fl_policy_ops *ops; /* of the policy, once there is one */
	struct fl_policy *policy;        /* NULL until sealed */
	bool broken;                     /* reading or sealing failed: it can only be freed */
	struct fl_arena texts;           /* of one callback */
};

const char *fairlead_version(void) { return FAIRLEAD_VERSION; }

enum { OPTIONS_MOST = 4096 /* bytes: above, `size` was never set */ };

/* A field of @from, if all of it is within the size that the caller knows. */
#define TAKE(to, from, field)                                                                      \
	do {                                                                                       \
		if ((from)->size >=                                                                \
		    offsetof(fairlead_engine_options, field) + sizeof(from)->field)                \
			(to)->field = (from)->field;                                               \
	} while (0)

/* What the caller says, of whichever version it is, as this version's. */
static int take_options(const fairlead_engine_options *from, fairlead_engine_options *ret,
			fairlead_error *err)
{
	const unsigned char *bytes = (const unsigned char *)from;

	*ret = (fairlead_engine_options)FAIRLEAD_ENGINE_OPTIONS_INIT;
	if (!from)
		return 0;
	if (from->size < sizeof from->size || from->size > OPTIONS_MOST)
		return fl_fail(
			err, FAIRLEAD_EINPUT,
			"options of %zu bytes: set `size` to sizeof(fairlead_engine_options)",
			from->size);
	for (size_t i = sizeof *from; i < from->size; i++)
		if (bytes[i])
			return fl_fail(
				err, FAIRLEAD_EINPUT,
				"byte %zu of the options is not zero, and this version knows "
				"%zu bytes",
				i, sizeof *from);
	TAKE(ret, from, resize);
	TAKE(ret, from, user);
	TAKE(ret, from, policy);
	if ((unsigned)ret->policy > FAIRLEAD_POLICY_ENTITLE)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "policy %u of the options is none that this version knows",
			       (unsigned)ret->policy);
	return 0;
}

int fairlead_engine_new(const fairlead_engine_options *options, fairlead_engine **ret,
			fairlead_error *err)
{
	static const enum fl_policy_kind wanted[] = {
		[FAIRLEAD_POLICY_OF_INPUT] = FL_POLICY_ANY,
		[FAIRLEAD_POLICY_BORROW] = FL_POLICY_BORROW,
		[FAIRLEAD_POLICY_ENTITLE] = FL_POLICY_ENTITLE,
	};
	struct fl_mem mem = fl_mem_heap;
	fairlead_engine_options o;
	fairlead_engine *e;
	int r = take_options(options, &o, err);

	if (r < 0)
		return r;
	if (o.resize)
		mem = (struct fl_mem){ .resize = o.resize, .user = o.user };
	e = mem.resize(mem.user, NULL, sizeof *e);
	if (!e)
		return fl_fail_nomem(err);
	*e = (fairlead_engine){ .mem = mem, .ops = &fl_borrow_policy };
	fl_arena_init(&e->texts, &e->mem);
	r = fl_model_new(&e->mem, &e->model, err);
	if (r < 0) {
		fairlead_engine_free(e);
		return r;
	}
	e->model->wanted = wanted[o.policy];
	*ret = e;
	return 0;
}

fairlead_engine *fairlead_engine_free(fairlead_engine *e)
{
	struct fl_mem mem;

	if (!e)
		return NULL;
	mem = e->mem;
	e->ops->free(e->policy);
	fl_model_free(e->model);
	fl_arena_done(&e->texts);
	return fl_mem_free(&mem, e);
}

static int check_open(const fairlead_engine *e, fairlead_error *err)
{
	if (e->broken)
		return fl_fail(err, FAIRLEAD_ESTATE,
			       "the input was refused: the engine can only be freed");
	return e->policy ? fl_fail(err, FAIRLEAD_ESTATE, "the engine is sealed already") : 0;
}

int fairlead_engine_read(fairlead_engine *e, const char *name, const char *text, size_t length,
			 fairlead_error *err)
{
	int r = check_open(e, err);

	if (r == 0)
		r = fl_kube_read(e->model, name, text, length, err);
	e->broken |= r < 0 && !e->policy;
	return r;
}

int fairlead_engine_read_from(fairlead_engine *e, const char *name, fairlead_read_fn *read,
			      void *user, fairlead_error *err)
{
	const struct fl_source source = { read, user };
	int r = check_open(e, err);

	if (r == 0)
		r = fl_kube_read_from(e->model, name, &source, /* tap= */ NULL, err);
	e->broken |= r < 0 && !e->policy;
	return r;
}

/* Whose objects were read. */
static int choose_policy(fairlead_engine *e, fairlead_error *err)
{
	enum fl_policy_kind kind = fl_model_policy(e->model);

	if (kind == FL_POLICY_MIXED)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the input has queues of both policies, and the options name none");
	e->ops = kind == FL_POLICY_ENTITLE ? &fl_entitle_policy : &fl_borrow_policy;
	return 0;
}

int fairlead_engine_seal(fairlead_engine *e, int64_t now, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &e->mem, .now = now, .moving_usage = true };
	int r = check_open(e, err);

	if (r == 0)
		r = fl_model_seal(e->model, err);
	if (r == 0)
		r = choose_policy(e, err);
	if (r == 0)
		r = fl_model_check_samples(e->model, now, err);
	if (r == 0)
		r = e->ops->new (e->model, &options, &e->policy, err);
	e->broken |= r < 0 && !e->policy;
	return r;
}

static int check_sealed(const fairlead_engine *e, fairlead_error *err)
{
	return e->policy ? 0 : fl_fail(err, FAIRLEAD_ESTATE, "the engine is not sealed yet");
}

/* "namespace/name", in the engine's text arena. */
static int full_name(fairlead_engine *e, struct fl_workload w, const char **ret,
		     fairlead_error *err)
{
	const struct fl_workload_row *row = &e->model->workloads[w.v];
	const char *namespace = fl_model_text(e->model, row->namespace),
		   *name = fl_model_text(e->model, row->name);
	size_t size = strlen(namespace) + strlen(name) + 2;
	char *text = fl_arena_alloc(&e->texts, size, 1, err);

	if (!text)
		return FAIRLEAD_ENOMEM;
	(void)snprintf(text, size, "%s/%s", namespace, name);
	*ret = text;
	return 0;
}

static int public_placements(fairlead_engine *e, const struct fl_decisions *all,
			     const struct fl_decision *row, fairlead_decision *ret,
			     fairlead_error *err)
{
	const struct fl_model *m = e->model;
	fairlead_placement *to = fl_arena_alloc(&e->texts, row->placement.n, sizeof *to, err);

	if (!to)
		return FAIRLEAD_ENOMEM;
	ret->placements = to;
	ret->n_placements = row->placement.n;
	for (uint32_t i = 0; i < row->placement.n; i++) {
		const struct fl_placement *from = &all->placements[row->placement.first + i];
		bool none = from->resource.v == FL_NONE;

		if (e->ops == &fl_entitle_policy) {
			to[i] = (fairlead_placement){
				.podset = "",
				.resource = "",
				.flavor = "",
				.count = from->count,
				.machine = fl_model_text(m, m->machines[from->machine.v].name),
			};
			continue;
		}
		const struct fl_podset *podset =
			&m->podsets[m->workloads[row->workload.v].podsets.first + from->podset];

		to[i] = (fairlead_placement){
			.podset = fl_model_text(m, podset->name),
			.resource = none ? "" : fl_model_text(m, m->resources[from->resource.v]),
			.flavor = none ? "" : fl_model_text(m, m->flavors[from->flavor.v].name),
			.count = from->count,
			.amount = from->amount,
			.machine = "",
		};
	}
	return 0;
}

static int tell(fairlead_engine *e, const struct fl_decisions *all, fairlead_decision_fn *fn,
		void *user, fairlead_error *err)
{
	static const fairlead_decision_kind kinds[] = { [FL_ADMIT] = FAIRLEAD_ADMIT,
							[FL_RESERVE] = FAIRLEAD_RESERVE,
							[FL_EVICT] = FAIRLEAD_EVICT,
							[FL_WAIT] = FAIRLEAD_WAIT };
	fairlead_decision *rows = fl_arena_alloc(&e->texts, all->n, sizeof *rows, err);
	int r;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct fl_decision *row = &all->rows[i];

		rows[i] = (fairlead_decision){
			.kind = kinds[row->kind],
			.cluster_queue = fl_model_text(e->model,
						       e->model->nodes[row->cluster_queue.v].name),
			.reason = fl_reason_name(row->reason),
			.sentence = fl_reason_sentence(row->reason),
			.pods = row->count,
		};
		if ((r = full_name(e, row->workload, &rows[i].workload, err)) < 0 ||
		    (row->preemptor.v != FL_NONE &&
		     (r = full_name(e, row->preemptor, &rows[i].preemptor, err)) < 0) ||
		    (r = public_placements(e, all, row, &rows[i], err)) < 0)
			return r;
	}
	for (uint32_t i = 0; i < all->n; i++)
		fn(user, &rows[i]);
	return 0;
}

int fairlead_engine_step(fairlead_engine *e, int64_t now, fairlead_decision_fn *fn, void *user,
			 fairlead_error *err)
{
	struct fl_decisions decisions;
	uint32_t mark = 0;
	int r = check_sealed(e, err);

	if (r < 0 || (r = e->ops->mark(e->policy, &mark, err)) < 0)
		return r;
	fl_arena_reset(&e->texts);
	r = e->ops->step(e->policy, now, 0, /* sink= */ NULL, &decisions, err);
	if (r == 0 && fn)
		r = tell(e, &decisions, fn, user, err);
	if (r < 0)
		e->ops->rollback(e->policy, mark);
	else
		e->ops->keep(e->policy, mark);
	return r;
}

static int find(const fairlead_engine *e, const char *workload, struct fl_workload *ret,
		fairlead_error *err)
{
	const char *slash = strchr(workload, '/');
	char namespace[FL_MAX_NAME + 1];
	int r = check_sealed(e, err);

	if (r < 0)
		return r;
	if (slash && (size_t)(slash - workload) < sizeof namespace) {
		memcpy(namespace, workload, (size_t)(slash - workload));
		namespace[slash - workload] = '\0';
		*ret = fl_model_find_workload(e->model, namespace, slash + 1);
		if (ret->v != FL_NONE)
			return 0;
	}
	return fl_fail(err, FAIRLEAD_ENOENT, "no workload '%s' (name it namespace/name)", workload);
}

int fairlead_engine_try(fairlead_engine *e, int64_t now, const char *workload,
			fairlead_decision_fn *fn, void *user, fairlead_error *err)
{
	struct fl_decisions decisions;
	struct fl_workload w;
	int r = find(e, workload, &w, err);

	if (r < 0 || (r = e->ops->try(e->policy, now, w, /* sink= */ NULL, &decisions, err)) < 0)
		return r;
	fl_arena_reset(&e->texts);
	return fn ? tell(e, &decisions, fn, user, err) : 0;
}

int fairlead_engine_event(fairlead_engine *e, int64_t now, fairlead_event event,
			  const char *workload, fairlead_error *err)
{
	static const enum fl_event_kind kinds[] = {
		[FAIRLEAD_SUBMITTED] = FL_EV_SUBMIT,  [FAIRLEAD_CANCELLED] = FL_EV_CANCEL,
		[FAIRLEAD_EVICTED] = FL_EV_EVICTED,   [FAIRLEAD_FINISHED] = FL_EV_FINISHED,
		[FAIRLEAD_REJECTED] = FL_EV_REJECTED,
	};
	struct fl_event row = { .kind = FL_EV_SUBMIT };
	int r = find(e, workload, &row.workload, err);

	if (r < 0)
		return r;
	if ((unsigned)event >= sizeof kinds / sizeof *kinds)
		return fl_fail(err, FAIRLEAD_ESTATE, "no such event");
	row.kind = kinds[event];
	return e->ops->apply(e->policy, now, &row, err);
}

int64_t fairlead_engine_wake(const fairlead_engine *e, int64_t now)
{
	_Static_assert(FL_NEVER == FAIRLEAD_NEVER, "one end of time");
	return e->policy ? e->ops->wake(e->policy, now) : FAIRLEAD_NEVER;
}

int fairlead_engine_mark(fairlead_engine *e, uint32_t *ret, fairlead_error *err)
{
	int r = check_sealed(e, err);

	return r < 0 ? r : e->ops->mark(e->policy, ret, err);
}

void fairlead_engine_rollback(fairlead_engine *e, uint32_t mark)
{
	if (e->policy)
		e->ops->rollback(e->policy, mark);
}

int fairlead_engine_share(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
			  fairlead_share *ret, fairlead_error *err)
{
	struct fl_node n;
	struct fl_share share;
	int r = check_sealed(e, err);

	if (r < 0)
		return r;
	if (e->ops != &fl_borrow_policy)
		return fl_fail(err, FAIRLEAD_ENOENT,
			       "queues of this policy have a standing, and no share of this kind");
	n = fl_model_find_node(e->model, kind == FAIRLEAD_COHORT ? FL_COHORT : FL_CLUSTER_QUEUE,
			       name);
	if (n.v == FL_NONE)
		return fl_fail(err, FAIRLEAD_ENOENT, "no %s '%s'",
			       kind == FAIRLEAD_COHORT ? "Cohort" : "ClusterQueue", name);
	e->ops->share(e->policy, n, &share);
	*ret = (fairlead_share){
		.precise = share.precise,
		.weight = share.weight,
		.borrowing = share.borrowing,
		.dominant = share.dominant.v == FL_NONE ?
				    NULL :
				    fl_model_text(e->model, e->model->resources[share.dominant.v]),
	};
	return 0;
}

/* --- entitle --- */

/* A Queue that takes part. */
static int find_queue(const fairlead_engine *e, const char *queue, struct fl_node *ret,
		      fairlead_error *err)
{
	int r = check_sealed(e, err);

	if (r < 0)
		return r;
	*ret = e->ops == &fl_entitle_policy ? fl_model_find_node(e->model, FL_QUEUE, queue) :
					      (struct fl_node){ FL_NONE };
	if (ret->v == FL_NONE || e->model->nodes[ret->v].inactive != FL_ACTIVE)
		return fl_fail(err, FAIRLEAD_ENOENT, "no Queue '%s' that takes part", queue);
	return 0;
}

static fairlead_bundle public_bundle(struct fl_bundle b)
{
	return (fairlead_bundle){ b.of[FL_CPU], b.of[FL_MEMORY], b.of[FL_GPU] };
}

int fairlead_engine_standing(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
			     fairlead_error *err)
{
	const struct fl_standing *row;
	struct fl_node n;
	int r = find_queue(e, queue, &n, err);

	if (r < 0)
		return r;
	row = fl_entitle_standing(e->policy, n);
	*ret = (fairlead_standing){
		.fair_share = public_bundle(row->fair_share),
		.allocated = public_bundle(row->allocated),
		.request = public_bundle(row->request),
		.usage = public_bundle(fl_entitle_usage(e->policy, n)),
	};
	return 0;
}

/* --- notices --- */

size_t fairlead_engine_notices(const fairlead_engine *e) { return e->model->n_notices; }

void fairlead_engine_notice(const fairlead_engine *e, size_t at, fairlead_notice *ret)
{
	const struct fl_notice *row = &e->model->notices[at];
	const struct fl_model *m = e->model;

	*ret = (fairlead_notice){
		.file = row->place.file < m->n_inputs ?
				fl_model_text(m, m->inputs[row->place.file]) :
				"",
		.kind = fl_notice_name(row->kind),
		.subject = fl_model_text(m, row->subject),
		.text = fl_model_text(m, row->text),
		.hint = fl_model_text(m, row->hint),
		.line = row->place.line,
		.column = row->place.column,
	};
}
