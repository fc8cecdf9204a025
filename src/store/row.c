/* SPDX-License-Identifier: Apache-2.0 */

#include "store/row.h"

#include <string.h>

#include "store/checkpoint.h"
#include "store/columns.h"
#include "store/journal.h"
#include "store/read.h"

/* --- members --- */

int64_t fl_number_get(const void *member, size_t size, enum fl_store_number number)
{
	uint8_t byte;
	uint32_t word;
	int64_t v;

	if (size == sizeof v) {
		memcpy(&v, member, sizeof v);
		return v;
	}
	if (size == sizeof byte) {
		memcpy(&byte, member, sizeof byte);
		return byte;
	}
	memcpy(&word, member, sizeof word);
	return number == FL_NUMBER_SIGNED ? (int32_t)word : (int64_t)word;
}

void fl_number_set(void *member, size_t size, enum fl_store_number number, int64_t v)
{
	uint8_t byte = number == FL_NUMBER_BOOL ? v != 0 : (uint8_t)v;
	uint32_t word = (uint32_t)v;

	if (size == sizeof v) {
		memcpy(member, &v, sizeof v);
	} else if (size == sizeof byte) {
		if (number != FL_NUMBER_BOOL && v != byte)
			byte = UINT8_MAX;
		memcpy(member, &byte, sizeof byte);
	} else {
		if (v != (number == FL_NUMBER_SIGNED ? (int32_t)word : (int64_t)word))
			word = UINT32_MAX;
		memcpy(member, &word, sizeof word);
	}
}

/* --- columns --- */

#define FL_KEPT_AS_KEY FL_KEY
#define FL_KEPT_AS_NAME FL_NAME_KEY
#define FL_KEPT_AS_INT FL_INT
#define FL_KEPT_AS_REF FL_REF
#define FL_KEPT_AS_WHEN FL_WHEN
#define FL_KEPT_AS_TEXT FL_TEXT
#define FL_KEPT_AS_NOTE FL_NOTE

#define MEMBER(row, how, name, member)                                                             \
	{ FL_KEPT_AS_##how, FL_NUMBER_OF(((row *)0)->member), offsetof(row, member),               \
	  sizeof((row *)0)->member },
#define TABLE(name, row, columns)                                                                  \
	static const struct fl_store_column columns_of_##name[] = { columns(row, MEMBER, MEMBER,   \
									    MEMBER, MEMBER) };
FL_EACH_TABLE(TABLE)
#undef TABLE

const struct fl_store_column *fl_columns_of(enum fl_store_table table, uint32_t *ret_n)
{
	static const struct {
		const struct fl_store_column *columns;
		uint32_t n;
	} tables[] = {
#define TABLE(name, row, columns)                                                                  \
	{ columns_of_##name, sizeof columns_of_##name / sizeof *columns_of_##name },
		FL_EACH_TABLE(TABLE)
#undef TABLE
	};

	*ret_n = tables[table].n;
	return tables[table].columns;
}

/* --- parts of a batch --- */

static const struct {
	enum fl_store_table table;
	uint16_t row, rows, n; /* bytes of a row; where a batch has its rows, and their number */
} parts[FL_BATCH_PARTS] = {
#define PART(name, row, field)                                                                     \
	{                                                                                          \
		FL_TABLE_##name, sizeof(row), offsetof(struct fl_batch, field),                    \
			offsetof(struct fl_batch, n_##field)                                       \
	}
	[FL_BATCH_JOURNAL] = PART(JOURNAL, struct fl_journal_row, journal),
	[FL_BATCH_NEW_JOBS] = PART(JOB, struct fl_job_row, new_jobs),
	[FL_BATCH_JOBS] = PART(JOB, struct fl_job_row, jobs),
	[FL_BATCH_EVENTS] = PART(EVENT, struct fl_event_row, events),
	[FL_BATCH_ADMISSIONS] = PART(ADMISSION, struct fl_admission_row, admissions),
	[FL_BATCH_CONDITIONS] = PART(CONDITION, struct fl_condition_row, conditions),
	[FL_BATCH_AUDIT] = PART(AUDIT, struct fl_audit_row, audit),
	[FL_BATCH_SPECS] = PART(JOB_SPEC, struct fl_job_row, specs),
	[FL_BATCH_SETTINGS] = PART(SETTING, struct fl_setting, settings),
	[FL_BATCH_TOKENS] = PART(TOKEN, struct fl_token_row, tokens),
	[FL_BATCH_OBJECTS] = PART(OBJECT, struct fl_object_row, objects),
#undef PART
};

size_t fl_batch_row_size(enum fl_batch_part part) { return parts[part].row; }

uint32_t fl_batch_rows(const struct fl_batch *batch, enum fl_batch_part part, const void **ret)
{
	uint32_t n;

	memcpy(ret, (const char *)batch + parts[part].rows, sizeof *ret);
	memcpy(&n, (const char *)batch + parts[part].n, sizeof n);
	return n;
}

void fl_batch_set(struct fl_batch *batch, enum fl_batch_part part, const void *rows, uint32_t n)
{
	memcpy((char *)batch + parts[part].rows, &rows, sizeof rows);
	memcpy((char *)batch + parts[part].n, &n, sizeof n);
}

int fl_batch_texts(enum fl_batch_part part, void *row,
		   int (*fn)(void *user, const char **text, fairlead_error *err), void *user,
		   fairlead_error *err)
{
	uint32_t n;
	const struct fl_store_column *columns = fl_columns_of(parts[part].table, &n);
	int r = 0;

	if (part == FL_BATCH_JOURNAL) {
		const char **text = fl_journal_text(row);

		return text ? fn(user, text, err) : 0;
	}
	for (uint32_t i = 0; i < n && r == 0; i++)
		if (fl_column_is_text(&columns[i]))
			r = fn(user, (const char **)((char *)row + columns[i].at), err);
	return r;
}
