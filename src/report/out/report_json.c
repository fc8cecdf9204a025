/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/report_json.h"

void fl_json_head(struct fl_json *j, FILE *out, const char *kind)
{
	fl_json_init(j, out);
	fl_json_object(j, NULL);
	fl_json_text(j, "apiVersion", "fairlead.dev/v1alpha1");
	fl_json_text(j, "kind", kind);
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
	if (!r->n_warnings)
		return;
	fl_json_list(j, "warnings");
	for (uint32_t i = 0; i < r->n_warnings; i++)
		fl_json_text(j, NULL, r->warnings[i]);
	fl_json_end_list(j);
}

void fl_json_finish(struct fl_json *j)
{
	fl_json_end_object(j);
	putc('\n', j->out);
}
