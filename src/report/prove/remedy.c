/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that could end a loop, and the outcome of each when it was tried. */
#include <stdio.h>
#include <string.h>

#include "ask/prove/proof.h"
#include "report/out/table.h"
#include "report/prove/prove_report.h"

enum { NAMED = 3 }; /* waiting workloads that are named */

/* The object that says it, and what it says. */
static const struct {
	const char *object, *setting;
} settings[FL_REMEDIES] = {
	[FL_REMEDY_SETTLES] = { "Policy", "preemptionGuarantee: settles" },
	[FL_REMEDY_FINAL_SHARE] = { "Configuration",
				    "preemptionStrategies: [LessThanOrEqualToFinalShare]" },
	[FL_REMEDY_INITIAL_SHARE] = { "Configuration",
				      "preemptionStrategies: [LessThanInitialShare]" },
	[FL_REMEDY_HOLD] = { "Policy", "defaults: holdFreedQuota: true" },
	[FL_REMEDY_BEST_EFFORT] = { "ClusterQueue", "queueingStrategy: BestEffortFIFO" },
	[FL_REMEDY_PROTECT_QUOTA] = { "Policy", "entitlement: protectQuota: true" },
	[FL_REMEDY_KEEP_BELOW] = { "Policy", "entitlement: keepBelowQuota: true" },
	[FL_REMEDY_MULTIPLIER] = { "SchedulingShard", "relcaimerSaturationMultiplier: 1.5" },
};

/* In any order. */
static int put_proof(const struct fl_prove_result *p, bool race, char *text, size_t size)
{
	char states[32];

	snprintf(states, sizeof(states), "%llu state%s", (unsigned long long)p->states,
		 p->states == 1 ? "" : "s");
	if (p->loop != FL_LOOP_NONE)
		return snprintf(text, size,
				race ? "a loop is left, %s, by a race alone" : "a loop is left, %s",
				fl_loop_names[p->loop]);
	if (fl_proof_is_one(p))
		return snprintf(text, size, "no order loops (%s)", states);
	if (p->complete)
		return snprintf(text, size, "no loop was found, but that is not a proof (%s)",
				states);
	return snprintf(text, size, "no loop in %s, and there are more", states);
}

static void put_waiting(const struct fl_report *r, const struct fl_remedies *all,
			const struct fl_remedy *remedy, char *text, size_t size)
{
	uint32_t n = remedy->waiting.n, shown = n > NAMED && !r->all ? NAMED : n;
	char name[FL_REPORT_NAME];
	int used = snprintf(text, size, n ? "; waiting then: " : "; no workload waits then");

	for (uint32_t i = 0; i < shown && used > 0 && (size_t)used < size; i++)
		used += snprintf(text + used, size - (size_t)used, "%s%s", i ? ", " : "",
				 fl_report_workload(r->model,
						    all->waiting[remedy->waiting.first + i], name));
	if (shown < n && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, " and %u more", n - shown);
}

/* "no order loops (12 states); settles after 2 cycles; waiting then: ns/a" */
static void put_outcome(const struct fl_report *r, const struct fl_remedies *all,
			const struct fl_remedy *remedy, char *text, size_t size)
{
	const struct fl_settle_result *own = &remedy->own;
	size_t used = (size_t)put_proof(&remedy->proof, remedy->race, text, size);

	if (own->settled) {
		used += (size_t)snprintf(text + used, size - used,
					 "; settles after %u cycle%s and %u eviction%s", own->kept,
					 own->kept == 1 ? "" : "s", remedy->evictions,
					 remedy->evictions == 1 ? "" : "s");
		put_waiting(r, all, remedy, text + used, size - used);
	} else if (own->loop_first && own->loop_period == 1) {
		snprintf(text + used, size - used,
			 "; cycle %u of the scheduler's own order repeats", own->loop_first);
	} else if (own->loop_first) {
		snprintf(text + used, size - used,
			 "; cycles %u to %u of the scheduler's own order repeat", own->loop_first,
			 own->loop_first + own->loop_period - 1);
	} else {
		snprintf(text + used, size - used, "; not settled after %u cycles", own->cycles);
	}
}

static const char *ends(const struct fl_remedy *row)
{
	if (fl_remedy_helps(row))
		return fl_proof_is_one(&row->proof) ? "yes" : "as far as seen";
	return row->race && row->own.settled ? "but for races" : "no";
}

