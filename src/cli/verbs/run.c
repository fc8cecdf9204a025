/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - a job whose standard files are those of this command
 *
 * It is submitted like any other; then this process attaches to it and stays.  With a terminal it has
 * made one for the job, and passes on what is typed and printed; without, the job has our files
 * themselves, and nothing goes through us.  Over the network the job has other files, and all of it goes
 * through us (client/far.h).  When we leave, the daemon cancels the job.  When the daemon leaves, we wait
 * for it and attach again.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/client/attach.h"
#include "cli/client/job_wait.h"
#include "cli/client/submit_make.h"
#include "cli/terminal/pty.h"

enum {
	FIRST_LOOK_MS = 500, /* a job that starts at once is not said to wait */
	LOOK_MS = 2000,
	AGAIN_MS = 300,      /* between two looks for a daemon that has ended */
	PATIENCE_MS = 60000, /* without a daemon, before the job runs */
	TWICE_MS = 1000,     /* a second Ctrl-C within it ends the job */
};

struct run {
	const struct fl_options *options;
	struct fl_client *client;
	uint64_t job;
	struct fl_attach attach;
	bool with_pty;
	struct fl_pty pty;
	int files[3], signals;
	struct fl_far *far;      /* it runs elsewhere; NULL: on this machine */
	enum fl_job_state state; /* the last that was heard; FL_JOB_STATES: none */
	bool runs;               /* it does, or did */
	bool ended;              /* it is over, or will be: nothing more is heard */
	bool said;               /* the line about its waiting is on the terminal */
	char last[512];          /* that line */
	int64_t look_at;         /* ms: when to look why it waits */
	int64_t without;         /* ms: since when there is no daemon; 0: there is one */
	int64_t interrupted;     /* ms: of the last Ctrl-C; 0: none */
	int code;                /* of a failure; 0 */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- messages --- */

/* The line that is written again and again. */
static void clear_line(struct run *r)
{
	if (r->said && isatty(STDERR_FILENO))
		(void)fputs("\r\033[K", stderr);
	r->said = false;
}

static void say(struct run *r, const char *format, ...) FL_PRINTF(2, 3);
static void say(struct run *r, const char *format, ...)
{
	va_list args;

	clear_line(r);
	(void)fprintf(stderr, "fairlead: job %" PRIu64 " ", r->job);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	/* Keys that are passed on come with lines that are printed as they are. */
	(void)fputs(r->pty.on ? "\r\n" : "\n", stderr);
}

static bool is_waiting(enum fl_job_state state)
{
	return state == FL_JOB_HELD || state == FL_JOB_DEPENDS || state == FL_JOB_WAITS;
}

static bool is_name_of_waiting(const char *name)
{
	for (enum fl_job_state s = 0; name && s < FL_JOB_STATES; s++)
		if (is_waiting(s) && strcmp(fl_job_state_name(s), name) == 0)
			return true;
	return false;
}

/* Why it waits: on a terminal one line that changes, else once. */
static void say_waiting(struct run *r, const json_t *page)
{
	const char *state = json_string_value(json_object_get(page, "state"));
	const char *reason = json_string_value(json_object_get(page, "reason"));
	const char *queue = json_string_value(json_object_get(page, "queue"));
	bool terminal = isatty(STDERR_FILENO);
	char line[sizeof(r->last)];

	snprintf(line, sizeof(line), "fairlead: job %" PRIu64 " waits in %s%s%s", r->job,
		 queue ? queue : "", reason ? ": " : "", reason ? reason : "");
	if (!is_name_of_waiting(state) || strcmp(line, r->last) == 0 || (r->last[0] && !terminal))
		return;
	clear_line(r);
	fl_report_put_clean(stderr, line, strlen(line));
	(void)fputs(terminal ? "" : "\n", stderr);
	(void)fflush(stderr);
	r->said = terminal;
	memcpy(r->last, line, sizeof(line));
}

static void look(struct run *r)
{
	fairlead_error err = { 0 };
	struct fl_path path;
	json_t *page;

	r->look_at = now_ms() + LOOK_MS;
	if (!is_waiting(r->state))
		return;
	fl_path_start(&path, "/v1/jobs/%" PRIu64, r->job);
	if (fl_daemon_ask(r->client, "GET", &path, NULL, &page, &err) < 0)
		return;
	say_waiting(r, page);
	json_decref(page);
}

/* --- what the daemon says --- */

static int fail(struct run *r, const fairlead_error *err)
{
	clear_line(r);
	fl_pty_off(&r->pty);
	r->ended = true;
	return r->code = fl_complain(err);
}

/* The daemon says so, or something was printed. */
static void begin(struct run *r)
{
	if (r->runs)
		return;
	r->runs = true;
	clear_line(r);
	if (r->with_pty)
		fl_pty_on(&r->pty);
}

/* The first state of a connection, or another one. */
static void take_state(struct run *r, enum fl_job_state state)
{
	bool first = r->state == FL_JOB_STATES, waited = is_waiting(r->state);

	r->state = state;
	r->ended = fl_job_is_over(state);
	if (r->ended)
		return;
	/* A run that did not begin may have taken its files: pending again, it gets them again. */
	if (!r->far && !r->runs && (first || (is_waiting(r->state) && !waited)) &&
	    fl_attach_send(&r->attach, r->files) != 0)
		fl_attach_close(&r->attach);
	if (state == FL_JOB_RUNS)
		begin(r);
}

static void lose(struct run *r)
{
	fl_attach_close(&r->attach);
	r->state = FL_JOB_STATES;
	if (r->without)
		return;
	r->without = now_ms();
	say(r, "has lost its daemon; %s",
	    r->runs ? "it goes on, and so does fairlead" : "fairlead waits for it to come back");
}

static void hear(struct run *r)
{
	fairlead_error err = { 0 };
	int heard;

	while (r->attach.socket >= 0 && !r->ended &&
	       (heard = fl_attach_hear(&r->attach, &err)) != FL_HEARD_NOTHING) {
		if (heard == FL_HEARD_STATE) {
			r->without = 0;
			take_state(r, r->attach.state);
		} else if (heard == FL_HEARD_END || heard == FAIRLEAD_EIO) {
			lose(r);
		} else if (r->attach.status == 409 && r->without) {
			r->ended = true; /* it ended meanwhile */
		} else {
			fail(r, &err);
		}
	}
}

/* What was typed, over the network. */
static void speak(struct run *r)
{
	if (!r->far || r->attach.socket < 0)
		return;
	fl_far_speak(r->far);
	if (!r->far->stream)
		lose(r);
}

static void connect_again(struct run *r)
{
	fairlead_error err = { 0 };

	if (fl_attach_open(&r->attach, r->client, r->job, &err) == 0)
		return;
	if (!r->without)
		lose(r);
	else if (r->attach.status == 409)
		r->ended = true; /* it ended meanwhile */
	else if (r->attach.status != 0 && r->attach.status != 503)
		fail(r, &err);
	else if ((!r->runs || r->far || r->pty.out_ended) && now_ms() - r->without > PATIENCE_MS)
		fail(r, &err);
}

/* --- signals --- */

static void listen_for_signals(struct run *r)
{
	static const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(heard) / sizeof(*heard); i++)
		sigaddset(&set, heard[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The daemon cancels what is left alone. */
static void leave(struct run *r, int number)
{
	fl_attach_close(&r->attach);
	fl_pty_off(&r->pty);
	say(r, "is cancelled");
	r->ended = true;
	r->code = 128 + number;
}

/* As srun: once asks, and twice ends it. */
static void interrupt(struct run *r)
{
	int64_t now = now_ms();

	if (!r->runs || (r->interrupted && now - r->interrupted <= TWICE_MS)) {
		leave(r, SIGINT);
		return;
	}
	r->interrupted = now;
	say(r, "runs; Ctrl-C once more within a second cancels it");
}

static void take_signals(struct run *r)
{
	struct signalfd_siginfo info;

	while (!r->ended && read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGINT)
			interrupt(r);
		else if (info.ssi_signo == SIGWINCH || info.ssi_signo == SIGCONT) {
			if (r->pty.on)
				fl_pty_on(&r->pty);
			if (r->far)
				fl_far_resize(r->far);
			else if (r->with_pty)
				fl_pty_resize(&r->pty);
		} else
			leave(r, (int)info.ssi_signo);
	}
}

/* --- the loop --- */

static int wait_ms(const struct run *r)
{
	if (r->attach.socket < 0)
		return AGAIN_MS;
	if (r->runs)
		return -1;
	int64_t left = r->look_at - now_ms();
	return left < 0 ? 0 : (int)left;
}

/* Is something typed to be passed on? */
static bool may_type(const struct run *r)
{
	if (r->far)
		return r->runs && fl_far_may_type(r->far);
	return r->with_pty && r->pty.on && r->pty.at == r->pty.n && !r->pty.in_ended;
}

static void turn(struct run *r)
{
	bool typed = r->pty.at < r->pty.n, blocked = r->far && r->far->blocked;
	struct pollfd all[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->attach.socket, .events = (short)(POLLIN | (blocked ? POLLOUT : 0)) },
		{ .fd = may_type(r) ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = r->pty.master >= 0 && !r->pty.out_ended ? r->pty.master : -1,
		  .events = (short)(POLLIN | (typed ? POLLOUT : 0)) },
	};

	if (poll(all, sizeof(all) / sizeof(*all), wait_ms(r)) < 0)
		return;
	if (all[1].revents)
		hear(r);
	if (all[0].revents && !r->ended)
		take_signals(r);
	if (all[2].revents && r->far)
		fl_far_type(r->far);
	else if (all[2].revents || (all[3].revents & POLLOUT))
		fl_pty_type(&r->pty);
	if (all[3].revents & (POLLIN | POLLHUP | POLLERR)) {
		begin(r);
		fl_pty_print(&r->pty);
	}
	if (r->ended)
		return;
	speak(r);
	if (r->attach.socket < 0)
		connect_again(r);
	else if (!r->runs && r->state != FL_JOB_STATES && now_ms() >= r->look_at)
		look(r);
}

/* What is to be said of its end: nothing, when it exited by itself. */
static int tell_end(const struct run *r)
{
	struct fl_job_wait w = { .client = r->client };
	fairlead_error err = { 0 };
	json_t *page = NULL;
	int rc = fl_job_wait(&w, r->job, &page, &err);

	if (rc < 0) {
		json_decref(page);
		return fl_complain(&err);
	}
	const char *state = json_string_value(json_object_get(page, "state"));
	const char *reason = json_string_value(json_object_get(page, "reason"));
	const char *kind =
		json_string_value(json_object_get(json_object_get(page, "exit"), "kind"));
	bool cancelled = state && strcmp(state, fl_job_state_name(FL_JOB_CANCELLED)) == 0;
	/* Behind the status the reason has in brackets why it was told to stop. */
	if (!kind || strcmp(kind, "exited") != 0 || cancelled || (reason && strchr(reason, '(')))
		fl_job_say_how(r->job, page);
	int code = fl_job_exit_code(page);
	json_decref(page);
	return code;
}

static int attend(struct run *r)
{
	fairlead_error err = { 0 };
	int rc;

	r->attach.far = r->far;
	rc = fl_attach_open(&r->attach, r->client, r->job, &err);
	if (rc < 0 && r->attach.status != 0)
		return fail(r, &err);
	if (rc < 0)
		lose(r);
	r->look_at = now_ms() + FIRST_LOOK_MS;
	while (!r->ended)
		turn(r);
	clear_line(r);
	if (r->pty.master >= 0 && r->runs && r->code == 0)
		fl_pty_drain(&r->pty);
	fl_pty_close(&r->pty);
	fl_attach_close(&r->attach);
	return r->code ? r->code : tell_end(r);
}

/* --- the job --- */

static int choose_files(struct fl_submission *s, struct run *r)
{
	const struct fl_options *o = r->options;
	fairlead_error err = { 0 };

	if (fl_daemon_open(o, &s->client, &err) < 0)
		return fl_complain(&err);

	r->with_pty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	for (uint32_t i = 0; i < o->n_given; i++)
		if (strcmp(o->given[i].option, "pty") == 0)
			r->with_pty = true;
		else if (strcmp(o->given[i].option, "no-pty") == 0)
			r->with_pty = false;
	r->pty.master = r->pty.slave = -1;
	for (int i = 0; i < 3; i++)
		r->files[i] = i;
	s->remote = fl_client_is_remote(s->client);
	if (s->remote) {
		r->far = fl_far_new(r->with_pty);
		fl_pty_open_far(&r->pty);
		return r->far ? 0 : fl_submit_no_memory();
	}
	if (!r->with_pty)
		return 0;
	if (fl_pty_open(&r->pty) == 0) {
		for (int i = 0; i < 3; i++)
			r->files[i] = r->pty.slave;
		return 0;
	}
	fl_fail(&err, FAIRLEAD_EIO, "cannot make a terminal: %s", strerror(errno));
	return fl_complain(&err);
}

static int submit(struct fl_submission *s, struct run *r)
{
	const struct fl_options *o = s->options;
	json_t *answer = NULL;
	int code = o->n_operands ? fl_submit_command(s, o->operands, o->n_operands) :
				   fl_usage_error(o->verb, "a command is missing: fairlead run "
							   "-q QUEUE -- bash");

	if (code == 0)
		code = fl_submit_options(s, o);
	if (code == 0)
		code = choose_files(s, r);
	if (code == 0)
		code = fl_submit_put(s->spec, "interactive",
				     json_string(r->with_pty ? "terminal" : "files"));
	if (code == 0)
		code = fl_submit_complete(s);
	if (code == 0)
		code = fl_submit_send(s, &answer);
	if (code != 0)
		return code;
	fl_submit_notes(answer);
	r->job = (uint64_t)json_integer_value(json_array_get(json_object_get(answer, "jobs"), 0));
	json_decref(answer);
	return 0;
}

int fl_cmd_run(const struct fl_options *o)
{
	struct fl_submission s = {
		.options = o,
		.spec = json_object(),
		.environment = json_object(),
	};
	struct run r = { .options = o, .state = FL_JOB_STATES, .signals = -1 };
	int code = s.spec && s.environment ? submit(&s, &r) : fl_submit_no_memory();

	json_decref(s.spec);
	json_decref(s.environment);
	free(s.user);
	r.client = s.client;
	if (code == 0) {
		listen_for_signals(&r);
		code = attend(&r);
	}
	fl_far_free(r.far);
	fl_client_free(r.client);
	return code;
}
