/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation - what a simulation adds to what exists: workloads over time, and what happens besides
 *
 * Rows of the model (model.h) that a Simulation document, a trace or annotations become.
 * Times after the start of a simulation are offsets; times of lives are on the clock.
 */
#ifndef FL_MODEL_SIMULATION_H
#define FL_MODEL_SIMULATION_H

#include "base/amount.h"
#include "base/ids.h"
#include "base/names.h"
#include "base/random.h"
#include "model/cell.h"

/*
 * A workload over time; one at most for each.  A workload without is there from the
 * beginning and never ends.
 */
struct fl_life_row {
	struct fl_workload workload; /* its index */
	fl_time arrives;             /* FL_TIME_NONE: it is there from the beginning */
	fl_time runs;  /* how much work it is, all its pods running; FL_NEVER: endless */
	fl_time asked; /* the time limit it asked for; FL_TIME_NONE: none. Only told, not enforced */
	fl_time leaves; /* gives up when it has not started by then; FL_NEVER: it does not */
	/* Until fl_simulation_fix_times: `arrives` and `leaves` count from the start. */
	bool from_start;
	fl_time waited;           /* as recorded in the source; FL_TIME_NONE */
	struct fl_sym class_name; /* of synthetic ones, or as annotated; FL_NONE: none */
	struct fl_sym user;       /* its user; FL_NONE: not said */
};

/* Quota, limit, weight or room that is another from a moment on. */
struct fl_change_row {
	fl_time at; /* after the start */
	enum fl_cell_kind cell;
	struct fl_sym node_name;     /* ClusterQueue, Cohort, Queue; FL_NONE with a machine */
	enum fl_node_kind node_kind; /* of node_name */
	struct fl_sym machine_name;  /* FL_NONE: a node */
	struct fl_sym flavor_name, resource_name; /* FL_NONE where the cell has none */
	fl_amount amount;                         /* borrow's cells but WEIGHT */
	double value;                             /* the others */
	/* Workloads beyond it are killed, newest first, and are pending again. */
	bool kills;
	struct fl_place place;
	struct fl_node node; /* by seal; FL_NONE: there is none (a notice says so) */
	struct fl_machine machine;
	struct fl_flavor flavor;
	struct fl_resource resource;
};

/*
 * Something that fails at random and comes back: a machine, or an amount of a flavor's
 * quota.  Workloads that ran on it are killed.  Times between failures and lengths are exponential.
 */
struct fl_failure_row {
	struct fl_sym machine_name; /* FL_NONE: quota of a node */
	struct fl_sym node_name;    /* of the quota */
	enum fl_node_kind node_kind;
	struct fl_sym flavor_name, resource_name;
	fl_amount amount; /* of quota; what is lost at a time */
	fl_time every;    /* mean time from back to the next failure */
	fl_time lasts;    /* mean */
	struct fl_place place;
	struct fl_node node; /* by seal */
	struct fl_machine machine;
	struct fl_flavor flavor;
	struct fl_resource resource;
};

enum fl_trace_kind {
	FL_TRACE_SWF,       /* Standard Workload Format */
	FL_TRACE_OPENB,     /* pods of openb as CSV; its nodes are another file */
	FL_TRACE_GENERATOR, /* Kueue's generator.yaml: makes its own tree */
	FL_TRACE_OBJECTS, /* Kubernetes objects with fairlead.dev/arrives-at and fairlead.dev/runs-for */
};

/* A file of jobs: what of it counts, and how. */
struct fl_trace_row {
	enum fl_trace_kind kind;
	struct fl_sym file,
		nodes_file; /* as written, relative to the document; nodes_file: openb, FL_NONE */
	fl_time from,
		length; /* only what arrives in [from, from + length) after its first; 0, FL_NEVER: all */
	double load;          /* times between arrivals are divided by this */
	double runtime;       /* run times are multiplied with this */
	bool cancelled;       /* jobs cancelled while pending arrive, too, and give up then */
	struct fl_span rules; /* into trace_rules */
	struct fl_place place;
};

/* What a log says of itself above its jobs: "Acknowledge", "MaxProcs", ... for reports. */
struct fl_log_row {
	uint32_t trace; /* into traces */
	struct fl_sym key, value;
};

/* Objects that the simulation is made in: a file, folder or pattern as -f takes it. */
struct fl_tree_row {
	struct fl_sym file; /* as written, relative to the document */
	struct fl_place place;
};

