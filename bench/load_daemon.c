/* SPDX-License-Identifier: Apache-2.0 */
#include "load_daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load_http.h"
#include "measure.h"

static void give_up(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(3);
}

static FILE *create(const char *root, const char *name)
{
	char path[8300];
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s", root, name);
	f = fopen(path, "wxe");
	if (!f)
		give_up(path);
	return f;
}

/* A cohort of cohorts of queues, all of them of the machine's two cores: two jobs run at a time. */
static void write_company(const struct own *d)
{
	FILE *f = create(d->root, "company.yaml");

	fprintf(f, "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		   "fairSharing: {}\n");
	for (int i = 0; i < COHORTS; i++)
		fprintf(f,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"
			"metadata: {name: part-%d}\nspec: {parentName: company}\n",
			i);
	for (int i = 0; i < QUEUES; i++)
		fprintf(f,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: team-%02d}\nspec:\n  cohortName: part-%d\n"
			"  namespaceSelector: {}\n  fairSharing: {weight: %d}\n"
			"  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}\n",
			i, i % COHORTS, 1 + i % 3);
	if (fclose(f) != 0)
		give_up(d->root);
}

static void write_daemon(const struct own *d)
{
	FILE *f = create(d->root, "daemon.yaml");

	fprintf(f,
		"apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: load}\nspec:\n"
		"  tree: [company.yaml]\n"
		"  machine:\n    cohort: company\n    cgroup: 'off'\n"
		"    flavors: [{name: default, resources: {cpu: '%d', memory: 1Ti}}]\n"
		"  jobs: {grace: 1s}\n"
		"  limits: {jobs: 4000000, jobsPerUser: 4000000, jobsPerQueue: 4000000,\n"
		"           connections: 1000, requestsPerSecond: 1000000}\n"
		"%s",
		RUNNING,
		d->network ? "  listen: [{address: '127.0.0.1:0', tls: {selfSigned: true}}]\n" :
			     "");
	if (fclose(f) != 0)
		give_up(d->root);
}

void own_make(struct own *d, const char *name)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	*d = (struct own){ .network = d->network };
	(void)snprintf(d->program, sizeof d->program, "%s/../fairleadd", self);
	if (name[0] == '/')
		(void)snprintf(d->root, sizeof d->root, "%.4000s.XXXXXX", name);
	else if (getcwd(self, sizeof self))
		(void)snprintf(d->root, sizeof d->root, "%.3000s/%.1000s.XXXXXX", self, name);
	if (access(d->program, X_OK) != 0)
		give_up(d->program);
	/* A daemon that root has started is not root, and must pass it. */
	if (!mkdtemp(d->root) || chmod(d->root, 0755) != 0)
		give_up(d->root);
	(void)snprintf(d->state, sizeof d->state, "%s/state", d->root);
	(void)snprintf(d->socket, sizeof d->socket, "%s/socket", d->root);
	(void)snprintf(d->config, sizeof d->config, "%s/daemon.yaml", d->root);
	(void)snprintf(d->log, sizeof d->log, "%s/log", d->root);
	if (strlen(d->socket) > 100) {
		errno = ENAMETOOLONG;
		give_up(d->socket);
	}
	write_company(d);
	write_daemon(d);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void become(const struct own *d)
{
	int log = open(d->log, O_WRONLY | O_CREAT | O_APPEND, 0600);

	(void)setpgid(0, 0); /* Ctrl-C is for the bench */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (log >= 0)
		(void)dup2(log, 2);
	/* Jobs of the bench are root's where it is root. */
	(void)execl(d->program, d->program, "--config", d->config, "--state", d->state, "--socket",
		    d->socket, geteuid() == 0 ? "--root-jobs" : NULL, (char *)NULL);
	_exit(127);
}

double own_start(struct own *d)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct door door;
	double start = now_ms();
	unsigned status = 0;

	d->pid = fork();
	if (d->pid < 0)
		give_up("fork");
	if (d->pid == 0)
		become(d);
	door_init(&door, d->socket);
	while (status != 200 && waitpid(d->pid, NULL, WNOHANG) == 0) {
		status = door_ask(&door, "GET", "/v1/health", "");
		if (status != 200)
			(void)nanosleep(&moment, NULL);
	}
	door_done(&door);
	if (status != 200)
		d->pid = 0;
	return status == 200 ? now_ms() - start : -1;
}

void own_stop(struct own *d, int signal)
{
	if (d->pid == 0)
		return;
	(void)kill(d->pid, signal);
	while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
		;
	d->pid = 0;
}

/* Its runs and their runners, whose parent we are now, and each time those whose parent went. */
static void end_children(void)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		FILE *f = fopen(path, "re");
		int pid, n = 0;

		while (f && fscanf(f, "%d", &pid) == 1) {
			(void)kill(pid, SIGKILL);
			n++;
		}
		if (f)
			(void)fclose(f);
		if (n == 0 || (waitpid(-1, NULL, 0) < 0 && errno == ECHILD))
			return;
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

void own_end(struct own *d)
{
	own_stop(d, SIGKILL);
	end_children();
	if (d->root[0] && nftw(d->root, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		fprintf(stderr, "load: %s could not be removed\n", d->root);
	d->root[0] = '\0';
}

/* --- figures --- */

/* The number behind @key in a file of /proc; 0: it is not there. */
static uint64_t number_in(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[256];
	uint64_t ret = 0;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			ret = strtoull(line + strlen(key), NULL, 10);
	if (f)
		(void)fclose(f);
	return ret;
}

/* Processor time, of threads that are gone, too. */
static double cpu_of(pid_t pid)
{
	char path[64], line[1024];
	unsigned long long user = 0, system = 0;
	const char *at = NULL;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof line, f))
		at = strrchr(line, ')');
	if (at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
			 &system) != 2)
		user = system = 0;
	if (f)
		(void)fclose(f);
	return (double)(user + system) * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

void own_look(const struct own *d, struct own_figures *ret)
{
	char path[300], folder[64];
	struct dirent *e;
	DIR *tasks;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)d->pid);
	ret->resident_mb = (double)number_in(path, "VmRSS:") * 1024 / 1e6;
	ret->peak_mb = (double)number_in(path, "VmHWM:") * 1024 / 1e6;
	ret->switches = 0;
	ret->cpu_ms = cpu_of(d->pid);
	(void)snprintf(folder, sizeof folder, "/proc/%d/task", (int)d->pid);
	tasks = opendir(folder);
	while (tasks && (e = readdir(tasks))) {
		(void)snprintf(path, sizeof path, "%s/%.100s/status", folder, e->d_name);
		if (e->d_name[0] != '.')
			ret->switches += number_in(path, "voluntary_ctxt_switches:");
	}
	if (tasks)
		(void)closedir(tasks);
}

void own_forget_peak(const struct own *d)
{
	char path[64];
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)d->pid);
	f = fopen(path, "we");
	if (!f)
		return;
	(void)fputs("5", f);
	(void)fclose(f);
}
