/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_report - the tree of queues with what each deserves, is given and holds
 */
#ifndef FL_REPORT_ENTITLE_TREE_REPORT_H
#define FL_REPORT_ENTITLE_TREE_REPORT_H

#include "ask/entitle/standings.h"
#include "report/out/shape.h"

struct fl_entitle_tree {
	const struct fl_standings *standings;
	struct fl_node top;                /* this queue and those below it; FL_NONE: all */
	const uint32_t *waiting, *running; /* workloads by node; NULL: not counted */
};

/* Every column that there is room for. */
int fl_entitle_tree_text(const struct fl_report *r, const struct fl_entitle_tree *t,
			 fairlead_error *err);
/* Of a struct fl_entitle_tree. */
extern const struct fl_document fl_entitle_tree_document;
/* What is deserved, given, held and asked for: the table alone, indented. */
int fl_entitle_shares_table(const struct fl_report *r, const struct fl_entitle_tree *t,
			    fairlead_error *err);

/* The queue at @at of the order, or FL_NONE where @t ends; begin at fl_entitle_tree_first. */
uint32_t fl_entitle_tree_first(const struct fl_entitle_tree *t);
struct fl_node fl_entitle_tree_at(const struct fl_entitle_tree *t, uint32_t at);
/* What its fair share has beyond what it deserves. */
double fl_over_quota(const struct fl_standing *q, int resource);

#endif
