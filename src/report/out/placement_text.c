/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/placement_text.h"

#include <string.h>

struct text {
	char *at;
	size_t left;
};

static void add(struct text *t, const char *s)
{
	size_t n = strlen(s);

	if (n >= t->left)
		n = t->left - 1;
	memcpy(t->at, s, n);
	t->at += n;
	t->left -= n;
	*t->at = '\0';
}

/* One podset's resources, those of one flavor together. */
static void add_podset(const struct fl_report *r, struct text *t, const struct fl_placement *rows,
		       uint32_t n, uint32_t podset)
{
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		bool seen = rows[i].podset != podset || rows[i].resource.v == FL_NONE;

		for (uint32_t k = 0; k < i && !seen; k++)
			seen = rows[k].podset == podset && rows[k].flavor.v == rows[i].flavor.v;
		if (seen)
			continue;
		add(t, any ? "; " : "");
		any = true;
		for (uint32_t k = i; k < n; k++) {
			if (rows[k].podset != podset || rows[k].flavor.v != rows[i].flavor.v)
				continue;
			add(t, k == i ? "" : ", ");
			add(t, fl_report_short_resource(r->model, rows[k].resource));
		}
		add(t, ": ");
		add(t, fl_report_flavor(r->model, rows[i].flavor));
	}
}

/* Do all podsets stand in the same flavors? */
static bool uniform(const struct fl_placement *rows, uint32_t n, uint32_t podsets)
{
	uint32_t first = 0;

	while (first < n && rows[first].podset == 0)
		first++;
	if (podsets < 2)
		return true;
	if (first == 0 || n != first * podsets)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].podset != i / first || rows[i].flavor.v != rows[i % first].flavor.v ||
		    rows[i].resource.v != rows[i % first].resource.v)
			return false;
	return true;
}

void fl_placement_text(const struct fl_report *r, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
		       size_t size)
{
	const struct fl_workload_row *row = &r->model->workloads[w.v];
	struct text t = { text, size };
	int64_t admitted = 0, wanted = 0;
	bool same = uniform(rows, n, row->podsets.n);

	*text = '\0';
	for (uint32_t k = 0; k < row->podsets.n; k++) {
		const struct fl_podset *ps = &r->model->podsets[row->podsets.first + k];
		int64_t count = fl_podset_left(ps);

		for (uint32_t i = 0; i < n; i++)
			if (rows[i].podset == k)
				count = rows[i].count;
		admitted += count;
		wanted += fl_podset_left(ps);
		if (k > 0 && same)
			continue;
		if (k > 0)
			add(&t, "; ");
		if (!same) {
			add(&t, fl_model_text(r->model, ps->name));
			add(&t, " ");
		}
		add_podset(r, &t, rows, n, k);
	}
	if (admitted == wanted)
		snprintf(pods, 32, "%lld", (long long)admitted);
	else
		snprintf(pods, 32, "%lld/%lld", (long long)admitted, (long long)wanted);
}

void fl_request_text(const struct fl_report *r, struct fl_workload w, char *text, size_t size)
{
	const struct fl_model *m = r->model;
	const struct fl_workload_row *row = &m->workloads[w.v];
	struct text t = { text, size };
	char buffer[32];
	bool any = false;

	*text = '\0';
	for (uint32_t res = 0; res < m->n_resources; res++) {
		fl_amount sum = 0;

		for (uint32_t k = 0; k < row->podsets.n; k++) {
			const struct fl_podset *ps = &m->podsets[row->podsets.first + k];

			for (uint32_t i = 0; i < ps->requests.n; i++) {
				const struct fl_request *q = &m->requests[ps->requests.first + i];

				if (q->resource.v == res)
					sum = fl_sat_add(sum,
							 fl_sat_mul(q->amount, fl_podset_left(ps)));
			}
		}
		if (sum == 0)
			continue;
		add(&t, any ? ", " : "");
		add(&t, fl_report_amount(r, (struct fl_resource){ res }, sum, buffer));
		add(&t, " ");
		add(&t, fl_report_short_resource(m, (struct fl_resource){ res }));
		any = true;
	}
}
