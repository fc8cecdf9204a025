/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case - recorded cases: one JSON object a line, in a plain or a gzip file
 *
 * A case carries objects, the settings they were decided with, and what the
 * real scheduler did (`expected`, which only the benches look at).  The keys of
 * a line may stand in any order.  README.md has the form.
 *
 * Test code: allocates from the heap and exits with status 3 when it cannot.
 */
#ifndef CONFORMANCE_CASE_H
#define CONFORMANCE_CASE_H

#include <stddef.h>

#include "base/error.h"
#include "base/ids.h"
#include "base/mem.h"
#include "model/model.h"

struct case_file {
	void *gz;
	const char *name;
	char *line; /* NUL-terminated, without its newline */
	size_t len, cap;
	unsigned long number; /* of the line, 1-based */
};

/* A run of bytes of the line. */
struct case_text {
	const char *text; /* NULL: the key is absent */
	size_t len;
};

struct case_row {
	char id[128], suite[32];
	char kind[16];             /* of a case of arithmetic alone (decay_case.h), else empty */
	struct case_text objects;  /* the array */
	struct case_text early;    /* with `late`: the array of objects but for ... */
	struct case_text late;     /* ... workloads that join after sealing; else absent */
	struct case_text queues;   /* the array of a case of entitlement (kai.h), else absent */
	struct case_text expected; /* the object; absent when null */
	struct case_text fair_sharing,
		admission_fair_sharing; /* of the Configuration; may be absent */
	fl_time now, interval;
	uint32_t max_cycles;
};

/* 0, or FAIRLEAD_EIO. @name must outlive the file. */
int case_open(struct case_file *f, const char *name, fairlead_error *err) FL_MUST_CHECK;
void case_close(struct case_file *f);

/* The next line that is not blank: 1 and f->line, 0 at the end, or FAIRLEAD_EIO. */
int case_next(struct case_file *f, fairlead_error *err) FL_MUST_CHECK;

/* What stands in one line. @ret points into @line. */
int case_parse(const char *line, size_t len, struct case_row *ret,
	       fairlead_error *err) FL_MUST_CHECK;

/*
 * The Configuration and @objects, an array of the case, as one `kind: List` document, NUL-terminated,
 * for the codec that reads what people have.  The caller frees it.
 */
char *case_list(const struct case_row *c, const struct case_text *objects, size_t *ret_len);

/* A model of @list with the case's settings, not sealed yet. */
int case_model(const struct case_row *c, const struct fl_mem *mem, const char *list, size_t len,
	       struct fl_model **ret, fairlead_error *err) FL_MUST_CHECK;

/* "ERROR of CASE" on standard error. */
void case_complain(const struct case_file *f, const fairlead_error *err);

#endif
