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
	fl_time waited; /* as recorded in the source; FL_TIME_NONE */
	struct fl_sym class_name; /* of synthetic ones, or as annotated; FL_NONE: none */
	struct fl_sym user;       /* whose; FL_NONE: not said */
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
	/* Who holds what is not there any more is killed, newest first, and waits again. */
	bool kills;
	struct fl_place place;
	struct fl_node node; /* by seal; FL_NONE: there is none (a notice says so) */
	struct fl_machine machine;
	struct fl_flavor flavor;
	struct fl_resource resource;
};

/*
 * Something that fails at random and comes back: a machine, or an amount of a flavor's
 * quota.  Whoever ran on it is killed.  Times between failures and lengths are exponential.
 */
struct fl_failure_row {
	struct fl_sym machine_name; /* FL_NONE: quota of a node */
	struct fl_sym node_name;    /* whose quota */
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
	double load;    /* times between arrivals are divided by this */
	double runtime; /* run times are multiplied with this */
	bool cancelled; /* who was cancelled while waiting comes, too, and gives up after as long */
	struct fl_span rules; /* into trace_rules */
	struct fl_place place;
};

/* To whom a job belongs: the first rule that matches counts; nobody's is an error. */
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

/* A random length of time or size. */
enum fl_distribution_kind {
	FL_CONSTANT,    /* a */
	FL_UNIFORM,     /* from a to b */
	FL_EXPONENTIAL, /* mean a */
	FL_LOGNORMAL,   /* median a, and b: the 84th percentile over the median */
	FL_PARETO,      /* least a, exponent b */
	FL_WEIBULL,     /* scale a, shape b */
};
struct fl_distribution {
	enum fl_distribution_kind kind;
	double a, b;        /* times in seconds */
	double least, most; /* cut off there; 0, INFINITY */
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

/* How a simulation runs; Simulation .spec. */
struct fl_simulation_settings {
	bool present; /* a Simulation was in the input */
	struct fl_place place;
	struct fl_sym name; /* metadata.name; symbol 0: none */
	uint64_t seed;      /* default 1 */
	fl_time start; /* FL_TIME_NONE: at the first arrival, or the newest time of the input */
	fl_time until; /* so long; FL_NEVER: until everybody is done */
	fl_time cycle_interval; /* cycles are at least so far apart; default 100 ms */
	fl_time period; /* and at most, while somebody waits; FL_NEVER: only when something changed */
	fl_time grace;      /* from the decision to evict to the quota being free; default 30 s */
	fl_time checkpoint; /* work is saved every so often; 0: always; FL_NEVER (default): never */
	fl_time restart;    /* every start after an eviction costs so long before work goes on */
	fl_time back_off_base; /* who was evicted comes back after so long, doubling each time... */
	fl_time back_off_max;  /* ...to at most this; base 0 (default): at once */
	uint32_t top; /* queues of one parent shown for themselves in reports; default 12 */
};

extern const struct fl_simulation_settings fl_simulation_default;

#endif
