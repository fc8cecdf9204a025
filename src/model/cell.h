/* SPDX-License-Identifier: Apache-2.0 */
/* cell - kinds of nodes, and the numbers that can change while all else stays */
#ifndef FL_MODEL_CELL_H
#define FL_MODEL_CELL_H

enum fl_node_kind { FL_CLUSTER_QUEUE, FL_COHORT, FL_QUEUE /* entitle: model/entitle.h */ };

enum fl_cell_kind {
	FL_CELL_NOMINAL,
	FL_CELL_BORROWING_LIMIT,
	FL_CELL_LENDING_LIMIT,
	FL_CELL_WEIGHT,
	FL_CELL_PRIORITY,
	/* entitle: `resource` is one of the model's axis, the number is `value` */
	FL_CELL_DESERVED,
	FL_CELL_LIMIT,
	FL_CELL_OVER_QUOTA_WEIGHT,
	FL_CELL_QUEUE_PRIORITY,
	FL_CELL_ALLOCATABLE, /* of `machine` */
};

#endif
