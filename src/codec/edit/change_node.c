/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/change_node.h"

#include <stdio.h>
#include <string.h>

#include "codec/object/fields.h"
#include "codec/text/quantity.h"

/* An error stays: what follows does nothing. */
struct writer {
	const struct fl_model *m;
	struct fl_doc *doc;
	uint32_t open[16], depth; /* maps and lists, and the keys of maps */
	int r;
	fairlead_error *err;
};

static void token(struct writer *w, enum fl_token_kind kind, enum fl_scalar_type type,
		  const char *text)
{
	const struct fl_token t = {
		.kind = kind,
		.type = type,
		.text = text,
		.len = text ? strlen(text) : 0,
	};

	if (w->r == 0)
		w->r = fl_doc_push(w->doc, &t, w->err);
}

/* @key NULL: an item of a list, or the whole. */
static void begin(struct writer *w, const char *key, enum fl_token_kind kind)
{
	w->open[w->depth++] = key ? w->doc->n : FL_NONE;
	if (key)
		token(w, FL_TOKEN_KEY, FL_SCALAR_STRING, key);
	w->open[w->depth++] = w->doc->n;
	token(w, kind, FL_SCALAR_NULL, NULL);
}

static void end(struct writer *w)
{
	uint32_t v = w->open[--w->depth], key = w->open[--w->depth];

	if (w->r < 0)
		return;
	fl_doc_end(w->doc, v);
	if (key != FL_NONE)
		fl_doc_end(w->doc, key);
}

static void scalar(struct writer *w, const char *key, enum fl_scalar_type type, const char *text)
{
	uint32_t at = w->doc->n;

	if (key)
		token(w, FL_TOKEN_KEY, FL_SCALAR_STRING, key);
	token(w, FL_TOKEN_SCALAR, type, text);
	if (w->r == 0 && key)
		fl_doc_end(w->doc, at);
}

static void text(struct writer *w, const char *key, const char *value)
{
	scalar(w, key, FL_SCALAR_STRING, value);
}

static void sym(struct writer *w, const char *key, struct fl_sym s)
{
	if (s.v != FL_NONE)
		text(w, key, fl_model_text(w->m, s));
}

static void number(struct writer *w, const char *key, int64_t value)
{
	char buffer[32];

	(void)snprintf(buffer, sizeof buffer, "%lld", (long long)value);
	scalar(w, key, FL_SCALAR_INT, buffer);
}

/* --- the parts --- */

static void amount(struct writer *w, const char *key, fl_amount value, const char *resource)
{
	char buffer[32];

	if (value == FL_NO_LIMIT)
		return;
	text(w, key,
	     fl_quantity_format(buffer, value, strcmp(resource, "cpu") == 0, /* binary= */ false));
}

static void quota(struct writer *w, const struct fl_quota *q)
{
	const char *resource = fl_model_text(w->m, q->resource_name);

	begin(w, NULL, FL_TOKEN_MAP);
	text(w, "name", resource);
	amount(w, "nominalQuota", q->nominal, resource);
	amount(w, "borrowingLimit", q->borrowing_limit, resource);
	amount(w, "lendingLimit", q->lending_limit, resource);
	end(w);
}

static void group(struct writer *w, const struct fl_group *g)
{
	begin(w, NULL, FL_TOKEN_MAP);
	begin(w, "coveredResources", FL_TOKEN_LIST);
	for (uint32_t i = 0; i < g->resources.n; i++)
		sym(w, NULL, w->m->syms[g->resources.first + i]);
	end(w);
	begin(w, "flavors", FL_TOKEN_LIST);
	for (uint32_t i = 0; i < g->flavors.n; i++) {
		const struct fl_group_flavor *f = &w->m->group_flavors[g->flavors.first + i];

		begin(w, NULL, FL_TOKEN_MAP);
		sym(w, "name", f->name);
		begin(w, "resources", FL_TOKEN_LIST);
		for (uint32_t k = 0; k < f->quotas.n; k++)
			quota(w, &w->m->quotas[f->quotas.first + k]);
		end(w);
		end(w);
	}
	end(w);
	end(w);
}

/* The shortest text that is read as the same weight. */
static void weight(struct writer *w, double value)
{
	char buffer[40];
	double read = -1;

	for (int digits = 1; digits <= 17 && read != value; digits++) {
		(void)snprintf(buffer, sizeof buffer, "%.*g", digits, value);
		if (fl_quantity_parse_double(buffer, strlen(buffer), &read, NULL) < 0)
			read = -1;
	}
	begin(w, "fairSharing", FL_TOKEN_MAP);
	text(w, "weight", buffer);
	end(w);
}

