/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/rows.h"

#include <string.h>

#include "base/limits.h"

/* --- tables of rows, and their columns --- */

enum table {
	PODSETS,
	PARTS,
	AMOUNTS,
	LABELS,
	TERMS,
	REQUIREMENTS,
	TOLERATIONS,
	SYMS,
	POD_TABLES,
	HELD = POD_TABLES,
	ASSIGNMENTS,
	HELD_TABLES,
	TABLES = HELD_TABLES
};

enum how { NUMBER, SYMBOL, ROWS, END };

struct column {
	uint16_t offset;
	uint8_t size, how, table; /* table: ROWS, of which */
};

struct rows_of {
	size_t size, at, n_at; /* of a row; in struct fl_model: the array, and how many */
	int (*push)(struct fl_model *m, const void *row, fairlead_error *err);
	const struct column *columns;
};

#define NUM(type, field)                                                                           \
	{                                                                                          \
		offsetof(type, field), sizeof(((type *)0)->field), NUMBER, 0                       \
	}
#define SYM(type, field)                                                                           \
	{                                                                                          \
		offsetof(type, field), 4, SYMBOL, 0                                                \
	}
#define SPAN(type, field, table)                                                                   \
	{                                                                                          \
		offsetof(type, field), 8, ROWS, table                                              \
	}
#define LAST                                                                                       \
	{                                                                                          \
		0, 0, END, 0                                                                       \
	}

static const struct column podset_columns[] = {
	SYM(struct fl_podset, name),
	NUM(struct fl_podset, count),
	NUM(struct fl_podset, min_count),
	NUM(struct fl_podset, reclaimed),
	SPAN(struct fl_podset, parts, PARTS),
	SYM(struct fl_podset, runtime_class),
	SPAN(struct fl_podset, node_selector, LABELS),
	NUM(struct fl_podset, has_affinity),
	SPAN(struct fl_podset, affinity, TERMS),
	SPAN(struct fl_podset, tolerations, TOLERATIONS),
	NUM(struct fl_podset, spec_hash),
	LAST,
};
static const struct column part_columns[] = {
	NUM(struct fl_pod_part, kind),
	SPAN(struct fl_pod_part, amounts, AMOUNTS),
	LAST,
};
static const struct column amount_columns[] = {
	SYM(struct fl_pod_amount, resource_name), NUM(struct fl_pod_amount, has_request),
	NUM(struct fl_pod_amount, has_limit),     NUM(struct fl_pod_amount, request),
	NUM(struct fl_pod_amount, limit),         LAST,
};
static const struct column label_columns[] = {
	SYM(struct fl_label, key),
	SYM(struct fl_label, value),
	LAST,
};
static const struct column term_columns[] = {
	SPAN(struct fl_term, requirements, REQUIREMENTS),
	LAST,
};
static const struct column requirement_columns[] = {
	SYM(struct fl_requirement, key),
	NUM(struct fl_requirement, op),
	SPAN(struct fl_requirement, values, SYMS),
	LAST,
};
static const struct column toleration_columns[] = {
	SYM(struct fl_toleration, key),
	SYM(struct fl_toleration, value),
	NUM(struct fl_toleration, exists),
	NUM(struct fl_toleration, effect),
	LAST,
};
static const struct column sym_columns[] = {
	{ 0, 4, SYMBOL, 0 },
	LAST,
};
static const struct column held_columns[] = {
	SYM(struct fl_podset_assignment, podset),
	NUM(struct fl_podset_assignment, count),
	SPAN(struct fl_podset_assignment, assignments, ASSIGNMENTS),
	LAST,
};
static const struct column assignment_columns[] = {
	SYM(struct fl_assignment, resource_name),
	SYM(struct fl_assignment, flavor_name),
	NUM(struct fl_assignment, amount),
	LAST,
};
/* In a part of its own: namespace, name, uid and spans are set by the caller. */
static const struct column workload_columns[] = {
	SYM(struct fl_workload_row, queue_name),
	SYM(struct fl_workload_row, owner_job),
	SYM(struct fl_workload_row, priority_class),
	SYM(struct fl_workload_row, admitted_queue_name),
	NUM(struct fl_workload_row, created),
	NUM(struct fl_workload_row, reserved_at),
	NUM(struct fl_workload_row, priority),
	NUM(struct fl_workload_row, class_of_workloads),
	NUM(struct fl_workload_row, has_priority),
	NUM(struct fl_workload_row, active),
	NUM(struct fl_workload_row, finished),
	NUM(struct fl_workload_row, evicted),
	NUM(struct fl_workload_row, reserved),
	NUM(struct fl_workload_row, admitted),
	NUM(struct fl_workload_row, check_retries),
	NUM(struct fl_workload_row, not_requeued),
	NUM(struct fl_workload_row, gated),
	LAST,
};
static const struct column uncertain_columns[] = {
	SYM(struct fl_uncertain_row, cluster_queue_name),
	SYM(struct fl_uncertain_row, queue_name),
	SYM(struct fl_uncertain_row, why),
	LAST,
};
static const struct column requeue_columns[] = {
	NUM(struct fl_requeue_row, evicted_at),
	NUM(struct fl_requeue_row, requeue_at),
	SYM(struct fl_requeue_row, evicted_reason),
	SYM(struct fl_requeue_row, requeued_reason),
	LAST,
};
static const struct column eviction_columns[] = {
	NUM(struct fl_eviction_row, at),
	SYM(struct fl_eviction_row, reason),
	SYM(struct fl_eviction_row, rule),
	SYM(struct fl_eviction_row, preemptor),
	SYM(struct fl_eviction_row, preemptor_job),
	SYM(struct fl_eviction_row, preemptor_path),
	NUM(struct fl_eviction_row, over),
	LAST,
};
static const struct column life_columns[] = {
	NUM(struct fl_life_row, arrives),
	NUM(struct fl_life_row, runs),
	NUM(struct fl_life_row, asked),
	NUM(struct fl_life_row, leaves),
	NUM(struct fl_life_row, waited),
	NUM(struct fl_life_row, from_start),
	SYM(struct fl_life_row, class_name),
	SYM(struct fl_life_row, user),
	LAST,
};

