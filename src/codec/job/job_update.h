/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_update - a change of what was submitted, as JSON
 *
 * {"name": "train-2", "queue": "team-b", "priority": 5, "timeLimit": "2h", "after": [{"job": 12}],
 *  "comment": "for the paper", "holdReason": "until the data is there"}: any of them; null for
 * timeLimit, after, comment and holdReason: none from now on.
 *
 * A stored job that was changed keeps the values with which it was submitted in its field "first", so
 * that a replay of its submission sees those.
 */
#ifndef FL_CODEC_JOB_JOB_UPDATE_H
#define FL_CODEC_JOB_JOB_UPDATE_H

#include "codec/job/job_field.h"
#include "codec/job/job_json.h"

struct fl_job_update {
	uint32_t fields;         /* 1 << enum fl_job_field: those that change */
	struct fl_job_spec spec; /* their new values, and nothing else */
};
static inline bool fl_job_updates(const struct fl_job_update *u, enum fl_job_field f)
{
	return u->fields >> f & 1;
}

/*
 * SUBMITTED: from a client; FAIRLEAD_EINPUT, FAIRLEAD_ELIMIT.  STORED: other keys are allowed, and
 * what an older program has accepted.
 */
int fl_job_update_from_json(struct json_t *json, enum fl_job_form form, struct fl_job_update *ret,
			    fairlead_error *err);
/* As an object, with null for what is to be removed; NULL: no memory. */
struct json_t *fl_job_update_to_json(const struct fl_job_update *u);
/* The text of a stored job with the change.  FAIRLEAD_EINPUT: it cannot be read; FAIRLEAD_ENOMEM. */
int fl_job_update_lay(const char *spec, const struct fl_job_update *u, char **ret,
		      fairlead_error *err);
/* Takes the changes back; returns the bytes of its text before them, @len if there were none. */
size_t fl_job_update_undo(struct json_t *spec, size_t len);

#endif
