/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits - everything a user can make us allocate has a limit here, with its reason
 *
 * Passing one is FAIRLEAD_ELIMIT, and the message names the limit.
 */
#ifndef FL_BASE_LIMITS_H
#define FL_BASE_LIMITS_H

enum {
	FL_MAX_NAME = 253,       /* longest Kubernetes object name (DNS subdomain) */
	FL_MAX_TEXT = 1 << 18,   /* longest scalar: the API server lets annotations be 256 KiB */
	FL_MAX_OBJECT = 1 << 26, /* texts of one object: the API server takes 3 MiB in all */
	FL_MAX_OBJECT_VALUES = 1 << 22, /* keys and values of one object */
	FL_MAX_DEPTH = 64,           /* nesting of a document; Kubernetes objects need about 20 */
	FL_MAX_RESOURCE_GROUPS = 16, /* of a queue or cohort (KEP-79) */
	FL_MAX_FLAVORS = 64,         /* of a resource group, as the API server allows */
	FL_MAX_RESOURCES = 64,       /* of a resource group, as the API server allows */
	FL_MAX_TREE_DEPTH = 256,  /* cohorts above a queue: companies have fewer than 10 levels */
	FL_MAX_COLUMNS = 1 << 16, /* (flavor, resource) pairs of one tree; 2^14 of one queue */
	FL_MAX_NODES = 1 << 20,   /* queues and cohorts: 100 times the largest cluster seen */
	FL_MAX_WORKLOADS = 1 << 24,
	FL_MAX_TASKS = 1 << 24,      /* pods of KAI's workloads: those of a trace of years */
	FL_MAX_MADE_PODS = 1 << 17,  /* pods made of the jobs of one input, which take no text */
	FL_MAX_PODSETS = 18,         /* of a workload, as the API server allows */
	FL_MAX_LIST = 1 << 16,       /* any other list inside one object */
	FL_MAX_CLASS_JOBS = 1 << 22, /* of one synthetic class: a job each ten seconds for a year */
	FL_MAX_NOTICES = 10000,      /* warnings kept of one input; the rest are counted */
	FL_MAX_CYCLES = 100000,      /* of one plan */
	FL_MAX_ALIAS_TOKENS = 1 << 20, /* what YAML aliases and merges of one input may expand to */
	FL_MAX_ANCHORED = 1 << 26,    /* bytes that anchors and merge keys of a document may hold */
	FL_MAX_KUBE_OBJECT = 8 << 20, /* one object of an API server, which takes 3 MiB in all */
	FL_MAX_KUBE_ANSWER = 16 << 20, /* an answer of it that is kept whole */
	FL_MAX_KUBE_CALLS = 10000,     /* requests to it that have not ended */
	FL_MAX_KUBE_EVENTS = 1000,     /* Events about decisions that wait to be written */
	FL_MAX_KUBE_LIST = 1 << 22, /* objects of one list: four times the largest cluster seen */
	FL_MAX_GAP = 3 << 20, /* of YAML from one value to the next: a text, all of it escaped */
	FL_MAX_KUBECONFIG = 1 << 24, /* bytes of a kubeconfig: 3,000 contexts with certificates */
	FL_MAX_KUBECONFIGS = 64,     /* files that $KUBECONFIG names */
	FL_MAX_TOKEN = 1 << 16,      /* bytes of a token for an API server; they have about 1,000 */
	FL_MAX_PLUGIN = 1 << 20,     /* bytes that a plugin for credentials prints */
};

/* One input document after decompression: a dump of a million workloads is about 1.2 GB. */
#define FL_MAX_INPUT (INT64_C(4) << 30)

#endif
