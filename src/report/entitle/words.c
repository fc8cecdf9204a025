/* SPDX-License-Identifier: Apache-2.0 */
#include "report/entitle/words.h"

#include "report/out/bundle_text.h"

const char *fl_entitle_obstacle_text(const struct fl_report *r, const struct fl_evidence *row,
				     const char *lead, char *buffer, size_t size)
{
	char text[2][32];

	*buffer = '\0';
	int res = row ? fl_bundle_resource(r->model, row->resource) : FL_BUNDLE;
	if (res == FL_BUNDLE)
		return buffer;
	const char *queue = fl_report_node(r->model, row->node), *name = fl_bundle_name(res);
	const double both[] = { row->lhs.share, row->rhs.share };

	fl_bundle_amounts(r, res, both, 2, text);
	switch (row->check) {
	case FL_CHECK_QUEUE_LIMIT:
		snprintf(buffer, size, "%s'%s' would hold %s %s, its limit is %s", lead, queue,
			 text[0], name, text[1]);
		break;
	case FL_CHECK_NON_PREEMPTIBLE_QUOTA:
		snprintf(buffer, size,
			 "%s'%s' would hold %s %s that cannot be preempted, it deserves %s", lead,
			 queue, text[0], name, text[1]);
		break;
	case FL_CHECK_CAN_RECLAIM:
		snprintf(buffer, size, "%s'%s' would hold %s %s, its fair share is %s", lead, queue,
			 text[0], name, text[1]);
		break;
	case FL_CHECK_TURN:
		snprintf(buffer, size,
			 "%s'%s' has held %.3g times its part of %s over time, and yields at %.3g",
			 lead, queue, row->rhs.share, name, row->lhs.share);
		break;
	case FL_CHECK_ROOM:
		snprintf(buffer, size, "%sneeds %s %s, the machine with the most of it has %s free",
			 lead, text[0], name, text[1]);
		break;
	case FL_CHECK_ROOM_LATER:
		snprintf(buffer, size, "%sneeds %s %s, all machines together have %s free", lead,
			 text[0], name, text[1]);
		break;
	case FL_CHECK_BUDGET:
		snprintf(buffer, size, "%s'%s' has used %s %s-hours of its %s", lead, queue,
			 text[0], name, text[1]);
		break;
	default:
		break;
	}
	return buffer;
}
