/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose file is damaged or gone, and others under the same number: of another database. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "place.h"

static struct place place;

static int set_up(void **state)
{
	(void)state;
	place_make_folder(&place);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	place_remove(&place);
	return 0;
}

enum damage { SPEC, BOTH_SLOTS, CUT_OFF, NO_FILE, NO_FOLDER, DAMAGES };

static void do_damage(uint64_t job, enum damage damage)
{
	unsigned char bad[1024];
	char path[200];
	int fd = place_open_file(&place, job);

	memset(bad, 0xa5, sizeof bad);
	snprintf(path, sizeof path, "%s/runs/%llu", place.state, (unsigned long long)job);
	if (damage == SPEC)
		assert_int_equal(pwrite(fd, bad, 4, 2200), 4);
	else if (damage == BOTH_SLOTS)
		assert_int_equal(pwrite(fd, bad, sizeof bad, 0), sizeof bad);
	else if (damage == CUT_OFF)
		assert_int_equal(ftruncate(fd, 1024), 0);
	else if (damage == NO_FILE)
		assert_int_equal(unlinkat(AT_FDCWD, strcat(path, "/1/run"), 0), 0);
	else
		assert_int_equal(rename(path, strcat(strcpy((char *)bad, place.state), "/moved")),
				 0);
	close(fd);
}

static void start_long_and_die(struct place *p)
{
	place_open(p);
	place_start(p,
		    &(struct ask){ .job = 1,
				   .script = "setsid env -i sleep @ & (setsid setsid sleep @ &); "
					     "echo >>up; sleep @" });
	place_wait_began(p, 1, 1);
	place_wait_lines(p, "up", 1);
	kill(getpid(), SIGKILL);
}

/* It still runs, and nobody can read what it is: it is ended before anything else is, and lost. */
TEST_IN(set_up, tear_down, damaged_while_it_runs)
{
	for (enum damage damage = 0; damage < DAMAGES; damage++) {
		const enum fl_found found = damage >= NO_FILE    ? FL_FOUND_NEVER :
					    damage == BOTH_SLOTS ? FL_FOUND_RUNS :
								   FL_FOUND_DAMAGED;
		const struct fl_run_outcome *o;

		place.cgroup = damage % 2 ? FL_CGROUP_OFF : FL_CGROUP_AUTO;
		place_in_another(&place, start_long_and_die);
		assert_true(place_count(&place) >= 3);
		do_damage(1, damage);
		place_open(&place);
		assert_int_equal(place_find(&place, 1), found);
		if (damage == BOTH_SLOTS) /* it is taken over, and told as well as can be */
			for (int i = 0; i < 3; i++)
				place_stop(&place, 1, FL_GO_CANCELLED, 0);
		else
			place_start(&place, &(struct ask){ .job = 1,
							   .before = FL_BEFORE_MAYBE + damage % 2,
							   .script = "echo >>ran" });
		o = place_wait(&place, 1, 1);
		CHECK(o->kind == FL_RUN_LOST, o->text);
		CHECK(strstr(o->text, "damaged or missing"), o->text);
		assert_int_equal(place_count(&place), 0);
		assert_string_equal(place_file(&place, "ran"), "");
		fl_local_backend.remove(place.host, 1);
		place_close(&place);
		place_write(&place, "up", "");
	}
	place_open(&place);
}

/* Nothing of it is there: it is what its job says it was. */
TEST_IN(set_up, tear_down, gone_before)
{
	place_open(&place);
	for (enum fl_before before = FL_BEFORE_MAYBE; before <= FL_BEFORE_TOLD; before++)
		place_start(&place, &(struct ask){ .job = (uint64_t)before,
						   .before = before,
						   .script = "echo >>ran.$FAIRLEAD_JOB_ID" });
	assert_int_equal(place_wait(&place, (uint64_t)FL_BEFORE_MAYBE, 1)->kind, FL_RUN_EXITED);
	assert_int_equal(place_wait(&place, (uint64_t)FL_BEFORE_SURELY, 1)->kind, FL_RUN_LOST);
	assert_int_equal(place_wait(&place, (uint64_t)FL_BEFORE_TOLD, 1)->kind, FL_RUN_NOT_STARTED);
	assert_string_equal(place_file(&place, "ran.1"), "\n");
	assert_string_equal(place_file(&place, "ran.2"), "");
	assert_string_equal(place_file(&place, "ran.3"), "");
}

