/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue - in how many small configurations can preemption go round for ever?
 *
 *   catalogue FAMILY [--mode MODE] [--part K/N] [--every N] [--strategies LIST]
 *             [--states N] [--most N] [--out FILE] [--result FILE]
 *   catalogue sampled --seed S --sample N [--first I] ...
 *   catalogue --list
 *
 * Explores each configuration of a family (enumerate.h), or so many drawn at random (sample.h),
 * from the state in which nobody holds anything.  Modes:
 *
 *   as-is    the rules as they are, moves in any order
 *   prompt   the same, and nobody takes what was freed for another (prove.h)
 *   hold     a Policy with holdFreedQuota, moves in any order
 *   settles  preemptionGuarantee: settles, moves in any order; what goes round then is an error (3)
 *
 * --part takes every N-th of them, from the K-th; --every N the first of each N.  --out writes those
 * that go round, one JSON object a line; --result what was counted, and the smallest one of each kind.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "enumerate.h"
#include "explore.h"
#include "sample.h"

static const struct family families[] = {
#define FAMILY(...) { __VA_ARGS__ },
#include "families.def"
#undef FAMILY
};
enum { N_FAMILIES = sizeof families / sizeof *families };

/* As the rules are; and what may be otherwise. */
enum mode { AS_IS, PROMPT, HOLD, SETTLES, MODES };
static const char *const mode_names[MODES] = { "as-is", "prompt", "hold", "settles" };

struct options {
	const char *family, *out, *result;
	uint64_t part, parts, every, first, sample, seed, most;
	uint32_t states;
	enum mode mode;
	bool list, with[STRATEGIES];
};

/* Of one list of strategies. */
struct counts {
	uint64_t explored, alike, possible, passing, forced, always, scheduler, strict, unseen,
		incomplete;
	uint64_t states, moves, most_states, bound;
};

/* What loops have in common. */
struct kind {
	uint64_t n;
	struct config_size size;
	struct config smallest;
	struct outcome outcome;
};

struct catalogue {
	struct options o;
	struct explorer *explorer;
	FILE *out;
	uint64_t seen;
	struct enumerated enumerated;
	struct counts counts[STRATEGIES];
	/* by resources, levels (flat or not), strategies, forced or not, rules */
	struct kind kinds[RESOURCES][2][STRATEGIES][2][RULE_SETS];
	struct timespec began;
};

static double seconds(const struct catalogue *c)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - c->began.tv_sec) +
	       (double)(now.tv_nsec - c->began.tv_nsec) * 1e-9;
}

/* --- counting --- */

static void print_rules(unsigned rules, FILE *to)
{
	const char *comma = "";

	(void)fputc('[', to);
	for (unsigned i = 0; i < RULES; i++)
		if (rules & 1u << i) {
			(void)fprintf(to, "%s\"%s\"", comma, rule_names[i]);
			comma = ",";
		}
	(void)fputc(']', to);
}

static void print_loop(const struct config *c, const struct outcome *o, FILE *to)
{
	(void)fprintf(to, "\"loop\":\"%s\",\"always\":%s,\"round\":%" PRIu32 ",\"prefix\":%" PRIu32,
		      o->loop == FL_LOOP_FORCED ? "forced" : "possible",
		      o->always ? "true" : "false", o->round, o->prefix);
	(void)fprintf(to, ",\"states\":%" PRIu64 ",\"scheduler\":%s,\"strict\":%s,\"rules\":",
		      o->states, o->scheduler ? "true" : "false", o->strict ? "true" : "false");
	print_rules(o->rules, to);
	(void)fputs(",\"config\":", to);
	config_print(c, to);
}

static void note_kind(struct catalogue *c, const struct config *config, const struct outcome *o)
{
	struct kind *k = &c->kinds[config->n_resources - 1][config->n_cohorts > 1]
				  [config->strategies][o->loop == FL_LOOP_FORCED][o->rules];
	struct config_size size = config_size(config);

	if (k->n++ == 0 || config_cmp_size(&size, &k->size) < 0) {
		k->size = size;
		k->smallest = *config;
		k->outcome = *o;
	}
}

