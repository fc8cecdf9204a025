/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate - whatever stands in the input, nothing crashes, hangs or leaks
 *
 *   mutate [--seed N] [--first N] [--runs N] [--seconds N] [--keep FILE] SEEDFILE...
 *
 * Takes manifests (cut into documents) and recorded cases as seeds, puts some
 * together, changes bytes, tokens and lines, and lets the whole engine loose on
 * the result: read, seal, lint, policy, two cycles, explain, ledger, rollback.
 * Run N of a seed is always the same input, so `--first N --runs 1` repeats it.
 *
 * Runs are made in child processes, a batch each: one that dies or takes too
 * long is named, its input written to --keep, and the exit status is 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask/explain.h"
#include "ask/ledger.h"
#include "codec/kube.h"
#include "conformance/case.h"
#include "decide/borrow/borrow.h"
#include "model/lint.h"

enum {
	MAX_INPUT = 1 << 16,
	MAX_DOCUMENTS = 1 << 14,
	CASES = 40, /* of each file of recorded cases */
	BATCH = 250,
	ALARM = 60, /* seconds for one input */
};

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct text {
	char *bytes;
	size_t len;
	unsigned group; /* of texts of one file that belong together */
};

/* What parent and child both see. */
struct shared {
	unsigned long run, read, decided, explained, admitted;
};

struct options {
	unsigned long seed, first, runs, seconds;
	const char *keep;
};

static struct text documents[MAX_DOCUMENTS];
static unsigned n_documents, n_groups;
static struct shared *shared;
static uint64_t state;

static void *must(void *ptr)
{
	if (!ptr) {
		perror("mutate");
		exit(3);
	}
	return ptr;
}

static uint32_t pick(size_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return below ? (uint32_t)((state >> 33) % below) : 0;
}

/* --- seeds --- */

static void add_document(const char *text, size_t len)
{
	char *copy;

	if (n_documents == MAX_DOCUMENTS || len == 0 || len > MAX_INPUT / 2)
		return;
	copy = must(malloc(len));
	memcpy(copy, text, len);
	documents[n_documents++] = (struct text){ copy, len, n_groups };
}

static void add_cases(const char *name)
{
	struct case_file f;
	fairlead_error err = { 0 };

	if (case_open(&f, name, &err) < 0)
		exit(3);
	for (int i = 0; i < CASES && case_next(&f, &err) == 1; i++) {
		struct case_row row;
		size_t len = 0;

		if (case_parse(f.line, f.len, &row, &err) < 0)
			exit(3);
		char *list = case_list(&row, &len);

		n_groups++;
		add_document(list, len);
		free(list);
	}
	case_close(&f);
}

static void add_manifests(const char *name)
{
	FILE *f = must(fopen(name, "r"));
	size_t size = (size_t)1 << 22;
	char *all = must(malloc(size)), *at = all, *end;
	size_t len = fread(all, 1, size - 1, f);

	(void)fclose(f);
	all[len] = '\0';
	n_groups++;
	for (; (end = strstr(at, "\n---")) != NULL; at = end + 1)
		add_document(at, (size_t)(end + 1 - at));
	add_document(at, strlen(at));
	free(all);
}

/* --- one input --- */

struct input {
	char bytes[MAX_INPUT + 1];
	size_t len;
};

static void insert(struct input *in, size_t at, const char *text, size_t len)
{
	if (len > MAX_INPUT - in->len)
		return;
	memmove(in->bytes + at + len, in->bytes + at, in->len - at);
	memcpy(in->bytes + at, text, len);
	in->len += len;
}

static void erase(struct input *in, size_t at, size_t len)
{
	if (len > in->len - at)
		len = in->len - at;
	memmove(in->bytes + at, in->bytes + at + len, in->len - at - len);
	in->len -= len;
}

