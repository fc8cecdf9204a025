/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "codec/object/known.h"
#include "codec/object/kube.h"

/* Objects that a configuration leaves out, and kinds that it does not know, do not differ. */
static int see(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_changes *c = user;

	if (!kind || fl_config_leaves_out(fl_kind_name(kind), /* cluster= */ false))
		return 1;
	return c->collect.object(c->collect.user, k, kind);
}

static int read_side(const struct fl_config *config, struct fl_changes *c, struct fl_model **m,
		     fairlead_error *err)
{
	const struct fl_config_text *texts;
	uint32_t n = fl_config_texts(config, &texts);
	int r = fl_changes_init(c, &fl_mem_heap, err);

	if (r == 0)
		r = fl_model_new(&fl_mem_heap, m, err);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_text_source memory = { texts[i].bytes, texts[i].len };
		const struct fl_kube_tap tap = { .object = see, .user = c };

		r = fl_kube_read_from(*m, texts[i].name,
				      &(struct fl_source){ fl_text_read, &memory }, &tap, err);
	}
	return r;
}

/* The object of the same kind and name; NULL: there is none. */
static struct fl_change *same_of(struct fl_changes *in, const char *name)
{
	struct fl_sym sym = fl_names_find(&in->names, name, strlen(name));

	return sym.v == FL_NONE || sym.v == 0 ? NULL : &in->rows[sym.v - 1];
}

static void compare(struct fl_differing *d)
{
	struct fl_changes *was = &d->sides[0], *is = &d->sides[1];

	for (uint32_t i = 0; i < is->n; i++) {
		struct fl_change *row = &is->rows[i];
		struct fl_change *old = same_of(was, fl_change_name(is, i));

		if (old && fl_doc_hash(&old->doc, 0) == fl_doc_hash(&row->doc, 0))
			continue;
		d->rows[d->n++] = (struct fl_differing_row){
			.what = old ? "replace" : "add",
			.object = fl_change_name(is, i),
			.file = fl_model_text(d->models[1], d->models[1]->inputs[row->input]),
			.line = row->doc.values[0].line,
		};
	}
	for (uint32_t i = 0; i < was->n; i++)
		if (!same_of(is, fl_change_name(was, i)))
			d->rows[d->n++] = (struct fl_differing_row){
				.what = "delete", .object = fl_change_name(was, i)
			};
}

int fl_differing_read(const struct fl_config *was, const struct fl_config *is,
		      struct fl_differing *ret, fairlead_error *err)
{
	int r;

	*ret = (struct fl_differing){ 0 };
	if ((r = read_side(was, &ret->sides[0], &ret->models[0], err)) < 0 ||
	    (r = read_side(is, &ret->sides[1], &ret->models[1], err)) < 0)
		return r;
	ret->rows = calloc((size_t)ret->sides[0].n + ret->sides[1].n + 1, sizeof *ret->rows);
	if (!ret->rows)
		return fl_fail_nomem(err);
	compare(ret);
	return 0;
}

void fl_differing_done(struct fl_differing *d)
{
	for (int i = 0; i < 2; i++) {
		fl_changes_done(&d->sides[i]);
		fl_model_free(d->models[i]);
	}
	free(d->rows);
}
