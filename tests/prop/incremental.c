/* SPDX-License-Identifier: Apache-2.0 */
/*
 * incremental - a step that looks at what changed decides as one that looks at everything
 *
 *   incremental [--policy borrow|drf|entitle] [--seed N] [--world N] [--events N] [--keep FILE]
 *               [--heads 1] [--settles 1] [--generations same|apart|joined] [--digests N]
 *               [--others 1] [--told 1] [--images 1]
 *
 * Many small worlds, in each of them some hundreds of random operations, until there were
 * --events events in all.  World N of a seed is always the same one; on a difference the
 * program says how to have that world alone again, and cuts down the list of operations to
 * those without which there is none.  --keep writes its objects.
 *
 * --heads holds something else against each other, which should be the same too: a policy with
 * many heads a cycle, and one with one head a cycle that makes as many cycles.  --settles has
 * both under a Policy with preemptionGuarantee: settles, every other world with an evictionTimeout.
 * --generations has the second one adopted all the time by another policy (generations.h).
 * --others has another scheduler decide as well, who gives out quota and evicts (FL_EV_HOLDS,
 * FL_EV_GOES); and --told the second one told in this way what workloads hold in the beginning,
 * which only the first one's model knows (told.h).  --images has the second one saved and loaded,
 * or adopted, before each step (lib/reload.h).
 *
 * --digests says of N worlds what became of each, a line a world: its number, how many events and
 * steps there were, a hash of all that its full steps decided, and the digest of where it ended.
 * tests/guard/states keeps such lines, so that a change of the engine that changes both policies
 * alike is seen as well.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "decide/drf/drf.h"
#include "decide/entitle/entitle.h"
#include "fuzz/chosen_borrow.h"
#include "fuzz/chosen_entitle.h"
#include "lib/reload.h"
#include "prop/generations.h"
#include "prop/lockstep.h"
#include "prop/told.h"

enum { MOST_DRAWS = 400, WORLD_BYTES = 4096 };

struct options {
	const char *policy, *keep;
	unsigned long seed, world, events, digests;
	bool one; /* world only */
	bool heads, settles, others, told, images;
	const char *generations; /* NULL: none */
};

/* A world and what is done in it. */
struct run {
	unsigned long number;
	bool unsampled, moving;
	uint8_t world[WORLD_BYTES];
	struct draw draws[MOST_DRAWS];
	unsigned n;
	struct text objects;
	struct fl_model *m[BOTH];
};

static struct options options = { .policy = "borrow", .seed = 1, .events = 100000 };
static struct run run;
static unsigned at;        /* draw */
static unsigned long told; /* workloads */

static bool entitled(void) { return strcmp(options.policy, "entitle") == 0; }

/* By name: alone, inside generations, and in images (NULL: drf is not). */
static const struct {
	const char *name;
	const struct fl_policy_ops *ops, *generations, *reload;
} policies[] = {
	{ "borrow", &fl_borrow_policy, &generations_borrow, &reload_borrow },
	{ "drf", &fl_drf_policy, &generations_drf, NULL },
	{ "entitle", &fl_entitle_policy, &generations_entitle, &reload_entitle },
};

enum { POLICIES = sizeof policies / sizeof *policies };

static unsigned policy(void)
{
	unsigned i = 0;

	while (i < POLICIES && strcmp(options.policy, policies[i].name) != 0)
		i++;
	return i;
}

/* How to have this world again. */
static void say_again(void)
{
	(void)fprintf(stderr,
		      "again: incremental --policy %s --seed %lu --world %lu%s%s%s%s%s%s%s\n",
		      options.policy, options.seed, run.number, options.heads ? " --heads 1" : "",
		      options.settles ? " --settles 1" : "", options.others ? " --others 1" : "",
		      options.told ? " --told 1" : "", options.images ? " --images 1" : "",
		      options.generations ? " --generations " : "",
		      options.generations ? options.generations : "");
}

/* An assertion of the engine's failed: say where. */
static void say_where(int signal)
{
	(void)fprintf(stderr, "incremental: died at operation %u\n", at);
	say_again();
	_Exit(128 + signal);
}

/* --- worlds --- */

static void fill(struct fl_random *r, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t bits = fl_random_bits(r);

		memcpy(bytes + i, &bits, n - i < 8 ? n - i : 8);
	}
}

