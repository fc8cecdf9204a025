/* SPDX-License-Identifier: Apache-2.0 */
/* Input that comes in pieces, through the public header alone. */
#include <fairlead/fairlead.h>

#include "lib/few.h"
#include "lib/unit.h"

#define API "apiVersion: kueue.x-k8s.io/v1beta2\n"

static const char head[] = API
	"kind: ResourceFlavor\nmetadata: {name: f}\n---\n" API
	"kind: ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"
	"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n"
	"    - {name: f, resources: [{name: cpu, nominalQuota: 3}]}\n---\n" API
	"kind: LocalQueue\nmetadata: {namespace: ns, name: l}\nspec: {clusterQueue: q}\n";

/* The queues, then so many workloads, made as they are asked for. */
struct dump {
	char text[1024];
	size_t at, len, most; /* most: bytes at a time */
	unsigned next, n;
	int end; /* what it ends with */
	const char *words;
};

static int give(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct dump *d = user;

	if (d->at == d->len && d->next <= d->n) {
		if (d->next == 0)
			(void)snprintf(d->text, sizeof d->text, "%s", head);
		else
			(void)snprintf(
				d->text, sizeof d->text,
				"---\n" API
				"kind: Workload\nmetadata: {namespace: ns, name: w%u, uid: w%u}\n"
				"spec:\n  queueName: l\n  podSets:\n  - name: main\n    count: 1\n"
				"    template: {spec: {containers: [{name: c, resources: "
				"{requests: {cpu: 1}}}]}}\n",
				d->next, d->next);
		d->at = 0;
		d->len = strlen(d->text);
		d->next++;
	}
	*ret = d->len - d->at < size ? d->len - d->at : size;
	*ret = *ret < d->most ? *ret : d->most;
	memcpy(buffer, d->text + d->at, *ret);
	d->at += *ret;
	if (*ret == 0 && d->words)
		(void)snprintf(err->text, sizeof err->text, "%s", d->words);
	return *ret == 0 ? d->end : 0;
}

/* Counts, and fails at a given call. */
struct heap {
	size_t calls, fail_at, now, most;
};

static void *resize(void *user, void *old, size_t size)
{
	struct heap *h = user;
	size_t *base = old ? (size_t *)old - 2 : NULL, before = base ? base[0] : 0;

	if (size && h->calls++ == h->fail_at)
		return NULL;
	h->now += size - before;
	h->most = h->now > h->most ? h->now : h->most;
	if (size == 0) {
		free(base);
		return NULL;
	}
	base = realloc(base, size + 2 * sizeof *base);
	assert_non_null(base);
	base[0] = size;
	return base + 2;
}

static void count(void *user, const fairlead_decision *d)
{
	unsigned *n = user;

	*n += d->kind == FAIRLEAD_ADMIT;
}

/* Read, seal, decide; 0 or the first error. */
static int run(struct heap *h, struct dump *d, unsigned *ret_admitted, fairlead_error *err)
{
	const fairlead_engine_options o = { .size = sizeof o, .resize = resize, .user = h };
	fairlead_engine *e = NULL;
	int r = fairlead_engine_new(&o, &e, err);

	*ret_admitted = 0;
	if (r == 0)
		r = fairlead_engine_read_from(e, "dump", give, d, err);
	if (r == 0)
		r = fairlead_engine_seal(e, 0, err);
	for (int cycle = 0; r == 0 && cycle < 5; cycle++)
		r = fairlead_engine_step(e, 0, count, ret_admitted, err);
	fairlead_engine_free(e);
	assert_int_equal(h->now, 0);
	return r;
}

TEST(any_pieces)
{
	for (size_t most = 1; most < 3000; most = most * 7 + 1) {
		struct heap h = { .fail_at = SIZE_MAX };
		struct dump d = { .most = most, .n = 10 };
		fairlead_error err;
		unsigned admitted;

		assert_int_equal(run(&h, &d, &admitted, &err), 0);
		assert_int_equal(admitted, 3);
	}
}

/* More input takes the rows of as many more workloads, and nothing of its text. */
TEST(memory_is_rows)
{
	const unsigned n[2] = { 2000, under_valgrind() ? 5000 : 20000 };
	size_t most[2];

	for (int i = 0; i < 2; i++) {
		struct heap h = { .fail_at = SIZE_MAX };
		struct dump d = { .most = SIZE_MAX, .n = n[i] };
		fairlead_error err;
		unsigned admitted;

		assert_int_equal(run(&h, &d, &admitted, &err), 0);
		most[i] = h.most;
	}
	assert_true(most[0] < 8 << 20);
	assert_true((most[1] - most[0]) / (n[1] - n[0]) < 2500);
}

TEST(failures)
{
	static const struct {
		int end;
		const char *words, *text;
		int code;
	} rows[] = {
		{ FAIRLEAD_EIO, "the line went dead", "the line went dead", FAIRLEAD_EIO },
		{ FAIRLEAD_EINPUT, "not what it was", "not what it was", FAIRLEAD_EINPUT },
		{ FAIRLEAD_EIO, NULL, "the source could not be read", FAIRLEAD_EIO },
		{ 1, "a number of its own", "the source could not be read", FAIRLEAD_EIO },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct dump d = { .most = 100, .n = 5, .end = rows[i].end, .words = rows[i].words };
		fairlead_engine *e = NULL;
		fairlead_error err = { 0 };

		assert_int_equal(fairlead_engine_new(NULL, &e, &err), 0);
		assert_int_equal(fairlead_engine_read_from(e, "dump", give, &d, &err),
				 rows[i].code);
		assert_string_equal(err.text, rows[i].text);
		assert_string_equal(err.file, "dump");
		assert_string_equal(err.subject, "");
		assert_int_equal(fairlead_engine_read_from(e, "dump", give, &d, &err),
				 FAIRLEAD_ESTATE);
		e = fairlead_engine_free(e);
	}
}

TEST(every_allocation_may_fail)
{
	struct heap h = { 0 };

	for (;; h.fail_at++) {
		struct dump d = { .most = 1000, .n = 5 };
		fairlead_error err;
		unsigned admitted;
		int r;

		h.calls = 0;
		r = run(&h, &d, &admitted, &err);
		if (r == 0)
			break;
		assert_int_equal(r, FAIRLEAD_ENOMEM);
	}
	assert_true(h.fail_at > 20);
}

UNIT_GROUP("stream")
