/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves (fairlead.dev/v1alpha1): an order of moves for `plan --settle` to follow, as `prove --out`
 * writes it.  doc/guide/prove.md.
 */
#include <string.h>

#include "codec/own/values.h"

/* --- one move: exactly one of its fields --- */

/* "namespace/name" of the workload of a move, or true. */
struct move {
	struct fl_move_row row;
	bool said[FL_MOVE_WAIT + 1];
};

static int read_workload(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_move_row *row = to;
	struct fl_sym text;
	int r = fl_kube_text(k, v, &text);
	const char *name = r == 0 ? fl_doc_text(&k->doc, v) : "", *slash = strchr(name, '/');

	(void)f;
	if (r < 0)
		return r;
	if (!slash || slash == name || slash[1] == '\0' || strchr(slash + 1, '/'))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected 'NAMESPACE/NAME', not '%.100s'", name);
	r = fl_model_sym(k->m, name, (size_t)(slash - name), &row->namespace, k->err);
	return r < 0 ? r : fl_model_sym(k->m, slash + 1, strlen(slash + 1), &row->name, k->err);
}

static int read_true(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	bool on = false;
	int r = fl_kube_bool(k, v, &on);

	(void)f, (void)to;
	return r == 0 && !on ? fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected true") : r;
}

#define FL_C_workload struct fl_move_row
#define FL_C_yes struct fl_move_row
static const struct fl_type fl_type_workload = {
	.read = read_workload, .schema = "\"type\": \"string\", \"pattern\": \"^[^/]+/[^/]+$\""
};
static const struct fl_type fl_type_yes = { .read = read_true, .schema = "\"const\": true" };

#define MOVE(field, type, kind)                                                                    \
	FL_IS(field, type, struct move, row), FL_SAID(struct move, said[kind]), .one = true

static const struct fl_field move[] = {
	{ MOVE("serve", workload, FL_MOVE_SERVE), .text = FL_TEXT_FULL_NAME,
	  .doc = "A cycle that serves one workload only: its NAMESPACE/NAME." },
	{ MOVE("letGo", workload, FL_MOVE_LET_GO), .text = FL_TEXT_FULL_NAME,
	  .doc = "An eviction completes: NAMESPACE/NAME of the evicted workload." },
	{ MOVE("cycle", yes, FL_MOVE_CYCLE), .doc = "A whole scheduling cycle." },
	{ MOVE("wait", yes, FL_MOVE_WAIT),
	  .doc = "Wait until all effects of passing time are over." },
	{ .name = NULL },
};

static int read_move(struct fl_kube *k, uint32_t v, void *unused)
{
	struct move one = { .row = { .namespace = { FL_NONE },
				     .name = { FL_NONE },
				     .workload = { FL_NONE },
				     .place = fl_kube_place_of(k, v) } };
	unsigned said = 0;
	int r = fl_kube_map(k, v, move, &one);

	(void)unused;
	for (unsigned kind = 0; kind <= FL_MOVE_WAIT; kind++)
		if (one.said[kind]) {
			one.row.kind = (enum fl_move_kind)kind;
			said++;
		}
	if (r == 0 && said != 1)
		r = fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				 "a move is one of 'serve', 'letGo', 'cycle' and 'wait'");
	return r < 0 ? r : fl_model_push_moves(k->m, &one.row, /* ret_id= */ NULL, k->err);
}

/* --- the whole; row: struct fl_settings --- */

static const struct fl_field spec[] = {
	{ FL_IS_EACH("moves", read_move), .fields = move, .list = true },
	{ FL_IS("repeat", uint32, struct fl_settings, moves_repeat), .least = 0, .most = INT32_MAX,
	  .fail = "expected a number of moves",
	  .doc = "How many of the last moves repeat for ever: the preemption loop. Default 0." },
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

	if (settings->has_moves)
		return fl_own_second(k, "Moves", settings->moves_place);
	settings->has_moves = true;
	settings->moves_place = fl_kube_place_of(k, 0);
	r = fl_kube_map(k, 0, moves_fields, settings);
	v = v == FL_NONE ? 0 : v;
	if (r == 0 && settings->moves_repeat > k->m->n_moves)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "'repeat' is more than the number of moves");
	return r;
}

const struct fl_kind fl_kind_moves = { "fairlead.dev", "Moves",      false,     moves_fields,
				       read_document,  FL_TEXT_NAME, "v1alpha1" };
