/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem - why a request was refused, as application/problem+json (RFC 9457)
 *
 * `type` and `title` follow from the status; `detail` is all of it for people; `text`, `hint` and `position`
 * are the same in parts, for programs that show them in their own way.  doc/guide/api.md lists the types.
 */
#ifndef FL_NET_PROBLEM_H
#define FL_NET_PROBLEM_H

#define FL_PROBLEM_TYPE "application/problem+json"

struct fl_problem {
	unsigned status;
	const char *text, *hint; /* hint: what to do; NULL, "" */
	const char *file;        /* where it stands in what was sent, or in a file; NULL, "" */
	unsigned line, column;   /* line 0: no position */
};
/* From malloc; NULL: no memory. Bytes that are not UTF-8 become '?'. */
char *fl_problem_json(const struct fl_problem *p);

#endif
