/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns - the columns of each table and the members of rows that they store, described once
 *
 * CREATE statements, queries, parameters, results and checksums of rows are all made from here
 * (row.h, sql.def, schema.c).  Times are nanoseconds; states and kinds are the numbers of their
 * enums, which must not change.
 *
 * FL_..._COLUMNS(R, F, X, C, L): each of the last four is a macro (R, how, "column", member).  R
 *   the struct of a row F  the first column X  one that is written once C  one that an update
 *   writes L  one that is written once and came with version 2 of the database A later column gets
 *   a letter of its own, as the tables of version 1 must not change.
 */
#ifndef FL_STORE_COLUMNS_H
#define FL_STORE_COLUMNS_H

/* How a member is stored: its type in the table, and which value of it is NULL. */
#define FL_KEPT_KEY "INTEGER PRIMARY KEY"
#define FL_KEPT_NAME "TEXT PRIMARY KEY"
#define FL_KEPT_INT "INTEGER NOT NULL"
#define FL_KEPT_REF "INTEGER"  /* 0 */
#define FL_KEPT_WHEN "INTEGER" /* FL_TIME_NONE */
#define FL_KEPT_TEXT "TEXT NOT NULL"
#define FL_KEPT_NOTE "TEXT" /* NULL */

#define FL_SETTING_COLUMNS(R, F, X, C, L) F(R, NAME, "name", name) X(R, TEXT, "value", value)

/* One row. `job`: the highest number that was ever given to a job. */
#define FL_LATEST_COLUMNS(R, F, X, C, L)                                                           \
	F(R, INT, "job", job)                                                                      \
	X(R, INT, "wall", wall)                                                                    \
	X(R, INT, "boot", boot)                                                                    \
	X(R, TEXT, "boot_id", boot_text)                                                           \
	L(R, INT, "seq", seq)                                                                      \
	L(R, INT, "head", head)                                                                    \
	L(R, INT, "behind", behind)                                                                \
	L(R, INT, "commits", commits)

/* One row. */
#define FL_CHECKPOINT_COLUMNS(R, F, X, C, L)                                                       \
	F(R, INT, "seq", seq)                                                                      \
	X(R, INT, "number", number) X(R, INT, "size", size) X(R, INT, "sum", sum)

#define FL_JOURNAL_COLUMNS(R, F, X, C, L)                                                          \
	F(R, KEY, "seq", seq)                                                                      \
	X(R, INT, "at", at)                                                                        \
	X(R, INT, "kind", kind)                                                                    \
	X(R, REF, "job", job)                                                                      \
	X(R, INT, "attempt", attempt)                                                              \
	X(R, INT, "a", a)                                                                          \
	X(R, INT, "b", b)                                                                          \
	X(R, NOTE, "text", text)

#define FL_JOB_COLUMNS(R, F, X, C, L)                                                              \
	F(R, KEY, "id", id)                                                                        \
	C(R, INT, "state", state)                                                                  \
	X(R, INT, "uid", uid)                                                                      \
	X(R, TEXT, "user", user)                                                                   \
	X(R, TEXT, "name", name)                                                                   \
	X(R, TEXT, "queue", queue)                                                                 \
	X(R, REF, "array", array)                                                                  \
	C(R, INT, "priority", priority)                                                            \
	X(R, INT, "submitted", submitted)                                                          \
	C(R, WHEN, "started", started)                                                             \
	C(R, WHEN, "ended", ended)                                                                 \
	C(R, INT, "attempt", attempt)                                                              \
	C(R, INT, "evictions", evictions)                                                          \
	C(R, INT, "losses", losses)                                                                \
	C(R, INT, "ran", ran)                                                                      \
	C(R, INT, "held", held)                                                                    \
	C(R, INT, "outcome", outcome)                                                              \
	C(R, INT, "status", status)                                                                \
	C(R, NOTE, "placement", placement)                                                         \
	C(R, NOTE, "reason", reason)                                                               \
	L(R, INT, "spec_bytes", spec_bytes)

/* The columns that an update of a job writes; `id` finds the row. */
#define FL_JOB_CHANGE_COLUMNS(R, F, X, C, L) FL_JOB_COLUMNS(R, F, FL_NONE_OF, C, FL_NONE_OF)

/* What a row says of its spec, which may be replaced (sql.def). */
#define FL_JOB_SPEC_COLUMNS(R, F, X, C, L)                                                         \
	F(R, KEY, "id", id)                                                                        \
	X(R, TEXT, "name", name)                                                                   \
	X(R, TEXT, "queue", queue)                                                                 \
	X(R, INT, "spec_bytes", spec_bytes)

/* Separate from their jobs, as they are long, and seldom change. Lists need the rows only. */
#define FL_SPEC_COLUMNS(R, F, X, C, L) F(R, KEY, "job", id) X(R, TEXT, "spec", spec)

