/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct unit_group *groups; /* by name */

void unit_register(struct unit_group *g)
{
	struct unit_group **at = &groups;

	/* The order of constructors is the linker's; this one is the same everywhere. */
	while (*at && strcmp((*at)->name, g->name) < 0)
		at = &(*at)->next;
	if (*at && strcmp((*at)->name, g->name) == 0) {
		fprintf(stderr, "two groups are called '%s'\n", g->name);
		exit(2);
	}
	g->next = *at;
	*at = g;
}

static int list(void)
{
	for (const struct unit_group *g = groups; g; g = g->next)
		puts(g->name);
	return 0;
}

static int run(const struct unit_group *g) { return g->run() == 0 ? 0 : 1; }

static const struct unit_group *find(const char *name)
{
	for (const struct unit_group *g = groups; g; g = g->next) {
		if (strcmp(g->name, name) == 0)
			return g;
	}
	fprintf(stderr, "there is no group '%s'; --list has those that there are\n", name);
	exit(2);
}

/* What a group leaves behind, or a crash of it, does not affect later ones. */
static int run_apart(const struct unit_group *g)
{
	int status;
	pid_t child;

	printf("# %s\n", g->name);
	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(run(g));
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror(g->name);
		return 1;
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s\n", g->name, strsignal(WTERMSIG(status)));
	return status == 0 ? 0 : 1;
}

/* Those of the names, or all. */
static int run_many(int n, char **names)
{
	int failed = 0;

	for (int i = 0; i < n; i++)
		(void)find(names[i]);
	for (int i = 0; i < n; i++)
		failed += run_apart(find(names[i]));
	for (const struct unit_group *g = n ? NULL : groups; g; g = g->next)
		failed += run_apart(g);
	if (failed)
		fprintf(stderr, "groups that failed: %d\n", failed);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return run_many(argc - 1, argv + 1);
	return strcmp(argv[1], "--list") == 0 ? list() : run(find(argv[1]));
}