/* What it would need is taken: it is lost as surely, and what is not lost is told why. */
TEST_IN(set_up, tear_down, gone_before_and_no_devices)
{
	static const struct fl_host_resource gpu[] = { { "nvidia.com/gpu", 1 } };
	static const uint32_t number[] = { 3 };
	static const struct {
		enum fl_before before;
		enum fl_outcome_kind kind;
		const char *text;
	} rows[] = {
		{ FL_BEFORE_NOT, FL_RUN_NOT_STARTED, "not enough devices are free" },
		{ FL_BEFORE_MAYBE, FL_RUN_NOT_STARTED, "not enough devices are free" },
		{ FL_BEFORE_SURELY, FL_RUN_LOST, "damaged or missing" },
		{ FL_BEFORE_TOLD, FL_RUN_NOT_STARTED, "it was told to stop before it started" },
	};

	place.flavor = (struct fl_host_flavor){ "default", gpu, 1, NULL, number, 1 };
	place.has_flavor = true;
	place_open(&place);
	place_start(&place, &(struct ask){ .job = 9, .gpus = 1, .script = "sleep @" });
	place_wait_began(&place, 9, 1);
	for (uint64_t i = 0; i < COUNT(rows); i++) {
		const struct fl_run_outcome *o = place_run(&place,
							   &(struct ask){ .job = i + 1,
									  .gpus = 1,
									  .before = rows[i].before,
									  .script = "echo >>ran" });

		CHECK(o->kind == rows[i].kind, rows[i].text);
		CHECK(strstr(o->text, rows[i].text), o->text);
	}
	assert_string_equal(place_file(&place, "ran"), "");
}

/* --- it is to be ended, and no file can be opened --- */

struct held {
	uv_work_t works[4]; /* as many as there are threads (libuv) */
	uv_sem_t go;
};

static void wait_for_go(uv_work_t *work) { uv_sem_wait(work->data); }

/* Nothing more is done by other threads until they are let go. */
static void hold_threads(struct held *held)
{
	assert_int_equal(uv_sem_init(&held->go, 0), 0);
	for (int i = 0; i < 4; i++) {
		held->works[i].data = &held->go;
		assert_int_equal(uv_queue_work(&place.loop, &held->works[i], wait_for_go, NULL), 0);
	}
}

static void let_go(struct held *held)
{
	for (int i = 0; i < 4; i++)
		uv_sem_post(&held->go);
}

static bool is_put_off(void *user)
{
	(void)user;
	return place.n_notices > 0;
}

