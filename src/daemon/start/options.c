/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "daemon/start/say.h"

static void help(void)
{
	(void)printf(
		"usage: fairleadd [--config FILE] [--state DIR] [--socket PATH] [--adopt-runs]\n"
		"       fairleadd --check --config FILE\n"
		"       fairleadd --verify --state DIR\n"
		"       fairleadd --restore BACKUP --state DIR [--adopt-runs]\n"
		"       fairleadd --cluster [--context NAME] [--kubeconfig FILE] [--role NAME]\n"
		"                 [--namespace NAME] [--identity NAME] [--qps N]\n"
		"                 [--config FILE] [--state DIR] [--socket PATH]\n"
		"                 [--account NAME]\n"
		"       root may say: [--account NAME] [--users FIRST-LAST] [--root-jobs]\n"
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
		"      --account NAME    the account that it becomes when root starts it (default\n"
		"                        fairlead); root: it stays root, for jobs of root alone,\n"
		"                        and not for a cluster\n"
		"      --users FIRST-LAST\n"
		"                        whose jobs it runs, by number (default 1000-4294967294)\n"
		"      --root-jobs       and those of root\n"
		"      --cluster         watch a cluster beside its scheduler: no jobs, and in\n"
		"                        role observe no request that changes what it has\n"
		"      --context NAME    of the kubeconfig (default: its current one; in a pod\n"
		"                        its own account)\n"
		"      --kubeconfig FILE (default: $KUBECONFIG, ~/.kube/config)\n"
		"      --role NAME       what it does there: observe (default); scheduler: decide\n"
		"                        in ClusterQueues that `fairlead handover` gave it\n"
		"      --namespace NAME  where its ConfigMap 'fairlead' is (default fairlead; in\n"
		"                        a pod its own)\n"
		"      --identity NAME   of several schedulers one decides, each with a name of\n"
		"                        its own (default $POD_NAME, else host and process)\n"
		"      --qps N           requests to the API server a second, twice as many at\n"
		"                        once (default 50)\n"
		"      --help, --version\n");
}

static int usage(const char *text)
{
	fl_say(text);
	(void)fprintf(stderr, "hint: fairleadd --help\n");
	return FL_EXIT_USAGE;
}

static bool read_users(const char *text, struct fl_start_options *o)
{
	unsigned long long first, last;
	char end;

	if (sscanf(text, "%llu-%llu%c", &first, &last, &end) != 2 || first < 1 || last < first ||
	    last >= (uid_t)-1 || strchr(text, ' ') || strchr(text, '+'))
		return false;
	o->first = (uid_t)first;
	o->last = (uid_t)last;
	return true;
}

static bool read_qps(const char *text, struct fl_start_options *o)
{
	char end;

	return text[0] >= '0' && text[0] <= '9' && sscanf(text, "%5u%c", &o->qps, &end) == 1 &&
	       o->qps >= 1 && o->qps <= 10000;
}

int fl_start_parse(int argc, char **argv, struct fl_start_options *o)
{
	static const struct option table[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "state", required_argument, NULL, 's' },
		{ "socket", required_argument, NULL, 'S' },
		{ "backend", required_argument, NULL, 'b' },
		{ "restore", required_argument, NULL, 'r' },
		{ "adopt-runs", no_argument, NULL, 'a' },
		{ "account", required_argument, NULL, 'A' },
		{ "users", required_argument, NULL, 'u' },
		{ "root-jobs", no_argument, NULL, 'R' },
		{ "check", no_argument, NULL, 'C' },
		{ "verify", no_argument, NULL, 'v' },
		{ "cluster", no_argument, NULL, 'k' },
		{ "context", required_argument, NULL, 'x' },
		{ "kubeconfig", required_argument, NULL, 'K' },
		{ "role", required_argument, NULL, 'o' },
		{ "namespace", required_argument, NULL, 'n' },
		{ "identity", required_argument, NULL, 'i' },
		{ "qps", required_argument, NULL, 'q' },
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
		case 'A':
			o->account = optarg;
			break;
		case 'u':
			if (!read_users(optarg, o))
				return usage("--users is two numbers from 1: 1000-60000");
			break;
		case 'R':
			o->root_jobs = true;
			break;
		case 'k':
			o->cluster = true;
			break;
		case 'x':
			o->context = optarg;
			break;
		case 'K':
			o->kubeconfig = optarg;
			break;
		case 'o':
			o->schedules = strcmp(optarg, "scheduler") == 0;
			if (!o->schedules && strcmp(optarg, "observe") != 0)
				return usage("the roles are observe and scheduler");
			break;
		case 'i':
			o->identity = optarg;
			break;
		case 'q':
			if (!read_qps(optarg, o))
				return usage("--qps is a number from 1 to 10000");
			break;
		case 'n':
			o->namespace = optarg;
			break;
		case 'C':
			o->check = true;
			break;
		case 'v':
			o->verify = true;
			break;
		case 'h':
			help();
			return FL_EXIT_YES;
		case 'V':
			(void)printf("fairleadd %s\n", FAIRLEAD_VERSION);
			return FL_EXIT_YES;
		default:
			return FL_EXIT_USAGE;
		}
	if (!o->cluster && (o->context || o->kubeconfig || o->namespace || o->schedules || o->qps))
		return usage(
			"--context, --kubeconfig, --namespace, --qps and --role are for --cluster");
	if (o->identity && !o->schedules)
		return usage("--identity is for --role scheduler");
	if (o->cluster && (o->verify || o->restore || o->adopt_runs || o->root_jobs))
		return usage("a daemon that watches a cluster has no jobs");
	if (o->cluster && o->account && strcmp(o->account, "root") == 0)
		return usage("a daemon that watches a cluster does not stay root: leave out "
			     "--account, or name another one");
	return optind < argc ? usage("unexpected argument") : -1;
}
