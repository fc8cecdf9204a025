/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves (fairlead.dev/v1alpha1): an order of moves for `plan --settle` to follow, as `prove --out`
 * writes it.  doc/guide/prove.md.
 */
#include <string.h>

#include "codec/object/fields.h"

/* --- one move: exactly one of its fields --- */

struct move {
	struct fl_move_row row;
	uint32_t said; /* of its fields */
};

/* "namespace/name" */
static int read_workload(struct fl_kube *k, uint32_t v, struct move *move)
{
	struct fl_sym text;
	int r = fl_kube_text(k, v, &text);
	const char *name = r == 0 ? fl_doc_text(&k->doc, v) : "", *slash = strchr(name, '/');

	move->said++;
	if (r < 0)
		return r;
	if (!slash || slash == name || slash[1] == '\0' || strchr(slash + 1, '/'))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected 'NAMESPACE/NAME', not '%.100s'", name);
	r = fl_model_sym(k->m, name, (size_t)(slash - name), &move->row.namespace, k->err);
	return r < 0 ? r :
		       fl_model_sym(k->m, slash + 1, strlen(slash + 1), &move->row.name, k->err);
}

static int read_serve(struct fl_kube *k, uint32_t v, void *row)
{
	((struct move *)row)->row.kind = FL_MOVE_SERVE;
	return read_workload(k, v, row);
}

static int read_let_go(struct fl_kube *k, uint32_t v, void *row)
{
	((struct move *)row)->row.kind = FL_MOVE_LET_GO;
	return read_workload(k, v, row);
}

static int read_true(struct fl_kube *k, uint32_t v, struct move *move, enum fl_move_kind kind)
{
	bool on = false;
	int r = fl_kube_bool(k, v, &on);

	move->row.kind = kind;
	move->said++;
	return r == 0 && !on ? fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected true") : r;
}

static int read_cycle(struct fl_kube *k, uint32_t v, void *row)
{
	return read_true(k, v, row, FL_MOVE_CYCLE);
}

static int read_wait(struct fl_kube *k, uint32_t v, void *row)
{
	return read_true(k, v, row, FL_MOVE_WAIT);
}

static const struct fl_field move[] = {
	{ .name = "serve", .read = read_serve, .text = FL_TEXT_FULL_NAME },
	{ .name = "letGo", .read = read_let_go, .text = FL_TEXT_FULL_NAME },
	{ .name = "cycle", .read = read_cycle },
	{ .name = "wait", .read = read_wait },
	{ .name = NULL },
};

static int read_moves(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	(void)row;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct move one = { .row = { .namespace = { FL_NONE },
					     .name = { FL_NONE },
					     .workload = { FL_NONE } } };

		one.row.place = fl_kube_place(k, item);
		r = fl_kube_map(k, item, move, &one);
		if (r == 0 && one.said != 1)
			r = fl_kube_fail(k, item, FAIRLEAD_EINPUT,
					 "a move is one of 'serve', 'letGo', 'cycle' and 'wait'");
		if (r == 0)
			r = fl_model_push_moves(k->m, &one.row, /* ret_id= */ NULL, k->err);
	}
	return r;
}

/* --- the whole --- */

static int read_repeat(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t n = 0;
	int r = fl_kube_int32(k, v, &n);

	(void)row;
	if (r == 0 && n < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number of moves");
	k->m->settings.moves_repeat = (uint32_t)n;
	return r;
}

static const struct fl_field spec[] = {
	{ .name = "moves", .read = read_moves, .fields = move, .list = true },
	{ .name = "repeat", .read = read_repeat },
	{ .name = NULL },
};

static const struct fl_field moves_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

static int read_document(struct fl_kube *k)
{
	struct fl_settings *settings = &k->m->settings;
	uint32_t v = fl_doc_find(&k->doc, 0, "spec");
	int r;

	if (settings->has_moves) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second Moves");
		fl_fail_hint(k->err, "the first is at %.200s:%u:%u",
			     fl_model_text(k->m, k->m->inputs[settings->moves_place.file]),
			     settings->moves_place.line, settings->moves_place.column);
		return FAIRLEAD_EINPUT;
	}
	settings->has_moves = true;
	settings->moves_place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, moves_fields, /* row= */ NULL);
	v = v == FL_NONE ? 0 : v;
	if (r == 0 && settings->moves_repeat > k->m->n_moves)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'repeat' is more than there are moves");
	return r;
}

const struct fl_kind fl_kind_moves = { "fairlead.dev", "Moves",      false,     moves_fields,
				       read_document,  FL_TEXT_NAME, "v1alpha1" };
