/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - fairleadd: options, signals, the socket, and the end
 *
 * Exit codes: 0 stopped on request; 1 the configuration or the store is not valid; 2 usage; 3 the
 * environment failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local/local.h"
#include "daemon/api/api.h"
#include "daemon/config/access.h"
#include "daemon/config/accounts.h"
#include "daemon/config/config.h"
#include "daemon/config/config_warn.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/core.h"
#include "daemon/machine/expire.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/trust.h"
#include "daemon/machine/view.h"
#include "daemon/start/notify.h"
#include "daemon/start/threads.h"
#include "report/out/report.h"

enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

struct options {
	const char *config, *state, *socket, *restore;
	bool check, verify, adopt_runs;
};

struct daemon {
	struct options o;
	char state[4096], socket[4096], runner[4096];
	uv_loop_t loop;
	uv_signal_t terminate, interrupt, reload;
	uv_timer_t watchdog;
	struct fl_core *core;
	struct fl_api *api;
	struct fl_expiry *expiry;
	bool stopping;
	int exit_code;
};

/* --- messages --- */

/* Prints one line: control characters in names are replaced. */
static void say_line(void *user, const char *line)
{
	(void)user;
	fl_report_put_clean(stderr, line, strlen(line));
	(void)fputc('\n', stderr);
}

static void say(const char *text)
{
	(void)fputs("fairleadd: ", stderr);
	say_line(NULL, text);
}

static int complain(const fairlead_error *err)
{
	char line[sizeof *err + 64];
	int n = 0;

	if (err->file[0] && err->line)
		n = snprintf(line, sizeof line, "%s:%u:%u: ", err->file, err->line, err->column);
	else if (err->file[0])
		n = snprintf(line, sizeof line, "%s: ", err->file);
	(void)snprintf(line + n, sizeof line - (size_t)n, "error: %s%s%s", err->subject,
		       err->subject[0] ? ": " : "", err->text);
	say_line(NULL, line);
	(void)snprintf(line, sizeof line, "hint: %s", err->hint);
	if (err->hint[0])
		say_line(NULL, line);
	return err->code == FAIRLEAD_EIO || err->code == FAIRLEAD_ENOMEM ||
			       err->code == FAIRLEAD_ESTATE ?
		       EXIT_ENVIRONMENT :
		       EXIT_NO;
}

static void help(void)
{
	(void)printf(
		"usage: fairleadd [--config FILE] [--state DIR] [--socket PATH] [--adopt-runs]\n"
		"       fairleadd --check --config FILE\n"
		"       fairleadd --verify --state DIR\n"
		"       fairleadd --restore BACKUP --state DIR [--adopt-runs]\n"
		"\n"
		"Shares this machine fairly: jobs are submitted with `fairlead submit`.\n"
		"\n"
		"      --config FILE     the Daemon document; without one all of the machine is\n"
		"                        one queue, 'default'\n"
		"      --state DIR       where it remembers (default /var/lib/fairlead)\n"
		"      --socket PATH     where it listens (default fairlead.sock in DIR)\n"
		"      --backend NAME    where jobs run: local\n"
		"      --check           is the configuration valid?\n"
		"      --verify          is the state whole?\n"
		"      --restore BACKUP  make DIR of a backup\n"
		"      --adopt-runs      take DIR though it has runs of jobs that the database\n"
		"                        does not know: they are ended and set aside\n"
		"      --help, --version\n");
}

/* --- options --- */

static int usage(const char *text)
{
	say(text);
	(void)fprintf(stderr, "hint: fairleadd --help\n");
	return EXIT_USAGE;
}