#define PUSH(table)                                                                                \
	static int push_##table(struct fl_model *m, const void *row, fairlead_error *err)          \
	{                                                                                          \
		return fl_model_push_##table(m, row, /* ret_id= */ NULL, err);                     \
	}
PUSH(podsets)
PUSH(parts)
PUSH(amounts)
PUSH(labels)
PUSH(terms)
PUSH(requirements)
PUSH(tolerations)
PUSH(syms)
PUSH(podset_assignments)
PUSH(assignments)

#define TABLE(type, table, columns)                                                                \
	{                                                                                          \
		sizeof(type), offsetof(struct fl_model, table),                                    \
			offsetof(struct fl_model, n_##table), push_##table, columns                \
	}
static const struct rows_of tables[TABLES] = {
	[PODSETS] = TABLE(struct fl_podset, podsets, podset_columns),
	[PARTS] = TABLE(struct fl_pod_part, parts, part_columns),
	[AMOUNTS] = TABLE(struct fl_pod_amount, amounts, amount_columns),
	[LABELS] = TABLE(struct fl_label, labels, label_columns),
	[TERMS] = TABLE(struct fl_term, terms, term_columns),
	[REQUIREMENTS] = TABLE(struct fl_requirement, requirements, requirement_columns),
	[TOLERATIONS] = TABLE(struct fl_toleration, tolerations, toleration_columns),
	[SYMS] = TABLE(struct fl_sym, syms, sym_columns),
	[HELD] = TABLE(struct fl_podset_assignment, podset_assignments, held_columns),
	[ASSIGNMENTS] = TABLE(struct fl_assignment, assignments, assignment_columns),
};

static const void *rows_in(const struct fl_model *m, enum table t)
{
	return *(void *const *)((const char *)m + tables[t].at);
}

static uint32_t count_in(const struct fl_model *m, enum table t)
{
	return *(const uint32_t *)((const char *)m + tables[t].n_at);
}

/* --- packing --- */

enum { WORDS = 64 };

/*
 * The names that are in a part so far have numbers from 1.  Few are looked for one by one; a user may write
 * 100,000 of them, so more than that have their numbers by symbol.
 */
struct packing {
	const struct fl_names *names;
	struct fl_packed *to;
	uint32_t first[WORDS], n; /* symbols */
	uint32_t *numbers, cap;   /* of all symbols; 0: not in the part; NULL: `first` has all */
	fairlead_error *err;
	int r;
};

static uint32_t number_by_symbol(const struct packing *p, uint32_t sym)
{
	if (p->numbers)
		return p->numbers[sym];
	for (uint32_t i = 0; i < p->n; i++)
		if (p->first[i] == sym)
			return i + 1;
	return 0;
}

static int number_all(struct packing *p)
{
	int r = fl_mem_grow(&fl_mem_heap, &p->numbers, &p->cap, p->names->n, sizeof *p->numbers,
			    p->err);

	if (r < 0)
		return r;
	memset(p->numbers, 0, p->names->n * sizeof *p->numbers);
	for (uint32_t i = 0; i < p->n; i++)
		p->numbers[p->first[i]] = i + 1;
	return 0;
}

static int add_symbol(struct packing *p, uint32_t sym)
{
	int r = p->n == WORDS ? number_all(p) : 0;

	if (r < 0)
		return r;
	if (p->numbers)
		p->numbers[sym] = p->n + 1;
	else
		p->first[p->n] = sym;
	p->n++;
	return 0;
}

static void put_bytes(struct packing *p, const void *bytes, uint32_t n)
{
	if (p->r == 0)
		p->r = fl_mem_grow(&fl_mem_heap, &p->to->bytes, &p->to->cap, p->to->n + n, 1,
				   p->err);
	if (p->r < 0)
		return;
	memcpy(p->to->bytes + p->to->n, bytes, n);
	p->to->n += n;
}

static void put_number(struct packing *p, uint64_t v)
{
	uint8_t bytes[10];
	uint32_t n = 0;

	do {
		bytes[n++] = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
		v >>= 7;
	} while (v);
	put_bytes(p, bytes, n);
}

/* 0: FL_NONE; a number: of a name that came before; the next number: a new name follows. */
static void put_symbol(struct packing *p, uint32_t sym)
{
	const uint32_t number = sym == FL_NONE ? 0 : number_by_symbol(p, sym);
	const char *text;

	put_number(p, number || sym == FL_NONE ? number : p->n + 1);
	if (number || sym == FL_NONE || p->r < 0)
		return;
	p->r = add_symbol(p, sym);
	text = fl_names_text(p->names, (struct fl_sym){ sym });
	put_number(p, strlen(text));
	put_bytes(p, text, (uint32_t)strlen(text));
}

static uint64_t number_of(const void *row, const struct column *c)
{
	const char *at = (const char *)row + c->offset;
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (c->size) {
	case 1:
		memcpy(&one, at, 1);
		return one;
	case 2:
		memcpy(&two, at, 2);
		return two;
	case 4:
		memcpy(&four, at, 4);
		return four;
	default:
		memcpy(&eight, at, 8);
		return eight;
	}
}

static void put_row(struct packing *p, const struct column *c, const void *row)
{
	struct fl_span span;

	for (; c->how != END; c++)
		if (c->how == NUMBER) {
			put_number(p, number_of(row, c));
		} else if (c->how == SYMBOL) {
			put_symbol(p, (uint32_t)number_of(row, c));
		} else {
			memcpy(&span, (const char *)row + c->offset, sizeof span);
			put_number(p, span.n ? span.first : 0);
			put_number(p, span.n);
		}
}

static struct packing begin(const struct fl_model *m, struct fl_packed *to, fairlead_error *err)
{
	to->n = 0;
	return (struct packing){ .names = &m->names, .to = to, .err = err };
}

static int end(struct packing *p)
{
	fl_mem_free(&fl_mem_heap, p->numbers);
	return p->r;
}

static int pack(const struct fl_model *m, enum table from, enum table to, struct fl_packed *ret,
		fairlead_error *err)
{
	struct packing p = begin(m, ret, err);

	for (enum table t = from; t < to; t++) {
		const uint32_t n = count_in(m, t);

		put_number(&p, n);
		for (uint32_t i = 0; i < n && p.r == 0; i++)
			put_row(&p, tables[t].columns,
				(const char *)rows_in(m, t) + i * tables[t].size);
	}
	return end(&p);
}

int fl_rows_pack_pods(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err)
{
	return pack(m, PODSETS, POD_TABLES, ret, err);
}

int fl_rows_pack_held(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err)
{
	return pack(m, HELD, HELD_TABLES, ret, err);
}

int fl_rows_pack_uncertain(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err)
{
	struct packing p = begin(m, ret, err);

	put_row(&p, uncertain_columns, &m->uncertain[0]);
	return end(&p);
}

int fl_rows_pack_own(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err)
{
	const struct fl_workload_row *row = &m->workloads[0];
	struct packing p = begin(m, ret, err);

	put_row(&p, workload_columns, row);
	put_number(&p, row->requeue != FL_NONE);
	if (row->requeue != FL_NONE)
		put_row(&p, requeue_columns, &m->requeues[row->requeue]);
	put_number(&p, m->n_evictions);
	if (m->n_evictions)
		put_row(&p, eviction_columns, &m->evictions[0]);
	put_number(&p, m->n_lives);
	if (m->n_lives)
		put_row(&p, life_columns, &m->lives[0]);
	return end(&p);
}

/* --- and back --- */

/* The symbols of the names that came so far, by their numbers less one. */
struct words {
	uint32_t first[WORDS], *more;
	uint32_t n, cap;
};

static uint32_t *word_at(struct words *w, uint32_t i)
{
	return i < WORDS ? &w->first[i] : &w->more[i - WORDS];
}

static int add_word(struct words *w, uint32_t sym, fairlead_error *err)
{
	int r = w->n < WORDS ? 0 :
			       fl_mem_grow(&fl_mem_heap, &w->more, &w->cap, w->n - WORDS + 1,
					   sizeof *w->more, err);

	if (r == 0)
		*word_at(w, w->n++) = sym;
	return r;
}

struct unpacking {
	const uint8_t *at;
	struct fl_names *names;
	struct words words;
	uint32_t base[TABLES]; /* where the rows of each table begin */
	fairlead_error *err;
	int r;
};

static uint64_t get_number(struct unpacking *u)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		const uint8_t byte = *u->at++;

		v |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return v;
	}
}