/* What it is could not be seen: it is not told to be over while it goes on, and is ended later. */
TEST_IN(set_up, tear_down, put_off)
{
	struct rlimit files, none;
	struct held held;

	/* All of it is stopped before any is killed: its runner cannot write down what befell its tasks. */
	place.cgroup = FL_CGROUP_OFF;
	place_open(&place);
	place_start(&place, &(struct ask){ .job = 1, .script = "echo >>up; sleep @" });
	place_wait_began(&place, 1, 1);
	place_wait_lines(&place, "up", 1);
	do_damage(1, BOTH_SLOTS);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = (struct rlimit){ 0, files.rlim_max };
	hold_threads(&held);
	place_stop(&place, 1, FL_GO_CANCELLED, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	let_go(&held);
	place_until(&place, is_put_off, NULL, "a run that is put off");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_non_null(strstr(place.notices[0], "it is looked at each second"));
	assert_int_equal(place_told(&place, 1, 1)->ended, 0);
	/* The runner may have ended it, as it was told to, before it was itself ended. */
	assert_int_not_equal(place_wait(&place, 1, 1)->kind, FL_RUN_EXITED);
	assert_int_equal(place_count(&place), 0);
	uv_sem_destroy(&held.go);
}

static const char others[] = "fedcba98765432100123456789abcdef";

/* What another run of its number left is neither its outcome nor its output, and is kept. */
TEST_IN(set_up, tear_down, anothers_outcome)
{
	enum fl_found found;

	place_open(&place);
	for (uint64_t job = 1; job <= 2; job++) {
		const struct ask ask = { .job = job,
					 .token = others,
					 .script = "echo old; exit 5" };

		assert_int_equal(place_run(&place, &ask)->status, 5);
		fl_local_backend.forget(place.host, job, 1);
		place.n_told = 0;
		assert_int_equal(fl_local_backend.find(place.host, job, 1,
						       place_token(&place, job, 1), &found, NULL),
				 0);
		assert_int_equal(found, FL_FOUND_NEVER);
		assert_int_equal(place_run(&place,
					   &(struct ask){ .job = job, .script = "echo new" })
					 ->status,
				 0);
		assert_string_equal(place_output(&place, job, 1, 0, FL_STREAM_OUT), "new\n");
	}
	assert_string_equal(place_file(&place, "stray/1.1/out.0"), "old\n");
	assert_string_equal(place_file(&place, "stray/2.1/out.0"), "old\n");
}

static int note_stray(void *user, uint64_t job, uint32_t attempt, const char *token)
{
	struct fl_stray *strays = user;

	assert_string_equal(token, others);
	strays[job - 1] = (struct fl_stray){ .job = job, .attempt = attempt };
	return 0;
}

/* The runner writes what comes through a pipe, so that is later than what the script wrote itself. */
static bool have_written(void *user)
{
	bool all = true;

	for (uint64_t job = 1; job <= 4; job++)
		all &= strcmp(place_output(user, job, 1, 0, FL_STREAM_OUT), "out\n") == 0;
	return all;
}

static void start_strays_and_die(struct place *p)
{
	place_open(p);
	for (uint64_t job = 1; job <= 4; job++)
		place_start(p,
			    &(struct ask){
				    .job = job,
				    .token = others,
				    .script = "trap '' TERM; setsid sleep @ & "
					      "[ $FAIRLEAD_JOB_ID = 3 ] || env -i setsid sleep @ & "
					      "echo out; echo >>up; "
					      "[ $FAIRLEAD_JOB_ID != 4 ] || exit 6; sleep @" });
	place_wait_lines(p, "up", 4);
	place_wait(p, 4, 1);
	place_until(p, have_written, p, "out");
	kill(place_runner(p, 3, 1), SIGKILL); /* and what it leaves */
	kill(getpid(), SIGKILL);
}

/* They are ended, however they resist, set aside, and in nobody's way. */
TEST_IN(set_up, tear_down, disowned)
{
	struct fl_stray strays[4];

	for (int round = 1; round <= 2; round++) {
		char name[64];

		place_in_another(&place, start_strays_and_die);
		place_open(&place);
		assert_int_equal(fl_local_backend.each(place.host, note_stray, strays, NULL), 0);
		fl_local_backend.disown(place.host, strays, 4);
		assert_int_equal(place_count(&place), 0);
		for (uint64_t job = 1; job <= 4; job++) {
			const struct fl_stray *s = &strays[job - 1];

			CHECK(s->ran == (job != 4), s->kept);
			assert_false(s->remains);
			snprintf(name, sizeof name, "stray/%llu.1%s", (unsigned long long)job,
				 round == 1 ? "" : "-2");
			assert_string_equal(s->kept, name);
			assert_string_equal(place_file(&place, strcat(name, "/out.0")), "out\n");
			assert_int_equal(place_run(&place,
						   &(struct ask){ .job = job, .script = "exit 7" })
						 ->status,
					 7);
			fl_local_backend.remove(place.host, job);
		}
		place_close(&place);
		place_write(&place, "up", "");
		place.cgroup = FL_CGROUP_OFF;
	}
	place_open(&place);
}

UNIT_GROUP("strays")
