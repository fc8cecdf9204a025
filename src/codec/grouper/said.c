/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/said.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/limits.h"

enum { SUBJECT = 400 };

static const char *const reasons[FL_GROUPER_LEFT] = {
	[FL_GROUPER_FOREIGN] = "the schedulerName of its pods is not kai-scheduler",
	[FL_GROUPER_SUSPENDED] = "it is suspended",
	[FL_GROUPER_FINISHED] = "it has ended",
	[FL_GROUPER_EMPTY] = "it asks for no pods",
	[FL_GROUPER_CRON] = "a CronJob has no pods until it makes a Job",
	[FL_GROUPER_WRAPPED] = "the objects in it are not read for KAI",
};

static struct fl_place place_of(const struct fl_kjobs_row *row)
{
	const struct fl_value *v = &row->doc.values[0];

	return (struct fl_place){ .file = row->input, .line = v->line, .column = v->column };
}

static const char *name_of(const struct fl_kjobs_row *row, char buffer[SUBJECT])
{
	(void)snprintf(buffer, SUBJECT, "%.60s/%.63s/%.253s",
		       fl_kjob_text(fl_kjob_get(fl_kjob_root(&row->doc), "kind")), row->namespace,
		       row->name);
	return buffer;
}

/* --- noted -------------------------------------------------------------------------------------- */

void fl_grouper_said_pod(struct fl_grouper_said *said, const struct fl_kjobs_row *job)
{
	if (said->pods++ == 0)
		said->first_pod = job;
}

void fl_grouper_said_group(struct fl_grouper_said *said, const struct fl_made_group *group)
{
	if (said->groups++ == 0)
		said->first_group = group->top;
	said->without_uid += !*group->top->uid;
	said->with_sub_groups += group->has_sub_groups;
}

void fl_grouper_said_grouped(struct fl_grouper_said *said, const struct fl_kjobs_row *pod,
			     bool in_vain)
{
	if (!in_vain && said->grouped++ == 0)
		said->first_grouped = pod;
}

int fl_grouper_left_out(struct fl_grouper_said *said, const struct fl_kjobs_row *job,
			enum fl_grouper_left reason)
{
	if (said->left[reason].n++ == 0)
		said->left[reason].first = job;
	return 0;
}

/* --- told --------------------------------------------------------------------------------------- */

static int assume(struct fl_model *m, const struct fl_kjobs_row *at, fairlead_error *err,
		  const char *format, ...) FL_PRINTF(4, 5);
static int assume(struct fl_model *m, const struct fl_kjobs_row *at, fairlead_error *err,
		  const char *format, ...)
{
	char text[800];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fl_model_notice(m, FL_NOTICE_ASSUMED, place_of(at), /* subject= */ NULL,
			       /* hint= */ NULL, err, "%s", text);
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

int fl_grouper_say_all(struct fl_model *m, const struct fl_grouper_said *s, fairlead_error *err)
{
	char name[SUBJECT];
	int r = 0;

	if (s->pods)
		r = assume(m, s->first_pod, err,
			   "%" PRIu32 " pod%s of jobs wait%s, as the controllers of the jobs would "
			   "create %s",
			   s->pods, plural(s->pods), s->pods == 1 ? "s" : "",
			   s->pods == 1 ? "it" : "them");
	if (r == 0 && s->grouped)
		r = assume(m, s->first_grouped, err,
			   "%" PRIu32 " pod%s of the input do%s not belong to a pod group yet",
			   s->grouped, plural(s->grouped), s->grouped == 1 ? "es" : "");
	if (r == 0 && s->groups)
		r = assume(m, s->first_group, err,
			   "%" PRIu32 " pod group%s made, as KAI's pod grouper makes %s", s->groups,
			   s->groups == 1 ? " is" : "s are", s->groups == 1 ? "it" : "them");
	if (r == 0 && s->without_uid)
		r = assume(m, s->first_group, err,
			   "%" PRIu32
			   " of their names end%s in a kind where a cluster has the uid: "
			   "the object has none yet",
			   s->without_uid, s->without_uid == 1 ? "s" : "");
	if (r == 0 && s->with_sub_groups)
		r = assume(m, s->first_group, err,
			   "the sub-groups of %" PRIu32 " pod group%s do not count, only the "
			   "minimum of the whole group",
			   s->with_sub_groups, plural(s->with_sub_groups));
	for (int i = 0; i < FL_GROUPER_LEFT && r == 0; i++)
		if (s->left[i].n)
			r = assume(m, s->left[i].first, err,
				   "%" PRIu32 " object%s make%s no pods for KAI, such as %s: %s",
				   s->left[i].n, plural(s->left[i].n), s->left[i].n == 1 ? "s" : "",
				   name_of(s->left[i].first, name), reasons[i]);
	return r;
}

int fl_grouper_say_none(struct fl_model *m, const struct fl_kjobs_row *row, const char *why,
			fairlead_error *err)
{
	char name[SUBJECT];

	return fl_model_notice(m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(row), name_of(row, name),
			       /* hint= */ NULL, err, "KAI makes no pod group of it: %s", why);
}

int fl_grouper_say_many(struct fl_model *m, const struct fl_kjobs_row *row, int64_t pods,
			fairlead_error *err)
{
	char name[SUBJECT];

	return fl_model_notice(m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(row), name_of(row, name),
			       "lower its number of pods, or give the Pods", err,
			       "it is left out: with its %" PRId64 " pods, more than %d would be "
			       "made of the jobs of the input",
			       pods, FL_MAX_MADE_PODS);
}

int fl_grouper_say_unreadable(struct fl_model *m, const struct fl_kjobs_row *row,
			      const fairlead_error *problem, fairlead_error *err)
{
	char name[SUBJECT];

	return fl_model_notice(m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(row), name_of(row, name),
			       /* hint= */ NULL, err, "its pods cannot be read: %s%s%s",
			       problem->subject, *problem->subject ? ": " : "", problem->text);
}

int fl_grouper_say_class(struct fl_model *m, const struct fl_made_group *group, fairlead_error *err)
{
	char name[SUBJECT];

	return fl_model_notice(m, FL_NOTICE_MISSING_PRIORITY_CLASS, place_of(group->top),
			       name_of(group->top, name), /* hint= */ NULL, err,
			       "priority class '%.253s' does not exist: KAI takes '%.253s'",
			       group->missing_class, group->class);
}

int fl_grouper_say_not_read(struct fl_model *m, const struct fl_kjobs_row *row, fairlead_error *err)
{
	struct fl_kjob_value root = fl_kjob_root(&row->doc);
	char name[SUBJECT];

	return fl_model_notice(m, FL_NOTICE_IGNORED_OBJECT, place_of(row), name_of(row, name),
			       /* hint= */ NULL, err, "kind '%.60s' of '%.60s' is not read",
			       fl_kjob_text(fl_kjob_get(root, "kind")),
			       fl_kjob_text(fl_kjob_get(root, "apiVersion")));
}
