/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/entitle_families.h"

#include "base/random.h"

const struct entitle_family entitle_families[] = {
#define FAMILY(...) { __VA_ARGS__ },
#include "prove/entitle_families.def"
#undef FAMILY
};
const unsigned entitle_n_families = sizeof entitle_families / sizeof *entitle_families;

/* A number with a digit for each choice, the first the fastest; or digits drawn at random. */
struct number {
	uint64_t left, size; /* size: of all choices so far; 0: too large */
	struct fl_random *random;
};

static uint8_t choose(struct number *n, uint32_t of)
{
	uint64_t digit = (n->random ? fl_random_bits(n->random) >> 33 : n->left) % of;

	n->left /= of;
	n->size = n->size > UINT64_MAX / of ? 0 : n->size * of;
	return (uint8_t)digit;
}

/* Pods and minimum: one of so many pairs. */
static void choose_shape(struct number *n, const struct entitle_family *f, struct entitle_gang *g)
{
	uint32_t of = f->elastic ? f->pods * (f->pods + 1U) / 2 : f->pods;
	uint8_t shape = choose(n, of);

	g->pods = 1;
	if (f->elastic)
		for (; shape >= g->pods; g->pods++)
			shape = (uint8_t)(shape - g->pods);
	else
		g->pods = (uint8_t)(1 + shape);
	g->least = f->elastic ? (uint8_t)(1 + shape) : g->pods;
}

static void choose_queue(struct number *n, const struct entitle_family *f, struct entitle_queue *q)
{
	q->limit = -1;
	q->deserved = (int8_t)choose(n, f->deserved + 1U);
	q->weight = f->weight ? choose(n, f->weight + 1U) : 1;
	q->priority = choose(n, f->queue_priority + 1U);
	q->used = choose(n, f->used + 1U);
}

static uint64_t make(const struct entitle_family *f, struct number n, struct entitle_config *ret)
{
	unsigned leaves = f->leaves_each ? f->tops * f->leaves_each : f->tops;
	unsigned first = f->leaves_each ? f->tops : 0;

	*ret = (struct entitle_config){ .n_machines = f->machines,
					.n_queues = (uint8_t)(first + leaves),
					.n_gangs = f->gangs,
					.k = f->k };
	for (unsigned i = 0; i < f->machines; i++)
		ret->machines[i] = (uint8_t)(1 + choose(&n, f->machine_gpus));
	for (unsigned i = 0; i < ret->n_queues; i++) {
		choose_queue(&n, f, &ret->queues[i]);
		ret->queues[i].parent = (int8_t)(i < f->tops ? -1 :
							       (int)((i - first) / f->leaves_each));
	}
	for (unsigned i = 0; i < f->gangs; i++) {
		struct entitle_gang *g = &ret->gangs[i];

		g->queue = (uint8_t)(first + choose(&n, leaves));
		g->priority = choose(&n, f->priority + 1U);
		g->gpus = (uint8_t)(1 + choose(&n, f->gpus));
		choose_shape(&n, f, g);
	}
	return n.size;
}

uint64_t entitle_family_size(const struct entitle_family *f)
{
	struct entitle_config unused;

	return make(f, (struct number){ .size = 1 }, &unused);
}

void entitle_family_make(const struct entitle_family *f, uint64_t n, struct entitle_config *ret)
{
	(void)make(f, (struct number){ .left = n, .size = 1 }, ret);
}

void entitle_family_draw(const struct entitle_family *f, uint64_t seed, struct entitle_config *ret)
{
	struct fl_random random;

	fl_random_init(&random, seed, /* stream= */ 0);
	(void)make(f, (struct number){ .size = 1, .random = &random }, ret);
}
