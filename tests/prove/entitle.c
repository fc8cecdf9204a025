/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle - does reclaim go round for ever? Small clusters of KAI's queues, all or some of them
 *
 *   entitle FAMILY [with SETTING]... [every N] [from K] [draw N] [seed S] [kinds] [keep DIR]
 *   entitle file FILE [with SETTING]...
 *   entitle check VERDICTS
 *
 * A family (entitle_families.def) is explored as a whole; `every N` takes each N-th of it, from the
 * K-th; `draw N` draws so many at random.  `with` sets what else is set (entitle_config.h).  `kinds`
 * lists the kinds of loops, and what ends those of the scheduler; `keep` writes the smallest of
 * each, made smaller still, into a folder.
 *
 * `file` says the same of one input.  `check` does all that a file of verdicts lists, a line each,
 * and compares: what is done, a colon, and what is printed; inputs are beside it.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "codec/object/kube.h"
#include "prove/entitle_count.h"
#include "prove/entitle_families.h"

enum { MOST_STATES = 20000, MOST_WORDS = 16, MOST_LINE = 512, MOST_BYTES = 1 << 18 };

struct job {
	const struct entitle_family *family;
	const char *keep;
	uint64_t every, from, draw, seed;
	uint8_t settings;
	bool kinds;
};

static _Noreturn void complain(const char *what, const char *about)
{
	(void)fprintf(stderr, "entitle: %s: %s\n", about, what);
	exit(2);
}

/* --- one input --- */

static void read_all(const char *path, char *text, size_t *ret_len)
{
	FILE *f = fopen(path, "r");

	if (!f)
		complain("cannot be read", path);
	*ret_len = fread(text, 1, MOST_BYTES, f);
	(void)fclose(f);
}

static void say_file(struct entitle_explorer *x, const char *path, uint8_t settings, FILE *to)
{
	static const char *const loops[] = { "none", "possible", "forced" };
	static char text[MOST_BYTES];
	char actions[64], its[64];
	struct entitle_outcome o;
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };
	size_t len;

	read_all(path, text, &len);
	if (fl_model_new(&fl_mem_heap, &m, &err) < 0 ||
	    fl_kube_read(m, path, text, len, &err) < 0 || fl_model_seal(m, &err) < 0)
		complain(err.text, path);
	entitle_config_set(m, settings);
	entitle_explore_model(x, m, &o);
	fl_model_free(m);
	(void)fprintf(to, "%s round %u by %s%s, held %s, scheduler period %u by %s, %u states%s\n",
		      loops[o.loop], o.round,
		      entitle_actions_text(o.actions, actions, sizeof actions),
		      o.always ? ", always" : "", loops[o.held], o.period,
		      entitle_actions_text(o.its_actions, its, sizeof its), (unsigned)o.states,
		      o.complete ? "" : ", unfinished");
}

/* --- a family --- */

static void keep(const struct job *job, const struct entitle_counts *counts)
{
	for (enum entitle_way way = 0; way < ENTITLE_WAYS; way++)
		for (unsigned a = 0; a < ENTITLE_KINDS; a++) {
			char actions[64], path[MOST_LINE];
			FILE *f;

			if (!counts->kinds[way][a].n)
				continue;
			(void)snprintf(path, sizeof path, "%s/%s-%s-%s.yaml", job->keep,
				       job->family->name, entitle_way_names[way],
				       entitle_actions_text(a, actions, sizeof actions));
			f = fopen(path, "w");
			if (!f)
				complain("cannot be written", path);
			entitle_config_print(&counts->kinds[way][a].smallest, f);
			(void)fclose(f);
		}
}

static void explore(struct entitle_explorer *x, const struct job *job, FILE *to)
{
	static struct entitle_counts counts;
	uint64_t n = job->draw ? job->draw : entitle_family_size(job->family);
	struct entitle_config c;

	if (n == 0)
		complain("has too many, draw some", job->family->name);
	counts = (struct entitle_counts){ 0 };
	for (uint64_t i = job->from; i < n; i += job->every) {
		if (job->draw)
			entitle_family_draw(job->family, job->seed + i, &c);
		else
			entitle_family_make(job->family, i, &c);
		c.settings = job->settings;
		entitle_count(&counts, x, &c);
	}
	entitle_counts_print(&counts, to);
	if (job->kinds || job->keep)
		entitle_kinds_print(&counts, to);
	if (job->keep) {
		entitle_shrink(&counts, x);
		keep(job, &counts);
	}
}

