/* SPDX-License-Identifier: Apache-2.0 */
/* fields - prints doc/guide/fields.md from the tables that the codec reads by */
#include <stdio.h>

#include "codec/object/kube.h"

static const char *word(enum fl_support support)
{
	switch (support) {
	case FL_FIELD_SUPPORTED:
		return "supported";
	case FL_FIELD_IGNORED:
		return "passed over";
	case FL_FIELD_NOTED:
		return "not acted on, with a warning";
	case FL_FIELD_REFUSED:
		return "refused";
	}
	return "";
}

int main(void)
{
	struct fl_kube_field field;

	puts("# What fairlead reads of each kind\n\n"
	     "Every field that it knows, and what becomes of it. A field that is not here gets a warning\n"
	     "(`unknown-field`, with the nearest name; `--strict` makes it an error); an object of another\n"
	     "kind gets one as well (`ignored-object`). v1beta1 and v1beta2 of `kueue.x-k8s.io` are read\n"
	     "alike, so both spellings of a renamed field stand here. Queue is of\n"
	     "`scheduling.run.ai/v2`, PodGroup of `scheduling.run.ai/v2alpha2`, SchedulingShard of\n"
	     "`kai.scheduler/v1`; labels, annotations and arguments that are not listed are passed over.\n"
	     "[entitle-objects.md](entitle-objects.md) says how these come together.\n\n"
	     "This page is printed from the tables of the code and compared with them in the tests; another\n"
	     "test holds the tables against every field of Kueue's API. [workloads.md](workloads.md) says how\n"
	     "what the objects say of a workload comes together.");
	for (uint32_t kind = 0; fl_kube_kind(kind); kind++) {
		printf("\n## %s\n\n| field | |\n|---|---|\n", fl_kube_kind(kind));
		for (uint32_t i = 0; fl_kube_field(kind, i, &field); i++)
			printf("| `%s` | %s%s%s |\n", field.path, word(field.support),
			       field.note || field.support == FL_FIELD_IGNORED ? ": " : "",
			       field.note                        ? field.note :
			       field.support == FL_FIELD_IGNORED ? "decides nothing" :
								   "");
	}
	return 0;
}