static void count(struct catalogue *c, const struct config *config, const struct outcome *o)
{
	struct counts *n = &c->counts[config->strategies];

	n->explored++;
	n->states += o->states;
	n->moves += o->moves;
	n->incomplete += !o->complete;
	n->scheduler += o->scheduler;
	n->unseen += o->scheduler && o->complete && o->loop == FL_LOOP_NONE && c->o.mode != PROMPT;
	if (o->states > n->most_states)
		n->most_states = o->states;
	if (o->loop == FL_LOOP_NONE) {
		if (o->complete && o->bound > n->bound)
			n->bound = o->bound;
		return;
	}
	n->possible += o->loop == FL_LOOP_POSSIBLE;
	n->passing += o->passing;
	n->forced += o->loop == FL_LOOP_FORCED;
	n->always += o->always;
	n->strict += o->strict;
	note_kind(c, config, o);
	if (c->out) {
		(void)fprintf(c->out, "{\"family\":\"%s\",", c->o.family);
		print_loop(config, o, c->out);
		(void)fputs("}\n", c->out);
	}
}

static void say_progress(const struct catalogue *c)
{
	uint64_t loops = 0, explored = 0;

	for (unsigned s = 0; s < STRATEGIES; s++) {
		loops += c->counts[s].possible + c->counts[s].forced;
		explored += c->counts[s].explored;
	}
	(void)fprintf(stderr,
		      "%s: %" PRIu64 " configurations, %" PRIu64 " explored, %" PRIu64
		      " go round, %.0f s\n",
		      c->o.family, c->seen, explored, loops, seconds(c));
}

static void explore(struct catalogue *c, const struct config *config)
{
	struct outcome outcome;

	explorer_run(c->explorer, config, &outcome);
	count(c, config, &outcome);
}

/* Is this one of the part? */
static bool takes(struct catalogue *c)
{
	uint64_t number = c->seen++;

	if (number % (1 << 16) == 0 && number)
		say_progress(c);
	return number % c->o.parts == c->o.part && number / c->o.parts % c->o.every == 0;
}

/* Without fair sharing weights say nothing. */
static bool is_alike(const struct config *c)
{
	bool plain = c->strategies != CLASSICAL;

	for (unsigned i = 0; i < c->n_queues && !plain; i++)
		if (c->queues[i].weight != 1)
			return true;
	for (unsigned i = 0; i < c->n_cohorts && !plain; i++)
		if (c->cohorts[i].weight != 1)
			return true;
	return false;
}

static int each(void *user, const struct config *found)
{
	struct catalogue *c = user;
	struct config config = *found;

	if (!takes(c))
		return 0;
	config.settles = c->o.mode == SETTLES;
	config.hold = c->o.mode == HOLD;
	for (unsigned s = 0; s < STRATEGIES; s++) {
		config.strategies = (enum strategies)s;
		if (c->o.with[s] && is_alike(&config))
			c->counts[s].alike++;
		else if (c->o.with[s])
			explore(c, &config);
	}
	return c->o.most && c->seen >= c->o.most;
}

static void draw(struct catalogue *c)
{
	for (uint64_t i = 0; i < c->o.sample; i++) {
		struct config config = sample_config(c->o.seed, c->o.first + i);

		if (!takes(c) || !c->o.with[config.strategies])
			continue;
		config.settles = c->o.mode == SETTLES;
		config.hold |= c->o.mode == HOLD;
		explore(c, &config);
	}
}

/* --- results --- */

