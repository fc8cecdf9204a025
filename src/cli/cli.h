/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli - the command's verbs, their options, and how it ends
 *
 * One table of verbs and one of options (options/table.h) serve parsing, --help, error messages
 * and completion in shells.  Exit codes are a promise to scripts.
 */
#ifndef FL_CLI_CLI_H
#define FL_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ids.h"
#include "model/model.h"

enum fl_exit {
	FL_EXIT_YES = 0,
	FL_EXIT_NO = 1, /* the answer is no, or the input is not valid */
	FL_EXIT_USAGE = 2,
	FL_EXIT_FAILED = 3,  /* the environment failed: memory, disk, pipe */
	FL_EXIT_UNKNOWN = 4, /* not known: the exploration was not complete */
	FL_EXIT_DOUBT = 5,   /* nothing was found, but that is not a proof */
};

enum fl_format { FL_OUTPUT_TEXT, FL_OUTPUT_JSON, FL_OUTPUT_SARIF, FL_OUTPUTS };

/* The numbers of `tune`, as they were given. */
enum fl_tune_option {
	FL_TUNE_GPUS,
	FL_TUNE_HOURS,
	FL_TUNE_CLUSTER,
	FL_TUNE_WEIGHT,
	FL_TUNE_WEIGHTS,
	FL_TUNE_PENALTY,
	FL_TUNE_K_VALUE,
	FL_TUNE_HALVES,
	FL_TUNE_SPAN,
	FL_TUNE_OTHERS,
	FL_TUNE_OPTIONS
};

/* Of submit, which lays them over those of a script. */
struct fl_given {
	const char *option; /* its name; of one that is not known all of the word */
	const char *value;  /* "" of one without */
	const char *left;   /* why it does not count; NULL: it does */
};

struct fl_options {
	const char *verb;
	char **files; /* as given with -f */
	uint32_t n_files;
	char **operands;
	uint32_t n_operands;
	enum fl_format output;
	const struct fl_policy_ops *policy; /* NULL: what the input has */
	bool has_output;                    /* -o was given */
	bool strict, all, settle, rounds, has_now, has_cycles;
	fl_time now, interval;
	uint32_t cycles;
	char **changes, **deletions, **sets, **was; /* --change, --delete, --set, --was */
	uint32_t n_changes, n_deletions, n_sets, n_was;
	char **variants; /* --variant: NAME=FILE */
	uint32_t n_variants;
	const char *sweep;   /* OPTION=VALUES; NULL */
	bool eta;            /* when will it start? */
	bool no_arrivals;    /* simulate, of the daemon: no new jobs come */
	bool from_snapshot;  /* simulate: run times that the input does not have are drawn */
	const char *fail_if; /* an expression; NULL */
	const char *out;     /* a file; NULL: standard output */
	const char *svg;     /* a file; NULL */
	const char *resume;  /* a file; NULL */
	bool check;          /* explore also where a theorem answers */
	uint32_t bound;      /* states; 0: not given */
	int64_t memory;      /* bytes; 0: not given */
	const char *salt;    /* NULL: a random key */
	bool redact;
	fl_time until; /* of a simulation; FL_TIME_NONE: not given */
	bool has_seed;
	uint32_t seed;
	uint32_t top;                      /* 0: not given */
	const char *tune[FL_TUNE_OPTIONS]; /* NULL: not given */
	const char *socket;                /* of the daemon; NULL: where it usually is */
	const char *step;                  /* of a row along time; NULL: hour */
	const char *server;                /* its URL; NULL: not given */
	const char *token_file, *ca_file, *fingerprint; /* for it; NULL: not given */
	const char *role, *expires;                     /* of a new token; NULL: not given */
	char **queues;                                  /* that it names */
	uint32_t n_queues;
	const char *queue, *user, *states, *job, *kind; /* of what is listed; NULL: all */
	const char *name;                               /* the same of jobs */
	const char *signal;                             /* that is sent; NULL: none */
	const char *reason;                             /* why jobs are held; NULL */
	bool stop;                                      /* jobs that run are stopped */
	char since[40], up_to[40];                      /* as paths want them; "": not given */
	uint32_t limit;                                 /* of lines; 0: not given */
	const char *columns; /* of a list of jobs; NULL: the usual ones */
	bool no_heads, json_lines, starts;
	bool follow, once;
	bool of_out, of_err;    /* standard output, standard error alone */
	uint32_t task, attempt; /* UINT32_MAX, 0: not given */
	int64_t tail;           /* bytes; below 0: not given */
	fl_time length;         /* of watching; 0: for ever */
	struct fl_given *given; /* submit: what is of the job, as it stood */
	uint32_t n_given;
	bool dashes;                                  /* "--" stood before the operands */
	const char *context, *kubeconfig, *namespace; /* of a cluster; NULL: not given */
	bool all_namespaces, rbac;
	bool verify;                /* agreement: objects, and not decisions */
	bool back, yes, dry_run;    /* handover: to Kueue; without a question; nothing is changed */
	bool no_open;               /* page: no browser is started */
	uint32_t port;              /* page: of the relay; 0: a free one */
	bool of_cluster;            /* its objects are read in place of files */
	struct fl_context *cluster; /* cli/cluster; NULL: none has been read */
};