static uint32_t get_symbol(struct unpacking *u)
{
	const uint32_t i = (uint32_t)get_number(u);
	struct fl_sym sym;
	size_t len;

	if (i == 0)
		return FL_NONE;
	if (i <= u->words.n)
		return *word_at(&u->words, i - 1);
	len = get_number(u);
	u->r = fl_names_add(u->names, (const char *)u->at, len, &sym, u->err);
	if (u->r == 0)
		u->r = add_word(&u->words, sym.v, u->err);
	u->at += len;
	return u->r == 0 ? sym.v : FL_NONE;
}

static void set_number(void *row, const struct column *c, uint64_t v)
{
	char *at = (char *)row + c->offset;
	const uint8_t one = (uint8_t)v;
	const uint16_t two = (uint16_t)v;
	const uint32_t four = (uint32_t)v;

	if (c->size == 1)
		memcpy(at, &one, 1);
	else if (c->size == 2)
		memcpy(at, &two, 2);
	else if (c->size == 4)
		memcpy(at, &four, 4);
	else
		memcpy(at, &v, 8);
}

static void get_row(struct unpacking *u, const struct column *c, void *row)
{
	for (; c->how != END && u->r == 0; c++)
		if (c->how == NUMBER) {
			set_number(row, c, get_number(u));
		} else if (c->how == SYMBOL) {
			set_number(row, c, get_symbol(u));
		} else {
			struct fl_span span;

			span.first = u->base[c->table] + (uint32_t)get_number(u);
			span.n = (uint32_t)get_number(u);
			memcpy((char *)row + c->offset, &span, sizeof span);
		}
}

