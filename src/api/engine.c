/* SPDX-License-Identifier: Apache-2.0 */
/* engine - the public interface over model, codec and policy */
#include "api/engine.h"

#include <stdio.h>
#include <string.h>

#include "api/face.h"
#include "api/join.h"
#include "base/limits.h"

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
	TAKE(ret, from, flags);
	if (ret->flags & ~FAIRLEAD_KEEP_OBJECTS)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "flags %#llx of the options are none that this version knows",
			       (unsigned long long)(ret->flags & ~FAIRLEAD_KEEP_OBJECTS));
	if ((unsigned)ret->policy > FAIRLEAD_POLICY_ENTITLE)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "policy %u of the options is none that this version knows",
			       (unsigned)ret->policy);
	return 0;
}

int fairlead_engine_new(const fairlead_engine_options *options, fairlead_engine **ret,
			fairlead_error *err)
{
	static const enum fl_dialect wanted[] = {
		[FAIRLEAD_POLICY_OF_INPUT] = FL_DIALECT_ANY,
		[FAIRLEAD_POLICY_BORROW] = FL_DIALECT_KUEUE,
		[FAIRLEAD_POLICY_ENTITLE] = FL_DIALECT_KAI,
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
	*e = (fairlead_engine){ .mem = mem,
				.wanted = wanted[o.policy],
				.keeps = (o.flags & FAIRLEAD_KEEP_OBJECTS) != 0 };
	fl_arena_init(&e->texts, &e->mem);
	r = fl_model_new(&e->mem, &e->model, err);
	if (r == 0 && e->keeps)
		r = fl_shelf_init(&e->shelf, &e->mem, err);
	if (r < 0) {
		fairlead_engine_free(e);
		return r;
	}
	e->model->wanted = e->wanted;
	*ret = e;
	return 0;
}

fairlead_engine *fairlead_engine_free(fairlead_engine *e)
{
	struct fl_mem mem;

	if (!e)
		return NULL;
	mem = e->mem;
	if (e->policy)
		e->ops->free(e->policy);
	fl_model_free(e->model);
	fl_shelf_done(&e->shelf);
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

/* How many rows there are of what a policy decides on. */
static uint64_t count_rows(const struct fl_model *m)
{
	return (uint64_t)m->n_nodes + m->n_queues + m->n_workloads + m->n_tasks + m->n_machines;
}

/* What has no kind (inputs of simulators) is not on the shelf, and would be lost at a change. */
static int read_kept(fairlead_engine *e, const char *name, const struct fl_source *source,
		     fairlead_error *err)
{
	uint64_t seen = e->shelf.seen, rows = count_rows(e->model);
	int r = fl_kube_read_from(e->model, name, source, &e->shelf.tap, err);

	if (r == 0 && e->shelf.seen == seen && count_rows(e->model) > rows)
		return fl_fail(
			err, FAIRLEAD_EINPUT,
			"'%.200s' has no objects that could be kept: write them with apiVersion "
			"and kind",
			name);
	return r;
}

int fairlead_engine_read(fairlead_engine *e, const char *name, const char *text, size_t length,
			 fairlead_error *err)
{
	struct fl_text_source bytes = { text, length };
	const struct fl_source source = { fl_text_read, &bytes };
	int r;

	if (e->policy && e->keeps)
		return fl_engine_change(e, name, &source, /* removed= */ NULL, 0, err);
	r = check_open(e, err);
	if (r == 0 && e->keeps)
		r = read_kept(e, name, &source, err);
	else if (r == 0) /* a text is not copied */
		r = fl_kube_read(e->model, name, text, length, err);
	e->broken |= r < 0 && !e->policy;
	return r;
}

int fairlead_engine_read_from(fairlead_engine *e, const char *name, fairlead_read_fn *read,
			      void *user, fairlead_error *err)
{
	const struct fl_source source = { read, user };
	int r;

	if (e->policy && e->keeps)
		return fl_engine_change(e, name, &source, /* removed= */ NULL, 0, err);
	r = check_open(e, err);
	if (r == 0)
		r = e->keeps ? read_kept(e, name, &source, err) :
			       fl_kube_read_from(e->model, name, &source, /* tap= */ NULL, err);
	e->broken |= r < 0 && !e->policy;
	return r;
}

int fl_engine_ops(const struct fl_model *m, const struct fl_policy_ops **ret, fairlead_error *err)
{
	const struct fl_policy_ops *ops = fl_policy_of(fl_model_dialect(m));

	if (!ops)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the input has queues of both policies, and the options name none");
	*ret = ops;
	return 0;
}

int fl_engine_policy(const fairlead_engine *e, const struct fl_model *m, fl_time now,
		     const struct fl_policy_ops *ops, struct fl_policy **ret, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = &e->mem,
						   .now = now,
						   .moving_usage = true };
	int r = fl_model_check_samples(m, now, err);

	return r < 0 ? r : ops->new (m, &options, ret, err);
}

int fairlead_engine_seal(fairlead_engine *e, int64_t now, fairlead_error *err)
{
	int r = check_open(e, err);

	if (r == 0 && e->keeps)
		e->model->spare = e->model->n_workloads / FL_ENGINE_SPARE_SHARE + FL_ENGINE_SPARE;
	if (r == 0)
		r = fl_model_seal(e->model, err);
	if (r == 0)
		r = fl_engine_ops(e->model, &e->ops, err);
	if (r == 0)
		r = fl_engine_policy(e, e->model, now, e->ops, &e->policy, err);
	if (r == 0)
		e->now = now;
	e->broken |= r < 0 && !e->policy;
	return r;
}

int fairlead_engine_change(fairlead_engine *e, const char *name, const char *text, size_t length,
			   const char *const *removed, size_t n_removed, fairlead_error *err)
{
	struct fl_text_source bytes = { text, length };
	const struct fl_source source = { fl_text_read, &bytes };

	return fl_engine_change(e, name, text ? &source : NULL, removed, n_removed, err);
}

int fl_engine_check_sealed(const fairlead_engine *e, fairlead_error *err)
{
	return e->policy ? 0 : fl_fail(err, FAIRLEAD_ESTATE, "the engine is not sealed yet");
}

/* "namespace/name", in the engine's text arena. */
int fl_engine_name(fairlead_engine *e, struct fl_workload w, const char **ret, fairlead_error *err)
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
	const struct fl_api_face *face = fl_api_face_of(e->ops);
	fairlead_placement *to = fl_arena_alloc(&e->texts, row->placement.n, sizeof *to, err);

	if (!to)
		return FAIRLEAD_ENOMEM;
	ret->placements = to;
	ret->n_placements = row->placement.n;
	for (uint32_t i = 0; i < row->placement.n; i++)
		to[i] = face->placement(e->model, row->workload,
					&all->placements[row->placement.first + i]);
	return 0;
}

