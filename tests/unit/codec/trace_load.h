/* SPDX-License-Identifier: Apache-2.0 */
/* trace_load - a Simulation in a text and the file of jobs that it names in another, for tests */
#ifndef FL_TESTS_TRACE_LOAD_H
#define FL_TESTS_TRACE_LOAD_H

#include "codec/trace/trace.h"
#include "unit/codec/load.h"

/* A text, so many bytes at a time. */
struct trace_text {
	const char *at;
	size_t left, piece;
	bool fails; /* at its end, as a file that is cut off does */
};

static inline int trace_text_read(void *user, char *buffer, size_t size, size_t *ret,
				  fairlead_error *err)
{
	struct trace_text *t = user;
	size_t n = t->left < size ? t->left : size;

	if (t->left == 0 && t->fails)
		return fl_fail(err, FAIRLEAD_EINPUT, "the file is cut off");
	n = n < t->piece ? n : t->piece;
	memcpy(buffer, t->at, n);
	t->at += n;
	t->left -= n;
	*ret = n;
	return 0;
}

static inline struct fl_source trace_source(struct trace_text *t, const char *text, size_t piece)
{
	*t = (struct trace_text){ .at = text, .left = strlen(text), .piece = piece };
	return (struct fl_source){ trace_text_read, t };
}

/* Objects without jobs: the trees and the Simulation. */
static inline struct fl_model *trace_trees(const char *objects)
{
	fairlead_error err;
	struct fl_model *m = load_open(&fl_mem_heap, objects, &err);

	if (!m)
		fail_msg("%u:%u: %s: %s", err.line, err.column, err.subject, err.text);
	return m;
}

/* The first source of @m is @jobs, in pieces; the error. */
static inline int trace_add(struct fl_model *m, const char *jobs, size_t piece, fairlead_error *err)
{
	struct trace_text t;
	struct fl_source source = trace_source(&t, jobs, piece);

	*err = (fairlead_error){ 0 };
	return fl_trace_read(m, 0, "jobs", &source, err);
}

/* "jobs:3:1: text" */
static inline const char *trace_error(const fairlead_error *err, char line[1024])
{
	(void)snprintf(line, 1024, "%s:%u:%u: %s", err->file, err->line, err->column, err->text);
	return line;
}

#define TRACE_QUEUE(name)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n  - coveredResources: [cpu]\n"      \
	"    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]\n"
#define TRACE_FLAVOR                                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: default}\n"
#define TRACE_SIMULATION(spec)                                                                        \
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\nspec: {" spec \
	"}\n"

#endif