/* The queue of a job: the first rule that matches; none is an error. */
struct fl_trace_rule {
	struct fl_span users, groups, queues,
		partitions; /* into syms: "7", "1-20", or a text; none: any */
	struct fl_sym
		to; /* queue or LocalQueue, with {user}, {group}, {queue}, {partition} filled in; FL_NONE: left out */
	bool has_priority;
	int32_t priority;
	bool used; /* by reading: some job matched */
	struct fl_place place;
};

/*
 * A queue that jobs are sent to: the LocalQueue, ClusterQueue or Queue of that name, or one
 * that a template makes.  Filled by fl_model_target.
 */
struct fl_target_row {
	struct fl_sym to;                    /* as a rule or class says it */
	struct fl_sym namespace, queue_name; /* of workloads there */
};

/* Synthetic jobs of one kind. */
struct fl_class_row {
	struct fl_sym name, to; /* as in a rule */
	uint32_t count;         /* 0: as many as come until `ends` */
	fl_time begins, ends;   /* after the start; ends FL_NEVER */
	struct fl_distribution between, runs, pods;
	struct fl_span requests; /* into requests: of one pod */
	bool has_priority;
	int32_t priority;
	int32_t min_pods; /* entitle: of the gang; 0: all */
	/* They come in this part of a day only, at this distance from UTC; day_length 0: always. */
	fl_time day_begins, day_length, zone;
	bool weekends; /* on Saturday and Sunday, too */
	struct fl_place place;
};

/*
 * A simulation lasts for so long at most, 73 years, and begins from 1824 to 2116: so its times,
 * what lies between them and some more fit 64 bits.
 */
#define FL_LONGEST_SIMULATION (FL_NEVER / 4)

/* How a simulation runs; Simulation .spec. */
struct fl_simulation_settings {
	bool present; /* a Simulation was in the input */
	bool whole;   /* and what it is made of was read: what it names must be there */
	struct fl_place place;
	struct fl_sym name; /* metadata.name; symbol 0: none */
	uint64_t seed;      /* default 1 */
	fl_time start; /* FL_TIME_NONE: at the first arrival, or the newest time of the input */
	fl_time until; /* so long; FL_NEVER: until all jobs are done */
	fl_time cycle_interval; /* cycles are at least so far apart; default 100 ms */
	fl_time period; /* and at most, while a job is pending; FL_NEVER: only when something changed */
	fl_time grace;      /* from the decision to evict to the quota being free; default 30 s */
	fl_time checkpoint; /* work is saved every so often; 0: always; FL_NEVER (default): never */
	fl_time restart;    /* every start after an eviction costs so long before work goes on */
	fl_time back_off_base; /* evicted ones return after so long, doubling each time... */
	fl_time back_off_max;  /* ...to at most this; base 0 (default): at once */
	/* The policy has been there so long before the start, and nothing was held in that time. */
	fl_time before;
	uint32_t top; /* queues of one parent shown for themselves in reports; default 12 */
};

extern const struct fl_simulation_settings fl_simulation_default;

struct fl_model;

/*
 * The queue that @to names, for a rule or class at @by; its LocalQueue, or the whole queue,
 * is made when there is none yet.  Before seal, after the trees.  FAIRLEAD_EINPUT with place
 * when there is none and no template makes it, or when several have that name.
 */
int fl_model_target(struct fl_model *m, struct fl_sym to, struct fl_place by,
		    struct fl_target_row *ret, fairlead_error *err);

/*
 * What no single field of a Simulation says: lengths that go together, classes that end.
 * FAIRLEAD_EINPUT with place; fills in what follows from others.  Before sources are read.
 */
int fl_simulation_check(struct fl_model *m, fairlead_error *err);

/* A notice for each rule and template that no job came to. After sources and classes. */
int fl_simulation_unused(struct fl_model *m, fairlead_error *err);

/*
 * When it starts, if nothing was said: the first arrival, the newest time of the input, or 0;
 * then lives that count from there are put on the clock.  FAIRLEAD_EINPUT for a start that is
 * out of bounds.  Before seal, after all is read.
 */
int fl_simulation_fix_times(struct fl_model *m, fairlead_error *err);

/* Is that a time at which one can begin? FAIRLEAD_EINPUT. */
int fl_simulation_check_start(fl_time start, fairlead_error *err);

#endif
