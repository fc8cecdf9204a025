/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial - the command that tries changes: what-if on the same input, with --set for each of them
 *
 * The command that asks knows how the input was given, and says it in fl_report.trial.  For
 * people it is one command, quoted for a shell, that can be copied at any width.
 */
#ifndef FL_REPORT_COMMON_TRIAL_H
#define FL_REPORT_COMMON_TRIAL_H

#include "report/out/json.h"
#include "report/out/report.h"

enum { FL_TRIAL_SET = 2048 };

/* What is given to --set for change number @i of @user; NULL: there is no way to say it. */
typedef const char *fl_trial_set(const struct fl_report *r, const void *user, uint32_t i,
				 char buffer[FL_TRIAL_SET]);

/*
 * Nothing is printed when one of the @n cannot be said, or the report has no command.  @coming: ask
 * for the coming cycle alone, where in the end both sides may come to the same.  @object: it must
 * be there before, as JSON in a line; NULL: none.
 */
void fl_trial_text(const struct fl_report *r, bool coming, const char *object, fl_trial_set *set,
		   const void *user, uint32_t n);
#define FL_TRIAL_MEANING                                                                           \
	"the same as `what-if --set` takes it: one text a change; left out where it cannot say "   \
	"one, such as the priority of a job of the daemon"
/* The list of texts for --set; nothing when one cannot be said. */
void fl_trial_json(const struct fl_report *r, struct fl_json *j, const char *key, fl_trial_set *set,
		   const void *user, uint32_t n);

/* "KIND/NAME: FIELD=VALUE"; NULL where a name could be taken for something else. */
const char *fl_trial_field(char buffer[FL_TRIAL_SET], const char *kind, const char *name,
			   const char *field, const char *value);
/* "KIND/NAME: FIELD[RESOURCE,FLAVOR]=VALUE"; the same. */
const char *fl_trial_quota(char buffer[FL_TRIAL_SET], const char *kind, const char *name,
			   const char *field, const char *resource, const char *flavor,
			   const char *value);

#endif