#define FL_EVENT_COLUMNS(R, F, X, C, L)                                                            \
	F(R, INT, "seq", seq)                                                                      \
	X(R, INT, "n", n)                                                                          \
	X(R, INT, "at", at)                                                                        \
	X(R, TEXT, "kind", kind)                                                                   \
	X(R, REF, "job", job)                                                                      \
	X(R, INT, "attempt", attempt)                                                              \
	X(R, NOTE, "queue", queue)                                                                 \
	X(R, REF, "\"by\"", by)                                                                    \
	X(R, NOTE, "reason", reason)                                                               \
	X(R, NOTE, "text", text)

#define FL_ADMISSION_COLUMNS_2(R, F, X, C, L)                                                      \
	F(R, INT, "job", job)                                                                      \
	X(R, INT, "attempt", attempt)                                                              \
	X(R, TEXT, "queue", queue)                                                                 \
	X(R, INT, "waits", waits)                                                                  \
	X(R, INT, "since", from)                                                                   \
	X(R, WHEN, "until", to)                                                                    \
	X(R, NOTE, "placement", placement)                                                         \
	X(R, NOTE, "ended", ended)                                                                 \
	X(R, REF, "preemptor", preemptor)
/* As they are since version 3. */
#define FL_ADMISSION_COLUMNS(R, F, X, C, L)                                                        \
	FL_ADMISSION_COLUMNS_2(R, F, X, C, L) L(R, REF, "cpu", cpu) L(R, REF, "memory", memory)

#define FL_CONDITION_COLUMNS(R, F, X, C, L)                                                        \
	F(R, TEXT, "kind", kind)                                                                   \
	X(R, TEXT, "name", name)                                                                   \
	X(R, TEXT, "type", type)                                                                   \
	X(R, NOTE, "reason", reason)                                                               \
	X(R, NOTE, "text", text)                                                                   \
	X(R, INT, "holds", holds)                                                                  \
	X(R, INT, "since", since)

#define FL_AUDIT_COLUMNS(R, F, X, C, L)                                                            \
	F(R, INT, "at", at)                                                                        \
	X(R, INT, "uid", uid)                                                                      \
	X(R, INT, "pid", pid)                                                                      \
	X(R, NOTE, "user", user)                                                                   \
	X(R, TEXT, "action", action)                                                               \
	X(R, NOTE, "subject", subject)                                                             \
	X(R, INT, "status", status)

/* Since version 4. */
#define FL_TOKEN_COLUMNS(R, F, X, C, L)                                                            \
	F(R, NAME, "id", id)                                                                       \
	X(R, TEXT, "hash", hash)                                                                   \
	X(R, TEXT, "name", name)                                                                   \
	X(R, INT, "uid", uid)                                                                      \
	X(R, TEXT, "user", user)                                                                   \
	X(R, TEXT, "role", role)                                                                   \
	X(R, NOTE, "queues", queues)                                                               \
	X(R, INT, "made", made)                                                                    \
	X(R, TEXT, "made_by", by)                                                                  \
	X(R, WHEN, "expires", expires)                                                             \
	X(R, WHEN, "used", used)                                                                   \
	X(R, WHEN, "revoked", revoked)                                                             \
	X(R, NOTE, "revoked_by", revoked_by)

/* Since version 6. */
#define FL_OBJECT_COLUMNS(R, F, X, C, L)                                                           \
	F(R, KEY, "number", number)                                                                \
	X(R, TEXT, "uid", uid)                                                                     \
	X(R, TEXT, "kind", kind)                                                                   \
	X(R, TEXT, "namespace", namespace)                                                         \
	X(R, TEXT, "name", name)

/*
 * Sums over time (record/sums.h); tiers.h has the structs.  128 bits are two columns: the upper
 * 64, and the lower.
 */
#define FL_CLOSING_COLUMNS(R, F, X, C, L)                                                          \
	F(R, INT, "until", until)                                                                  \
	X(R, INT, "\"begin\"", begin)                                                              \
	X(R, INT, "book", book)                                                                    \
	X(R, INT, "wall", wall)                                                                    \
	X(R, INT, "tier", tier)                                                                    \
	X(R, REF, "version", version)

