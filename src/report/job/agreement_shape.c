/* SPDX-License-Identifier: Apache-2.0 */
/* agreement_shape - its rows as JSON */
#include "report/job/agreement.h"

static const char rfc_3339[] = "RFC 3339";
static const char *const kinds[] = { "admit", "evict" };
static const char *const sides[] = { "real", "engine", "placed" };
static const char *const causes[] = { "rule", "time", "order", "unknown" };

#define NOT_NEGATIVE .more = "{\"minimum\": 0}"
#define PART .more = "{\"minimum\": 0, \"maximum\": 1}"

#define ROW struct fl_agreement_row
static const struct fl_json_field row_fields[] = {
	FL_FIELD(TEXT, "kind", kind, "an admission, or an eviction by a preemption",
		 FL_NAMES(kinds)),
	FL_FIELD(TEXT, "reason", reason, "why; absent: all of the kind", .maybe = true),
	FL_FIELD(COUNT64, "real", real, "what the scheduler decided, for this reason"),
	FL_FIELD(COUNT64, "realToo", real_too, "of these, what the engine decided, too"),
	FL_FIELD(COUNT64, "engine", engine, "what the engine decided, for this reason"),
	FL_FIELD(COUNT64, "engineToo", engine_too, "of these, what the scheduler decided, too"),
	FL_FIELD(OR_NULL, "ofReal", of_real, "realToo / real; null where nothing was decided",
		 PART),
	FL_FIELD(OR_NULL, "ofEngine", of_engine, "engineToo / engine; the same", PART),
};
static const struct fl_json_shape row_shape = FL_SHAPE(row_fields, "agreementRow");
#undef ROW

/* --- differences --- */

static void put_number(const struct fl_shape_at *at, const char *key, const struct fl_number *n)
{
	enum fl_field_type type = n->kind == FL_NUMBER_TIME     ? FL_AS_TIME :
				  n->kind == FL_NUMBER_DURATION ? FL_AS_SECONDS :
				  n->kind == FL_NUMBER_AMOUNT   ? FL_AS_AMOUNT :
								  FL_AS_RATIO;

	if (type == FL_AS_RATIO)
		fl_shape_value(at, key, type, &n->share);
	else
		fl_shape_value(at, key, type, &n->amount);
}

static void put_lhs(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, &((const struct fl_agreement_inequality *)row)->lhs);
}

static void put_rhs(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, &((const struct fl_agreement_inequality *)row)->rhs);
}

#define ROW struct fl_agreement_inequality
static const struct fl_json_field inequality_fields[] = {
	FL_FIELD(TEXT, "check", check, "which comparison"),
	FL_FIELD(TEXT, "meaning", meaning, "what is compared"),
	FL_FIELD(TEXT, "node", node, "the queue or cohort", .maybe = true),
	FL_FIELD(TEXT, "flavor", flavor, "of the amounts", .maybe = true),
	FL_FIELD(TEXT, "resource", resource, "of the amounts", .maybe = true),
	FL_FIELD_PUT(TEXT, "lhs", put_lhs, "the number on the left; in a share or ratio not whole",
		     .more = "{\"type\": [\"number\", \"string\"]}"),
	FL_FIELD_PUT(TEXT, "rhs", put_rhs, "the number on the right",
		     .more = "{\"type\": [\"number\", \"string\"]}"),
	FL_FIELD(BOOL, "holds", holds, "does it hold?"),
};
static const struct fl_json_shape inequality_shape = FL_SHAPE(inequality_fields, "inequality");
#undef ROW

#define ROW struct fl_agreement_difference
static const struct fl_json_field difference_fields[] = {
	FL_FIELD(COUNT64, "number", number, "goes up with each difference"),
	FL_FIELD(COUNT64, "window", window, "in which it was decided"),
	FL_FIELD(TIME, "at", at, "when it was decided"),
	FL_FIELD(TIME, "later", later,
		 "only the engine decided so, and the scheduler did at this time", .maybe = true),
	FL_FIELD(TEXT, "kind", kind, "an admission, or an eviction by a preemption",
		 FL_NAMES(kinds)),
	FL_FIELD(TEXT, "side", side,
		 "real: only the scheduler decided so; engine: only the engine; placed: both, with "
		 "other flavors or numbers of pods",
		 FL_NAMES(sides)),
	FL_FIELD(
		TEXT, "cause", cause,
		"time: the scheduler decided so later, or the workload ended before; order: in the state "
		"in which the scheduler was the engine decides as it did, so the order of what was heard "
		"and decided before; rule: neither, so another rule, or what the scheduler has in its "
		"memory alone; unknown: to find it took too long",
		FL_NAMES(causes)),
	FL_FIELD(TEXT, "workload", workload, "absent where the caller may not see it",
		 .maybe = true),
	FL_FIELD(TEXT, "queue", queue, "its ClusterQueue", .maybe = true),
	FL_FIELD(TEXT, "real", real, "the scheduler's reason", .maybe = true),
	FL_FIELD(TEXT, "engine", engine,
		 "the engine's reason: why it decided so, or why the workload is pending",
		 .maybe = true),
	FL_FIELD(TEXT, "said", said, "what the cluster says of the workload", .maybe = true),
	FL_FIELD_TO("inequality", by, inequality_shape,
		    "the last comparison by which the engine decided otherwise", .maybe = true),
	FL_FIELD(BOOL, "kept", kept,
		 "is the state just before its window kept? GET /v1/agreement/WINDOW/state"),
};
static const struct fl_json_shape difference_shape = FL_SHAPE(difference_fields, "difference");
#undef ROW

#define ROW struct fl_agreement_answer
static const struct fl_json_field agreement_fields[] = {
	FL_FIELD(TIME, "from", from, "of the hours that are counted"),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD(TIME, "began", began, "when the daemon began to compare"),
	FL_FIELD(REAL, "windowSeconds", window, "how long the engine is run on from a decision",
		 NOT_NEGATIVE),
	FL_FIELD(COUNT64, "windows", windows, "how many were compared"),
	FL_FIELD(COUNT64, "unjudged", unjudged,
		 "decisions that could not be compared, as of workloads that ended at once"),
	FL_FIELD_LIST("kinds", kinds, n_kinds, row_shape, "all admissions, and all evictions"),
	FL_FIELD_LIST("reasons", rows, n_rows, row_shape, "the same by reason"),
	FL_FIELD_LIST("differences", differences, n_differences, difference_shape,
		      "the newest 1000, the oldest first"),
};
const struct fl_json_shape fl_agreement_shape = FL_SHAPE(agreement_fields, "agreement");
const struct fl_document fl_agreement_document = { .kind = "Agreement",
						   .shape = &fl_agreement_shape,
						   .plain = true };
#undef ROW