int fl_engine_tell(fairlead_engine *e, const struct fl_decisions *all, fairlead_decision_fn *fn,
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
		if ((r = fl_engine_name(e, row->workload, &rows[i].workload, err)) < 0 ||
		    (row->preemptor.v != FL_NONE &&
		     (r = fl_engine_name(e, row->preemptor, &rows[i].preemptor, err)) < 0) ||
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
	int r = fl_engine_check_sealed(e, err);

	if (r < 0 || (r = e->ops->mark(e->policy, &mark, err)) < 0)
		return r;
	fl_arena_reset(&e->texts);
	r = e->ops->step(e->policy, now, 0, /* sink= */ NULL, &decisions, err);
	if (r == 0 && fn)
		r = fl_engine_tell(e, &decisions, fn, user, err);
	if (r < 0)
		e->ops->rollback(e->policy, mark);
	else
		e->ops->keep(e->policy, mark);
	if (r == 0)
		e->now = now;
	return r;
}

int fl_engine_find(const fairlead_engine *e, const char *workload, struct fl_workload *ret,
		   fairlead_error *err)
{
	const char *slash = strchr(workload, '/');
	char namespace[FL_MAX_NAME + 1];
	int r = fl_engine_check_sealed(e, err);

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
	int r = fl_engine_find(e, workload, &w, err);

	if (r < 0 || (r = e->ops->try(e->policy, now, w, /* sink= */ NULL, &decisions, err)) < 0)
		return r;
	fl_arena_reset(&e->texts);
	return fn ? fl_engine_tell(e, &decisions, fn, user, err) : 0;
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
	int r = fl_engine_find(e, workload, &row.workload, err);

	if (r < 0)
		return r;
	if ((unsigned)event >= sizeof kinds / sizeof *kinds)
		return fl_fail(err, FAIRLEAD_ESTATE, "no such event");
	row.kind = kinds[event];
	r = e->ops->apply(e->policy, now, &row, err);
	if (r == 0)
		e->now = now;
	return r;
}

int64_t fairlead_engine_wake(const fairlead_engine *e, int64_t now)
{
	_Static_assert(FL_NEVER == FAIRLEAD_NEVER, "one end of time");
	return e->policy ? e->ops->wake(e->policy, now) : FAIRLEAD_NEVER;
}

int fairlead_engine_mark(fairlead_engine *e, uint32_t *ret, fairlead_error *err)
{
	uint32_t mark = 0;
	int r = fl_engine_check_sealed(e, err);

	if (r == 0)
		r = e->ops->mark(e->policy, &mark, err);
	if (r < 0)
		return r;
	if (e->marks == 0)
		e->before = e->now;
	e->marks = mark + 1;
	*ret = mark;
	return 0;
}

void fairlead_engine_rollback(fairlead_engine *e, uint32_t mark)
{
	if (!e->policy || mark >= e->marks)
		return;
	e->ops->rollback(e->policy, mark);
	e->marks = mark;
	if (mark == 0)
		e->now = e->before;
}

int fl_engine_find_node(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
			struct fl_node *ret, fairlead_error *err)
{
	static const struct {
		enum fl_node_kind kind;
		const char *name;
	} kinds[] = {
		[FAIRLEAD_CLUSTER_QUEUE] = { FL_CLUSTER_QUEUE, "ClusterQueue" },
		[FAIRLEAD_COHORT] = { FL_COHORT, "Cohort" },
		[FAIRLEAD_QUEUE] = { FL_QUEUE, "Queue" },
	};

	if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such kind of node");
	*ret = fl_model_find_node(e->model, kinds[kind].kind, name);
	return ret->v != FL_NONE ?
		       0 :
		       fl_fail(err, FAIRLEAD_ENOENT, "no %s '%s'", kinds[kind].name, name);
}

int fairlead_engine_share(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
			  fairlead_share *ret, fairlead_error *err)
{
	int r = fl_engine_check_sealed(e, err);

	return r < 0 ? r : fl_api_face_of(e->ops)->share(e, kind, name, ret, err);
}

int fairlead_engine_standing(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
			     fairlead_error *err)
{
	int r = fl_engine_check_sealed(e, err);

	return r < 0 ? r : fl_api_face_of(e->ops)->standing(e, queue, ret, err);
}

/* --- notices --- */

size_t fairlead_engine_notices(const fairlead_engine *e) { return e->model->n_notices; }

void fairlead_engine_notice(const fairlead_engine *e, size_t at, fairlead_notice *ret)
{
	const struct fl_notice *row = &e->model->notices[at];
	const struct fl_model *m = e->model;

	*ret = (fairlead_notice){
		.file = fl_model_file(m, row->place),
		.kind = fl_notice_name(row->kind),
		.subject = fl_model_text(m, row->subject),
		.text = fl_model_text(m, row->text),
		.hint = fl_model_text(m, row->hint),
		.line = row->place.line,
		.column = row->place.column,
	};
}