/* One recorded case, or one file's documents with most of them left out when there are many. */
static void compose(struct input *in)
{
	const struct text *first = &documents[pick(n_documents)];
	unsigned members = 0;

	in->len = 0;
	for (unsigned i = 0; i < n_documents; i++)
		members += documents[i].group == first->group;
	for (unsigned i = 0; i < n_documents; i++)
		if (documents[i].group == first->group &&
		    (members < 40 || documents[i].len > 600 || pick(members) < 25))
			insert(in, in->len, documents[i].bytes, documents[i].len);
	if (pick(8) == 0) {
		const struct text *other = &documents[pick(n_documents)];

		insert(in, in->len, "\n---\n", 5);
		insert(in, in->len, other->bytes, other->len);
	}
}

static const char *const tokens[] = {
	"0",
	"1",
	"-1",
	"2",
	"8",
	"9223372036854775807",
	"9223372036854775806",
	"8Ei",
	"7Ei",
	"4Ei",
	"1e18",
	"1e400",
	"-9223372036854775808",
	"2147483647",
	"4294967295",
	"0.5",
	"1m",
	"1n",
	"\"\"",
	"null",
	"~",
	"true",
	"false",
	"[]",
	"{}",
	"\"1\"",
	"Any",
	"Never",
	"LowerPriority",
	"LowerOrNewerEqualPriority",
	"StrictFIFO",
	"BestEffortFIFO",
	"Hold",
	"HoldAndDrain",
	"TryNextFlavor",
	"MayStopSearch",
	"pods",
	"cpu",
	"memory",
	"gpu",
	"default",
	"main",
	"Evicted",
	"Finished",
	"QuotaReserved",
	"Admitted",
	"True",
	"False",
	"cohortName",
	"parentName",
	"minCount",
	"count",
	"weight",
	"lendingLimit",
	"borrowingLimit",
	"nominalQuota",
	"priority",
	"queueName",
	"clusterQueue",
	"resourceUsage",
	"flavors",
	"podSets",
	"stopPolicy",
	"active",
	"&a ",
	"*a",
	"<<: *a",
	"!!int ",
	"|\n",
	">\n",
	"---\n",
	"...\n",
	"- ",
	": ",
	"\t",
	"#",
	"'",
	"\"",
	"%",
	"@",
	"\xff",
	"\xc3\x28",
	"\xef\xbb\xbf",
	"1970-01-01T00:00:00Z",
	"9999-12-31T23:59:59Z",
	"0000-00-00T00:00:00Z",
};

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_' || c == '/';
}

/* The word at or behind @at. */
static size_t word(const struct input *in, size_t *at)
{
	size_t end;

	while (*at < in->len && !in_word(in->bytes[*at]))
		++*at;
	while (*at > 0 && in_word(in->bytes[*at - 1]))
		--*at;
	for (end = *at; end < in->len && in_word(in->bytes[end]);)
		end++;
	return end - *at;
}

/* Like @word, but one with a digit first, where there is one not far away. */
static size_t number(const struct input *in, size_t *at)
{
	for (int i = 0; i < 200 && *at + 1 < in->len; i++, ++*at)
		if (in->bytes[*at] >= '0' && in->bytes[*at] <= '9')
			break;
	return word(in, at);
}

static void replace(struct input *in, size_t at, size_t len, const char *text, size_t n)
{
	char copy[64];

	if (n > sizeof copy)
		n = sizeof copy;
	memcpy(copy, text, n);
	erase(in, at, len);
	insert(in, at, copy, n);
}