int fl_remedies_text(const struct fl_report *r, const struct fl_remedies *remedies,
		     fairlead_error *err)
{
	static const struct fl_column_head heads[] = {
		{ "SETTING", FL_COL_WRAP, 0 },
		{ "ENDS IT", 0, 0 },
		{ "OUTCOME", FL_COL_WRAP, 0 },
	};
	char setting[160], outcome[FL_LOOP_MOVE_TEXT];
	struct fl_table *t = NULL;

	if (!remedies->n)
		return 0;
	fl_report_say(r, FL_STYLE_BOLD, 0, "Settings that could end it, each tried on this input:");
	int rc = fl_table_begin(r, heads, 3, &t, err);
	for (uint32_t i = 0; i < remedies->n && rc == 0; i++) {
		const struct fl_remedy *row = &remedies->rows[i];
		bool helps = fl_remedy_helps(row);

		snprintf(setting, sizeof(setting), "%s: %s", settings[row->kind].object,
			 settings[row->kind].setting);
		put_outcome(r, remedies, row, outcome, sizeof(outcome));
		rc = fl_table_texts(t, (const char *const[]){ setting, ends(row), outcome }, 3,
				    err);
		if (rc >= 0 && helps)
			fl_table_style(t, 1, FL_STYLE_GOOD);
	}
	return fl_table_end(t, rc, err);
}

/* --- JSON --- */

struct remedy {
	enum fl_remedy_kind kind;
	const char *setting;
	bool ends, proof;
	struct fl_remedy of;
	const struct fl_workload *waiting;
	uint32_t n_waiting;
};

/* @source: of the rows of a struct fl_remedies, which these begin. */
static bool fill_remedy(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_remedy *r = source;
	const struct fl_remedies *all = (const void *)(r - i);

	(void)at;
	*(struct remedy *)row = (struct remedy){
		.kind = r->kind,
		.setting = settings[r->kind].setting,
		.ends = fl_remedy_helps(r),
		.proof = fl_proof_is_one(&r->proof),
		.of = *r,
		.waiting = all->waiting + r->waiting.first,
		.n_waiting = r->waiting.n,
	};
	return true;
}

static const char *object_name(unsigned kind) { return settings[kind].object; }

static const char *object(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return object_name(((const struct remedy *)row)->kind);
}

#define ROW struct remedy
static const struct fl_json_field remedy_fields[] = {
	FL_FIELD_TEXT("object", object, NULL, .name_of = object_name, .end_name = FL_REMEDIES),
	FL_FIELD(TEXT, "setting", setting, NULL, .more = "{\"minLength\": 1}"),
	FL_FIELD(BOOL, "ends", ends, "no loop was found with it, and it settles"),
	FL_FIELD_ENUM("loop", of.proof.loop, fl_loop_names, "the loop that is left"),
	FL_FIELD(BOOL, "race", of.race, "all loops that are left take a race"),
	FL_FIELD(COUNT64, "states", of.proof.states, "explored"),
	FL_FIELD(BOOL, "complete", of.proof.complete, "all states were explored"),
	FL_FIELD(BOOL, "proof", proof, "that there is no loop with it"),
	FL_FIELD(BOOL, "settles", of.own.settled, "in the scheduler's own order"),
	FL_FIELD(COUNT, "cycles", of.own.kept, "until then"),
	FL_FIELD(COUNT, "evictions", of.evictions, NULL),
	FL_FIELD_ITEMS(WORKLOAD, "waiting", waiting, n_waiting, "workloads that wait then",
		       FL_IF_TRUE(of.own.settled)),
};
static const struct fl_json_shape remedy_shape = FL_SHAPE_MADE(remedy_fields, fill_remedy,
							       sizeof(struct fl_remedy), "remedy");
#undef ROW

_Static_assert(offsetof(struct fl_remedies, rows) == 0, "fill_remedy finds all by the first");
#define ROW struct fl_remedies
static const struct fl_json_field remedies_fields[] = {
	FL_FIELD_LIST("remedies", rows, n, remedy_shape,
		      "settings that could end it, each tried on this input"),
};
const struct fl_json_shape fl_remedies_shape = FL_SHAPE(remedies_fields, "remedies");
#undef ROW
