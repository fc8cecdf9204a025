/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/former.h"

#include <string.h>

#include "codec/object/fields.h"

static int take(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_former *f = user;
	struct fl_sym sym;
	int r = fl_names_add(&f->names, k->subject, strlen(k->subject), &sym, k->err);

	(void)kind;
	if (r < 0 || sym.v <= f->n)
		return r < 0 ? r : 1; /* the first of two counts */
	r = fl_mem_grow(f->mem, &f->docs, &f->cap, f->n + 1, sizeof *f->docs, k->err);
	if (r == 0)
		r = fl_doc_copy(&k->doc, &f->docs[f->n], k->err);
	if (r < 0)
		return r;
	f->n++;
	return 1; /* no rows are made of it */
}

int fl_former_init(struct fl_former *f, const struct fl_mem *mem, fairlead_error *err)
{
	*f = (struct fl_former){ .mem = mem, .tap = { .object = take, .user = f } };
	return fl_names_init(&f->names, mem, err);
}

void fl_former_done(struct fl_former *f)
{
	if (!f->mem)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		fl_doc_done(&f->docs[i]);
	fl_mem_free(f->mem, f->docs);
	fl_names_done(&f->names);
	*f = (struct fl_former){ 0 };
}

const struct fl_doc *fl_former_find(const struct fl_former *f, const char *subject,
				    const char *api_version)
{
	struct fl_sym sym = fl_names_find(&f->names, subject, strlen(subject));
	const struct fl_doc *doc;
	uint32_t v;

	if (sym.v == FL_NONE || sym.v == 0 || sym.v > f->n)
		return NULL;
	doc = &f->docs[sym.v - 1];
	v = fl_doc_find(doc, 0, "apiVersion");
	return v != FL_NONE && strcmp(fl_doc_text(doc, v), api_version) == 0 ? doc : NULL;
}