static void choose_world(void)
{
	static const struct chosen_borrow borrows[] = {
		{ .queues = 3, .cohorts = 2, .flavors = 1, .jobs = 10, .rich = true },
		{ .queues = 4, .cohorts = 4, .flavors = 2, .jobs = 14, .rich = true },
		{ .queues = 8, .cohorts = 5, .flavors = 3, .jobs = 36, .rich = true },
		{ .queues = 10, .cohorts = 4, .flavors = 1, .jobs = 40, .rich = true },
	};
	static const struct chosen_entitle entitles[] = {
		{ .tops = 1, .leaves = 3, .machines = 1, .jobs = 6, .pods = 2 },
		{ .tops = 2, .middles = 2, .leaves = 4, .machines = 3, .jobs = 8, .pods = 3 },
		{ .tops = 3, .middles = 3, .leaves = 6, .machines = 4, .jobs = 16, .pods = 3 },
		{ .tops = 2, .middles = 1, .leaves = 5, .machines = 2, .jobs = 12, .pods = 2 },
	};
	struct choices c = { run.world, run.world + sizeof run.world };
	unsigned size = choose(&c, 4);

	run.unsampled = choose(&c, 4) == 0;
	run.moving = choose(&c, 2);
	if (entitled())
		chosen_entitle(&run.objects, &c, &entitles[size]);
	else
		chosen_borrow(&run.objects, &c, &borrows[size]);
}

static struct fl_model *read_world(void)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	if (fl_kube_read(m, "in", run.objects.bytes, run.objects.n, &err) < 0 ||
	    fl_model_seal(m, &err) < 0) {
		(void)fprintf(stderr, "incremental: %u:%u %s: %s\n", err.line, err.column,
			      err.subject, err.text);
		abort();
	}
	return m;
}

static enum generations kind_of(const char *name)
{
	return strcmp(name, "same") == 0   ? GENERATIONS_SAME :
	       strcmp(name, "joined") == 0 ? GENERATIONS_JOINED :
					     GENERATIONS_APART;
}

static void make(unsigned long number)
{
	struct fl_random random;

	run.number = number;
	fl_random_init(&random, options.seed, number);
	fill(&random, run.world, sizeof run.world);
	run.n = 40 + (unsigned)(fl_random_bits(&random) % (MOST_DRAWS - 40));
	fill(&random, (uint8_t *)run.draws, run.n * sizeof *run.draws);
	choose_world();
	if (options.generations)
		generations_of(&run.objects, kind_of(options.generations));
	for (int i = 0; i < BOTH; i++) {
		run.m[i] = read_world();
		if (options.heads)
			run.m[i]->settings.many_heads = i == PART;
		run.m[i]->settings.settles |= options.settles;
		if (options.settles && run.number % 2)
			run.m[i]->settings.eviction_timeout = 20 * FL_SECOND;
	}
	if (options.told)
		told_take(run.m[PART]);
}

/* --- runs --- */

/* True: both are alike to the end; else @l says how not, and `at` where.  *ret_digest: of the end. */
static bool go(struct lockstep *l, bool aloud, uint64_t ret_digest[2])
{
	struct fl_policy_options o = { .mem = &fl_mem_heap,
				       .now = run.m[FULL]->newest,
				       .unsampled = run.unsampled,
				       .moving_usage = run.moving };
	static const struct draw step = { { 15, 63 } };
	const struct fl_policy_ops *ops[BOTH];
	bool same;

	ops[FULL] = ops[PART] = policies[policy()].ops;
	if (options.generations)
		ops[PART] = policies[policy()].generations;
	if (options.images && policies[policy()].reload)
		ops[PART] = policies[policy()].reload;
	lockstep_open(l, ops, (const struct fl_model *const *)run.m, &o);
	l->apart = ops[PART] != ops[FULL];
	l->aloud = aloud;
	l->others = options.others || options.told;
	same = !options.told || told_tell(l, run.m[PART], run.number % 2, &told);
	if (same && options.told && entitled()) /* shares are those of the last cycle */
		same = lockstep_do(l, &step);
	same = same && lockstep_same_state(l);
	for (at = 0; same && at < run.n; at++) {
		same = lockstep_do(l, &run.draws[at]);
		if (aloud)
			(void)fprintf(stderr, "  %s\n", l->done);
	}
	l->ops[FULL]->digest(l->p[FULL], l->now, ret_digest);
	lockstep_close(l);
	return same;
}

/* Take out as many operations as can be without losing the difference, more at a time first. */
static void shrink_once(struct lockstep *l)
{
	static struct draw kept[MOST_DRAWS];
	uint64_t digest[2];

	for (unsigned cut = (run.n + 1) / 2; cut > 0; cut /= 2)
		for (unsigned first = 0; first + cut <= run.n;) {
			unsigned n = run.n;

			memcpy(kept, run.draws, n * sizeof *kept);
			memmove(run.draws + first, run.draws + first + cut,
				(n - first - cut) * sizeof *kept);
			run.n = n - cut;
			if (!go(l, /* aloud= */ false, digest)) {
				run.n = at;
				continue;
			}
			memcpy(run.draws, kept, n * sizeof *kept);
			run.n = n;
			first += cut;
		}
}

