/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/out/report_json.h"
#include "report/tune/tune_report.h"

/* null where there is none. */
static void put_number(struct fl_json *j, const char *key, double value)
{
	if (isfinite(value))
		fl_json_number(j, key, value);
	else
		fl_json_null(j, key);
}

/* In seconds; null for never. */
static void put_time(struct fl_json *j, const char *key, fl_time time)
{
	put_number(j, key, time == FL_NEVER ? HUGE_VAL : (double)time / 1e9);
}

static void put_costs(struct fl_json *j, const struct fl_tune_report *t, double part, double usage)
{
	put_number(j, "costIfOthersIdle", fl_tune_cost(t->tune.k, part, usage, FL_OTHERS_IDLE));
	put_number(j, "costIfOthersBusy", fl_tune_cost(t->tune.k, part, usage, FL_OTHERS_BUSY));
}

static void put_use(struct fl_json *j, const struct fl_tune_report *t)
{
	double usage = fl_tune_usage(&t->tune, t->part, t->used, 0);

	fl_json_object(j, "use");
	put_number(j, "clusterPart", t->part);
	put_time(j, "seconds", t->used);
	put_number(j, "weight", t->weights[t->own].weight);
	put_number(j, "usage", usage);
	put_costs(j, t, t->weights[t->own].part, usage);
	put_time(j, "halfForgottenSeconds", fl_tune_halves(&t->tune, t->used));
	put_time(j, "forgottenSeconds", t->tune.window);
	fl_json_end_object(j);
}

static void put_weight(struct fl_json *j, const struct fl_tune_report *t,
		       const struct fl_tune_weight *w)
{
	fl_json_object(j, NULL);
	put_number(j, "weight", w->weight);
	fl_json_int(j, "queues", w->count);
	put_number(j, "part", w->part);
	fl_json_object(j, "hourOfCluster");
	put_costs(j, t, w->part, fl_tune_usage(&t->tune, 1, 3600 * FL_SECOND, 0));
	fl_json_end_object(j);
	put_number(j, "portionWhenIdle", fl_tune_portion(t->tune.k, w->part, 0, FL_OTHERS_BUSY));
	put_number(j, "yieldsFromK", fl_tune_least_k(&t->tune, w->part));
	put_time(j, "yieldsAfterSeconds", fl_tune_yields(&t->tune, w->part));
	put_time(j, "backAfterSeconds", fl_tune_recovers(&t->tune, w->part));
	fl_json_end_object(j);
}

void fl_tune_json(const struct fl_report *r, const struct fl_tune_report *t)
{
	static const char *const found[] = { [FL_TUNE_K] = "k",
					     [FL_TUNE_HALF_LIFE] = "halfLife",
					     [FL_TUNE_WINDOW] = "window",
					     [FL_TUNE_PAIR] = "kAndHalfLife" };
	struct fl_json j;

	fl_json_start(&j, r, "Tune", /* policy= */ NULL);
	put_number(&j, "k", t->tune.k);
	put_time(&j, "halfLifeSeconds", t->tune.half_life ? t->tune.half_life : FL_NEVER);
	put_time(&j, "windowSeconds", t->tune.window);
	if (t->found) {
		fl_json_text(&j, "found", found[t->found]);
		put_number(&j, "cost", t->cost);
		fl_json_text(&j, "others", t->others == FL_OTHERS_BUSY ? "busy" : "idle");
	}
	put_use(&j, t);
	fl_json_list(&j, "weights");
	for (uint32_t i = 0; i < t->n_weights; i++)
		put_weight(&j, t, &t->weights[i]);
	fl_json_end_list(&j);
	put_time(&j, "turnOfTwoSeconds", fl_tune_turn(&t->tune));
	fl_json_list(&j, "notes");
	for (uint32_t i = 0; i < t->n_notes; i++) {
		fl_json_object(&j, NULL);
		fl_json_text(&j, "code", t->notes[i].code);
		fl_json_text(&j, "text", t->notes[i].text);
		fl_json_end_object(&j);
	}
	fl_json_end_list(&j);
	fl_json_finish(&j);
}
