/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - fairleadd: options, signals, the socket, and the end
 *
 * Exit codes: 0 stopped on request; 1 the configuration or the store is not valid; 2 usage; 3 the
 * environment failed.
 */
#include <errno.h>
#include <fcntl.h>
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
#include "daemon/cluster/daemon.h"
#include "daemon/config/access.h"
#include "daemon/config/accounts.h"
#include "daemon/config/config.h"
#include "daemon/config/config_warn.h"
#include "daemon/config/listen.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/core.h"
#include "daemon/machine/history/upkeep.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/trust.h"
#include "daemon/machine/view.h"
#include "daemon/start/notify.h"
#include "daemon/start/options.h"
#include "daemon/start/say.h"
#include "daemon/start/separate.h"
#include "daemon/start/threads.h"
#include "daemon/start/watching.h"

struct daemon {
	struct fl_start_options o;
	char state[4096], socket[4096], runner[4096], spawner[4096];
	bool separate; /* root has started it, and it is not root any more */
	struct fl_separated separated;
	struct fl_listening listening; /* on TCP */
	struct fl_config *config;      /* until all of it has begun */
	uv_loop_t loop;
	uv_signal_t terminate, interrupt, reload;
	uv_timer_t watchdog;
	struct fl_core *core;
	struct fl_watching *watching;
	struct fl_api *api;
	bool stopping, api_is_closed, has_left;
	int exit_code;
};

/* --- paths --- */

static bool is_there(const char *path) { return access(path, X_OK) == 0; }

/* Beside this program when it is built, or where it was installed. */
static int find_program(const char *name, const char *installed, char ret[4096],
			fairlead_error *err)
{
	char self[2048];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	(void)snprintf(ret, 4096, "%s/%s", self, name);
	if (!is_there(ret))
		(void)snprintf(ret, 4096, "%s", installed);
	if (is_there(ret))
		return 0;
	fl_fail(err, FAIRLEAD_EIO, "%s was not found", name);
	return fl_fail_hint(err, "it should be in %.150s or at %s", self, installed);
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

/* Of a cluster it says nothing about commands, and a volume is mounted in folders of others. */
static int trust_state(struct daemon *d, fairlead_error *err)
{
	return d->o.cluster ? fl_trust_folder(d->state, d->state, err) :
			      fl_trust_path(d->state, d->state, err);
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
		return errno == EEXIST ? trust_state(d, err) : 0;
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
	int r = trust_state(d, err);

	if (r == 0 && !d->o.restore)
		r = make_state(d, err);
	if (r == 0 && !d->o.cluster)
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

	return (d->separate || geteuid() == 0) && strncmp(d->socket, d->state, len) == 0 &&
	       d->socket[len] == '/';
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

	d->watching = fl_watching_free(d->watching);

	uv_close((uv_handle_t *)&d->terminate, NULL);
	uv_close((uv_handle_t *)&d->interrupt, NULL);
	uv_close((uv_handle_t *)&d->reload, NULL);
	uv_close((uv_handle_t *)&d->watchdog, NULL);
	d->core = fl_core_free(d->core);
}

static void upkeep_closed(void *user)
{
	struct daemon *d = user;

	fl_core_close(d->core, core_closed, d);
}

static void go_on_closing(struct daemon *d)
{
	if (!d->api_is_closed || !d->has_left)
		return;
	if (d->watching)
		fl_watching_close(d->watching, core_closed, d);
	else
		fl_core_end_upkeep(d->core, upkeep_closed, d);
}

static void api_closed(void *user)
{
	struct daemon *d = user;

	d->api_is_closed = true;
	go_on_closing(d);
}

static void has_left(void *user)
{
	struct daemon *d = user;

	d->has_left = true;
	go_on_closing(d);
}

static void stop(struct daemon *d)
{
	if (d->stopping)
		return;
	d->stopping = true;
	fl_notify("STOPPING=1");
	/* Another one leads while the last answers are given here. */
	if (d->watching)
		fl_watching_leave(d->watching, has_left, d);
	else
		d->has_left = true;
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
		(void)fl_say_why(reply->err);
		fl_say("the configuration was not changed");
	}
	fl_notify("READY=1");
}