union any_row {
	struct fl_podset podset;
	struct fl_pod_part part;
	struct fl_pod_amount amount;
	struct fl_label label;
	struct fl_term term;
	struct fl_requirement requirement;
	struct fl_toleration toleration;
	struct fl_podset_assignment held;
	struct fl_assignment assignment;
};

static int unpack(struct fl_model *m, enum table from, enum table to, const uint8_t *bytes,
		  struct fl_span *ret, fairlead_error *err)
{
	struct unpacking u = { .at = bytes, .names = &m->names, .err = err };

	for (enum table t = from; t < to; t++)
		u.base[t] = count_in(m, t);
	for (enum table t = from; t < to && u.r == 0; t++) {
		const uint32_t n = (uint32_t)get_number(&u);

		for (uint32_t i = 0; i < n && u.r == 0; i++) {
			union any_row row;

			memset(&row, 0, sizeof row);
			get_row(&u, tables[t].columns, &row);
			if (u.r == 0)
				u.r = tables[t].push(m, &row, err);
		}
	}
	*ret = (struct fl_span){ u.base[from], count_in(m, from) - u.base[from] };
	fl_mem_free(&fl_mem_heap, u.words.more);
	return u.r;
}

int fl_rows_add_pods(struct fl_model *m, const uint8_t *bytes, struct fl_span *ret,
		     fairlead_error *err)
{
	return unpack(m, PODSETS, POD_TABLES, bytes, ret, err);
}

