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

#include "conformance/case.h"
#include "fuzz/drive.h"

enum {
	MAX_DOCUMENTS = 1 << 14,
	CASES = 40, /* of each file of recorded cases */
	BATCH = 250,
	ALARM = 60, /* seconds for one input */
};

struct text {
	char *bytes;
	size_t len;
	unsigned group; /* of texts of one file that belong together */
};

/* What parent and child both see. */
struct shared {
	unsigned long run;
	struct drive_counts counts;
};

struct options {
	unsigned long seed, first, runs, seconds;
	const char *keep;
};

static struct text documents[MAX_DOCUMENTS];
static unsigned n_documents, n_groups;
static struct shared *shared;

static void *must(void *ptr)
{
	if (!ptr) {
		perror("mutate");
		exit(3);
	}
	return ptr;
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
		char *list = case_list(&row, &row.objects, &len);

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

/* One recorded case, or one file's documents with most of them left out when there are many. */
static void compose(struct input *in, struct random *r)
{
	const struct text *first = &documents[pick(r, n_documents)];
	unsigned members = 0;

	in->len = 0;
	for (unsigned i = 0; i < n_documents; i++)
		members += documents[i].group == first->group;
	for (unsigned i = 0; i < n_documents; i++)
		if (documents[i].group == first->group &&
		    (members < 40 || documents[i].len > 600 || pick(r, members) < 25))
			input_insert(in, in->len, documents[i].bytes, documents[i].len);
	if (pick(r, 8) == 0) {
		const struct text *other = &documents[pick(r, n_documents)];

		input_insert(in, in->len, "\n---\n", 5);
		input_insert(in, in->len, other->bytes, other->len);
	}
}

static void make(struct input *in, struct random *r, const struct options *o, unsigned long number)
{
	r->state = (uint64_t)o->seed * 1000003 + number;
	for (int i = 0; i < 4; i++)
		(void)pick(r, 2);
	compose(in, r);
	bool gently = pick(r, 2);

	for (uint32_t n = 1 + pick(r, pick(r, 4) ? 4 : 30); n-- > 0;)
		words_change(in, r, gently);
	in->bytes[in->len] = '\0';
}

/* Runs [first, first + n) in a child; the number of the one that failed, or first + n. */
static unsigned long batch(const struct options *o, unsigned long first, unsigned long n)
{
	static struct input in;
	struct random r;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		for (unsigned long i = first; i < first + n; i++) {
			shared->run = i;
			(void)alarm(ALARM);
			make(&in, &r, o, i);
			drive(in.bytes, in.len, &r, &shared->counts);
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
	struct random r;

	fprintf(stderr, "mutate: run %lu of seed %lu failed\n", failed, o->seed);
	make(&in, &r, o, failed);
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
	       o.seed, done - o.first, shared->counts.read, shared->counts.explained,
	       shared->counts.decided, shared->counts.admitted);
	return 0;
}
