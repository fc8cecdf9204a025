/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_report - the quota tree as a person reads it, and as a program does
 */
#ifndef FL_REPORT_BORROW_TREE_REPORT_H
#define FL_REPORT_BORROW_TREE_REPORT_H

#include "ask/borrow/ledger.h"
#include "report/out/shape.h"

struct fl_tree_report {
	const struct fl_ledger *ledger;
	const struct fl_share *shares; /* by node; NULL: fair sharing is off */
	struct fl_node top;            /* print this node and below; FL_NONE: everything */
	uint32_t *waiting;             /* by node: workloads that wait in this queue */
	uint32_t *running;             /* by node: workloads that hold quota there */
};

int fl_tree_text(const struct fl_report *r, const struct fl_tree_report *t, fairlead_error *err);
extern const struct fl_document fl_tree_document;
int fl_tree_json(const struct fl_report *r, const struct fl_tree_report *t, fairlead_error *err);

/*
 * Nodes from @top down (or of every tree), each before its children, siblings
 * by name; ids in *ret, which has room for the model's nodes.
 */
uint32_t fl_tree_walk(const struct fl_report *r, const struct fl_tree *t, struct fl_node top,
		      uint32_t *ret, uint32_t *scratch);

#endif
