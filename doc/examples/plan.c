/* SPDX-License-Identifier: Apache-2.0 */
/* plan - read manifests, run one scheduling cycle, print what it decides: plan FILE */
#include <fairlead/fairlead.h>
#include <stdio.h>
#include <stdlib.h>

static void print_decision(void *user, const fairlead_decision *d)
{
	static const char *const words[] = { "admit", "reserve", "evict", "wait" };

	(void)user;
	printf("%-7s %s in %s: %s", words[d->kind], d->workload, d->cluster_queue, d->reason);
	if (d->preemptor)
		printf(" for %s", d->preemptor);
	for (size_t i = 0; i < d->n_placements; i++)
		printf(" [%s: %s %lld on %s]", d->placements[i].podset, d->placements[i].resource,
		       (long long)d->placements[i].amount, d->placements[i].flavor);
	putchar('\n');
}

static char *read_file(const char *name, size_t *ret_length)
{
	FILE *f = fopen(name, "rb");
	char *text = NULL;
	long length;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 &&
	    (text = malloc((size_t)length + 1)) != NULL)
		*ret_length = fread(text, 1, (size_t)length, f);
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	fairlead_engine *e = NULL;
	fairlead_error err;
	size_t length = 0;
	char *text = argc == 2 ? read_file(argv[1], &length) : NULL;
	int64_t now = INT64_C(1767225600) * 1000000000; /* 2026-01-01T00:00:00Z */
	int r;

	if (!text) {
		fprintf(stderr, "usage: plan FILE\n");
		return 2;
	}
	r = fairlead_engine_new(NULL, &e, &err);
	if (r == 0)
		r = fairlead_engine_read(e, argv[1], text, length, &err);
	if (r == 0)
		r = fairlead_engine_seal(e, now, &err);
	if (r == 0)
		r = fairlead_engine_step(e, now, print_decision, NULL, &err);
	if (r < 0)
		fprintf(stderr, "%s:%u:%u: error: %s: %s\n", err.file, err.line, err.column,
			err.subject, err.text);
	e = fairlead_engine_free(e);
	free(text);
	return r < 0;
}