static void print_counts(const struct counts *n, FILE *to)
{
	(void)fprintf(to,
		      "{\"explored\":%" PRIu64 ",\"alike\":%" PRIu64 ",\"possible\":%" PRIu64
		      ",\"passing\":%" PRIu64 ",\"forced\":%" PRIu64 ",\"always\":%" PRIu64,
		      n->explored, n->alike, n->possible, n->passing, n->forced, n->always);
	(void)fprintf(to,
		      ",\"incomplete\":%" PRIu64 ",\"scheduler\":%" PRIu64 ",\"strict\":%" PRIu64
		      ",\"unseen\":%" PRIu64,
		      n->incomplete, n->scheduler, n->strict, n->unseen);
	(void)fprintf(to,
		      ",\"states\":%" PRIu64 ",\"moves\":%" PRIu64 ",\"mostStates\":%" PRIu64
		      ",\"bound\":%" PRIu64 "}",
		      n->states, n->moves, n->most_states, n->bound);
}

static void print_kinds(const struct catalogue *c, FILE *to)
{
	const struct kind *all = &c->kinds[0][0][0][0][0];
	const char *comma = "\n";

	for (size_t i = 0; i < sizeof c->kinds / sizeof *all; i++) {
		if (!all[i].n)
			continue;
		(void)fprintf(to, "%s  {\"n\":%" PRIu64 ",", comma, all[i].n);
		print_loop(&all[i].smallest, &all[i].outcome, to);
		(void)fputc('}', to);
		comma = ",\n";
	}
}

static void print_family(const struct catalogue *c, const struct family *f, FILE *to)
{
	const struct enumerated *e = &c->enumerated;
	static const char *const policies[] = { "Never", "LowerPriority", "", "Any" };

	(void)fprintf(to,
		      " \"bounds\":{\"levels\":%u,\"resources\":%u,\"queues\":%u,\"workloads\":%u,"
		      "\"nominal\":%u,\"request\":%u,\"rootQuota\":%u,\"cohortQuota\":%u,"
		      "\"weight\":%u,\"priorities\":%u,\"withinClusterQueue\":\"%s\","
		      "\"reclaimWithinCohort\":\"%s\",\"gangs\":%s},\n",
		      f->levels, f->resources, f->queues, f->jobs, f->nominal, f->size,
		      f->root_quota, f->cohort_quota, f->weight, f->priorities, policies[f->within],
		      policies[f->reclaim], f->gangs ? "true" : "false");
	(void)fprintf(to,
		      " \"configurations\":%" PRIu64 ",\"orbits\":%" PRIu64 ",\"fits\":%" PRIu64
		      ",\"never\":%" PRIu64 ",\"alike\":%" PRIu64 ",\n",
		      e->configurations, e->orbits, e->fits, e->never, e->alike);
}

static void print_result(const struct catalogue *c, const struct family *f)
{
	FILE *to = c->o.result ? fopen(c->o.result, "w") : stdout;
	const char *comma = "";

	if (!to) {
		perror(c->o.result);
		exit(EXIT_FAILURE);
	}
	(void)fprintf(to,
		      "{\"family\":\"%s\",\"mode\":\"%s\",\"part\":[%" PRIu64 ",%" PRIu64
		      "],\"every\":%" PRIu64 ",\"stateLimit\":%" PRIu32 ",\n",
		      c->o.family, mode_names[c->o.mode], c->o.part, c->o.parts, c->o.every,
		      c->o.states);
	if (f)
		print_family(c, f, to);
	else
		(void)fprintf(to,
			      " \"seed\":%" PRIu64 ",\"first\":%" PRIu64 ",\"sample\":%" PRIu64
			      ",\n",
			      c->o.seed, c->o.first, c->o.sample);
	(void)fprintf(to, " \"looked\":%" PRIu64 ",\"strategies\":{", c->seen);
	for (unsigned s = 0; s < STRATEGIES; s++)
		if (c->counts[s].explored) {
			(void)fprintf(to, "%s\n  \"%s\":", comma, strategies_names[s]);
			print_counts(&c->counts[s], to);
			comma = ",";
		}
	(void)fputs("},\n \"kinds\":[", to);
	print_kinds(c, to);
	(void)fputs("]}\n", to);
	if (to != stdout && fclose(to) != 0)
		perror(c->o.result);
}

/* --- options --- */

