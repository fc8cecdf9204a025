/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a cluster: their numbers, and jobs that have no spec. */
#include "lib/unit.h"
#include "store/open.h"
#include "world.h"

static struct fl_job_row job_of(uint64_t id, enum fl_job_state state, fl_time ended)
{
	return (struct fl_job_row){ .id = id,
				    .state = state,
				    .user = "ns",
				    .name = "train",
				    .queue = "ns/main",
				    .submitted = 5,
				    .started = FL_TIME_NONE,
				    .ended = ended,
				    .outcome = -1 };
}

static struct fl_object_row object_of(uint64_t number, const char *uid)
{
	return (struct fl_object_row){ number, uid, "Workload", "ns", "train" };
}

static void put(struct fl_store *s, const struct fl_job_row *job,
		const struct fl_object_row *object)
{
	const struct fl_batch b = {
		.new_jobs = job, .n_new_jobs = 1, .objects = object, .n_objects = 1
	};
	fairlead_error err = { 0 };

	if (fl_store_commit(s, &b, &err) < 0)
		fail_msg("%s", err.text);
}

static uint64_t number_of(struct fl_store *s, const char *uid)
{
	uint64_t ret = 99;

	assert_int_equal(fl_store_number_of(s, uid, &ret, NULL), 0);
	return ret;
}

static int see_object(void *user, const struct fl_object_row *row, fairlead_error *err)
{
	char *text = user;

	(void)err;
	(void)snprintf(text + strlen(text), 64, "%d=%s %s/%s; ", (int)row->number, row->uid,
		       row->namespace, row->name);
	return 0;
}

static const char *objects_of(struct fl_store *s, char text[256])
{
	text[0] = '\0';
	assert_int_equal(fl_store_objects(s, see_object, text, NULL), 0);
	return text;
}

static int see_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	assert_null(row->spec);
	assert_null(row->damaged);
	*(uint64_t *)user = row->id;
	return 0;
}

TEST(numbers)
{
	const struct fl_job_row runs = job_of(7, FL_JOB_RUNS, FL_TIME_NONE);
	const struct fl_job_row over = job_of(8, FL_JOB_DONE, 9);
	const struct fl_object_row a = object_of(7, "uid-a"), b = object_of(8, "uid-b");
	const struct fl_retention keep = { .jobs_before = 10 };
	struct fl_store_end end;
	uint64_t seen = 0;
	struct fl_store *s;
	struct world w;
	char text[256];

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(number_of(s, "uid-a"), 0);
	put(s, &runs, &a);
	put(s, &over, &b);
	assert_int_equal(number_of(s, "uid-a"), 7);
	assert_int_equal(number_of(s, "uid-b"), 8);
	/* Of jobs that are over none is read at a start. */
	assert_string_equal(objects_of(s, text), "7=uid-a ns/train; ");
	assert_int_equal(fl_store_job(s, 7, see_job, &seen, NULL), 0);
	assert_int_equal(seen, 7);
	/* A number is never given again, also when its row has expired. */
	assert_int_equal(fl_store_expire(s, &keep, NULL), 0);
	assert_int_equal(number_of(s, "uid-b"), 0);
	assert_int_equal(number_of(s, "uid-a"), 7);
	assert_int_equal(fl_store_end(s, &end, NULL), 0);
	assert_int_equal(end.job, 8);
	(void)fl_store_close(s);
	assert_int_equal(fl_store_verify(w.folder, NULL), 0);
	world_end(&w);
}

/* A spec that is missing is damage only where there was one. */
TEST(a_spec_that_is_lost)
{
	const struct fl_job_filter all = { .after = 3, .damaged = true };
	struct fl_store_damage damage;
	fairlead_error err = { 0 };
	struct fl_store *s;
	struct world w;
	uint64_t seen = 0;

	world_begin(&w);
	s = world_open(&w);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	put(s, &(struct fl_job_row){ .id = 4, .user = "", .name = "", .queue = "" },
	    &(struct fl_object_row){ 4, "u", "Workload", "", "" });
	assert_int_equal(sqlite3_exec(s->writer.handle, "DELETE FROM specs WHERE job = 2", NULL,
				      NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(fl_store_jobs(s, &all, see_job, &seen, &err), 0);
	assert_int_equal(seen, 4);
	assert_int_equal(fl_store_job(s, 2, see_job, &seen, &err), FAIRLEAD_EINPUT);
	fl_store_damaged(s, &damage);
	assert_int_equal(damage.total, 1);
	assert_int_equal(damage.rows[0].job, 2);
	(void)fl_store_close(s);
	assert_int_equal(fl_store_verify(w.folder, &err), FAIRLEAD_EINPUT);
	CHECK(strstr(err.text, "job 2 does not match its checksum (1 such row)"), err.text);
	world_end(&w);
}

TEST(from_version_5)
{
	const struct fl_migrations five = { fl_store_migrations.texts, 5 };
	const struct fl_job_row runs = job_of(4, FL_JOB_RUNS, FL_TIME_NONE);
	const struct fl_object_row a = object_of(4, "uid-a");
	struct fl_store_options options = { .create = true };
	fairlead_error err = { 0 };
	struct fl_store *s;
	struct world w;

	world_begin(&w);
	options.folder = w.folder;
	assert_int_equal(fl_store_open_as(&options, &five, &s, &err), 0);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	s = fl_store_close(s);
	for (int again = 0; again < 2; again++) {
		s = world_open(&w);
		world_check(s, 3);
		assert_int_equal(number_of(s, "uid-a"), 0);
		s = fl_store_close(s);
	}
	assert_true(world_size(world_path(&w, "before-v6.db")) > 0);
	s = world_open(&w);
	put(s, &runs, &a);
	assert_int_equal(number_of(s, "uid-a"), 4);
	(void)fl_store_close(s);
	assert_int_equal(fl_store_verify(w.folder, NULL), 0);
	world_end(&w);
}

UNIT_GROUP("objects")