static void selector(struct writer *w, const char *key, const struct fl_selector *s)
{
	static const char *const operators[] = {
		[FL_OP_IN] = "In",
		[FL_OP_NOT_IN] = "NotIn",
		[FL_OP_EXISTS] = "Exists",
		[FL_OP_NOT_EXISTS] = "DoesNotExist",
	};

	if (!s->present)
		return;
	begin(w, key, FL_TOKEN_MAP);
	begin(w, "matchExpressions", FL_TOKEN_LIST);
	for (uint32_t i = 0; i < s->requirements.n; i++) {
		const struct fl_requirement *r = &w->m->requirements[s->requirements.first + i];

		begin(w, NULL, FL_TOKEN_MAP);
		sym(w, "key", r->key);
		text(w, "operator", operators[r->op]);
		begin(w, "values", FL_TOKEN_LIST);
		for (uint32_t k = 0; k < r->values.n; k++)
			sym(w, NULL, w->m->syms[r->values.first + k]);
		end(w);
		end(w);
	}
	end(w);
	end(w);
}

static void preemption(struct writer *w, const struct fl_node_row *row)
{
	static const char *const policies[] = { "Never", "LowerPriority",
						"LowerOrNewerEqualPriority", "Any" };

	begin(w, "preemption", FL_TOKEN_MAP);
	text(w, "withinClusterQueue", policies[row->within_queue]);
	text(w, "reclaimWithinCohort", policies[row->reclaim]);
	begin(w, "borrowWithinCohort", FL_TOKEN_MAP);
	text(w, "policy", policies[row->borrow_within]);
	if (row->has_borrow_threshold)
		number(w, "maxPriorityThreshold", row->borrow_threshold);
	end(w);
	end(w);
}

static void fungibility(struct writer *w, const struct fl_node_row *row)
{
	static const char *const preferences[] = { "BorrowingOverPreemption",
						   "PreemptionOverBorrowing" };

	begin(w, "flavorFungibility", FL_TOKEN_MAP);
	text(w, "whenCanBorrow",
	     row->when_can_borrow == FL_TRY_NEXT_FLAVOR ? "TryNextFlavor" : "MayStopSearch");
	text(w, "whenCanPreempt",
	     row->when_can_preempt == FL_TRY_NEXT_FLAVOR ? "TryNextFlavor" : "MayStopSearch");
	if (row->preference != fl_cluster_queue_default.preference)
		text(w, "preference", preferences[row->preference]);
	end(w);
}

static void queue(struct writer *w, const struct fl_node_row *row)
{
	static const char *const strategies[] = { "BestEffortFIFO", "StrictFIFO" };

	sym(w, "cohortName", row->parent_name);
	text(w, "queueingStrategy", strategies[row->strategy]);
	text(w, "stopPolicy", fl_stop_word(row->stop));
	selector(w, "namespaceSelector", &row->namespaces);
	preemption(w, row);
	fungibility(w, row);
	if (!row->usage_based)
		return;
	begin(w, "admissionScope", FL_TOKEN_MAP);
	text(w, "admissionMode", "UsageBasedAdmissionFairSharing");
	end(w);
}

int fl_change_node_doc(const struct fl_model *m, struct fl_node n, struct fl_doc *ret,
		       fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n.v];
	const struct fl_kind *kind = row->kind == FL_COHORT ? &fl_kind_cohort :
							      &fl_kind_cluster_queue;
	struct writer w = { .m = m, .doc = ret, .err = err };

	begin(&w, NULL, FL_TOKEN_MAP);
	text(&w, "apiVersion", "kueue.x-k8s.io/v1beta2");
	text(&w, "kind", kind->name);
	begin(&w, "metadata", FL_TOKEN_MAP);
	sym(&w, "name", row->name);
	end(&w);
	begin(&w, "spec", FL_TOKEN_MAP);
	if (row->kind == FL_COHORT)
		sym(&w, "parentName", row->parent_name);
	else
		queue(&w, row);
	begin(&w, "resourceGroups", FL_TOKEN_LIST);
	for (uint32_t i = 0; i < row->groups.n; i++)
		group(&w, &m->groups[row->groups.first + i]);
	end(&w);
	weight(&w, row->weight);
	end(&w);
	end(&w);
	return w.r;
}