int fl_rows_add_held(struct fl_model *m, const uint8_t *bytes, struct fl_span *ret,
		     fairlead_error *err)
{
	return unpack(m, HELD, HELD_TABLES, bytes, ret, err);
}

int fl_rows_read_uncertain(struct fl_model *m, const uint8_t *bytes, struct fl_uncertain_row *ret,
			   fairlead_error *err)
{
	struct unpacking u = { .at = bytes, .names = &m->names, .err = err };

	get_row(&u, uncertain_columns, ret);
	fl_mem_free(&fl_mem_heap, u.words.more);
	return u.r;
}

int fl_rows_read_own(const uint8_t *bytes, struct fl_names *names, struct fl_rows_own *ret,
		     fairlead_error *err)
{
	struct unpacking u = { .at = bytes, .names = names, .err = err };

	*ret = (struct fl_rows_own){ .row = fl_workload_default, .requeue = fl_requeue_default };
	get_row(&u, workload_columns, &ret->row);
	if (u.r == 0 && get_number(&u)) {
		get_row(&u, requeue_columns, &ret->requeue);
		ret->row.requeue = 0;
	}
	if (u.r == 0 && (ret->has_eviction = get_number(&u)))
		get_row(&u, eviction_columns, &ret->eviction);
	if (u.r == 0 && (ret->has_life = get_number(&u)))
		get_row(&u, life_columns, &ret->life);
	fl_mem_free(&fl_mem_heap, u.words.more);
	return u.r;
}

int fl_rows_add_own(struct fl_model *m, const uint8_t *bytes, struct fl_workload_row *row,
		    fairlead_error *err)
{
	struct fl_rows_own own;
	int r = fl_rows_read_own(bytes, &m->names, &own, err);

	if (r < 0)
		return r;
	own.row.namespace = row->namespace;
	own.row.name = row->name;
	own.row.uid = row->uid;
	own.row.podsets = row->podsets;
	own.row.admission = row->admission;
	if (own.row.requeue != FL_NONE)
		r = fl_model_push_requeues(m, &own.requeue, &own.row.requeue, err);
	if (r == 0)
		r = fl_model_add_workload(m, &own.row, err);
	own.eviction.workload.v = own.life.workload.v = m->n_workloads - 1;
	if (r == 0 && own.has_eviction)
		r = fl_model_push_evictions(m, &own.eviction, /* ret_id= */ NULL, err);
	if (r == 0 && own.has_life)
		r = fl_model_push_lives(m, &own.life, /* ret_id= */ NULL, err);
	return r;
}