static void shrink(struct lockstep *l)
{
	unsigned before;

	do {
		before = run.n;
		shrink_once(l);
	} while (run.n < before);
}

static void keep_objects(void)
{
	FILE *f = fopen(options.keep, "w");

	if (!f || fwrite(run.objects.bytes, 1, run.objects.n, f) != run.objects.n || fclose(f) != 0)
		perror("incremental");
}

static void report(struct lockstep *l)
{
	uint64_t digest[2];

	(void)fprintf(stderr, "incremental: operation %u differs (%s): %s\n", at, l->done,
		      l->difference);
	say_again();
	(void)fprintf(stderr, "as short as it gets:\n");
	run.n = at;
	shrink(l);
	(void)go(l, /* aloud= */ true, digest);
	(void)fprintf(stderr, "  differs: %s\n", l->difference);
	if (options.keep)
		keep_objects();
}

static void add_counts(struct lockstep_counts *sum, const struct lockstep_counts *n)
{
	sum->events += n->events;
	sum->refused += n->refused;
	sum->steps += n->steps;
	sum->tries += n->tries;
	sum->marks += n->marks;
	sum->admitted += n->admitted;
	sum->reserved += n->reserved;
	sum->evicted += n->evicted;
	sum->waiting += n->waiting;
	sum->left_out += n->left_out;
}

static void say_digest(const struct lockstep *l, const uint64_t digest[2])
{
	printf("%lu %lu %lu %016" PRIx64 " %016" PRIx64 "%016" PRIx64 "\n", run.number,
	       l->counts.events, l->counts.steps, l->decided, digest[0], digest[1]);
}

static bool goes_on(unsigned long worlds, unsigned long events)
{
	if (options.one)
		return worlds == 0;
	return options.digests ? worlds < options.digests : events < options.events;
}

static void say_counts(unsigned long worlds, const struct lockstep_counts *n)
{
	printf("%s, seed %lu: %lu worlds, %lu events (%lu more refused), %lu steps, %lu tries, "
	       "%lu marks; %lu admitted, %lu reserved, %lu evicted, %lu waiting (%lu left out)\n",
	       options.policy, options.seed, worlds, n->events, n->refused, n->steps, n->tries,
	       n->marks, n->admitted, n->reserved, n->evicted, n->waiting, n->left_out);
	if (options.told)
		printf("%lu workloads told of\n", told);
	if (options.generations)
		printf("%lu generations, %lu left out, %lu joined, %lu gone\n",
		       generations_counts.generations, generations_counts.left_out,
		       generations_counts.joined, generations_counts.gone);
}

static int parse(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		unsigned long number = strtoul(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--policy") == 0)
			options.policy = argv[i + 1];
		else if (strcmp(argv[i], "--keep") == 0)
			options.keep = argv[i + 1];
		else if (strcmp(argv[i], "--seed") == 0)
			options.seed = number;
		else if (strcmp(argv[i], "--events") == 0)
			options.events = number;
		else if (strcmp(argv[i], "--digests") == 0)
			options.digests = number;
		else if (strcmp(argv[i], "--heads") == 0)
			options.heads = number;
		else if (strcmp(argv[i], "--settles") == 0)
			options.settles = number;
		else if (strcmp(argv[i], "--others") == 0)
			options.others = number;
		else if (strcmp(argv[i], "--told") == 0)
			options.told = number;
		else if (strcmp(argv[i], "--images") == 0)
			options.images = number;
		else if (strcmp(argv[i], "--generations") == 0)
			options.generations = argv[i + 1];
		else if (strcmp(argv[i], "--world") == 0)
			options.world = number, options.one = true;
		else
			return -1;
	}
	return argc % 2 && policy() < POLICIES ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct lockstep l;
	struct lockstep_counts n = { 0 };
	unsigned long worlds = 0;
	uint64_t digest[2];

	if (parse(argc, argv) < 0) {
		(void)fprintf(stderr,
			      "usage: incremental [--policy borrow|drf|entitle] [--seed N] "
			      "[--world N] [--events N] [--keep FILE] [--heads 1] "
			      "[--settles 1] [--generations same|apart|joined] [--digests N] "
			      "[--others 1] [--told 1] [--images 1]\n");
		return 2;
	}
	(void)signal(SIGABRT, say_where);
	(void)signal(SIGSEGV, say_where);
	while (goes_on(worlds, n.events)) {
		make(options.world + worlds++);
		if (!go(&l, /* aloud= */ false, digest)) {
			report(&l);
			return 1;
		}
		if (options.digests)
			say_digest(&l, digest);
		add_counts(&n, &l.counts);
		for (int i = 0; i < BOTH; i++)
			run.m[i] = fl_model_free(run.m[i]);
	}
	if (!options.digests)
		say_counts(worlds, &n);
	return 0;
}
