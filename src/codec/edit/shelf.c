/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/shelf.h"

#include <string.h>

#include "codec/object/fields.h"

static struct fl_doc *free_doc(const struct fl_mem *mem, struct fl_doc *doc)
{
	if (doc)
		fl_doc_done(doc);
	return fl_mem_free(mem, doc);
}

/* The shelf takes over @doc, also after an error. */
static int push(struct fl_shelf *s, struct fl_doc *doc, const char *input, bool shared,
		fairlead_error *err)
{
	struct fl_shelf_row row = { .doc = doc, .shared = shared };
	int r = fl_names_add(&s->inputs, input, strlen(input), &row.input, err);

	if (r == 0)
		r = fl_mem_grow(s->mem, &s->rows, &s->cap, s->n + 1, sizeof *s->rows, err);
	if (r == 0)
		s->rows[s->n++] = row;
	else if (!shared)
		free_doc(s->mem, doc);
	return r;
}

static int push_copy(struct fl_shelf *s, const struct fl_doc *from, const char *input,
		     fairlead_error *err)
{
	struct fl_doc *doc = s->mem->resize(s->mem->user, NULL, sizeof *doc);
	int r;

	if (!doc)
		return fl_fail_nomem(err);
	fl_doc_init(doc, s->mem);
	r = fl_doc_copy(from, doc, err);
	if (r < 0) {
		free_doc(s->mem, doc);
		return r;
	}
	return push(s, doc, input, /* shared= */ false, err);
}

static const char *input_of(const struct fl_model *m, uint32_t input)
{
	return fl_model_text(m, m->inputs[input]);
}

/* For an object in the text of another one (a ConfigMap), that other one is kept. */
static int put(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_shelf *s = user;

	s->seen++;
	if (!kind || k->fixed.line)
		return 0;
	return push_copy(s, &k->doc, input_of(k->m, k->input), k->err);
}

int fl_shelf_init(struct fl_shelf *s, const struct fl_mem *mem, fairlead_error *err)
{
	*s = (struct fl_shelf){ .mem = mem, .tap = { .object = put, .user = s } };
	return fl_names_init(&s->inputs, mem, err);
}

void fl_shelf_done(struct fl_shelf *s)
{
	if (!s->mem)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->rows[i].shared)
			free_doc(s->mem, s->rows[i].doc);
	fl_mem_free(s->mem, s->rows);
	fl_names_done(&s->inputs);
	*s = (struct fl_shelf){ 0 };
}

/* --- laying changes over it --- */

struct laying {
	struct fl_changes *c;
	const struct fl_model *edit;
	struct fl_shelf *to;
	bool stays; /* the row that is read now */
};

static int lay(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct laying *l = user;
	int r;

	if (!kind || k->fixed.line)
		return 0;
	r = l->c->lay.object(l->c->lay.user, k, kind);
	l->stays = r == 0;
	return r;
}

/* Keeps an object that was read for a change. */
static int keep(void *user, uint32_t input, const struct fl_doc *doc, fairlead_error *err)
{
	const struct laying *l = user;

	return push_copy(l->to, doc, input_of(l->edit, input), err);
}

/* The inputs of the objects on the shelf follow those of the changes. */
static int push_inputs(const struct fl_shelf *s, struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < s->inputs.n && r == 0; i++) {
		const char *name = fl_names_text(&s->inputs, (struct fl_sym){ i });
		struct fl_sym sym;

		r = fl_model_sym(m, name, strlen(name), &sym, err);
		if (r == 0)
			r = fl_model_push_inputs(m, &sym, /* ret_id= */ NULL, err);
	}
	return r;
}

static int check_deleted(const struct fl_changes *c, fairlead_error *err)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->rows[i].deleted && !c->rows[i].met)
			return fl_fail(err, FAIRLEAD_ENOENT, "there is no '%s' to delete",
				       fl_change_name(c, i));
	return 0;
}

int fl_shelf_lay(struct fl_shelf *s, struct fl_changes *c, const struct fl_model *edit,
		 struct fl_model *m, struct fl_shelf *ret, fairlead_error *err)
{
	struct laying l = { .c = c, .edit = edit, .to = ret };
	const struct fl_kube_tap tap = { .object = lay, .user = &l };
	int r = fl_changes_begin(c, edit, m, err);

	if (r == 0)
		r = push_inputs(s, m, err);
	c->keep = keep;
	c->keep_user = &l;
	for (uint32_t i = 0; i < s->n && r == 0; i++) {
		struct fl_shelf_row *row = &s->rows[i];

		l.stays = true;
		r = fl_kube_read_again(m, edit->n_inputs + row->input.v, row->doc, &tap, err);
		row->stays = l.stays;
		if (r == 0 && row->stays)
			r = push(ret, row->doc, fl_names_text(&s->inputs, row->input),
				 /* shared= */ true, err);
	}
	if (r == 0)
		r = check_deleted(c, err);
	if (r == 0)
		r = fl_changes_add(c, m, err);
	c->keep = NULL;
	return r;
}

int fl_shelf_add(struct fl_changes *c, const struct fl_model *edit, struct fl_model *m,
		 struct fl_shelf *ret, fairlead_error *err)
{
	struct laying l = { .c = c, .edit = edit, .to = ret };
	int r = fl_changes_begin(c, edit, m, err);

	c->keep = keep;
	c->keep_user = &l;
	if (r == 0)
		r = fl_changes_add(c, m, err);
	c->keep = NULL;
	return r;
}

int fl_shelf_reserve(struct fl_shelf *s, const struct fl_shelf *more, fairlead_error *err)
{
	int r = fl_mem_grow(s->mem, &s->rows, &s->cap, s->n + more->n, sizeof *s->rows, err);

	for (uint32_t i = 0; i < more->n && r == 0; i++) {
		const char *name = fl_names_text(&more->inputs, more->rows[i].input);
		struct fl_sym sym;

		r = fl_names_add(&s->inputs, name, strlen(name), &sym, err);
	}
	return r;
}

void fl_shelf_join(struct fl_shelf *s, struct fl_shelf *more)
{
	for (uint32_t i = 0; i < more->n; i++) {
		const char *name = fl_names_text(&more->inputs, more->rows[i].input);

		s->rows[s->n] = more->rows[i];
		s->rows[s->n++].input = fl_names_find(&s->inputs, name, strlen(name));
	}
	more->n = 0;
	fl_shelf_done(more);
}

void fl_shelf_give(struct fl_shelf *s, struct fl_shelf *next)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->rows[i].shared |= s->rows[i].stays;
	for (uint32_t i = 0; i < next->n; i++)
		next->rows[i].shared = false;
	fl_shelf_done(s);
}
