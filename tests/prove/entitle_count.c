/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/entitle_count.h"

#include <inttypes.h>

const char *const entitle_way_names[ENTITLE_WAYS] = { "possible", "forced", "held", "scheduler" };

static const uint8_t all_modes = ENTITLE_BOUNDED | ENTITLE_TURNS | ENTITLE_KEEP_BELOW |
				 ENTITLE_PROTECT;

static bool goes(const struct entitle_outcome *o, enum entitle_way way)
{
	switch (way) {
	case ENTITLE_POSSIBLE:
		return o->loop != FL_LOOP_NONE;
	case ENTITLE_FORCED:
		return o->loop == FL_LOOP_FORCED;
	case ENTITLE_HELD:
		return o->held != FL_LOOP_NONE;
	case ENTITLE_SCHEDULER:
		return o->scheduler;
	case ENTITLE_WAYS:
		break;
	}
	return false;
}

static unsigned actions_of(const struct entitle_outcome *o, enum entitle_way way)
{
	return way == ENTITLE_SCHEDULER ? o->its_actions :
	       way == ENTITLE_HELD      ? o->held_actions :
					  o->actions;
}

/* Fewer workloads first, then queues, machines, GPUs, and what is not plain. */
static uint64_t size_of(const struct entitle_config *c)
{
	uint64_t gpus = 0, odd = (uint64_t)c->k + c->settings;

	for (unsigned i = 0; i < c->n_machines; i++)
		gpus += c->machines[i];
	for (unsigned i = 0; i < c->n_gangs; i++) {
		const struct entitle_gang *g = &c->gangs[i];

		gpus += (uint64_t)g->pods * g->gpus;
		odd += (uint64_t)g->priority + (g->pods > 1) + (g->least < g->pods);
	}
	for (unsigned i = 0; i < c->n_queues; i++) {
		const struct entitle_queue *q = &c->queues[i];

		odd += (uint64_t)q->deserved + (q->weight != 1) + q->priority + q->used;
		odd += q->parent >= 0;
	}
	return ((((uint64_t)c->n_gangs * 8 + c->n_queues) * 8 + c->n_machines) * 256 + gpus) * 256 +
	       odd;
}

/* Of what @o says of @c: what is left of it with one thing set, too? */
static void find_remedies(struct entitle_counts *counts, struct entitle_explorer *x,
			  const struct entitle_config *c, const struct entitle_outcome *o)
{
	for (unsigned i = 0; i < ENTITLE_REMEDIES; i++) {
		struct entitle_config other = *c;
		struct entitle_outcome then = { 0 };

		other.settings |= i < ENTITLE_SETTINGS ? (uint8_t)(1U << i) : all_modes;
		if (o->loop == FL_LOOP_FORCED || o->held)
			entitle_explore(x, &other, &then);
		else
			entitle_explore_scheduler(&other, &then);
		for (enum entitle_way way = ENTITLE_FORCED; way < ENTITLE_WAYS; way++)
			counts->ended[way][i] += goes(o, way) && !goes(&then, way);
	}
}

void entitle_count(struct entitle_counts *counts, struct entitle_explorer *x,
		   const struct entitle_config *c)
{
	struct entitle_outcome o;

	entitle_explore(x, c, &o);
	counts->n++;
	counts->unfinished += !o.complete;
	counts->states += o.states;
	counts->evicts += o.loop != FL_LOOP_NONE || o.bound > 0;
	if (o.complete && o.loop == FL_LOOP_NONE && o.bound > counts->bound)
		counts->bound = o.bound;
	for (enum entitle_way way = 0; way < ENTITLE_WAYS; way++) {
		struct entitle_kind *k = &counts->kinds[way][actions_of(&o, way)];

		if (!goes(&o, way))
			continue;
		counts->ways[way]++;
		if (k->n++ == 0 || size_of(c) < size_of(&k->smallest))
			k->smallest = *c;
	}
	if (o.scheduler || o.held || o.loop == FL_LOOP_FORCED)
		find_remedies(counts, x, c, &o);
}

static bool is_of(struct entitle_explorer *x, const struct entitle_config *c, enum entitle_way way,
		  unsigned actions)
{
	struct entitle_outcome o;

	if (c->n_gangs == 0 || c->n_queues == 0)
		return false;
	entitle_explore(x, c, &o);
	return o.complete && goes(&o, way) && actions_of(&o, way) == actions;
}

static bool shrink(struct entitle_explorer *x, struct entitle_config *c, enum entitle_way way,
		   unsigned actions)
{
	struct entitle_config next;
	int r = 0;

	for (unsigned i = 0; r >= 0; i++) {
		r = entitle_config_smaller(c, i, &next);
		if (r > 0 && is_of(x, &next, way, actions)) {
			*c = next;
			return true;
		}
	}
	return false;
}

void entitle_shrink(struct entitle_counts *counts, struct entitle_explorer *x)
{
	for (enum entitle_way way = 0; way < ENTITLE_WAYS; way++)
		for (unsigned a = 0; a < ENTITLE_KINDS; a++) {
			struct entitle_kind *k = &counts->kinds[way][a];

			while (k->n > 0 && shrink(x, &k->smallest, way, a))
				continue;
		}
}

void entitle_counts_print(const struct entitle_counts *counts, FILE *to)
{
	(void)fprintf(to, "%" PRIu64 " explored, %" PRIu64 " evict", counts->n, counts->evicts);
	for (enum entitle_way way = 0; way < ENTITLE_WAYS; way++)
		(void)fprintf(to, ", %" PRIu64 " %s", counts->ways[way], entitle_way_names[way]);
	(void)fprintf(to, ", %" PRIu64 " unfinished, bound %u, %" PRIu64 " states\n",
		      counts->unfinished, counts->bound, counts->states);
}

void entitle_kinds_print(const struct entitle_counts *counts, FILE *to)
{
	char text[64];

	for (enum entitle_way way = 0; way < ENTITLE_WAYS; way++)
		for (unsigned a = 0; a < ENTITLE_KINDS; a++)
			if (counts->kinds[way][a].n)
				(void)fprintf(to, "  %s, %s: %" PRIu64 "\n", entitle_way_names[way],
					      entitle_actions_text(a, text, sizeof text),
					      counts->kinds[way][a].n);
	for (enum entitle_way way = ENTITLE_FORCED; way < ENTITLE_WAYS; way++) {
		if (!counts->ways[way])
			continue;
		(void)fprintf(to, "  %s, ended by", entitle_way_names[way]);
		for (unsigned i = 0; i < ENTITLE_REMEDIES; i++)
			(void)fprintf(to, " %s: %" PRIu64,
				      i < ENTITLE_SETTINGS ? entitle_setting_names[i] : "modes",
				      counts->ended[way][i]);
		(void)fputc('\n', to);
	}
}
