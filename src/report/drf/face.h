/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - reports of drf in its own words (report/common/face.h)
 */
#ifndef FL_REPORT_DRF_FACE_H
#define FL_REPORT_DRF_FACE_H

#include "ask/drf/explain.h"
#include "ask/drf/outcome.h"
#include "report/common/eta_report.h"
#include "report/common/evicted.h"
#include "report/common/face.h"
#include "report/out/shape.h"

extern const struct fl_report_face fl_drf_reports;

/* what_if.c */
int fl_drf_what_if_text(const struct fl_what_if_report *w, fairlead_error *err);
extern const struct fl_json_shape fl_drf_what_if_shape; /* of a struct fl_pair of nodes */

/* explain.c; @eta NULL: without --eta */
struct fl_drf_answer {
	const struct fl_drf_explain *x;
	const struct fl_eta *eta;
	const struct fl_evicted *evicted; /* NULL: nothing is known of an eviction */
};
int fl_drf_explain_text(const struct fl_report *r, const struct fl_drf_answer *a,
			fairlead_error *err);

/* tree.c */
struct fl_drf_tree {
	const struct fl_drf_stand *stand;
	struct fl_node top;                /* this queue alone; FL_NONE: all */
	const uint32_t *running, *waiting; /* by node: workloads */
};
int fl_drf_tree_text(const struct fl_report *r, const struct fl_drf_tree *t, fairlead_error *err);
int fl_drf_tree_json(const struct fl_report *r, const struct fl_drf_tree *t, fairlead_error *err);

/* Of the answers; those of explain and tree are of the structs above. */
extern const struct fl_document fl_drf_explain_document, fl_drf_plan_document, fl_drf_tree_document,
	fl_drf_what_if_document;

/* One queue as it stands: its share, and its resources. */
struct fl_drf_queue {
	const struct fl_drf_stand *stand;
	const struct fl_share *share;
	struct fl_node node;
};
extern const struct fl_json_shape fl_drf_queue_shape, fl_drf_share_shape;

#endif
