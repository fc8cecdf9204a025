/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/visibility.h"

#define ROW struct fl_visible_answer
static const struct fl_json_field metadata_fields[] = {
	FL_FIELD_CHARS("name", name, "the number of the job"),
	FL_FIELD(TEXT, "namespace", namespace, NULL),
	FL_FIELD(TIME, "creationTimestamp", created, "when it was submitted"),
};
static const struct fl_json_shape metadata_shape = FL_SHAPE(metadata_fields, "metadata");
static const struct fl_json_field item_fields[] = {
	FL_FIELD_SAME("metadata", metadata_shape, NULL),
	FL_FIELD(INT, "priority", priority, NULL),
	FL_FIELD(TEXT, "localQueueName", local_queue, NULL),
	FL_FIELD(COUNT, "positionInClusterQueue", in_cluster_queue, "from 0 on"),
	FL_FIELD(COUNT, "positionInLocalQueue", in_local_queue, "from 0 on"),
};
static const struct fl_json_shape item_shape = FL_SHAPE(item_fields, "pendingWorkload");
#undef ROW

static void put_empty(const struct fl_shape_at *at, const char *key, const void *row)
{
	(void)row;
	fl_json_object(at->json, key);
	fl_json_end_object(at->json);
}

#define ROW struct fl_visibles_answer
static const struct fl_json_field summary_fields[] = {
	FL_FIELD_CONST("kind", "PendingWorkloadsSummary"),
	FL_FIELD_CONST("apiVersion", "visibility.kueue.x-k8s.io/v1beta2"),
	FL_FIELD_PUT(MAP, "metadata", put_empty, "always empty", .item = FL_AS_TEXT),
	FL_FIELD_LIST("items", items, n, item_shape, "in the order of the queue"),
};
const struct fl_json_shape fl_visibles_shape = FL_SHAPE(summary_fields, "pendingWorkloadsSummary");
#undef ROW