/* @gently: words only, so that more of it is read and decided. */
static void mutate(struct input *in, bool gently)
{
	const char *token = tokens[pick(sizeof tokens / sizeof *tokens)];
	size_t at = pick(in->len), other = pick(in->len), len, n;
	char *line, copy[4096];

	if (in->len == 0)
		return;
	switch (gently ? 3 + pick(5) : pick(10)) {
	case 0:
		in->bytes[at] = (char)pick(256);
		break;
	case 1:
		erase(in, at, 1 + pick(16));
		break;
	case 2:
		insert(in, at, token, strlen(token));
		break;
	case 3:
	case 4: /* a word becomes a token */
		len = word(in, &at);
		replace(in, at, len, token, strlen(token));
		break;
	case 5: /* a word becomes another of the input: names meet */
		len = word(in, &at);
		n = word(in, &other);
		replace(in, at, len, in->bytes + other, n);
		break;
	case 6:
	case 7: /* a number becomes an odd one */
		len = number(in, &at);
		token = tokens[pick(18)];
		replace(in, at, len, token, strlen(token));
		break;
	case 8: /* a stretch stands twice */
		len = 1 + pick(sizeof copy);
		len = len < in->len - at ? len : in->len - at;
		memcpy(copy, in->bytes + at, len);
		insert(in, other, copy, len);
		break;
	case 9: /* a line is gone */
		line = memchr(in->bytes + at, '\n', in->len - at);
		if (line)
			erase(in, (size_t)(line - in->bytes), 1 + strcspn(line + 1, "\n"));
		break;
	}
}

/* --- the engine --- */

/* A result that nothing may depend on, but that must be computed. */
static void look(struct fl_policy *p, const struct fl_model *m, fl_time now)
{
	struct fl_arena arena;
	struct fl_explain x;
	struct fl_ledger ledger;
	fairlead_error err;
	uint64_t before[2], after[2];

	fl_arena_init(&arena, &fl_mem_heap);
	if (m->n_workloads) {
		struct fl_workload w = { pick(m->n_workloads) };

		ops->digest(p, before);
		if (fl_explain(ops, p, m, now, w, &arena, &x, &err) == 0)
			shared->explained++;
		ops->digest(p, after);
		if (memcmp(before, after, sizeof before) != 0)
			abort(); /* explain has changed the state */
	}
	if (fl_ledger_init(&ledger, fl_borrow_tree(p), fl_borrow_usage(p), &arena, &err) == 0)
		for (uint32_t n = 0; n < m->n_nodes; n++) {
			struct fl_share share;

			ops->share(p, (struct fl_node){ n }, &share);
		}
	fl_arena_done(&arena);
}

static void decide(struct fl_policy *p, const struct fl_model *m, fl_time now)
{
	struct fl_decisions d;
	fairlead_error err;
	fl_mark mark;
	uint64_t before[2], after[2];

	look(p, m, now);
	ops->digest(p, before);
	if (ops->mark(p, &mark, &err) < 0)
		return;
	for (int i = 0; i < 2; i++) {
		if (ops->step(p, now + i * FL_SECOND, 0, NULL, &d, &err) < 0)
			break;
		for (uint32_t k = 0; k < d.n; k++) {
			struct fl_event e = { .kind = d.rows[k].kind == FL_EVICT ? FL_EV_EVICTED :
										   FL_EV_STARTED,
					      .workload = d.rows[k].workload };

			shared->admitted += d.rows[k].kind == FL_ADMIT;
			(void)ops->apply(p, now, &e, &err);
		}
		shared->decided++;
	}
	for (int i = 0; i < 8 && m->n_workloads; i++) {
		static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,   FL_EV_CANCEL,
							    FL_EV_EVICTED,  FL_EV_FINISHED,
							    FL_EV_REJECTED, FL_EV_STARTED };
		struct fl_event e = { .kind = kinds[pick(6)],
				      .workload = { pick(m->n_workloads) } };

		(void)ops->apply(p, now, &e, &err);
	}
	ops->rollback(p, mark);
	ops->digest(p, after);
	if (memcmp(before, after, sizeof before) != 0)
		abort(); /* rollback is not exact */
	for (int i = 0; i < 2; i++)
		if (ops->step(p, now + i * FL_SECOND, 0, NULL, &d, &err) < 0)
			return;
	look(p, m, now);
}