static const struct family *family_of(const char *name)
{
	for (unsigned i = 0; i < N_FAMILIES; i++)
		if (strcmp(families[i].name, name) == 0)
			return &families[i];
	return NULL;
}

static int parse_strategies(struct options *o, char *list)
{
	memset(o->with, 0, sizeof o->with);
	for (char *rest = list, *one; (one = strsep(&rest, ","));) {
		unsigned s = 0;

		while (s < STRATEGIES && strcmp(strategies_names[s], one) != 0)
			s++;
		if (s == STRATEGIES)
			return -1;
		o->with[s] = true;
	}
	return 0;
}

static int parse_mode(struct options *o, const char *name)
{
	for (unsigned i = 0; i < MODES; i++)
		if (strcmp(mode_names[i], name) == 0) {
			o->mode = (enum mode)i;
			return 0;
		}
	return -1;
}

static int parse_part(struct options *o, const char *text)
{
	return sscanf(text, "%" SCNu64 "/%" SCNu64, &o->part, &o->parts) == 2 && o->parts &&
			       o->part < o->parts ?
		       0 :
		       -1;
}

static int parse_value(struct options *o, const char *name, char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	if (strcmp(name, "--strategies") == 0)
		return parse_strategies(o, value);
	if (strcmp(name, "--mode") == 0)
		return parse_mode(o, value);
	if (strcmp(name, "--part") == 0)
		return parse_part(o, value);
	if (strcmp(name, "--every") == 0)
		o->every = number ? number : 1;
	else if (strcmp(name, "--states") == 0)
		o->states = (uint32_t)number;
	else if (strcmp(name, "--most") == 0)
		o->most = number;
	else if (strcmp(name, "--sample") == 0)
		o->sample = number;
	else if (strcmp(name, "--seed") == 0)
		o->seed = number;
	else if (strcmp(name, "--first") == 0)
		o->first = number;
	else if (strcmp(name, "--out") == 0)
		o->out = value;
	else if (strcmp(name, "--result") == 0)
		o->result = value;
	else
		return -1;
	return 0;
}

static int parse(struct options *o, int argc, char **argv)
{
	*o = (struct options){ .parts = 1,
			       .every = 1,
			       .seed = 1,
			       .states = 20000,
			       .with = { true, true, true, true } };
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--list") == 0)
			o->list = true;
		else if (argv[i][0] != '-' && !o->family)
			o->family = argv[i];
		else if (i + 1 == argc || parse_value(o, argv[i], argv[i + 1]) < 0)
			return -1;
		else
			i++;
	}
	if (o->list)
		return 0;
	if (!o->family)
		return -1;
	return strcmp(o->family, "sampled") == 0 || family_of(o->family) ? 0 : -1;
}

/* Something that cannot be: a loop where there must be none, or one that was not seen. */
static int judge(const struct catalogue *c)
{
	for (unsigned s = 0; s < STRATEGIES; s++) {
		const struct counts *n = &c->counts[s];

		if (c->o.mode == SETTLES && (n->possible || n->forced || n->scheduler))
			return 3;
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct catalogue c;
	const struct family *f;

	if (parse(&c.o, argc, argv) < 0) {
		(void)fputs("usage: catalogue FAMILY|sampled|--list [options]; see catalogue.c\n",
			    stderr);
		return 2;
	}
	for (unsigned i = 0; c.o.list && i < N_FAMILIES; i++)
		puts(families[i].name);
	if (c.o.list)
		return EXIT_SUCCESS;
	c.out = c.o.out ? fopen(c.o.out, "w") : NULL;
	if (c.o.out && !c.out) {
		perror(c.o.out);
		return EXIT_FAILURE;
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &c.began);
	c.explorer = explorer_new(c.o.states, c.o.mode == PROMPT);
	f = family_of(c.o.family);
	if (f)
		(void)enumerate(f, each, &c, &c.enumerated);
	else
		draw(&c);
	say_progress(&c);
	print_result(&c, f);
	if (c.out && fclose(c.out) != 0)
		perror(c.o.out);
	explorer_free(c.explorer);
	return judge(&c);
}
