/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_order - recorded comparisons of sibling queues, each with each
 *
 * {"kind":"pending", "jobs":{queue:[bundle]}}: the first is what the queue's next job would
 * start.  {"kind":"victims"}: all of them are victims so far.
 */
#include <stdlib.h>
#include <string.h>

#include "decide/entitle/rules/order.h"
#include "kai.h"
#include "kai_read.h"

/* Jobs of queue @q into its turn. */
static int read_turn(const struct fl_doc *d, bool victims, const struct kai_queue *q,
		     struct fl_turn *turn, fairlead_error *err)
{
	uint32_t list = fl_doc_find(d, fl_doc_find(d, 0, "jobs"), q->name);

	if (list == FL_NONE)
		return 0;
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next) {
		struct fl_bundle amount = { { 0 } };
		int rc = kai_amounts(d, v, &amount, err);

		if (rc < 0)
			return rc;
		fl_bundle_add(victims ? &turn->goes : &turn->comes, &amount);
		if (!victims)
			return 0;
	}
	return 0;
}

static void put_pair(FILE *out, const struct kai_queues *queues, uint32_t l, uint32_t r, int order)
{
	fprintf(out, "[\"%s\",\"%s\",%d]", queues->rows[l].name, queues->rows[r].name, order);
}

int kai_order_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	bool victims = strcmp(kai_text(d, 0, "kind"), "victims") == 0;
	struct fl_bundle total = { { 0 } };
	struct kai_queues queues;
	const char *comma = "";
	int rc = kai_bundle(d, 0, "total", &total, err);

	if (rc < 0 || (rc = kai_queues_read(d, &queues, err)) < 0)
		return rc;
	struct fl_standing *standings = kai_standings(&queues);
	struct fl_turn *turns = kai_alloc(queues.n, sizeof *turns);

	for (uint32_t i = 0; i < queues.n && rc == 0; i++) {
		turns[i].queue.v = i;
		rc = read_turn(d, victims, &queues.rows[i], &turns[i], err);
	}
	fputs("{\"compare\":[", out);
	for (uint32_t i = 0; i < queues.n; i++)
		for (uint32_t j = 0; j < queues.n; j++) {
			uint32_t l = queues.by_name[i], r = queues.by_name[j];

			if (l == r)
				continue;
			fputs(comma, out);
			comma = ",";
			put_pair(out, &queues, l, r,
				 fl_queue_order(standings, &total, &turns[l], &turns[r]));
		}
	fputs("]}", out);
	free(turns);
	free(standings);
	kai_queues_free(&queues);
	return rc;
}
