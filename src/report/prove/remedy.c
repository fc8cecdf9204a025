/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings would end a loop, and what became of each when it was tried. */
#include <stdio.h>
#include <string.h>

#include "ask/prove/proof.h"
#include "report/out/table.h"
#include "report/prove/prove_report.h"

enum { NAMED = 3 }; /* of those who wait */

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
				fl_loop_name(p->loop));
	if (fl_proof_is_one(p))
		return snprintf(text, size, "no order goes round (%s)", states);
	if (p->complete)
		return snprintf(text, size, "no loop was found, and that is no proof (%s)", states);
	return snprintf(text, size, "no loop in %s, and there are more", states);
}

static void put_waiting(const struct fl_report *r, const struct fl_remedies *all,
			const struct fl_remedy *remedy, char *text, size_t size)
{
	uint32_t n = remedy->waiting.n, shown = n > NAMED && !r->all ? NAMED : n;
	char name[FL_REPORT_NAME];
	int used = snprintf(text, size, n ? "; waiting then: " : "; nobody waits then");

	for (uint32_t i = 0; i < shown && used > 0 && (size_t)used < size; i++)
		used += snprintf(text + used, size - (size_t)used, "%s%s", i ? ", " : "",
				 fl_report_workload(r->model,
						    all->waiting[remedy->waiting.first + i], name));
	if (shown < n && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, " and %u more", n - shown);
}

/* "no order goes round (12 states); settles after 2 cycles; waiting then: ns/a" */
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
		{ "WHAT THEN", FL_COL_WRAP, 0 },
	};
	char setting[160], outcome[FL_ROUND_TEXT];
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

void fl_remedies_json(struct fl_json *j, const struct fl_report *r,
		      const struct fl_remedies *remedies)
{
	char name[FL_REPORT_NAME];

	fl_json_list(j, "remedies");
	for (uint32_t i = 0; i < remedies->n; i++) {
		const struct fl_remedy *row = &remedies->rows[i];

		fl_json_object(j, NULL);
		fl_json_text(j, "object", settings[row->kind].object);
		fl_json_text(j, "setting", settings[row->kind].setting);
		fl_json_bool(j, "ends", fl_remedy_helps(row));
		fl_json_text(j, "loop", fl_loop_name(row->proof.loop));
		fl_json_bool(j, "race", row->race);
		fl_json_int(j, "states", (int64_t)row->proof.states);
		fl_json_bool(j, "complete", row->proof.complete);
		fl_json_bool(j, "proof", fl_proof_is_one(&row->proof));
		fl_json_bool(j, "settles", row->own.settled);
		fl_json_int(j, "cycles", row->own.kept);
		fl_json_int(j, "evictions", row->evictions);
		if (row->own.settled) {
			fl_json_list(j, "waiting");
			for (uint32_t w = 0; w < row->waiting.n; w++)
				fl_json_text(j, NULL,
					     fl_report_workload(
						     r->model,
						     remedies->waiting[row->waiting.first + w],
						     name));
			fl_json_end_list(j);
		}
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}
