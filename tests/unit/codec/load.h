/* SPDX-License-Identifier: Apache-2.0 */
/* load - manifests in a text to a model, for tests */
#ifndef FL_TESTS_LOAD_H
#define FL_TESTS_LOAD_H

#include <stdio.h>
#include <string.h>

#include "codec/object/kube.h"
#include "lib/unit.h"

/* An unsealed model, or NULL with *err. */
static inline struct fl_model *load_open(const struct fl_mem *mem, const char *text,
					 fairlead_error *err)
{
	struct fl_model *m = NULL;

	*err = (fairlead_error){ 0 };
	if (fl_model_new(mem, &m, err) < 0)
		return NULL;
	return fl_kube_read(m, "in", text, strlen(text), err) < 0 ? fl_model_free(m) : m;
}

/* A sealed model; fails the test when the text is bad. */
static inline struct fl_model *load(const char *text)
{
	fairlead_error err;
	struct fl_model *m = load_open(&fl_mem_heap, text, &err);

	if (!m)
		fail_msg("%u:%u: %s: %s", err.line, err.column, err.subject, err.text);
	if (m && fl_model_seal(m, &err) < 0)
		fail_msg("seal: %s: %s", err.subject, err.text);
	return m;
}

/* The first notice of that kind; NULL when there is none. */
static inline const struct fl_notice *load_notice(const struct fl_model *m,
						  enum fl_notice_kind kind)
{
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (m->notices[i].kind == kind)
			return &m->notices[i];
	return NULL;
}

/* The whole notice as one line: "3:1 ClusterQueue/a: text"; "" when there is none. */
static inline const char *load_notice_line(const struct fl_model *m, enum fl_notice_kind kind,
					   char buffer[512])
{
	const struct fl_notice *n = load_notice(m, kind);

	buffer[0] = '\0';
	if (n)
		(void)snprintf(buffer, 512, "%u:%u %s: %s", n->place.line, n->place.column,
			       fl_model_text(m, n->subject), fl_model_text(m, n->text));
	return buffer;
}

#endif
