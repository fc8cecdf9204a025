/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_text - amounts of cpu, memory and GPUs, for people and for programs
 *
 * For people: cores as Kubernetes writes them, memory in the unit that says it shortest
 * (powers of ten or of two), GPUs as a number.  JSON has plain numbers: milli-cores,
 * bytes, GPUs; "unlimited" where there is no bound.
 */
#ifndef FL_REPORT_OUT_BUNDLE_TEXT_H
#define FL_REPORT_OUT_BUNDLE_TEXT_H

#include "base/bundle.h"
#include "report/out/json.h"
#include "report/out/report.h"

/* "cpu", "memory", "gpu" */
const char *fl_bundle_name(int resource);
/* Of a resource of evidence: FL_CPU, FL_MEMORY, FL_GPU; FL_BUNDLE when it is none of them. */
int fl_bundle_resource(const struct fl_model *m, struct fl_resource resource);

/* "1500m", "8G", "0.5", "unlimited" */
const char *fl_bundle_amount(const struct fl_report *r, int resource, double amount,
			     char buffer[32]);
/* Amounts that are compared: with more digits where two that differ would look the same. */
void fl_bundle_amounts(const struct fl_report *r, int resource, const double *amounts, unsigned n,
		       char (*ret)[32]);
/* "8 gpu, 4 cpu", what is 0 left out; "nothing" */
const char *fl_bundle_text(const struct fl_report *r, const struct fl_bundle *b, char *buffer,
			   size_t size);

/* A number, or "unlimited". */
void fl_json_bound(struct fl_json *j, const char *key, double amount);
/* {"gpu":2,"cpu":4000,"memory":8000000000} */
void fl_json_bundle(struct fl_json *j, const char *key, const struct fl_bundle *b);

#endif
