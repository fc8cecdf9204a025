/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of an API server, as its answers show it: which jumps are followed, and what is said of the others. */
#include "daemon/cluster/daemon.h"
#include "daemon/cluster/inside.h"
#include "daemon/cluster/times.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR };

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	fl_time begun; /* of the daemon's clock */
	char log[4096];
	bool closed;
};

static fl_time boot; /* what the daemon's machine shows */

static void read_clock(fl_time *ret_wall, fl_time *ret_boot) { *ret_wall = *ret_boot = boot; }

static void note(void *user, const char *line)
{
	struct world *w = user;
	size_t n = strlen(w->log);

	(void)snprintf(w->log + n, sizeof w->log - n, "%s\n", line);
}

static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static void begin(struct world *w)
{
	struct fl_cluster_options o;
	struct fl_clock *clock;

	*w = (struct world){ 0 };
	folder_make(&w->folder);
	o = watched_options(&w->loop, w->folder.path, w);
	o.log = note;
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(fl_cluster_new(&o, &w->cluster, NULL), 0);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		fl_cluster_begun(w->cluster, k, NULL);
		fl_cluster_listed(w->cluster, k);
	}
	while (!fl_cluster_is_settled(w->cluster))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_true(fl_cluster_is_ready(w->cluster));
	clock = &w->cluster->daemon.clock;
	clock->read = read_clock;
	boot = clock->boot;
	clock->at = w->begun = (clock->at / FL_SECOND + 10) * FL_SECOND;
	w->cluster->times.dated = true;
	w->log[0] = '\0';
}

static void end(struct world *w)
{
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	w->cluster = fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	folder_gone(&w->folder);
}

/* After @seconds the server answers, with a clock that is so far ahead of a right one. */
static void answer(struct world *w, int64_t seconds, int64_t ahead)
{
	const struct fl_clock *clock = &w->cluster->daemon.clock;

	boot += seconds * FL_SECOND;
	fl_cluster_dated(w->cluster, (w->begun + boot - clock->boot) / FL_SECOND + ahead,
			 /* ago= */ 0);
}

/* How far the daemon's clock is ahead of a right one, in seconds. */
static int64_t ahead(const struct world *w)
{
	const struct fl_clock *clock = &w->cluster->daemon.clock;

	return (fl_clock_now(clock) - w->begun - (boot - clock->boot)) / FL_SECOND;
}

static int lines(const struct world *w, const char *text)
{
	int n = 0;

	for (const char *at = w->log; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* Answers of a server that is wrong for a while move nothing, however often. */
TEST(one_that_is_wrong_is_not_followed)
{
	struct world w;

	begin(&w);
	answer(&w, 1, 30 * DAY);
	assert_int_equal(ahead(&w), 0);
	CHECK(lines(&w, "is 2592000 s ahead of what was told before: followed once it is so for 5 "
			"minutes\n") == 1,
	      w.log);
	for (int i = 0; i < 10; i++) {
		answer(&w, 4 * MINUTE, 30 * DAY);
		answer(&w, MINUTE, 0);
		answer(&w, MINUTE, 30 * DAY);
		assert_int_equal(ahead(&w), 0);
	}
	CHECK(lines(&w, "ahead of what was told before") == 2, w.log); /* in an hour */
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	end(&w);
}

TEST(forward)
{
	struct world w;

	begin(&w);
	answer(&w, 1, 50); /* little, at once */
	assert_int_equal(ahead(&w), 50);
	assert_string_equal(w.log, "");
	answer(&w, 1, 2 * HOUR);
	answer(&w, 2 * MINUTE, HOUR);
	answer(&w, 179, 2 * HOUR);
	assert_int_equal(ahead(&w), 50);
	answer(&w, 1, 2 * HOUR); /* by what all have said */
	assert_int_equal(ahead(&w), HOUR);
	CHECK(lines(&w, "went forward by 3550 s, and is followed\n") == 1, w.log);
	answer(&w, 1, HOUR);
	assert_int_equal(ahead(&w), HOUR);
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	end(&w);
}

/* Two servers whose clocks differ: it is a problem for as long as both answer, and is logged now and then. */
TEST(behind)
{
	const struct fl_daemon *d;
	struct world w;

	begin(&w);
	d = fl_cluster_daemon(w.cluster);
	for (int i = 0; i < 59; i++) {
		answer(&w, 30, -20);
		assert_non_null(fl_daemon_problem(d));
		answer(&w, 30, 0);
		assert_non_null(fl_daemon_problem(d));
	}
	assert_int_equal(ahead(&w), 0);
	CHECK(strstr(fl_daemon_problem(d), "an API server's clock is 19 s behind what was told "
					   "before (it was set back, or servers differ)"),
	      fl_daemon_problem(d));
	assert_null(fl_daemon_store_problem(d));
	CHECK(lines(&w, "behind what was told before") == 1, w.log);
	answer(&w, 269, 0);
	assert_non_null(fl_daemon_problem(d));
	answer(&w, 1, 0);
	assert_null(fl_daemon_problem(d));
	answer(&w, HOUR, -20);
	CHECK(lines(&w, "behind what was told before") == 2, w.log);
	end(&w);
}

UNIT_GROUP("times")
