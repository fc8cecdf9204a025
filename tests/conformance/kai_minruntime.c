/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_minruntime - recorded minimum run times of a victim, by what it is taken for
 */
#include <stdlib.h>
#include <string.h>

#include "decide/entitle/rules/minruntime.h"
#include "kai.h"
#include "kai_read.h"

/* Seconds of map[key]; @ret is untouched when it is not there. */
static int read_seconds(const struct fl_doc *d, uint32_t map, const char *key, fl_time *ret,
			fairlead_error *err)
{
	double seconds;
	int rc;

	if (fl_doc_find(d, map, key) == FL_NONE)
		return 0;
	rc = kai_number(d, map, key, &seconds, err);
	if (rc == 0)
		*ret = (fl_time)(seconds * 1e9);
	return rc;
}

static int read_lengths(const struct fl_doc *d, const struct kai_queues *queues,
			struct fl_standing *standings, struct fl_entitle_settings *settings,
			fairlead_error *err)
{
	int rc;

	for (uint32_t i = 0; i < queues->n; i++)
		if ((rc = read_seconds(d, queues->rows[i].value, "preemptMinRuntimeSeconds",
				       &standings[i].preempt_min_run, err)) < 0 ||
		    (rc = read_seconds(d, queues->rows[i].value, "reclaimMinRuntimeSeconds",
				       &standings[i].reclaim_min_run, err)) < 0)
			return rc;
	if ((rc = read_seconds(d, 0, "defaultPreemptMinRuntimeSeconds",
			       &settings->default_preempt_min_run, err)) < 0)
		return rc;
	return read_seconds(d, 0, "defaultReclaimMinRuntimeSeconds",
			    &settings->default_reclaim_min_run, err);
}

int kai_minruntime_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_entitle_settings settings = fl_entitle_settings_default;
	struct kai_queues queues;
	int rc = kai_queues_read(d, &queues, err);

	if (rc < 0)
		return rc;
	if (strcmp(kai_text(d, 0, "reclaimResolveMethod"), "queue") == 0)
		settings.min_run_method = FL_MIN_RUN_QUEUE;
	struct fl_standing *standings = kai_standings(&queues);
	const struct fl_node pending = { kai_queue_find(&queues, kai_text(d, 0, "pendingQueue")) };
	const struct fl_node victim = { kai_queue_find(&queues, kai_text(d, 0, "victimQueue")) };

	rc = read_lengths(d, &queues, standings, &settings, err);
	if (rc == 0 && (pending.v == FL_NONE || victim.v == FL_NONE))
		rc = fl_fail(err, FAIRLEAD_EINPUT, "no such queue");
	if (rc == 0)
		fprintf(out,
			"{\"preemptMinRuntimeSeconds\":%lld,\"reclaimMinRuntimeSeconds\":%lld}",
			(long long)(fl_min_run_preempt(standings, &settings, victim).length /
				    FL_SECOND),
			(long long)(fl_min_run_reclaim(standings, &settings, pending, victim)
					    .length /
				    FL_SECOND));
	free(standings);
	kai_queues_free(&queues);
	return rc;
}