static void on_reload(uv_signal_t *handle, int number)
{
	struct daemon *d = handle->data;
	fairlead_error err = { 0 };

	(void)number;
	if (!d->core) /* its configuration is watched */
		return;
	fl_notify("RELOADING=1");
	if (fl_core_reload(d->core, /* by= */ NULL, /* warn= */ NULL, reloaded, d, &err) < 0) {
		(void)fl_say_why(&err);
		fl_say("the configuration was not changed");
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
	fl_say(line);
}

/* All changes up to here are durable; the next start goes on from there. */
static void broken(void *user, const fairlead_error *err)
{
	struct daemon *d = user;

	(void)fl_say_why(err);
	fl_say("fairleadd stops; the next start goes on from the database");
	d->exit_code = FL_EXIT_ENVIRONMENT;
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
	fl_access_warn(config, &fl_accounts_system, fl_say_line, NULL);
	return fl_config_warn(config, capacity, fl_say_line, NULL, err);
}

/* Of a file that the account may not read, or does not see. */
static void hint_account(fairlead_error *err)
{
	if (!err->hint[0])
		fl_fail_hint(err,
			     "it is read as user %u, not as root: let it read the file and "
			     "pass the folders above it",
			     geteuid());
}

/* A cluster instead of a core. */
static int begin_watching(struct daemon *d, struct fl_api_options *api, fairlead_error *err)
{
	const struct fl_watching_options o = {
		.kubeconfig = d->o.kubeconfig,
		.context = d->o.context,
		.namespace = d->o.namespace,
		.schedules = d->o.schedules,
		.identity = d->o.identity,
		.qps = d->o.qps,
		.cluster = { .loop = &d->loop,
			     .state = d->state,
			     .config = d->o.config,
			     .log = log_line,
			     .broken = broken,
			     .user = d },
	};
	int r = fl_threads_begin(&d->loop, err);

	if (r == 0 && begin_signals(d) != 0)
		r = fl_fail(err, FAIRLEAD_EIO, "signals cannot be handled");
	if (r == 0)
		r = fl_watching_new(&o, &d->watching, err);
	if (d->separate && (r == FAIRLEAD_EIO || r == FAIRLEAD_ENOENT))
		hint_account(err);
	if (r < 0)
		return r;
	api->daemon = fl_cluster_daemon(fl_watching_cluster(d->watching));
	api->people = fl_watching_people(d->watching);
	return fl_api_new(api, &d->api, err);
}

static int begin(struct daemon *d, fairlead_error *err)
{
	struct fl_core_options core = {
		.loop = &d->loop,
		.config = d->o.config,
		.state = d->state,
		.runner = d->runner,
		.spawner = d->separated.spawner,
		.backend = &fl_local_backend,
		.adopt_runs = d->o.adopt_runs,
		.log = log_line,
		.broken = broken,
		.user = d,
	};
	int given = fl_notify_socket(), r;
	struct fl_api_options api = {
		.loop = &d->loop,
		.path = d->socket,
		.state = d->state,
		.config = d->config,
		.fd = given >= 0 || !d->separate ? given : d->separated.socket,
		.made = given < 0 && d->separate,
		.listening = d->separate ? &d->separated.listening : &d->listening,
		.runs = { geteuid(), d->separate, d->o.first, d->o.last, d->o.root_jobs },
	};

	if (d->o.cluster)
		return begin_watching(d, &api, err);
	if ((r = fl_threads_begin(&d->loop, err)) < 0)
		return r;
	if (begin_signals(d) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "signals cannot be handled");
	if ((r = fl_core_new(&core, &d->core, err)) < 0)
		return r;
	api.core = d->core;
	api.daemon = fl_core_daemon(d->core);
	r = fl_core_begin_upkeep(d->core, err);
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

/* --- root --- */

/* In a copy of the process that is not root any more. */
static int look(void *user, struct fl_places *ret)
{
	struct daemon *d = user;
	struct fl_config *config = NULL;
	fairlead_error err = { 0 };

	if (fl_config_read(d->o.config, &config, &err) < 0) {
		if (err.file[0] && access(err.file, R_OK) != 0 && errno == EACCES)
			hint_account(&err);
		return fl_say_why(&err);
	}
	name_state(d, config);
	/* Root gives it to the account by its name, which others could change where they may write. */
	int r = fl_trust_path(d->state, d->state, &err);
	name_socket(d, config);
	(void)snprintf(ret->state, sizeof ret->state, "%s", d->state);
	(void)snprintf(ret->socket, sizeof ret->socket, "%s", d->socket);
	ret->socket_mode = fl_config_settings(config)->socket_mode;
	if (r == 0)
		r = fl_listen_find(config, &ret->listens, &err);
	fl_config_free(config);
	return r < 0 ? fl_say_why(&err) : 0;
}

static int give_up_root(struct daemon *d, fairlead_error *err)
{
	const struct fl_separation s = {
		.account = d->o.account,
		.program = d->o.cluster ? NULL : d->spawner,
		.table = { .first = d->o.first,
			   .last = d->o.last,
			   .root = d->o.root_jobs,
			   .runner = d->runner },
		.listens = fl_notify_socket() >= 0,
		.look = look,
		.user = d,
	};
	int r = d->o.cluster ? 0 : find_program("fairlead-spawn", FAIRLEAD_SPAWN, d->spawner, err);

	if (r == 0)
		r = fl_separate(&s, &d->separated, err);
	d->separate = r == 0;
	if (r == 0 && !d->o.cluster && !d->separated.confined)
		fl_say("this kernel does not confine its calls (seccomp)");
	if (r == 0 && !d->separated.account.named)
		(void)fprintf(stderr,
			      "fairleadd: runs as user %u, as there is no account 'fairlead' "
			      "(useradd --system --no-create-home fairlead)\n",
			      d->separated.account.uid);
	return r;
}

/* What root restores is for the account, and so is what it is restored from. */
static int find_account(struct daemon *d, struct fl_account *ret, fairlead_error *err)
{
	bool is_root = d->o.account && strcmp(d->o.account, "root") == 0;
	int r = geteuid() != 0 || is_root ? 0 : fl_account_find(d->o.account, ret, err);

	if (r == 0 && ret->uid != 0)
		fl_trust_account(ret->uid);
	return r;
}

static int restore(struct daemon *d, const struct fl_account *a, fairlead_error *err)
{
	struct stat s;
	bool is_of_account = a->uid != 0 && lstat(d->state, &s) == 0 && s.st_uid == a->uid;
	int r = is_of_account && lchown(d->state, 0, 0) != 0 ?
			fl_fail(err, FAIRLEAD_EIO, "%s: %s", d->state, strerror(errno)) :
			0;

	if (r == 0)
		r = fl_core_restore(&fl_local_backend, d->o.restore, d->state, d->o.adopt_runs,
				    err);
	/* Also when it was refused, as it may be the state of a daemon. */
	if (a->uid != 0 && (r == 0 || is_of_account) &&
	    fl_account_take(a, d->state, r == 0 ? err : NULL) != 0 && r == 0)
		r = FAIRLEAD_EIO;
	return r;
}

/* --account root: it stays root. */
static bool is_to_separate(const struct daemon *d)
{
	return geteuid() == 0 && (!d->o.account || strcmp(d->o.account, "root") != 0);
}

static int run(struct daemon *d)
{
	struct fl_starting starting;
	fairlead_error err = { 0 };
	int r;

	raise_files();

	if (uv_loop_init(&d->loop) != 0) {
		fl_say("cannot make an event loop");
		return FL_EXIT_ENVIRONMENT;
	}
	fl_starting_begin(&starting);
	r = begin(d, &err);
	d->config = fl_config_free(d->config);
	fl_starting_end(&starting);
	if (r < 0) {
		d->exit_code = fl_say_why(&err);
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
	if (d->separate && (r < 0 || d->exit_code))
		fl_separate_end(&d->separated);
	if (r < 0 || d->exit_code)
		_exit(d->exit_code);
	uv_walk(&d->loop, close_handle, NULL);
	(void)uv_run(&d->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&d->loop);
	if (d->separate)
		fl_separate_end(&d->separated);
	return d->exit_code;
}

/* Before all that takes long, so that an address that is taken is told at once. */
static int listen_on(struct daemon *d, const struct fl_config *config, fairlead_error *err)
{
	struct fl_listen_places places;
	int r = fl_listen_find(config, &places, err);

	return r < 0 ? r : fl_listen_open(&places, &d->listening, err);
}

/* Without the warnings that depend on the machine: the start prints these. */
static int check(struct fl_config *config)
{
	const struct fl_capacity unknown = { 0 };
	struct fl_listen_places places;
	fairlead_error err = { 0 };
	int r = warn_of(config, &unknown, &err);

	if (r == 0)
		r = fl_listen_find(config, &places, &err);

	fl_config_free(config);
	if (r < 0)
		return fl_say_why(&err);
	(void)printf("the configuration is valid\n");
	return FL_EXIT_YES;
}

int main(int argc, char **argv)
{
	static struct daemon d = { .o = { .first = 1000, .last = (uid_t)-2 } };
	struct fl_config *config = NULL;
	struct fl_account account = { 0 };
	fairlead_error err = { 0 };
	int r = fl_start_parse(argc, argv, &d.o);

	if (r >= 0)
		return r;
	(void)setlocale(LC_CTYPE, "C.UTF-8"); /* trees are drawn with characters beyond ASCII */
	(void)umask(022);
	if (!d.o.check && !d.o.verify && !d.o.restore &&
	    ((!d.o.cluster &&
	      (r = find_program("fairlead-runner", FAIRLEAD_RUNNER, d.runner, &err)) < 0) ||
	     (is_to_separate(&d) && (r = give_up_root(&d, &err)) != 0)))
		return r < 0 ? fl_say_why(&err) : r;
	if (fl_config_read(d.o.config, &config, &err) < 0) {
		if (d.separate)
			fl_separate_end(&d.separated);
		return fl_say_why(&err);
	}
	name_state(&d, config);
	/* --check and --verify only read, so they also work on folders that are not trusted. */
	if (!d.o.check && !d.o.verify &&
	    ((d.o.restore && find_account(&d, &account, &err) < 0) || trust_places(&d, &err) < 0)) {
		fl_config_free(config);
		if (d.separate)
			fl_separate_end(&d.separated);
		return fl_say_why(&err);
	}
	name_socket(&d, config);
	if (d.o.check)
		return check(config);
	if (!d.o.restore && !d.o.verify) {
		d.config = config;
		r = d.separate ? 0 : listen_on(&d, config, &err);
		return r < 0 ? fl_say_why(&err) : run(&d);
	}
	fl_config_free(config);
	if (d.o.restore)
		r = restore(&d, &account, &err);
	else
		r = fl_core_verify(&fl_local_backend, d.state, &err);
	if (r < 0)
		return fl_say_why(&err);
	(void)printf(d.o.restore ? "restored to %s\n" :
		     r ? "%s is whole, except for a transaction at the end of its log that was "
			 "not finished: the next start cuts it off\n" :
			 "%s is whole\n",
		     d.state);
	return FL_EXIT_YES;
}