#define FL_WIDE_COLUMNS(R, X, name)                                                                \
	X(R, INT, #name "_high", name##_high) X(R, INT, #name "_low", name##_low)

#define FL_AMOUNT_SUM_COLUMNS(R, F, X, C, L)                                                       \
	F(R, INT, "until", until)                                                                  \
	X(R, TEXT, "queue", queue)                                                                 \
	X(R, TEXT, "resource", resource)                                                           \
	FL_WIDE_COLUMNS(R, X, held)                                                                \
	FL_WIDE_COLUMNS(R, X, entitled)                                                            \
	FL_WIDE_COLUMNS(R, X, waiting)                                                             \
	FL_WIDE_COLUMNS(R, X, borrowed)                                                            \
	FL_WIDE_COLUMNS(R, X, lent)                                                                \
	FL_WIDE_COLUMNS(R, X, nominal)

#define FL_QUEUE_SUM_COLUMNS(R, F, X, C, L)                                                        \
	F(R, INT, "until", until)                                                                  \
	X(R, TEXT, "queue", queue)                                                                 \
	FL_WIDE_COLUMNS(R, X, share)                                                               \
	X(R, INT, "known", known)                                                                  \
	X(R, INT, "share_hour", share_hour)                                                        \
	X(R, INT, "share_day", share_day)                                                          \
	X(R, INT, "share_month", share_month)                                                      \
	X(R, INT, "started", started)                                                              \
	X(R, INT, "preempted", preempted)                                                          \
	FL_WIDE_COLUMNS(R, X, waited)                                                              \
	X(R, INT, "wait_hour", wait_hour)                                                          \
	X(R, INT, "wait_day", wait_day)                                                            \
	X(R, INT, "wait_month", wait_month)

/* One row: the admissions are whole since then. */
#define FL_EXACT_COLUMNS(R, F, X, C, L) F(R, INT, "since", since)

/* Each table: T(NAME, struct of a row, columns). */
#define FL_EACH_TABLE(T)                                                                           \
	T(SETTING, struct fl_setting, FL_SETTING_COLUMNS)                                          \
	T(LATEST, struct fl_latest, FL_LATEST_COLUMNS)                                             \
	T(CHECKPOINT, struct fl_checkpoint, FL_CHECKPOINT_COLUMNS)                                 \
	T(JOURNAL, struct fl_journal_cells, FL_JOURNAL_COLUMNS)                                    \
	T(JOB, struct fl_job_row, FL_JOB_COLUMNS)                                                  \
	T(JOB_CHANGE, struct fl_job_row, FL_JOB_CHANGE_COLUMNS)                                    \
	T(JOB_SPEC, struct fl_job_row, FL_JOB_SPEC_COLUMNS)                                        \
	T(SPEC, struct fl_job_row, FL_SPEC_COLUMNS)                                                \
	T(EVENT, struct fl_event_row, FL_EVENT_COLUMNS)                                            \
	T(ADMISSION, struct fl_admission_row, FL_ADMISSION_COLUMNS)                                \
	T(CONDITION, struct fl_condition_row, FL_CONDITION_COLUMNS)                                \
	T(AUDIT, struct fl_audit_row, FL_AUDIT_COLUMNS)                                            \
	T(TOKEN, struct fl_token_row, FL_TOKEN_COLUMNS)                                            \
	T(OBJECT, struct fl_object_row, FL_OBJECT_COLUMNS)                                         \
	T(CLOSING, struct fl_closing, FL_CLOSING_COLUMNS)                                          \
	T(AMOUNT_SUM, struct fl_amount_cells, FL_AMOUNT_SUM_COLUMNS)                               \
	T(QUEUE_SUM, struct fl_queue_cells, FL_QUEUE_SUM_COLUMNS)                                  \
	T(EXACT, struct fl_exact, FL_EXACT_COLUMNS)

/* --- lists of columns, for statements --- */

#define FL_NONE_OF(row, how, name, member)
#define FL_NAME_FIRST(row, how, name, member) name
#define FL_NAME(row, how, name, member) ", " name
#define FL_VALUE_FIRST(row, how, name, member) ":" #member
#define FL_VALUE(row, how, name, member) ", :" #member
#define FL_MADE_FIRST(row, how, name, member) name " " FL_KEPT_##how
#define FL_MADE(row, how, name, member) ", " name " " FL_KEPT_##how
#define FL_CHANGED(row, how, name, member) ", " name " = :" #member

#define FL_COLUMN_NAMES(columns) columns(, FL_NAME_FIRST, FL_NAME, FL_NAME, FL_NAME)
#define FL_VALUES(columns) columns(, FL_VALUE_FIRST, FL_VALUE, FL_VALUE, FL_VALUE)
/* The key with the columns that an update writes, and with those that it does not write. */
#define FL_NAMES_CHANGING(columns) columns(, FL_NAME_FIRST, FL_NONE_OF, FL_NAME, FL_NONE_OF)
#define FL_NAMES_FIXED(columns) columns(, FL_NAME_FIRST, FL_NAME, FL_NONE_OF, FL_NAME)
#define FL_VALUES_CHANGING(columns) columns(, FL_VALUE_FIRST, FL_NONE_OF, FL_VALUE, FL_NONE_OF)
#define FL_VALUES_FIXED(columns) columns(, FL_VALUE_FIRST, FL_VALUE, FL_NONE_OF, FL_VALUE)
/* For an UPDATE that sets other columns as well. */
#define FL_CHANGES(columns) columns(, FL_NONE_OF, FL_NONE_OF, FL_CHANGED, FL_NONE_OF)
/* Columns as version 1 makes them; and parameters for the values of a row. */
#define FL_COLUMNS_MADE(columns) columns(, FL_MADE_FIRST, FL_MADE, FL_MADE, FL_NONE_OF)
#define FL_SUM_OF(columns) "fl_sum(" FL_COLUMN_NAMES(columns) ")"

#endif