struct fl_verb {
	const char *name;
	const char *operands; /* as in usage: "WORKLOAD", "[NODE]", "" */
	uint32_t min_operands, max_operands;
	uint64_t option_sets;                         /* FL_FOR_... */
	const char *summary;                          /* one line for `fairlead --help` */
	const char *details;                          /* paragraphs for `fairlead VERB --help` */
	int (*run)(const struct fl_options *options); /* an exit code */
};

/* Which verbs an option is for. */
enum {
	FL_FOR_ALL = 1, /* that read an input */
	FL_FOR_PLAN = 2,
	FL_FOR_LISTS = 4,
	FL_FOR_CHECK = 8,
	FL_FOR_HELP = 16, /* alone: a verb without input */
	FL_FOR_WHAT_IF = 64,
	FL_FOR_RECORD = 128,
	FL_FOR_DIVIDE = 256,
	FL_FOR_TUNE = 512, /* reads an input only when there is one */
	FL_FOR_SIMULATE = 1024,
	FL_FOR_COMPARE = 2048,
	FL_FOR_EXPLAIN = 4096,
	FL_FOR_SAVE = 8192,
	FL_FOR_PROVE = 16384,
	FL_FOR_DAEMON = 1 << 15, /* talks to the daemon; with FL_FOR_ALL: unless there is input */
	FL_FOR_ANSWER = 1 << 16, /* and prints what it says, as text or JSON */
	FL_FOR_SUBMIT = 1 << 17, /* options end at the first operand */
	FL_FOR_JOBS = 1 << 18,
	FL_FOR_LOGS = 1 << 19,
	FL_FOR_EVENTS = 1 << 20,
	FL_FOR_TOP = 1 << 21,
	FL_FOR_HISTORY = 1 << 22,
	FL_FOR_USAGE = 1 << 23,
	FL_FOR_RUN = 1 << 29,    /* as those of submit, but for what goes to files and arrays */
	FL_FOR_SBATCH = 1 << 24, /* #SBATCH lines of a script: none is an error that is not known */
	FL_FOR_CHOICE = 1 << 25, /* of jobs by what they are, beside their numbers */
	FL_FOR_CANCEL = 1 << 26,
	FL_FOR_HOLD = 1 << 27,
	FL_FOR_UPDATE = 1 << 28,
	FL_FOR_TOKEN = 1 << 30,
	FL_FOR_CONFIGURATION = 32,
};
/* More than an enum of int has. */
#define FL_FOR_AGREEMENT (UINT64_C(1) << 31)
#define FL_FOR_HANDOVER (UINT64_C(1) << 32)
#define FL_FOR_PAGE (UINT64_C(1) << 33)

/* By enum fl_format; of these the first are for every verb. */
extern const char *const fl_formats[FL_OUTPUTS];
unsigned fl_n_formats(const struct fl_verb *verb);

