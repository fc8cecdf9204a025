/* SPDX-License-Identifier: Apache-2.0 */
/* end - the end of all that is left of a run */
#ifndef FL_BACKEND_PROCESS_END_H
#define FL_BACKEND_PROCESS_END_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Ends all processes in the control group @group ("": none) and all of @uid with that token, and
 * removes the group; takes up to 5 s when some do not end. false: some are left.  @ret_found: there
 * were some.
 */
bool fl_process_end_run(const char *group, const char *token, uid_t uid, bool *ret_found);

#endif
