/* SPDX-License-Identifier: Apache-2.0 */
#include "enumerate_parts.h"

/* Ways to put sequences of children, each with workloads and queues: ways[children][queues][jobs]. */
struct ways {
	double of[MOST_QUEUES + 1][MOST_QUEUES + 1][MOST_JOBS + 1];
};

static void extend(const struct family *f, struct ways *w,
		   double one[MOST_QUEUES + 1][MOST_JOBS + 1])
{
	*w = (struct ways){ 0 };
	w->of[0][0][0] = 1;
	for (unsigned n = 1; n <= f->queues; n++)
		for (unsigned q = 1; q <= f->queues; q++)
			for (unsigned j = 1; j <= f->jobs; j++)
				for (unsigned x = 1; x <= q; x++)
					for (unsigned y = 1; y <= j; y++)
						w->of[n][q][j] += one[x][y] *
								  w->of[n - 1][q - x][j - y];
}

double enumerate_expected(const struct family *f)
{
	double one[MOST_QUEUES + 1][MOST_JOBS + 1] = { { 0 } }, sum = 0, per_job = asks(f);
	struct ways below, ways;

	for (unsigned j = 1; j <= f->jobs; j++) {
		one[1][j] = nominals(f) * weights(f);
		for (unsigned i = 0; i < j; i++)
			one[1][j] *= per_job;
	}
	extend(f, &below, one);
	for (unsigned n = 1; n <= f->queues && f->levels > 1; n++)
		for (unsigned q = 1; q <= f->queues; q++)
			for (unsigned j = 1; j <= f->jobs; j++)
				one[q][j] += (f->cohort_quota + 1) * weights(f) * below.of[n][q][j];
	extend(f, &ways, one);
	for (unsigned n = 2; n <= f->queues; n++)
		for (unsigned q = 1; q <= f->queues; q++)
			for (unsigned j = 1; j <= f->jobs; j++)
				sum += ways.of[n][q][j];
	for (unsigned r = 0; r < f->resources; r++)
		sum *= f->root_quota + 1;
	return sum;
}
