/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings - what `check` found, errors first, then warnings by place, then what it takes for given,
 * in each of its formats
 */
#ifndef FL_CLI_VERBS_FINDINGS_H
#define FL_CLI_VERBS_FINDINGS_H

#include "cli/cli.h"
#include "cli/input/snapshot.h"
#include "codec/edit/former.h"
#include "model/model.h"
#include "report/out/shape.h"

/* Kinds of errors; those of warnings are fl_notice_kind. */
enum fl_error_kind {
	FL_ERROR_MALFORMED,
	FL_ERROR_UNREADABLE,
	FL_ERROR_LIMIT,
	FL_ERROR_FAILED,
	FL_ERROR_KINDS
};

extern const struct fl_error_words {
	const char *name, *meaning, *advice;
} fl_error_kinds[FL_ERROR_KINDS];

struct fl_findings {
	bool ok; /* the exit status is 0 */
	fairlead_error *errors;
	uint32_t n_errors;
	uint32_t errors_dropped;         /* above the number that is kept */
	bool again;                      /* what is found may have been found before */
	const struct fl_model *model;    /* has the notices; NULL without memory */
	const struct fl_policy_ops *ops; /* that the warnings are about; NULL with errors */
	uint32_t *notices;               /* of the model: warnings by place, then notes */
	uint32_t n_notices, n_warnings;
	const uint32_t *notes; /* what is assumed or left out, though nothing is wrong */
	uint32_t n_notes;
	uint32_t dropped;                /* warnings above the limit of what is kept */
	struct fl_former former;         /* what --was names */
	const struct fl_snapshot *image; /* what was looked at was one; else NULL */
};

enum fl_error_kind fl_error_kind_of(const fairlead_error *err);

/* What one finding says. Valid as long as the findings. */
struct fl_diagnostic fl_finding_error(const struct fl_findings *f, uint32_t i);
struct fl_diagnostic fl_finding_warning(const struct fl_findings *f, uint32_t i);

/* Of a struct fl_findings. */
extern const struct fl_document fl_check_document;
/*
 * SARIF 2.1.0 to standard output: one run; a rule for each kind; columns in UTF-16
 * units, counted in the files again; fingerprints that depend neither on lines nor on words.
 * 0 or FAIRLEAD_ENOMEM, with nothing printed.
 */
int fl_findings_sarif(const struct fl_findings *f, int exit_code);

#endif
