/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/schema/schema.h"

#include <string.h>

#include "codec/schema/judge.h"
#include "codec/schema/metadata.h"
#include "codec/schema/walk.h"

static unsigned version_of(const struct fl_doc *doc)
{
	const char *text = fl_scalar_at(doc, fl_at(doc, 0, "apiVersion"), "");

	return strcmp(text + strlen(text) - (strlen(text) < 7 ? 0 : 7), "v1beta1") == 0 ?
		       FL_V1BETA1 :
		       FL_V1BETA2;
}

static void ask(struct fl_judge *j, fl_schema_rule *const *rules)
{
	for (; rules && *rules; rules++)
		(*rules)(j);
}

int fl_schema_judge(const struct fl_schema_call *call, fairlead_error *err)
{
	struct fl_judge j = {
		.call = call, .doc = call->doc, .version = version_of(call->doc), .err = err
	};

	fl_schema_walk(&j);
	if (j.cuts)
		fl_doc_close(call->doc);
	if (call->drops_only)
		return j.code;
	if (j.code == 0 && j.n_errors == 0)
		fl_schema_metadata_rules(&j);
	if (j.code == 0 && j.n_errors == 0)
		ask(&j, call->kind->rules);
	if (j.code == 0 && j.n_errors == 0 && call->status)
		ask(&j, call->kind->status);
	if (j.code == 0 && j.n_errors == 0 && call->was)
		ask(&j, call->kind->updates);
	return j.code < 0 ? j.code : (int)(j.n_errors < INT32_MAX ? j.n_errors : INT32_MAX);
}
