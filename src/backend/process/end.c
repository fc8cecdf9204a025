/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/end.h"

#include <time.h>

#include "backend/process/group.h"
#include "backend/process/process.h"

enum { ROUNDS = 250, PAUSE_MS = 20 };

bool fl_process_end_run(const char *group, const char *token, uid_t uid, bool *ret_found)
{
	int clear = 0;

	*ret_found = false;
	/* None must be found twice: a process that was just being made is seen the second time. */
	for (int i = 0; i < ROUNDS && clear < 2; i++) {
		bool alone = fl_group_remove(group);

		if (!alone)
			fl_group_kill(group);
		if (fl_process_kill_marked(token, uid) == 0 && alone) {
			clear++;
		} else {
			clear = 0;
			*ret_found = true;
		}
		if (clear < 2)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000000L }, NULL);
	}
	return clear == 2;
}
