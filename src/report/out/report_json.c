/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/report_json.h"

void fl_json_head(struct fl_json *j, FILE *out, const char *kind)
{
	fl_json_init(j, out);
	fl_json_object(j, NULL);
	fl_json_text(j, "apiVersion", "fairlead.dev/v1alpha1");
	fl_json_text(j, "kind", kind);
}

/* Only where there are some: most answers are about all of the input. */
static void put_notices(struct fl_json *j, const struct fl_model *m, const char *key,
			enum fl_notice_kind a, enum fl_notice_kind b)
{
	bool some = false;

	for (uint32_t i = 0; i < m->n_notices; i++) {
		const struct fl_notice *n = &m->notices[i];

		if (n->kind != a && n->kind != b)
			continue;
		if (!some)
			fl_json_list(j, key);
		some = true;
		fl_json_object(j, NULL);
		fl_json_text(j, "object", fl_model_text(m, n->subject));
		fl_json_text(j, "message", fl_model_text(m, n->text));
		if (n->place.line) {
			fl_json_text(j, "file", fl_model_file(m, n->place));
			fl_json_int(j, "line", n->place.line);
		}
		if (n->kind == FL_NOTICE_COUNTED)
			fl_json_bool(j, "counted", true);
		fl_json_end_object(j);
	}
	if (some)
		fl_json_end_list(j);
}

void fl_json_start(struct fl_json *j, const struct fl_report *r, const char *kind,
		   const char *policy)
{
	fl_json_head(j, r->out, kind);
	if (policy)
		fl_json_text(j, "policy", policy);
	fl_json_list(j, "assumptions");
	for (uint32_t i = 0; i < r->n_assumptions; i++)
		fl_json_text(j, NULL, r->assumptions[i]);
	fl_json_end_list(j);
	if (r->n_warnings) {
		fl_json_list(j, "warnings");
		for (uint32_t i = 0; i < r->n_warnings; i++)
			fl_json_text(j, NULL, r->warnings[i]);
		fl_json_end_list(j);
	}
	if (!r->model)
		return;
	put_notices(j, r->model, "leftOut", FL_NOTICE_LEFT_OUT, FL_NOTICE_COUNTED);
	put_notices(j, r->model, "uncertain", FL_NOTICE_UNCERTAIN, FL_NOTICE_UNCERTAIN);
}

void fl_json_finish(struct fl_json *j)
{
	fl_json_end_object(j);
	putc('\n', j->out);
}
