/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/alias.h"

#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "codec/object/fields.h"

/* --- SipHash-2-4, of Aumasson and Bernstein (2012) --- */

static uint64_t rotate(uint64_t x, unsigned bits) { return x << bits | x >> (64 - bits); }

static void rounds(uint64_t v[4], unsigned n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t word_at(const unsigned char *bytes, size_t n)
{
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

uint64_t fl_keyed_hash(const uint64_t key[2], const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};

	for (size_t left = len;; left -= 8, at += 8) {
		uint64_t word = left < 8 ? word_at(at, left) | (uint64_t)len << 56 : word_at(at, 8);

		v[3] ^= word;
		rounds(v, 2);
		v[0] ^= word;
		if (left < 8)
			break;
	}
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* --- names that are kept --- */

/* Sorted, with different first letters: fl_alias of a resource relies on that. */
static const char *const resources[] = {
	"amd.com/gpu", "cpu", "ephemeral-storage", "memory", "nvidia.com/gpu", "pods",
};
static const char huge_pages[] = "hugepages-";

/*
 * Types and reasons of conditions that Kueue sets, kinds of owners, and values that decisions
 * depend on.
 */
static const char *const words[] = {
	"AdmissionCheck",
	"Admitted",
	"Always",
	"ClusterQueueStopped",
	"Container",
	"Deactivated",
	"DeactivationTarget",
	"Equal",
	"Evicted",
	"Exists",
	"False",
	"Finished",
	"InClusterQueue",
	"InCohortFairSharing",
	"InCohortReclaimWhileBorrowing",
	"InCohortReclamation",
	"InactiveWorkload",
	"Job",
	"LocalQueueStopped",
	"NoAdmissionFairSharing",
	"NoExecute",
	"NoSchedule",
	"NodeFailures",
	"Pending",
	"Pod",
	"PodsReady",
	"PodsReadyTimeout",
	"Preempted",
	"PreferNoSchedule",
	"QuotaReserved",
	"Ready",
	"Requeued",
	"True",
	"Unknown",
	"UsageBasedAdmissionFairSharing",
	"batch/v1",
	"kai-resource-reservation",
	"kai-scheduler",
	"kueue.x-k8s.io",
	"prometheus",
	"scheduling.k8s.io",
};

/* Priority classes of KAI, which need not be in the input. */
static const char *const classes[] = { "build", "inference", "interactive-preemptible", "train" };

enum { N_RESOURCES = sizeof resources / sizeof *resources, N_WORDS = sizeof words / sizeof *words };

static bool is_huge_pages(const char *text)
{
	return strncmp(text, huge_pages, sizeof huge_pages - 1) == 0;
}

bool fl_alias_keeps(enum fl_text_kind kind, const char *text)
{
	switch (kind) {
	case FL_TEXT_VALUE:
	case FL_TEXT_SHAPE:
	case FL_TEXT_FULL_NAME: /* two names, each on its own */
		return true;
	case FL_TEXT_WORD:
		for (unsigned i = 0; i < N_WORDS; i++)
			if (strcmp(words[i], text) == 0)
				return true;
		return false;
	case FL_TEXT_RESOURCE:
		for (unsigned i = 0; i < N_RESOURCES; i++)
			if (strcmp(resources[i], text) == 0)
				return true;
		return is_huge_pages(text);
	case FL_TEXT_CLASS:
		for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
			if (strcmp(classes[i], text) == 0)
				return true;
		return *text == '\0';
	case FL_TEXT_LABEL_KEY:
		return strcmp(text, "kubernetes.io/metadata.name") == 0;
	case FL_TEXT_GATE:
		return fl_kube_is_gate(text);
	case FL_TEXT_PODSET:
		return strcmp(text, "main") == 0; /* the name of a local queue without one */
	default:
		return *text == '\0'; /* an empty text is not a name */
	}
}

/* --- places in the order --- */

static const char *const prefixes[FL_TEXT_KINDS] = {
	[FL_TEXT_WORD] = "Word",         [FL_TEXT_NAMESPACE] = "namespace",
	[FL_TEXT_WORKLOAD] = "workload", [FL_TEXT_UID] = "uid",
	[FL_TEXT_JOB] = "job",           [FL_TEXT_PODSET] = "pods",
	[FL_TEXT_LOCAL_QUEUE] = "local", [FL_TEXT_CLUSTER_QUEUE] = "queue",
	[FL_TEXT_COHORT] = "cohort",     [FL_TEXT_FLAVOR] = "flavor",
	[FL_TEXT_CLASS] = "class",       [FL_TEXT_RESOURCE] = "resource",
	[FL_TEXT_GATE] = "Gate",         [FL_TEXT_LABEL_KEY] = "key",
	[FL_TEXT_LABEL_VALUE] = "value", [FL_TEXT_MACHINE] = "node",
	[FL_TEXT_NAME] = "name",
};

void fl_aliases_init(struct fl_aliases *a, const struct fl_mem *mem, struct fl_names *names,
		     const uint64_t key[2])
{
	*a = (struct fl_aliases){ .mem = mem, .names = names, .key = { key[0], key[1] } };
	fl_pairs_init(&a->by_name, mem);
}

void fl_aliases_done(struct fl_aliases *a)
{
	if (!a->mem)
		return;
	fl_mem_free(a->mem, a->rows);
	fl_pairs_done(&a->by_name);
	*a = (struct fl_aliases){ 0 };
}

int fl_aliases_add(struct fl_aliases *a, enum fl_text_kind kind, struct fl_sym name,
		   fairlead_error *err)
{
	uint32_t old;

	if (fl_alias_keeps(kind, fl_names_text(a->names, name)))
		return 0;
	int r = fl_mem_grow(a->mem, &a->rows, &a->cap, a->n + 1, sizeof *a->rows, err);
	if (r == 0)
		r = fl_pairs_add(&a->by_name, kind, name.v, a->n, &old, err);
	if (r == 0)
		a->rows[a->n++] = (struct fl_alias_name){ .kind = kind, .sym = name };
	return r < 0 ? r : 0;
}

/* A decimal integer: [+-]digits. */
static bool is_integer(const char *text)
{
	text += *text == '-' || *text == '+';
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* By value: 7 and 007 are equal. */
static int cmp_integers(const char *a, const char *b)
{
	bool minus = *a == '-';
	const char *x = a + (*a == '-' || *a == '+'), *y = b + (*b == '-' || *b == '+');
	int order;

	x += strspn(x, "0");
	y += strspn(y, "0");
	if (!*x || !*y || minus != (*b == '-')) { /* one is 0, or their signs differ */
		int s = !*x ? 0 : minus ? -1 : 1, t = !*y ? 0 : *b == '-' ? -1 : 1;

		return s - t;
	}
	order = strlen(x) != strlen(y) ? (strlen(x) < strlen(y) ? -1 : 1) : strcmp(x, y);
	return minus ? -order : order;
}

static bool is_number(const struct fl_aliases *a, const struct fl_alias_name *row)
{
	return row->kind == FL_TEXT_LABEL_VALUE && is_integer(fl_names_text(a->names, row->sym));
}

/* By kind; within one numbers first, by value; then by text. */
static int cmp_rows(const void *ctx, uint32_t i, uint32_t k)
{
	const struct fl_aliases *a = ctx;
	const struct fl_alias_name *x = &a->rows[i], *y = &a->rows[k];
	bool number = is_number(a, x);
	int order = 0;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (number != is_number(a, y))
		return number ? -1 : 1;
	if (number)
		order = cmp_integers(fl_names_text(a->names, x->sym),
				     fl_names_text(a->names, y->sym));
	return order ? order : fl_names_cmp(a->names, x->sym, y->sym);
}

static bool same_number(const struct fl_aliases *a, const struct fl_alias_name *x,
			const struct fl_alias_name *y)
{
	return x->kind == y->kind && is_number(a, x) && is_number(a, y) &&
	       cmp_integers(fl_names_text(a->names, x->sym), fl_names_text(a->names, y->sym)) == 0;
}

int fl_aliases_sort(struct fl_aliases *a, fairlead_error *err)
{
	uint32_t *order = NULL, cap = 0;
	int r = fl_mem_grow(a->mem, &order, &cap, a->n * 2 + 1, sizeof *order, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < a->n; i++)
		order[i] = i;
	fl_sort(order, a->n, order + a->n, cmp_rows, a);
	for (uint32_t i = 0; i < a->n; i++) {
		struct fl_alias_name *row = &a->rows[order[i]];
		bool again = i > 0 && same_number(a, row, &a->rows[order[i - 1]]);

		row->place = again ? a->count[row->kind] : ++a->count[row->kind];
	}
	fl_mem_free(a->mem, order);
	return 0;
}

/* --- aliases --- */

/*
 * The prefix of a resource's alias: with it the alias sorts among the kept names as the name does,
 * and none of them begins another: the first letter of the greatest kept name below it, and a z.
 * No kept name begins so, and the next kept one has a greater letter.
 */
static void put_anchor(const char *text, char anchor[3])
{
	strcpy(anchor, "0");
	for (unsigned i = 0; i < N_RESOURCES; i++)
		if (strcmp(resources[i], text) < 0)
			(void)snprintf(anchor, 3, "%cz", resources[i][0]);
	if (strcmp(huge_pages, text) < 0 && *anchor < *huge_pages)
		strcpy(anchor, "hz");
}

static unsigned digits_of(uint32_t count)
{
	unsigned n = 1;

	for (; count >= 10; count /= 10)
		n++;
	return n;
}

/* Signs and zeros stay, so that different spellings of a number stay different. */
static void put_number(const char *text, uint32_t place, char *buffer, size_t size)
{
	size_t lead = strspn(text, "+") + strspn(text + strspn(text, "+-"), "0");
	const char *digits = text + strspn(text, "+-") + strspn(text + strspn(text, "+-"), "0");

	lead -= *digits == '\0'; /* in "0" or "00" one zero is the number */
	(void)snprintf(buffer, size, "%s%.*s%u", *text == '+' ? "+" : "",
		       (int)(lead - (*text == '+')), "0000000000000000000000000000000", place);
}

int fl_alias(struct fl_aliases *a, enum fl_text_kind kind, struct fl_sym name, struct fl_sym *ret,
	     fairlead_error *err)
{
	uint32_t at = fl_pairs_find(&a->by_name, kind, name.v);
	const char *text = fl_names_text(a->names, name);
	char buffer[128], hashed[1 + 1024], anchor[3] = "";

	if (at == FL_NONE) {
		*ret = name;
		return 0;
	}
	if (is_number(a, &a->rows[at])) {
		put_number(text, a->rows[at].place, buffer, sizeof buffer);
		return fl_names_add(a->names, buffer, strlen(buffer), ret, err);
	}
	if (kind == FL_TEXT_RESOURCE)
		put_anchor(text, anchor);
	/* Equal texts of two kinds have different hashes. */
	size_t len = strlen(text) < sizeof hashed - 1 ? strlen(text) : sizeof hashed - 1;
	hashed[0] = (char)kind;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): hashed by its length */
	memcpy(hashed + 1, text, len);
	(void)snprintf(buffer, sizeof buffer, "%s%s%s-%0*u-%08x", anchor, *anchor ? "-" : "",
		       prefixes[kind], (int)digits_of(a->count[kind]), a->rows[at].place,
		       (unsigned)fl_keyed_hash(a->key, hashed, len + 1));
	return fl_names_add(a->names, buffer, strlen(buffer), ret, err);
}