extern const struct fl_verb fl_verbs[];
extern const unsigned fl_n_verbs;

int fl_cmd_agreement(const struct fl_options *options);
int fl_cmd_cancel(const struct fl_options *options);
int fl_cmd_check(const struct fl_options *options);
int fl_cmd_compare(const struct fl_options *options);
int fl_cmd_configuration(const struct fl_options *options);
int fl_cmd_completion(const struct fl_options *options);
int fl_cmd_divide(const struct fl_options *options);
int fl_cmd_events(const struct fl_options *options);
int fl_cmd_handover(const struct fl_options *options);
int fl_cmd_help(const struct fl_options *options);
int fl_cmd_history(const struct fl_options *options);
int fl_cmd_update(const struct fl_options *options);
int fl_cmd_token(const struct fl_options *options);
int fl_cmd_usage(const struct fl_options *options);
int fl_cmd_hold(const struct fl_options *options);
int fl_cmd_job(const struct fl_options *options);
int fl_cmd_jobs(const struct fl_options *options);
int fl_cmd_login(const struct fl_options *options);
int fl_cmd_logout(const struct fl_options *options);
int fl_cmd_logs(const struct fl_options *options);
int fl_cmd_acknowledge(const struct fl_options *options);
int fl_cmd_queues(const struct fl_options *options);
int fl_cmd_run(const struct fl_options *options);
int fl_cmd_release(const struct fl_options *options);
int fl_cmd_requeue(const struct fl_options *options);
int fl_cmd_submit(const struct fl_options *options);
int fl_cmd_top(const struct fl_options *options);
int fl_cmd_tree(const struct fl_options *options);
int fl_cmd_tune(const struct fl_options *options);
int fl_cmd_page(const struct fl_options *options);
int fl_cmd_plan(const struct fl_options *options);
int fl_cmd_prove(const struct fl_options *options);
int fl_cmd_explain(const struct fl_options *options);
int fl_cmd_version(const struct fl_options *options);
int fl_cmd_watch(const struct fl_options *options);
int fl_cmd_what_if(const struct fl_options *options);
int fl_cmd_record(const struct fl_options *options);
int fl_cmd_save(const struct fl_options *options);
int fl_cmd_simulate(const struct fl_options *options);

/*
 * Before the verb: the objects of the cluster that @o names become files of its.  FL_EXIT_YES, also where
 * no cluster is named; -1 when all that was asked for is printed; or an exit code after a complaint.
 */
int fl_context_open(struct fl_options *o);
void fl_context_close(struct fl_options *o);

/*
 * FL_EXIT_YES with *ret filled (free with fl_options_done), -1 when --help was asked for
 * and printed, or an exit code after a complaint.
 */
int fl_options_parse(const struct fl_verb *verb, int argc, char **argv, struct fl_options *ret);
void fl_options_done(struct fl_options *o);
/* "1s", "500ms", "1m30s", "7d": a sum of whole numbers with units; false when it is none. */
bool fl_options_duration(const char *text, fl_time *ret);
/* Nothing but digits, 9 at most, from @min to @max. */
bool fl_options_count(const char *text, uint32_t min, uint32_t max, uint32_t *ret);
/* As it is called: "fairlead", or "kubectl fairlead" where that finds it as its plugin. */
const char *fl_program_name(void);
/* In lines of 80 columns; @verb NULL: of the command as a whole. */
void fl_print_help(const struct fl_verb *verb);

/* "FILE:LINE:COLUMN: error: subject: text" and a hint, to standard error; an exit code. */
int fl_complain(const fairlead_error *err);
int fl_exit_code(int code);
/* "fairlead VERB: ..." and where help is; FL_EXIT_USAGE. */
int fl_usage_error(const char *verb, const char *format, ...) FL_PRINTF(2, 3);

/* One diagnostic line (and a hint's), control characters made harmless. */
struct fl_diagnostic {
	const char *file;      /* "" or NULL: none */
	uint32_t line, column; /* 0: not known */
	const char *severity, *subject, *text, *hint;
};
void fl_print_diagnostic(const struct fl_diagnostic *d);

#endif
