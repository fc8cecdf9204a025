/* SPDX-License-Identifier: Apache-2.0 */
/* said - what people are told of the jobs of an input: each fault, and the rest in a line a reason */
#ifndef FL_CODEC_GROUPER_SAID_H
#define FL_CODEC_GROUPER_SAID_H

#include "codec/grouper/group.h"
#include "model/model.h"

/* Why a job has no pods here.  There may be many such jobs, and nothing is wrong with them. */
enum fl_grouper_left {
	FL_GROUPER_FOREIGN,
	FL_GROUPER_SUSPENDED,
	FL_GROUPER_FINISHED,
	FL_GROUPER_EMPTY,
	FL_GROUPER_CRON,
	FL_GROUPER_WRAPPED,
	FL_GROUPER_LEFT
};

struct fl_grouper_said {
	uint32_t pods, groups, grouped, without_uid, with_sub_groups;
	const struct fl_kjobs_row *first_pod, *first_group, *first_grouped; /* NULL: none yet */
	struct {
		uint32_t n;
		const struct fl_kjobs_row *first;
	} left[FL_GROUPER_LEFT];
};

/* Noted, and told at the end. */
void fl_grouper_said_pod(struct fl_grouper_said *said, const struct fl_kjobs_row *job);
void fl_grouper_said_group(struct fl_grouper_said *said, const struct fl_made_group *group);
void fl_grouper_said_grouped(struct fl_grouper_said *said, const struct fl_kjobs_row *pod,
			     bool in_vain);
int fl_grouper_left_out(struct fl_grouper_said *said, const struct fl_kjobs_row *job,
			enum fl_grouper_left reason); /* 0 */
int fl_grouper_say_all(struct fl_model *m, const struct fl_grouper_said *said, fairlead_error *err);

/* Told at once. */
int fl_grouper_say_none(struct fl_model *m, const struct fl_kjobs_row *row, const char *why,
			fairlead_error *err);
int fl_grouper_say_many(struct fl_model *m, const struct fl_kjobs_row *row, int64_t pods,
			fairlead_error *err);
int fl_grouper_say_unreadable(struct fl_model *m, const struct fl_kjobs_row *row,
			      const fairlead_error *problem, fairlead_error *err);
int fl_grouper_say_class(struct fl_model *m, const struct fl_made_group *group,
			 fairlead_error *err);
int fl_grouper_say_not_read(struct fl_model *m, const struct fl_kjobs_row *row,
			    fairlead_error *err);

#endif
