/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead - the command: finds the verb, runs it, and says how it went
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"

const struct fl_verb fl_verbs[] = {
	{ "check", "", 0, 0, FL_FOR_ALL | FL_FOR_CHECK, "validate manifests",
	  "Validates manifests: syntax, fields, references and quantities, then settings that are legal\n"
	  "but surely not meant.  Errors and warnings go to standard error with file, line and column; of\n"
	  "a cluster (--context) with the name of the object.\n",
	  fl_cmd_check },
	{ "tree", "[NODE]", 0, 1, FL_FOR_ALL | FL_FOR_DAEMON,
	  "show what queues and cohorts own, use, borrow and lend",
	  "Shows the tree of cohorts and queues: quota, usage, what is borrowed, lent and available,\n"
	  "and the share at each node; of KAI's queues deserved quota, fair share and allocation.\n"
	  "NODE shows one cohort or queue and what is below it.  Without -f it is the daemon's tree.\n",
	  fl_cmd_tree },
	{ "plan", "", 0, 0, FL_FOR_ALL | FL_FOR_DAEMON | FL_FOR_PLAN | FL_FOR_LISTS,
	  "show what scheduling cycles decide",
	  "Shows what the coming scheduling cycles decide: which workloads are admitted in which\n"
	  "flavors, which are preempted for which, which wait and why; of KAI's workloads also their\n"
	  "machines.  Between cycles evictions complete; admitted workloads never finish.  Without\n"
	  "-f: what the daemon would decide next.\n",
	  fl_cmd_plan },
	{ "prove", "", 0, 0, FL_FOR_ALL | FL_FOR_PROVE | FL_FOR_LISTS,
	  "say whether preemption can loop for ever",
	  "Looks at every state that scheduling decisions and evictions can lead to from here, in\n"
	  "every order, while no workload arrives or finishes.  Either preemption settles, whatever\n"
	  "the order, after a number of evictions at most; or there is a loop: the shortest one is\n"
	  "shown move by move, with the rules and shares, and with settings that would end it.\n\n"
	  "  fairlead prove -f cluster.yaml --out loop.json --svg loop.svg\n"
	  "  fairlead plan --settle -f loop.json\n\n"
	  "Ctrl-C ends it early, with what is known so far.  Exit status 1: there is a loop.\n",
	  fl_cmd_prove },
	{ "divide", "", 0, 0, FL_FOR_ALL | FL_FOR_DIVIDE | FL_FOR_LISTS,
	  "show the fair share of every queue",
	  "Shows the fair share of every queue of the entitle policy, group by group: what it\n"
	  "deserves first, then the rest by priority and weight, then what rounding left over; with\n"
	  "--rounds each step.  Reads the body of a request to KAI's fairshare simulator, too, and\n"
	  "answers as that does unless -o text or --rounds is given.\n",
	  fl_cmd_divide },
	{ "explain", "WORKLOAD", 1, 1, FL_FOR_ALL | FL_FOR_DAEMON | FL_FOR_LISTS | FL_FOR_EXPLAIN,
	  "say why a workload waits",
	  "Says why a workload waits or runs: what it asks for and what is available, the node of the\n"
	  "tree that binds, the queues that hold the quota, the workloads ahead in the queue, those\n"
	  "that it may not preempt, and the smallest change that would admit it.\n\n"
	  "WORKLOAD is namespace/name; job/name and namespace/job/name name the workload of a Job.\n"
	  "Without -f and --context the daemon is asked: WORKLOAD is the number of a job, or\n"
	  "namespace/name of a Workload where the daemon watches a cluster.\n\n"
	  "  fairlead explain --context prod team-a/job/train-7\n"
	  "  kubectl fairlead explain team-a/job/train-7\n",
	  fl_cmd_explain },
	{ "what-if", "", 0, 0, FL_FOR_ALL | FL_FOR_DAEMON | FL_FOR_WHAT_IF | FL_FOR_LISTS,
	  "show what a change would change",
	  "Sets fields (--set), merges objects into the state (--change) or leaves some out\n"
	  "(--delete), lets both sides settle, and shows the difference: workloads that are\n"
	  "admitted, are preempted or wait, shares, quota and usage.\n\n"
	  "  fairlead what-if -f dump.yaml --set 'ClusterQueue/x: nominalQuota[gpu,t4]+=8'\n"
	  "  fairlead what-if -f dump.yaml --set 'ClusterQueue/x: fairSharing.weight=2'\n\n"
	  "With --fail-if the exit status says whether a condition came true:\n\n"
	  "  evicted.new > 0              a workload is preempted only with the change\n"
	  "  admitted.gone(team-a) > 0    a workload of team-a is admitted only without it\n"
	  "  waiting(team-a) > waiting.before(team-a) or loops.new > 0\n\n"
	  "The manual page fairlead-what-if(1) lists all names.  Without -f the change is tried on\n"
	  "the daemon's state, which stays as it is.\n",
	  fl_cmd_what_if },
	{ "simulate", "", 0, 0, FL_FOR_ALL | FL_FOR_DAEMON | FL_FOR_SIMULATE | FL_FOR_LISTS,
	  "simulate weeks of a cluster in virtual time",
	  "Lets workloads arrive, run, be evicted and finish in virtual time, as a Simulation\n"
	  "document or annotations say, and shows how long workloads waited, how much of its\n"
	  "entitlement each queue held, which queues preempted which, and how much work was lost.\n"
	  "With --out all of it becomes files: a page with charts (report.html), CSV and JSON.\n\n"
	  "  fairlead simulate -f examples/simulate/first.yaml --out report\n\n"
	  "Ctrl-C ends it early: the report covers the time until then.\n\n"
	  "Without -f the daemon simulates from its state on, beside its work: its jobs go on, and jobs\n"
	  "come as they came lately.  --set, --change and --delete say what is changed.\n\n"
	  "  fairlead simulate --until 7d --set 'ClusterQueue/x: fairSharing.weight=2'\n\n"
	  "Ctrl-C cancels it then.\n",
	  fl_cmd_simulate },
	{ "compare", "", 0, 0, FL_FOR_ALL | FL_FOR_COMPARE | FL_FOR_LISTS,
	  "simulate the same jobs in several ways, side by side",
	  "Runs a scenario once as it is and once for each variant (files laid over it), or\n"
	  "for each point of a sweep, and shows how use, waiting, fairness and lost work\n"
	  "differ.  The jobs are the same in all of them.\n\n"
	  "  fairlead compare -f month.yaml --sweep half-life=1h..30d --out trade-off\n",
	  fl_cmd_compare },
	{ "record", "", 0, 0, FL_FOR_ALL | FL_FOR_RECORD, "write the state as one file",
	  "Writes the state as one JSON file that has only what decisions depend on: fairlead gives\n"
	  "the same answers for it, and it can be attached to a bug report.  With --redact names are\n"
	  "replaced by meaningless ones that sort in the same order.\n",
	  fl_cmd_record },
	{ "save", "", 0, 0, FL_FOR_ALL | FL_FOR_SAVE,
	  "write the state as an image that loads at once",
	  "Writes the state as an image: a file for this version of fairlead alone that check, tree,\n"
	  "plan, divide, explain and what-if take with -f instead of the manifests, without parsing\n"
	  "them again.  A large cluster is loaded in a fraction of a second.\n\n"
	  "  fairlead save -f dump.yaml.gz --out cluster.image\n"
	  "  fairlead explain -f cluster.image team-a/job-1\n",
	  fl_cmd_save },
	{ "tune", "[QUEUE]", 0, 1, FL_FOR_TUNE,
	  "find k, half-life and window, and say what they mean",
	  "Says what fairness over time does with these parameters: what an hour of use costs, when it\n"
	  "is forgotten, when a queue that holds the whole cluster yields.  With --penalty it finds\n"
	  "what is not given: k and half-life; k for a half-life; half-life for a k; the window for\n"
	  "both.  With -f the rest is taken from manifests: SchedulingShard, Nodes, and the weights of\n"
	  "QUEUE and its siblings.\n\n"
	  "  fairlead tune --gpus 4 --hours 12 --cluster 16 --weights 1,1,2 --penalty 50%\n"
	  "  fairlead tune --k 1 --half-life 24h --window 7d --weights 1,3\n",
	  fl_cmd_tune },
	{ "submit", "{SCRIPT | - | -- COMMAND} [ARGUMENT...]", 0, UINT32_MAX,
	  FL_FOR_DAEMON | FL_FOR_SUBMIT, "submit a job to the daemon",
	  "Submits a job to the daemon, and prints its number.  It waits in a queue until quota is free\n"
	  "for it, then runs as your user in the current directory, with your environment.\n\n"
	  "  fairlead submit -q team-a -r cpu=2,gpu=1 -- python train.py\n"
	  "  fairlead submit --array 100 --after 17 -- sh -c 'work $FAIRLEAD_ARRAY_INDEX'\n"
	  "  fairlead submit train.sh\n"
	  "  fairlead submit -q team-a < train.sh\n\n"
	  "A SCRIPT begins with #!, and may have options of its own in its first comments:\n\n"
	  "  #!/bin/sh\n"
	  "  #FAIRLEAD -q team-a -r cpu=2,gpu=1\n\n"
	  "Lines #SBATCH are read, too, and those of #FAIRLEAD count more; what has no meaning here is\n"
	  "told and left out. A script in a file is read when the job starts; one on standard input is\n"
	  "kept with the job.\n\n"
	  "With --wait the exit status is that of the job, or 128 plus the signal that ended it.\n",
	  fl_cmd_submit },
	{ "run", "[--] COMMAND [ARGUMENT...]", 0, UINT32_MAX, FL_FOR_DAEMON | FL_FOR_RUN,
	  "run a command as a job, at this terminal",
	  "Submits a job that is typed at and prints here, as what the shell starts does: it\n"
	  "waits in a queue until quota is free for it, and this command with it.  At a terminal it\n"
	  "gets one of its own; else standard input, output and error are those of this command.\n\n"
	  "  fairlead run -q team-a -r cpu=1 -- bash\n"
	  "  fairlead run -r cpu=4 make -j4 <in >out\n\n"
	  "Ctrl-C while it waits cancels it.  At its own terminal all keys are the job's; without one\n"
	  "Ctrl-C says what it does, and once more within a second cancels it.  When this command ends,\n"
	  "or its terminal goes away, the job is cancelled.  The daemon may be stopped and started\n"
	  "meanwhile.  An interactive job is not queued again when it was preempted.\n\n"
	  "The exit status is that of the command, or 128 plus the signal that ended it.\n",
	  fl_cmd_run },
	{ "jobs", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_JOBS, "list jobs",
	  "Lists the jobs that wait or run, with the reason why they wait; with --all also those that\n"
	  "are over, and how they ended.\n",
	  fl_cmd_jobs },
	{ "job", "JOB", 1, 1, FL_FOR_DAEMON | FL_FOR_ANSWER, "show all of one job",
	  "Shows what the job asked for, what it holds, why it waits or how it ended, what it used, and\n"
	  "each of its attempts, with the job that preempted it.  Of one that has failed also the last\n"
	  "lines of its standard error, and what to try.\n",
	  fl_cmd_job },
	{ "logs", "JOB", 1, 1, FL_FOR_DAEMON | FL_FOR_LOGS, "print what a job has printed",
	  "Prints the output of a job, of its last attempt and its first task unless told otherwise:\n"
	  "standard output and standard error, each to its own, in the order in which they came.\n"
	  "On a terminal, control characters other than colours and carriage returns become '?'.\n",
	  fl_cmd_logs },
	{ "cancel", "[JOB...]", 0, UINT32_MAX,
	  FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_CHOICE | FL_FOR_CANCEL, "end jobs",
	  "Ends jobs: pending jobs at once, running jobs by their signal, and a kill after their grace.\n"
	  "JOB is a number, 3,5,10-20 are some of them, 17[] is the whole array that began with 17.\n"
	  "With options all jobs that fit all of them, among those that are named or, if none is, of\n"
	  "yours; an admin's of all users.\n\n"
	  "  fairlead cancel --state PENDING --queue vision\n"
	  "  fairlead cancel --signal USR1 17\n\n"
	  "Exit status 1: of some jobs it was refused; each is told.  No job that fits is no mistake.\n",
	  fl_cmd_cancel },
	{ "hold", "[JOB...]", 0, UINT32_MAX,
	  FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_CHOICE | FL_FOR_HOLD,
	  "keep jobs from starting until they are released",
	  "Keeps jobs from starting: pending jobs stay pending; running jobs run on, and are held from\n"
	  "starting again if they are preempted or requeued.  With --stop running jobs are stopped,\n"
	  "too.  Which jobs: as of cancel.\n",
	  fl_cmd_hold },
	{ "release", "[JOB...]", 0, UINT32_MAX, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_CHOICE,
	  "let held jobs start again",
	  "Releases held jobs: they start when their turn comes.  Which jobs: as of cancel.\n",
	  fl_cmd_release },
	{ "requeue", "[JOB...]", 0, UINT32_MAX, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_CHOICE,
	  "stop jobs, or take ended ones, and queue them again",
	  "Queues jobs again, with their numbers: running jobs are stopped first; jobs that have ended,\n"
	  "however they did, run once more.  Which jobs: as of cancel; those that have ended by their\n"
	  "number, or that of their array, only.  Jobs that depended on one stay as they were decided.\n",
	  fl_cmd_requeue },
	{ "update", "JOB...", 1, UINT32_MAX, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_UPDATE,
	  "change jobs that were submitted",
	  "Changes what was submitted: each job gets all of it or nothing.  The queue and what it waits\n"
	  "for change while it is pending; the time limit of a running job can be lowered, and raised\n"
	  "by an admin.  JOB: 17, 3,5,10-20, or 17[].\n\n"
	  "  fairlead update 17 --time 30m --priority 5\n",
	  fl_cmd_update },
	{ "queues", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER, "show queues, their quota and use",
	  "Shows the tree of queues: the quota of each, what is used, borrowed, lent and wanted, and\n"
	  "how many jobs run and wait.\n",
	  fl_cmd_queues },
	{ "events", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_EVENTS, "show what happened",
	  "Shows what happened, a line each, the newest last: jobs submitted, started, preempted and\n"
	  "ended, and queues that changed.  With -f it goes on with new events.\n",
	  fl_cmd_events },
	{ "history", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_HISTORY,
	  "show what queues held over a time, and what was fair",
	  "Shows what each queue held over a time, what its weight would have given it while it\n"
	  "wanted as much, how long its jobs waited for their start, and how often one was preempted.\n\n"
	  "  fairlead history --since 24h\n"
	  "  fairlead history --queue team-a --step day\n\n"
	  "With --queue it shows one queue along time, hour by hour or in longer steps: what it\n"
	  "held, was entitled to and waited for, borrowed and lent.\n",
	  fl_cmd_history },
	{ "agreement", "[WINDOW]", 0, 1,
	  FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_USAGE | FL_FOR_AGREEMENT,
	  "show how often the scheduler of a cluster decided as fairlead would",
	  "Of a daemon that watches a cluster: how many admissions and preemptions of the scheduler\n"
	  "fairlead would have decided, too, and the other way round, by reason; and each difference\n"
	  "of the newest 1000, with the reasons of both and the comparison that made it.\n\n"
	  "  fairlead agreement --since 24h\n"
	  "  fairlead agreement 17 >before && fairlead plan -f before\n\n"
	  "With the number of a window of a difference it writes the state just before it.\n\n"
	  "  fairlead agreement --verify --context prod\n\n"
	  "With --verify it compares objects, and not decisions: it lists the cluster with your own\n"
	  "rights, or in a pod with those of its account, and names each object that the daemon does\n"
	  "not have as the cluster has it, once that has lasted for some seconds.  Exit status: 0 all\n"
	  "are the same, 1 some are not, 3 it could not be found out, 4 what was compared is the same,\n"
	  "but you may not list all that the daemon follows.\n",
	  fl_cmd_agreement },
	{ "handover", "TREE", 1, 1, FL_FOR_HELP | FL_FOR_ANSWER | FL_FOR_HANDOVER,
	  "give a cohort tree of a cluster to fairlead, or back to Kueue",
	  "Lets fairleadd --cluster --role scheduler decide in a cohort tree, in Kueue's place: each\n"
	  "ClusterQueue of it gets the annotation fairlead.dev/scheduler and stopPolicy Hold.  TREE is\n"
	  "the name of a cohort or of a ClusterQueue; all of its tree is meant.\n\n"
	  "  fairlead handover prod --context bed --dry-run\n"
	  "  fairlead handover prod --context bed\n"
	  "  fairlead handover prod --context bed --back\n\n"
	  "It shows what will change and asks.  Then it waits until Kueue has stopped there.  What uses\n"
	  "a rule that fairlead does not have is refused, and nothing is changed.  With --back it shows\n"
	  "which workloads Kueue may preempt then.  After an error the same command goes on.\n\n"
	  "Exit status: 1 refused, or the answer was no; 3 also where not all was done.\n",
	  fl_cmd_handover },
	{ "usage", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_USAGE,
	  "show what users held over a time",
	  "Shows what each user held in each queue over a time: hours of cores, GPUs and so on, and of\n"
	  "memory; how many jobs that were, which part it is of all that the queue held, and how often\n"
	  "one was preempted.  The daemon knows the user of a job as long as it keeps the job.\n\n"
	  "  fairlead usage --since 24h\n",
	  fl_cmd_usage },
	{ "top", "", 0, 0, FL_FOR_DAEMON | FL_FOR_TOP, "watch queues, jobs and events",
	  "Shows queues with bars of what they hold, jobs, and the last events, every second.\n"
	  "q or Ctrl-C ends it.  If standard output is not a terminal, it is printed once, or with\n"
	  "--for every few seconds.\n",
	  fl_cmd_top },
	{ "watch", "JOB", 1, 1, FL_FOR_DAEMON, "watch one job until it ends",
	  "Shows all of one job, its place in its queue and the last lines of its output, every second,\n"
	  "until it ends; q or Ctrl-C leaves it alone.  If standard output is not a terminal, its events\n"
	  "are printed, a line each, those so far first.  The exit status is that of the job, or 128\n"
	  "plus the signal that ended it.\n",
	  fl_cmd_watch },
	{ "acknowledge", "", 0, 0, FL_FOR_DAEMON | FL_FOR_ANSWER,
	  "acknowledge what the daemon warns of",
	  "For admins: after a restore, or when runs were found that are not in the database, the\n"
	  "daemon warns each user that lists jobs or queues, until an admin acknowledges it.\n",
	  fl_cmd_acknowledge },
	{ "page", "", 0, 0, FL_FOR_DAEMON | FL_FOR_PAGE, "open the daemon's page in a browser",
	  "Prints the address of a page that shows queues, jobs and shares, and opens it where there is a\n"
	  "screen.  The address works once, within a minute; the browser then may do what you may, until\n"
	  "this command ends, for 12 hours at most.  The page of this machine's daemon is behind a port of\n"
	  "127.0.0.1 meanwhile, that of a server (--server) at its own address.\n\n"
	  "  fairlead page\n"
	  "  fairlead page --server https://host:8450\n",
	  fl_cmd_page },
	{ "login", "[URL]", 0, 1, FL_FOR_DAEMON, "use a daemon over the network from now on",
	  "Asks the daemon at URL for your name and role there, with a token that is\n"
	  "typed, comes on standard input, or is in a file (--token-file), and writes\n"
	  "address and token into your configuration, for all verbs that ask a daemon.\n"
	  "A certificate that no authority of this machine has signed is shown, and\n"
	  "trusted once you have said that its fingerprint is the right one.  Without\n"
	  "URL it says which daemon is asked, and your name and role there.\n\n"
	  "  ssh host fairlead token create laptop --role submit |\n"
	  "      fairlead login https://host:8450\n",
	  fl_cmd_login },
	{ "logout", "", 0, 0, FL_FOR_HELP, "forget what login has written",
	  "Removes address and token from your configuration.  The token stays valid until it expires or\n"
	  "'fairlead token revoke' ends it.\n",
	  fl_cmd_logout },
	{ "token", "ACTION [TOKEN]", 1, 2, FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_TOKEN,
	  "make, list and revoke tokens for programs on the network",
	  "create NAME makes a token, which is printed this once, alone on standard output: with it a\n"
	  "program on another machine acts for a user of this one, by a daemon that listens on TCP.\n"
	  "list shows tokens without their secrets; revoke ends one, named by its name or its id, and\n"
	  "the streams that it has open.  You make them for yourself; admins make those that read, and\n"
	  "root all, for others, with --user.  A token never may more than its user.\n\n"
	  "  fairlead token create ci --role submit --queue team-a --expires 30d\n"
	  "  fairlead token revoke ci\n",
	  fl_cmd_token },
	{ "configuration", "ACTION [FILE | VERSION]", 1, 2,
	  FL_FOR_DAEMON | FL_FOR_ANSWER | FL_FOR_CONFIGURATION,
	  "read, check and replace the daemon's configuration",
	  "The configuration of the daemon, with all its queues, as one text.  ACTION is\n\n"
	  "  get [VERSION]    print it, or an earlier one\n"
	  "  check FILE       is FILE valid, and could it be applied now?\n"
	  "  diff FILE        what would FILE in its place change?\n"
	  "  set FILE         replace it by FILE, whole or not at all\n"
	  "  versions         the last 100, with user, time and reason\n"
	  "  restore VERSION  replace it by an earlier one\n\n"
	  "Each can be read and tried by all users; set and restore are for admins, of a daemon that\n"
	  "keeps its configuration in its database (configuration: api of the Daemon document).  The\n"
	  "last line of what get prints names the version: set refuses FILE where another one has come\n"
	  "since.  FILE - is standard input.\n\n"
	  "  fairlead configuration get >lab.yaml\n"
	  "  fairlead configuration diff lab.yaml\n"
	  "  fairlead configuration set lab.yaml --reason 'more for team-a'\n",
	  fl_cmd_configuration },
	{ "completion", "SHELL", 1, UINT32_MAX, FL_FOR_HELP,
	  "print a completion script for a shell",
	  "Prints a script for bash, zsh or fish that completes verbs, options, their values, files,\n"
	  "and names of workloads and queues from the files on the line.  For this shell alone:\n\n"
	  "  source <(fairlead completion bash)\n",
	  fl_cmd_completion },
	{ "help", "[VERB]", 0, 1, FL_FOR_HELP, "print help, or that of a verb",
	  "Prints what 'fairlead --help' prints, or with VERB what 'fairlead VERB --help' does.\n",
	  fl_cmd_help },
	{ "version", "", 0, 0, FL_FOR_HELP, "print the version",
	  "Prints the version of the command, as 'fairlead --version' does.\n", fl_cmd_version },
};
const unsigned fl_n_verbs = sizeof(fl_verbs) / sizeof(fl_verbs[0]);