/* An exit code, or -1: go on. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option table[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "state", required_argument, NULL, 's' },
		{ "socket", required_argument, NULL, 'S' },
		{ "backend", required_argument, NULL, 'b' },
		{ "restore", required_argument, NULL, 'r' },
		{ "adopt-runs", no_argument, NULL, 'a' },
		{ "check", no_argument, NULL, 'C' },
		{ "verify", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1)
		switch (option) {
		case 'c':
			o->config = optarg;
			break;
		case 's':
			o->state = optarg;
			break;
		case 'S':
			o->socket = optarg;
			break;
		case 'b':
			if (strcmp(optarg, "local") != 0)
				return usage("there is one backend: local");
			break;
		case 'r':
			o->restore = optarg;
			break;
		case 'a':
			o->adopt_runs = true;
			break;
		case 'C':
			o->check = true;
			break;
		case 'v':
			o->verify = true;
			break;
		case 'h':
			help();
			return EXIT_YES;
		case 'V':
			(void)printf("fairleadd %s\n", FAIRLEAD_VERSION);
			return EXIT_YES;
		default:
			return EXIT_USAGE;
		}
	return optind < argc ? usage("unexpected argument") : -1;
}

/* --- paths --- */

static bool is_there(const char *path) { return access(path, X_OK) == 0; }

/* Beside this program when it is built, or where it was installed. */
static int find_runner(struct daemon *d, fairlead_error *err)
{
	char self[2048];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	(void)snprintf(d->runner, sizeof d->runner, "%s/fairlead-runner", self);
	if (!is_there(d->runner))
		(void)snprintf(d->runner, sizeof d->runner, "%s", FAIRLEAD_RUNNER);
	if (is_there(d->runner))
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "fairlead-runner was not found");
	return fl_fail_hint(err, "it should be in %.150s or at %s", self, FAIRLEAD_RUNNER);
}

static void name_state(struct daemon *d, const struct fl_config *config)
{
	const struct fl_daemon_settings *s = fl_config_settings(config);
	const char *state = d->o.state ? d->o.state :
			    s->state.v ? fl_config_word(config, s->state) :
					 "/var/lib/fairlead";
	char here[2048];

	if (state[0] == '/' || !getcwd(here, sizeof here))
		(void)snprintf(d->state, sizeof d->state, "%s", state);
	else
		(void)snprintf(d->state, sizeof d->state, "%s/%s", here, state);
}

static void name_socket(struct daemon *d, const struct fl_config *config)
{
	const struct fl_daemon_settings *s = fl_config_settings(config);

	if (d->o.socket)
		(void)snprintf(d->socket, sizeof d->socket, "%s", d->o.socket);
	else if (s->socket.v)
		(void)snprintf(d->socket, sizeof d->socket, "%s",
			       fl_config_word(config, s->socket));
	else
		(void)snprintf(d->socket, sizeof d->socket, "%.4000s/fairlead.sock", d->state);
}

/*
 * Made before the store opens it: in a sticky folder, such as /tmp, another user could make it
 * first, but cannot replace it once it is ours.
 */
