/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_reclaim - recorded answers to "may this queue reclaim, and these victims?"
 *
 * Beside the two answers, how each victim queue's side passes before it has lost anything.
 */
#include <stdlib.h>

#include "decide/entitle/rules/reclaim_rules.h"
#include "kai.h"
#include "kai_read.h"

struct question {
	struct kai_queues queues;
	struct fl_standing *standings;
	struct fl_reclaim_options options;
	struct fl_reclaimer reclaimer;
	struct fl_reclaim_victim *victims;
	uint32_t n_victims;
};

static uint32_t items(const struct fl_doc *d, uint32_t list)
{
	uint32_t n = 0;

	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next)
		n++;
	return n;
}

/* The victims of one queue. */
static int read_victims(const struct fl_doc *d, uint32_t map, struct question *q,
			fairlead_error *err)
{
	const struct fl_node queue = { kai_queue_find(&q->queues, kai_text(d, map, "queue")) };
	uint32_t list = fl_doc_find(d, map, "resources");
	int rc;

	if (queue.v == FL_NONE || list == FL_NONE)
		return fl_fail(err, FAIRLEAD_EINPUT, "a victim without a queue or resources");
	q->victims = realloc(q->victims, (q->n_victims + items(d, list)) * sizeof *q->victims);
	if (!q->victims)
		exit(3);
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next) {
		struct fl_reclaim_victim *victim = &q->victims[q->n_victims++];

		*victim = (struct fl_reclaim_victim){ .queue = queue, .workload = { FL_NONE } };
		if ((rc = kai_amounts(d, v, &victim->amount, err)) < 0)
			return rc;
	}
	return 0;
}

static int read_question(const struct fl_doc *d, struct question *q, fairlead_error *err)
{
	uint32_t reclaimer = fl_doc_find(d, 0, "reclaimer");
	uint32_t list = fl_doc_find(d, 0, "reclaimees");
	int rc;

	q->options.multiplier = 1;
	q->options.keep_below_quota = kai_true(d, 0, "keepBelowQuota");
	q->options.protect_quota = kai_true(d, 0, "protectQuota");
	q->reclaimer.preemptible = kai_true(d, reclaimer, "preemptible");
	q->reclaimer.queue.v = kai_queue_find(&q->queues, kai_text(d, reclaimer, "queue"));
	if (q->reclaimer.queue.v == FL_NONE || list == FL_NONE)
		return fl_fail(err, FAIRLEAD_EINPUT, "no such reclaimer, or no victims");
	if ((rc = kai_number(d, 0, "reclaimerUtilizationMultiplier", &q->options.multiplier, err)) <
		    0 ||
	    (rc = kai_bundle(d, reclaimer, "request", &q->reclaimer.request, err)) < 0)
		return rc;
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next)
		if ((rc = read_victims(d, v, q, err)) < 0)
			return rc;
	return 0;
}

static void put_bool(FILE *out, const char *key, bool value)
{
	fprintf(out, "\"%s\":%s", key, value ? "true" : "false");
}

static void put_strategy(FILE *out, const struct question *q, uint32_t victim)
{
	const struct fl_standing *s = q->standings;
	struct fl_node own, side;
	bool fair, deserved;

	fl_reclaim_sides(s, q->reclaimer.queue, q->victims[victim].queue, &own, &side);
	fair = fl_reclaim_maintains_fair_share(&s[side.v], &s[side.v].allocated);
	deserved = fl_reclaim_guarantees_deserved(&s[own.v], &q->reclaimer.request, &s[side.v],
						  &s[side.v].allocated);
	fprintf(out, "{\"reclaimee\":\"%s\",\"leveledReclaimer\":\"%s\",",
		q->queues.rows[q->victims[victim].queue.v].name, q->queues.rows[own.v].name);
	fprintf(out, "\"leveledReclaimee\":\"%s\",", q->queues.rows[side.v].name);
	put_bool(out, "maintainFairShare", fair);
	fputc(',', out);
	put_bool(out, "guaranteeDeservedQuota", deserved);
	fputc(',', out);
	put_bool(out, "fits", fair || deserved);
	fputc('}', out);
}

static void put_answer(FILE *out, const struct question *q, struct fl_reclaim_scratch *scratch)
{
	fputc('{', out);
	put_bool(out, "canReclaimResources",
		 fl_reclaim_may(q->standings, &q->reclaimer, /* witness= */ NULL));
	fputc(',', out);
	put_bool(out, "reclaimable",
		 fl_reclaim_allows(q->standings, &q->options, &q->reclaimer, q->victims,
				   q->n_victims, scratch, /* witness= */ NULL));
	fputs(",\"strategies\":[", out);
	for (uint32_t i = 0; i < q->n_victims; i++) {
		if (i && q->victims[i].queue.v == q->victims[i - 1].queue.v)
			continue;
		fputs(i ? "," : "", out);
		put_strategy(out, q, i);
	}
	fputs("]}", out);
}

int kai_reclaim_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_reclaim_scratch *scratch;
	struct question q = { .n_victims = 0 };
	struct fl_arena arena;
	int rc = kai_queues_read(d, &q.queues, err);

	if (rc < 0)
		return rc;
	fl_arena_init(&arena, &fl_mem_heap);
	q.standings = kai_standings(&q.queues);
	if ((rc = read_question(d, &q, err)) == 0 &&
	    (rc = fl_reclaim_scratch_new(&arena, q.queues.n, q.n_victims, &scratch, err)) == 0)
		put_answer(out, &q, scratch);
	fl_arena_done(&arena);
	free(q.victims);
	free(q.standings);
	kai_queues_free(&q.queues);
	return rc;
}