/* --- what is asked --- */

static const struct entitle_family *find_family(const char *name)
{
	for (unsigned i = 0; i < entitle_n_families; i++)
		if (strcmp(entitle_families[i].name, name) == 0)
			return &entitle_families[i];
	complain("no such family", name);
}

static uint8_t find_setting(const char *name)
{
	for (unsigned i = 0; i < ENTITLE_SETTINGS; i++)
		if (strcmp(entitle_setting_names[i], name) == 0)
			return (uint8_t)(1U << i);
	complain("no such setting", name);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (end == text || *end)
		complain("no number", text);
	return n;
}

/* What comes after the family or the file. */
static struct job read_job(char *const *words, int n)
{
	struct job job = { .every = 1 };

	for (int i = 0; i < n; i++) {
		const char *word = words[i], *value = i + 1 < n ? words[i + 1] : "";

		if (strcmp(word, "kinds") == 0) {
			job.kinds = true;
			continue;
		}
		if (strcmp(word, "with") == 0)
			job.settings |= find_setting(value);
		else if (strcmp(word, "keep") == 0)
			job.keep = value;
		else if (strcmp(word, "every") == 0)
			job.every = number(value);
		else if (strcmp(word, "from") == 0)
			job.from = number(value);
		else if (strcmp(word, "draw") == 0)
			job.draw = number(value);
		else if (strcmp(word, "seed") == 0)
			job.seed = number(value);
		else
			complain("not known", word);
		i++;
	}
	if (!job.every)
		complain("every how many?", "0");
	return job;
}

/* @folder: where files are. */
static void answer(struct entitle_explorer *x, char *const *words, int n, const char *folder,
		   FILE *to)
{
	bool of_file = n > 1 && strcmp(words[0], "file") == 0;
	struct job job = read_job(words + 1 + of_file, n - 1 - of_file);
	char path[MOST_LINE];

	if (of_file) {
		(void)snprintf(path, sizeof path, "%s/%s", folder, words[1]);
		say_file(x, path, job.settings, to);
	} else {
		job.family = find_family(words[0]);
		explore(x, &job, to);
	}
}

static bool check_line(struct entitle_explorer *x, char *line, const char *folder)
{
	char *words[MOST_WORDS], *rest = NULL, *wanted = strstr(line, ": "), *found = NULL;
	size_t len = 0;
	int n = 0;
	bool same;
	FILE *to;

	if (!wanted)
		complain("no verdict", line);
	*wanted = '\0';
	wanted += 2;
	printf("%s\n", line);
	for (char *w = strtok_r(line, " ", &rest); w && n < MOST_WORDS;
	     w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	to = open_memstream(&found, &len);
	if (!to)
		abort();
	answer(x, words, n, folder, to);
	(void)fclose(to);
	same = strcmp(found, wanted) == 0;
	if (!same)
		printf("  it must be: %s  it is:      %s", wanted, found);
	free(found);
	return same;
}

/* Files are beside the verdicts. */
static int check(struct entitle_explorer *x, char *verdicts)
{
	FILE *f = fopen(verdicts, "r");
	const char *folder = dirname(verdicts);
	char line[MOST_LINE];
	int wrong = 0, n = 0;

	if (!f)
		complain("cannot be read", verdicts);
	for (; fgets(line, sizeof line, f); n++)
		wrong += !check_line(x, line, folder);
	(void)fclose(f);
	return n == 0 || wrong > 0;
}

int main(int argc, char **argv)
{
	struct entitle_explorer *x = entitle_explorer_new(MOST_STATES);
	int r = 0;

	if (argc < 2)
		complain("what?", "nothing is asked");
	if (argc == 3 && strcmp(argv[1], "check") == 0)
		r = check(x, argv[2]);
	else
		answer(x, argv + 1, argc - 1, ".", stdout);
	entitle_explorer_free(x);
	return r;
}