static void run(const struct input *in)
{
	struct fl_model *m = NULL;
	struct fl_policy *p = NULL;
	fairlead_error err;

	if (fl_model_new(&fl_mem_heap, &m, &err) < 0)
		abort();
	if (fl_kube_read(m, "in", in->bytes, in->len, &err) == 0 && fl_model_seal(m, &err) == 0 &&
	    fl_model_lint(m, &err) == 0) {
		struct fl_policy_options options = { .mem = &fl_mem_heap, .now = m->newest };

		shared->read++;
		if (ops->new (m, &options, &p, &err) == 0)
			decide(p, m, m->newest == FL_TIME_NONE ? 0 : m->newest);
	}
	ops->free(p);
	fl_model_free(m);
}

static void make(struct input *in, const struct options *o, unsigned long number)
{
	state = (uint64_t)o->seed * 1000003 + number;
	for (int i = 0; i < 4; i++)
		(void)pick(2);
	compose(in);
	bool gently = pick(2);

	for (uint32_t n = 1 + pick(pick(4) ? 4 : 30); n-- > 0;)
		mutate(in, gently);
	in->bytes[in->len] = '\0';
}

/* Runs [first, first + n) in a child; the number of the one that failed, or first + n. */
static unsigned long batch(const struct options *o, unsigned long first, unsigned long n)
{
	static struct input in;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		for (unsigned long i = first; i < first + n; i++) {
			shared->run = i;
			(void)alarm(ALARM);
			make(&in, o, i);
			run(&in);
		}
		exit(0); /* and the sanitizers say what leaked */
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		exit(3);
	return status == 0 ? first + n : shared->run;
}

static unsigned long number_of(const char *text) { return strtoul(text, NULL, 10); }

static int parse(int argc, char **argv, struct options *o)
{
	int at = 1;

	for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
		if (strcmp(argv[at], "--seed") == 0)
			o->seed = number_of(argv[at + 1]);
		else if (strcmp(argv[at], "--first") == 0)
			o->first = number_of(argv[at + 1]);
		else if (strcmp(argv[at], "--runs") == 0)
			o->runs = number_of(argv[at + 1]);
		else if (strcmp(argv[at], "--seconds") == 0)
			o->seconds = number_of(argv[at + 1]);
		else if (strcmp(argv[at], "--keep") == 0)
			o->keep = argv[at + 1];
		else
			return -1;
	}
	return at < argc ? at : -1;
}

static void report(const struct options *o, unsigned long failed)
{
	static struct input in;

	fprintf(stderr, "mutate: run %lu of seed %lu failed\n", failed, o->seed);
	make(&in, o, failed);
	if (o->keep) {
		FILE *f = must(fopen(o->keep, "w"));

		(void)fwrite(in.bytes, 1, in.len, f);
		(void)fclose(f);
	}
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .runs = 100000000 };
	int at = parse(argc, argv, &o);
	time_t end;

	if (at < 0) {
		fprintf(stderr, "usage: mutate [--seed N] [--first N] [--runs N] [--seconds N] "
				"[--keep FILE] SEEDFILE...\n");
		return 2;
	}
	for (; at < argc; at++) {
		if (strstr(argv[at], ".jsonl"))
			add_cases(argv[at]);
		else
			add_manifests(argv[at]);
	}
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		must(NULL);
	end = time(NULL) + (time_t)o.seconds;
	unsigned long done = o.first, last = o.first + o.runs;

	while (done < last && (!o.seconds || time(NULL) < end)) {
		unsigned long n = last - done < BATCH ? last - done : BATCH;
		unsigned long reached = batch(&o, done, n);

		if (reached < done + n) {
			report(&o, reached);
			return 1;
		}
		done = reached;
	}
	printf("seed %lu: %lu inputs, %lu read, %lu explained, %lu cycles, %lu admissions\n",
	       o.seed, done - o.first, shared->read, shared->explained, shared->decided,
	       shared->admitted);
	return 0;
}
