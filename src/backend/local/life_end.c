/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/life_end.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "backend/local/life.h"
#include "backend/local/life_report.h"
#include "backend/local/life_watch.h"
#include "backend/process/process.h"
#include "base/fd.h"

const char fl_life_gone[] =
	"its file was damaged or missing, and its remaining processes have been ended";

bool fl_life_end_all(const struct fl_local_run *r, bool *ret_found)
{
	struct fl_spawned run = fl_life_spawned(r);

	return fl_spawner_end(r->h->spawner, &run, ret_found);
}

/* Is it the limit of open files, of us or of the machine? That says nothing about the file. */
bool fl_life_is_short(int why) { return why == EMFILE || why == ENFILE; }

/* On another thread, as it waits for the lock of the run. */
static void bury(uv_work_t *work)
{
	struct fl_local_run *r = work->data;
	struct fl_attempt_status s = { 0 };
	struct fl_attempt_order order = { 0 };
	FL_FD fd = fl_life_open(r, O_RDWR);
	bool found;

	r->retry = fd < 0 && fl_life_is_short(errno);
	if (r->retry)
		return;
	if (r->late)
		r->remains = !fl_life_end_all(r, &found);
	/* Its runner may still run, but cannot read orders. */
	if (fd >= 0 && fl_attempt_get_status(fd, &s) == 0 && s.state == FL_ATTEMPT_DAMAGED)
		r->remains = !fl_life_end_all(r, &found);
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	if (fd >= 0 && fl_attempt_get_status(fd, &s) == 0 && s.state == FL_ATTEMPT_ENDED)
		return;
	bool here = strcmp(s.boot, r->h->boot) == 0;
	bool damaged = fd < 0 || s.state == FL_ATTEMPT_DAMAGED;
	if (!r->late)
		r->remains = (here || damaged) && !fl_life_end_all(r, &found);
	if (s.state == FL_ATTEMPT_NEW)
		s.began = s.wall_began = FL_TIME_NONE;
	s.state = FL_ATTEMPT_ENDED;
	s.kind = FL_RUN_LOST;
	if (fd >= 0 && fl_attempt_get_order(fd, &order) == 0)
		s.stopped = order.why;
	if (r->late && !damaged) {
		s.kind = FL_RUN_SIGNALLED;
		s.status = SIGKILL;
		s.killed = true;
		if (s.stopped == FL_GO_NOT)
			s.stopped = FL_GO_TIME_LIMIT;
	}
	s.ended = here ? fl_boot_clock() : FL_TIME_NONE;
	s.wall_ended = here ? fl_wall_clock() : FL_TIME_NONE;
	snprintf(s.text, sizeof s.text, "%s",
		 damaged ? fl_life_gone :
		 r->late ? "its runner did not end it in time, and was ended with it" :
		 here    ? "its runner was killed, and its remaining processes have been ended" :
			   "the machine was restarted while it ran");
	r->rc = fd >= 0 && fl_attempt_set_status(fd, &s) == 0 && fdatasync(fd) == 0 ? 0 : -1;
	if (r->rc != 0) {
		/* Not written: reported all the same, and again after a restart. */
		r->bytes = malloc(sizeof s);
		if (r->bytes)
			memcpy(r->bytes, &s, sizeof s);
	}
}

static void buried(uv_work_t *work, int status)
{
	struct fl_local_run *r = work->data;

	(void)status;
	r->buries = false;
	if (r->remains)
		fl_life_notice(
			r, "its runner was killed, and some of its processes could not be ended");
	if (r->bytes) {
		fl_life_over(r, r->bytes);
		free(r->bytes);
		r->bytes = NULL;
	} else if (r->retry) {
		fl_life_look_later(r);
	} else if (r->life != FL_LIFE_OVER) {
		fl_life_look(r);
	}
	fl_local_unref(r);
}

/* May be called again while it is under way: by another order, by the end of its runner. */
void fl_life_lose(struct fl_local_run *r)
{
	if (r->buries)
		return;
	r->buries = true;
	r->work.data = r;
	r->refs++;
	uv_queue_work(r->h->loop, &r->work, bury, buried);
}