static int make_state(struct daemon *d, fairlead_error *err)
{
	char above[FL_TRUST_PATH + 4];
	int fd, r;

	if (mkdir(d->state, 0700) != 0) /* the store reports other errors */
		return errno == EEXIST ? fl_trust_path(d->state, d->state, err) : 0;
	(void)snprintf(above, sizeof above, "%s/..", d->state);
	fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd >= 0 ? fsync(fd) : -1;
	if (r < 0)
		fl_fail(err, FAIRLEAD_EIO, "cannot make %s: %s", d->state, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return r < 0 ? FAIRLEAD_EIO : 0;
}

/* The state folder, and a backup that becomes one, say which commands run as which user. */
static int trust_places(struct daemon *d, fairlead_error *err)
{
	char from[FL_TRUST_PATH], path[2 * FL_TRUST_PATH];
	int r = fl_trust_path(d->state, d->state, err);

	if (r == 0 && !d->o.restore)
		r = make_state(d, err);
	if (r == 0)
		r = fl_trust_entries(d->state, err);
	if (r < 0 || !d->o.restore)
		return r;
	if (d->o.restore[0] != '/' && getcwd(from, sizeof from))
		(void)snprintf(path, sizeof path, "%s/%s", from, d->o.restore);
	else
		(void)snprintf(path, sizeof path, "%s", d->o.restore);
	r = fl_trust_path(path, from, err);
	return r == 0 ? fl_trust_entries(from, err) : r;
}

/* Only root can enter the state folder, and so reach a socket in it. */
static bool is_for_root_alone(const struct daemon *d)
{
	size_t len = strlen(d->state);

	return geteuid() == 0 && strncmp(d->socket, d->state, len) == 0 && d->socket[len] == '/';
}

/* --- the end --- */

static void close_handle(uv_handle_t *handle, void *user)
{
	(void)user;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

static void core_closed(void *user)
{
	struct daemon *d = user;

	uv_close((uv_handle_t *)&d->terminate, NULL);
	uv_close((uv_handle_t *)&d->interrupt, NULL);
	uv_close((uv_handle_t *)&d->reload, NULL);
	uv_close((uv_handle_t *)&d->watchdog, NULL);
	d->core = fl_core_free(d->core);
}

static void expiry_closed(void *user)
{
	struct daemon *d = user;

	fl_core_close(d->core, core_closed, d);
}

static void api_closed(void *user)
{
	struct daemon *d = user;

	fl_expiry_close(d->expiry, expiry_closed, d);
}

static void stop(struct daemon *d)
{
	if (d->stopping)
		return;
	d->stopping = true;
	fl_notify("STOPPING=1");
	fl_api_close(d->api, api_closed, d);
}

static void on_stop(uv_signal_t *handle, int number)
{
	(void)number;
	stop(handle->data);
}

static void reloaded(void *user, const struct fl_reply *reply)
{
	(void)user;
	if (reply->code < 0) {
		(void)complain(reply->err);
		say("the configuration was not changed");
	}
	fl_notify("READY=1");
}

static void on_reload(uv_signal_t *handle, int number)
{
	struct daemon *d = handle->data;
	fairlead_error err = { 0 };

	(void)number;
	fl_notify("RELOADING=1");
	if (fl_core_reload(d->core, /* warn= */ NULL, reloaded, d, &err) < 0) {
		(void)complain(&err);
		say("the configuration was not changed");
		fl_notify("READY=1");
	}
}

static void on_watchdog(uv_timer_t *timer)
{
	(void)timer;
	fl_notify("WATCHDOG=1");
}

static void log_line(void *user, const char *line)
{
	(void)user;
	say(line);
}

/* All changes up to here are durable; the next start goes on from there. */
static void broken(void *user, const fairlead_error *err)
{
	struct daemon *d = user;

	(void)complain(err);
	say("fairleadd stops; the next start goes on from the database");
	d->exit_code = EXIT_ENVIRONMENT;
	uv_stop(&d->loop);
}

/* --- the beginning --- */

static int begin_signals(struct daemon *d)
{
	uint64_t ms = fl_notify_watchdog_ms();

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	d->terminate.data = d->interrupt.data = d->reload.data = d;
	if (uv_signal_init(&d->loop, &d->terminate) || uv_signal_init(&d->loop, &d->interrupt) ||
	    uv_signal_init(&d->loop, &d->reload) || uv_timer_init(&d->loop, &d->watchdog) ||
	    uv_signal_start(&d->terminate, on_stop, SIGTERM) ||
	    uv_signal_start(&d->interrupt, on_stop, SIGINT) ||
	    uv_signal_start(&d->reload, on_reload, SIGHUP))
		return FAIRLEAD_EIO;
	return ms ? uv_timer_start(&d->watchdog, on_watchdog, ms, ms) : 0;
}

static int warn_of(const struct fl_config *config, const struct fl_capacity *capacity,
		   fairlead_error *err)
{
	fl_access_warn(config, &fl_accounts_system, say_line, NULL);
	return fl_config_warn(config, capacity, say_line, NULL, err);
}

static int warn(const struct fl_core *core, fairlead_error *err)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(core, &ops);
	struct fl_capacity capacity;
	int r = ops->capacity(host, &capacity, err);

	return r < 0 ? r : warn_of(fl_core_config(core), &capacity, err);
}

static int begin(struct daemon *d, fairlead_error *err)
{
	struct fl_core_options core = {
		.loop = &d->loop,
		.config = d->o.config,
		.state = d->state,
		.runner = d->runner,
		.backend = &fl_local_backend,
		.adopt_runs = d->o.adopt_runs,
		.log = log_line,
		.broken = broken,
		.user = d,
	};
	struct fl_api_options api = { .loop = &d->loop,
				      .path = d->socket,
				      .fd = fl_notify_socket() };
	int r = find_runner(d, err);

	if (r < 0)
		return r;
	if ((r = fl_threads_begin(&d->loop, err)) < 0)
		return r;
	if (begin_signals(d) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "signals cannot be handled");
	if ((r = fl_core_new(&core, &d->core, err)) < 0)
		return r;
	if ((r = warn(d->core, err)) < 0)
		return r;
	api.core = d->core;
	r = fl_expiry_new(&d->loop, d->core, &d->expiry, err);
	return r < 0 ? r : fl_api_new(&api, &d->api, err);
}

/*
 * Raises the limit of open files to the hard limit; jobs get the old soft limit (runner.c), as
 * programs that use select, or close each possible descriptor, fail or become slow with more.
 */
static void raise_files(void)
{
	struct rlimit files;
	char text[32];

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	(void)snprintf(text, sizeof text, "%llu", (unsigned long long)files.rlim_cur);
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) == 0)
		(void)setenv(FL_RUNNER_FILES, text, /* overwrite= */ 1);
}

