/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove_report - what an exploration came to: in words, as JSON, as a picture
 */
#ifndef FL_REPORT_PROVE_PROVE_REPORT_H
#define FL_REPORT_PROVE_PROVE_REPORT_H

#include "ask/prove/loop_moves.h"
#include "ask/prove/remedy.h"
#include "ask/prove/whole.h"
#include "report/out/shape.h"

/* Why an exploration ended. */
enum fl_prove_end {
	FL_PROVE_ALL,     /* every state that can be reached was explored, or a loop was found */
	FL_PROVE_BOUND,   /* so many states as were asked for */
	FL_PROVE_MEMORY,  /* as much memory as was allowed */
	FL_PROVE_STOPPED, /* it was asked to end */
	FL_PROVE_THEOREM, /* nothing was explored: it is proved for all inputs like this one */
};

struct fl_prove_answer {
	const struct fl_prove_result *result;
	enum fl_prove_end end;
	const char *const *theorem;         /* THEOREM: what it says, and why (ask/prove/face.h) */
	const char *resume;                 /* the file from which it goes on; NULL */
	const struct fl_settle_result *own; /* the scheduler's own order from here; NULL */
	enum fl_whole whole;                /* LOOP: the one that is shown */
	uint32_t shortest;                  /* moves of the shortest round */
	const struct fl_loop_moves *moves;  /* of a loop; else NULL */
	const struct fl_remedies *remedies; /* of a loop; else NULL */
};

/* Does the scheduler's own order loop, or not settle, where no loop was found? */
static inline bool fl_prove_own_goes_on(const struct fl_prove_answer *a)
{
	return a->own && !a->own->settled;
}
/* Why it is not a proof, in a clause; NULL: it is one, or a loop. */
const char *fl_prove_doubt(const struct fl_prove_answer *a);

int fl_prove_text(const struct fl_report *r, const struct fl_prove_answer *a, fairlead_error *err);
/* The policy is the one that was asked. */
extern const struct fl_document fl_prove_document;
void fl_prove_json(const struct fl_report *r, const char *policy, const struct fl_prove_answer *a);
/* One file that needs no other, in the viewer's light or dark colours. */
void fl_loop_svg(FILE *out, const struct fl_report *r, const struct fl_loop_moves *moves,
		 enum fl_loop loop);

/* --- words, for all of them --- */

enum { FL_LOOP_MOVE_TEXT = 2048 };

/* "forced", "possible", "none" */
extern const char *const fl_loop_names[FL_LOOP_FORCED + 1];
/* What that means, in a sentence. */
const char *fl_loop_meaning(const struct fl_prove_result *result);

/* "serve", "letGo", "cycle" */
const char *fl_move_name(enum fl_move_kind kind);
/* @text in that many characters at most, cut in the middle; 0: all of it. */
const char *fl_loop_cut(const char *text, unsigned longest, char buffer[FL_REPORT_NAME]);
/* "ns/a (team-a) preempts ns/b and ns/c (team-b)", names cut to @longest */
const char *fl_loop_move(const struct fl_report *r, const struct fl_loop_moves *moves,
			 uint32_t step, unsigned longest, char buffer[FL_LOOP_MOVE_TEXT]);
/* "S2-a: share of team-a with ns/a, 100, <= share of team-b without ns/b, 200"; "" without any */
const char *fl_loop_proof(const struct fl_report *r, const struct fl_loop_act *act,
			  unsigned longest, char buffer[FL_LOOP_MOVE_TEXT]);
/* "1.5", "inf" */
const char *fl_loop_share(double share, char buffer[32]);
/* What is held or a quota, in its unit; "unlimited". */
const char *fl_loop_amount(const struct fl_report *r, struct fl_resource resource, double amount,
			   char buffer[32]);

/* --- remedies; of plan, too --- */

/* A table with its title; nothing when there are none. */
int fl_remedies_text(const struct fl_report *r, const struct fl_remedies *remedies,
		     fairlead_error *err);
/* "remedies": a list; of a struct fl_remedies. */
extern const struct fl_json_shape fl_remedies_shape;

#endif
