/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of preemption that a simulation went through (sim/loop_watch.h), in words. */
#include <stdio.h>

#include "report/sim/text.h"

enum { SHOWN_LOOPS = 3, SHOWN_WORKLOADS = 3 };

/* "ns/a of q, ns/b of p and 3 more, from 2h on: 17 preemptions, sure" */
static void say_loop(const struct fl_report *r, const struct fl_sim *sim,
		     const struct fl_watched_loop *l)
{
	char words[(SHOWN_WORKLOADS + 1) * 2 * FL_REPORT_NAME], name[FL_REPORT_NAME], since[32];
	struct fl_workload w;
	uint32_t shown = 0, at = 0;
	int n = 0;

	while (shown < SHOWN_WORKLOADS && (w = fl_sim_loop_next(sim, l, &at)).v != FL_NONE)
		n += snprintf(words + n, sizeof words - (size_t)n, "%s%s of %s",
			      !shown++              ? "" :
			      shown == l->workloads ? " and " :
						      ", ",
			      fl_report_workload(sim->model, w, name),
			      fl_report_node(sim->model, fl_sim_loop_queue(sim->model, w)));
	if (shown < l->workloads)
		n += snprintf(words + n, sizeof words - (size_t)n, " and %u more",
			      l->workloads - shown);
	snprintf(words + n, sizeof words - (size_t)n, ", from %s on: %llu preemption%s, %s",
		 fl_report_age(l->since - sim->options.start, since),
		 (unsigned long long)l->preemptions, l->preemptions == 1 ? "" : "s",
		 l->sure ? "sure" : "repeated");
	fl_sim_say_line(r, "", words);
}

/* The next loop after @last, most preemptions first; NULL. */
static const struct fl_watched_loop *worst_after(const struct fl_loop_watch *r,
						 const struct fl_watched_loop *last)
{
	const struct fl_watched_loop *l, *worst = NULL;

	for (uint32_t i = 0; (l = fl_loop_watch_loop_at(r, &i));) {
		bool later = !last || l->preemptions < last->preemptions ||
			     (l->preemptions == last->preemptions && l->number > last->number);

		if (later && (!worst || l->preemptions > worst->preemptions))
			worst = l;
	}
	return worst;
}

static const char *advice(const struct fl_sim *sim)
{
	if (!sim->ops->settles)
		return "'fairlead prove' shows step by step the loops that need no outside event";
	if (sim->model->settings.settles)
		return "preemptionGuarantee: settles is on: only loops that outside events drive "
		       "are left";
	return "preemptionGuarantee: settles in a Policy ends loops that need no outside event; "
	       "'fairlead prove' shows them step by step";
}

void fl_sim_say_loops(const struct fl_report *r, const struct fl_sim *sim)
{
	const struct fl_loop_watch *watch = &sim->driver.loop_watch;
	const struct fl_watched_loop *l = NULL;
	uint32_t shown = 0, n = 0;
	char words[256];

	if (!watch->n_loops)
		return;
	for (uint32_t i = 0; fl_loop_watch_loop_at(watch, &i);)
		n++;
	snprintf(words, sizeof words, "%u preemption loop%s, %llu preemptions in %s", n,
		 n == 1 ? "" : "s", (unsigned long long)watch->preemptions, n == 1 ? "it" : "them");
	fl_sim_say_line(r, "loops", words);
	while ((r->all || shown < SHOWN_LOOPS) && (l = worst_after(watch, l))) {
		say_loop(r, sim, l);
		shown++;
	}
	if (shown < n) {
		snprintf(words, sizeof words, "%u more; --all shows them", n - shown);
		fl_sim_say_line(r, "", words);
	}
	fl_sim_say_line(r, "", advice(sim));
}