static int run(struct daemon *d)
{
	struct fl_starting starting;
	fairlead_error err = { 0 };
	int r;

	raise_files();

	if (uv_loop_init(&d->loop) != 0) {
		say("cannot make an event loop");
		return EXIT_ENVIRONMENT;
	}
	fl_starting_begin(&starting);
	r = begin(d, &err);
	fl_starting_end(&starting);
	if (r < 0) {
		d->exit_code = complain(&err);
	} else {
		(void)fprintf(stderr, "fairleadd: listens on %s%s\n", d->socket,
			      is_for_root_alone(d) ?
				      ", which only root can reach; for other users start it with "
				      "--socket /run/fairlead/fairlead.sock" :
				      "");
		fl_notify("READY=1");
		(void)uv_run(&d->loop, UV_RUN_DEFAULT);
	}
	/* After an error: the kernel closes what is open. */
	if (r < 0 || d->exit_code)
		_exit(d->exit_code);
	uv_walk(&d->loop, close_handle, NULL);
	(void)uv_run(&d->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&d->loop);
	return d->exit_code;
}

/* Without the warnings that depend on the machine: the start prints these. */
static int check(struct fl_config *config)
{
	const struct fl_capacity unknown = { 0 };
	fairlead_error err = { 0 };
	int r = warn_of(config, &unknown, &err);

	fl_config_free(config);
	if (r < 0)
		return complain(&err);
	(void)printf("the configuration is valid\n");
	return EXIT_YES;
}

int main(int argc, char **argv)
{
	struct daemon d = { 0 };
	struct fl_config *config = NULL;
	fairlead_error err = { 0 };
	int r = parse(argc, argv, &d.o);

	if (r >= 0)
		return r;
	(void)setlocale(LC_CTYPE, "C.UTF-8"); /* trees are drawn with characters beyond ASCII */
	(void)umask(022);
	if (fl_config_read(d.o.config, &config, &err) < 0)
		return complain(&err);
	name_state(&d, config);
	/* --check and --verify only read, so they also work on folders that are not trusted. */
	if (!d.o.check && !d.o.verify && trust_places(&d, &err) < 0) {
		fl_config_free(config);
		return complain(&err);
	}
	name_socket(&d, config);
	if (d.o.check)
		return check(config);
	fl_config_free(config);
	if (d.o.restore)
		r = fl_core_restore(&fl_local_backend, d.o.restore, d.state, d.o.adopt_runs, &err);
	else if (d.o.verify)
		r = fl_core_verify(&fl_local_backend, d.state, &err);
	else
		return run(&d);
	if (r < 0)
		return complain(&err);
	(void)printf(d.o.restore ? "restored to %s\n" :
		     r ? "%s is whole, except for a transaction at the end of its log that was "
			 "not finished: the next start cuts it off\n" :
			 "%s is whole\n",
		     d.state);
	return EXIT_YES;
}
