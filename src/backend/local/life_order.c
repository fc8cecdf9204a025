/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/life_order.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "backend/local/life.h"
#include "backend/local/life_end.h"
#include "backend/local/life_watch.h"
#include "backend/local/spawner.h"
#include "base/fd.h"

/* Its runner reads the order that was written; one that begins later will read it, too. */
static void let_read(struct fl_local_run *r, int fd)
{
	struct fl_attempt_status s;

	if (fl_attempt_get_status(fd, &s) != 0)
		return;
	if (s.state == FL_ATTEMPT_DAMAGED)
		fl_life_lose(r); /* no runner that could read the order */
	else
		fl_life_wake(r, &s);
}

static int fail_order(const struct fl_local_run *r, const char *what, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO, "run %llu.%u cannot be told %s: %s",
		       (unsigned long long)r->job, r->attempt, what, strerror(errno));
}

int fl_life_change(struct fl_local_run *r, fl_time time_limit, int signal, fairlead_error *err)
{
	struct fl_attempt_order order;
	FL_FD fd = fl_life_open(r, O_RDWR);
	int rc = -1;

	if (fd >= 0 && fl_attempt_get_order(fd, &order) == 0) {
		if (time_limit) {
			order.time_limit = time_limit;
			r->time_limit = time_limit;
			fl_life_await_end(r);
		}
		if (signal > 0 && signal < FL_ATTEMPT_SIGNALS)
			order.signals[signal]++;
		rc = fl_attempt_set_order(fd, &order);
	}
	if (rc != 0)
		return fail_order(r, "of a change", err);
	let_read(r, fd);
	return 0;
}

int fl_life_order(struct fl_local_run *r, enum fl_go_why why, fl_time by, fairlead_error *err)
{
	struct fl_attempt_order order;
	FL_FD fd = fl_life_open(r, O_RDWR);
	int rc = -1;

	if (fd >= 0 && fl_attempt_get_order(fd, &order) == 0) {
		if (order.why == FL_GO_NOT || strcmp(order.boot, r->h->boot) != 0)
			order.by = FL_NEVER;
		if (order.why == FL_GO_NOT)
			order.why = (int32_t)why;
		order.by = fl_amount_min(order.by, by);
		memcpy(order.boot, r->h->boot, sizeof order.boot);
		rc = fl_attempt_set_order(fd, &order);
		r->why = (enum fl_go_why)order.why;
		r->by = order.by;
		fl_life_await_end(r);
	}
	if (rc != 0)
		return fail_order(r, "to stop", err);
	let_read(r, fd);
	return 0;
}