static int run_verb(const struct fl_verb *verb, int argc, char **argv)
{
	struct fl_options options;

	int rc = fl_options_parse(verb, argc, argv, &options);
	if (rc != 0)
		return rc < 0 ? FL_EXIT_YES : rc;
	int code = fl_context_open(&options);
	if (code == FL_EXIT_YES)
		code = verb->run(&options);
	fl_context_close(&options);
	fl_options_done(&options);
	return code < 0 ? FL_EXIT_YES : code;
}

static int dispatch(int argc, char **argv)
{
	struct fl_nearest near = { .wanted = argc > 1 ? argv[1] : "" };

	if (argc < 2)
		return fl_usage_error(NULL, "a verb is missing");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fl_print_help(NULL);
		return FL_EXIT_YES;
	}
	if (strcmp(argv[1], "--version") == 0)
		return fl_cmd_version(/* options= */ NULL);
	for (unsigned i = 0; i < fl_n_verbs; i++) {
		if (strcmp(argv[1], fl_verbs[i].name) == 0)
			return run_verb(&fl_verbs[i], argc - 1, argv + 1);
		fl_nearest_offer(&near, fl_verbs[i].name);
	}
	if (argv[1][0] == '-')
		return fl_usage_error(NULL, "unknown option '%s'", argv[1]);
	if (near.n)
		return fl_usage_error(NULL, "unknown verb '%s'; did you mean '%s'?", argv[1],
				      near.name[0]);
	return fl_usage_error(NULL, "unknown verb '%s'", argv[1]);
}

int main(int argc, char **argv)
{
	/* Only how wide characters are; numbers and order never follow the locale. */
	setlocale(LC_CTYPE, "");
	int code = dispatch(argc, argv);

	if ((fflush(stdout) != 0 || ferror(stdout)) && code != FL_EXIT_FAILED) {
		fputs("fairlead: error: the output could not be written\n", stderr);
		code = FL_EXIT_FAILED;
	}
	return code;
}
