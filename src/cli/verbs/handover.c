/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover: a cohort tree of a cluster to fairlead, or back to Kueue
 *
 * Either way goes by its middle: each queue is kept from Kueue and no scheduler decides, until it is known that the one that did has
 * stopped (barrier.h); only then the other one may.  The cluster is read and checked again after each of the two
 * steps, until there is nothing left to change.  Whatever ends it, the same command goes on.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cluster/handover/barrier.h"
#include "cli/cluster/handover/change.h"
#include "cli/terminal/terminal.h"

enum { ROUNDS = 20 /* of reading, at most */ };

struct handover {
	const struct fl_options *o;
	struct fl_reach reach;
	struct fl_handing first, tree; /* as it was read first: its answer alone; and last */
	unsigned read;                 /* how often */
	bool agreed; /* the question was answered; again after something has changed meanwhile */
	bool quiet; /* it is known that no scheduler decides, where this command has put it between them */
	uint32_t n_done;
};

static bool is_json(const struct handover *h) { return h->o->output == FL_OUTPUT_JSON; }

static void say(const struct handover *h, enum fl_style style, const char *text)
{
	struct fl_report report = { 0 };

	if (is_json(h))
		return;
	fl_terminal(&report);
	fl_report_say(&report, style, 0, "%s", text);
	fflush(stdout);
}

/* --- reading and telling --- */

static int read_tree(struct handover *h)
{
	if (h->read == 1) {
		fl_handing_rest(&h->tree);
		h->first = h->tree;
		h->first.answer.tree = h->first.name;
	} else if (h->read > 1) {
		fl_handing_close(&h->tree);
	}
	h->read++;
	return fl_handing_open(&h->tree, h->o, h->reach.title);
}

static void close_trees(struct handover *h)
{
	if (h->read > 1)
		fl_handing_close(&h->first);
	if (h->read)
		fl_handing_close(&h->tree);
}

/* Of which the question was. */
static struct fl_handover *first_answer(struct handover *h)
{
	return h->read > 1 ? &h->first.answer : &h->tree.answer;
}

/* @half: it is not yet as it shall be. */
static void mark_done(struct handover *h, const char *queue, bool half)
{
	struct fl_handover *a = first_answer(h);
	struct fl_handover_queue *rows = (struct fl_handover_queue *)a->queues;

	for (uint32_t i = 0; i < a->n_queues && !half; i++)
		rows[i].done |= rows[i].changes && strcmp(rows[i].name, queue) == 0;
	h->n_done++;
}

static int print_json(const struct handover *h, const struct fl_handover *answer)
{
	struct fl_report report = { 0 };

	if (!is_json(h))
		return 0;
	fl_terminal(&report);
	fl_document_json(&report, &fl_handover_document, answer);
	return 0;
}

static int refuse(struct handover *h)
{
	const struct fl_handover *a = &h->tree.answer;
	char text[200];

	for (uint32_t i = 0; i < a->n_refusals && !is_json(h); i++)
		fl_print_diagnostic(&(struct fl_diagnostic){ .file = a->context,
							     .severity = "error",
							     .subject = a->refusals[i].subject,
							     .text = a->refusals[i].text,
							     .hint = a->refusals[i].advice });
	(void)print_json(h, a);
	(void)snprintf(text, sizeof text, "it is not handed over, for %" PRIu32 " reason%s%s",
		       a->n_refusals, a->n_refusals == 1 ? "" : "s",
		       h->n_done ? "; what is changed already stays on Hold" : "");
	fl_print_diagnostic(&(struct fl_diagnostic){
		.file = a->context,
		.severity = "error",
		.subject = a->tree,
		.text = text,
		.hint = h->n_done ? "'fairlead handover --back' gives it back to Kueue" : NULL });
	return FL_EXIT_NO;
}

static bool is_yes(void)
{
	char line[100];

	return fgets(line, sizeof line, stdin) &&
	       (strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0);
}

/* An exit code: whether to go on. */
static int ask(struct handover *h)
{
	struct fl_report report = { .model = h->tree.snapshot.model };
	fairlead_error err = { 0 };

	if (h->agreed)
		return FL_EXIT_YES;
	fl_terminal(&report);
	if (!is_json(h) && fl_handover_text(&report, &h->tree.answer, &err) < 0)
		return fl_complain(&err);
	h->agreed = true;
	if (h->o->yes || h->o->dry_run)
		return FL_EXIT_YES;
	fflush(stdout);
	fprintf(stderr, "%s [y/N] ",
		h->o->back ? "Give the tree back to Kueue?" : "Hand the tree over to fairlead?");
	if (is_yes())
		return FL_EXIT_YES;
	fprintf(stderr, "fairlead: nothing %schanged\n", h->n_done ? "more is " : "is ");
	return FL_EXIT_NO;
}

/* --- changing --- */

/* What a queue shall be after this step: at the middle of the way, or at its end. */
static struct fl_marked target(const struct handover *h, uint32_t i, bool half)
{
	const struct fl_marked now = h->tree.queues[i].now;
	const enum fl_way way = h->o->back ? FL_WAY_BACK : FL_WAY_OVER;

	return half ? fl_marked_between(now, way, h->quiet) : fl_marked_final(now, way);
}

static bool changes(const struct handover *h, uint32_t i, bool half)
{
	return !fl_marked_same(h->tree.queues[i].now, target(h, i, half));
}

static uint32_t count_changes(const struct handover *h, bool half)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->tree.n_queues; i++)
		n += changes(h, i, half);
	return n;
}

/* Which are changed and which are not, after an error with queue @at. */
static int complain_halfway(struct handover *h, uint32_t at, bool half, fairlead_error *err)
{
	const struct fl_handing *t = &h->tree;

	(void)fl_fail_in(err, "ClusterQueue %s", t->queues[at].name);
	(void)fl_complain(err);
	fprintf(stderr, "fairlead: %" PRIu32 " of %" PRIu32 " ClusterQueues of the tree are %s\n",
		t->n_queues - count_changes(h, half), t->n_queues,
		half ? "on Hold for the handover" : "as they shall be");
	for (uint32_t i = 0; i < t->n_queues; i++)
		if (changes(h, i, half))
			fl_print_diagnostic(&(struct fl_diagnostic){ .file = t->answer.context,
								     .severity = "note",
								     .subject = t->queues[i].name,
								     .text = "is not" });
	fprintf(stderr, "hint: go on with the same command%s\n",
		h->o->back ? "" : ", or back with --back");
	(void)print_json(h, first_answer(h));
	return FL_EXIT_FAILED;
}

/* -1: it was changed by another, and all has to be read again; or an exit code. */
static int change_one(struct handover *h, uint32_t i, bool half)
{
	struct fl_handing_queue *q = &h->tree.queues[i];
	const struct fl_marked to = target(h, i, half);
	fairlead_error err = { 0 };
	char text[FL_MAX_NAME + 100];
	enum fl_changed what;

	if (fl_handing_change(&h->reach, q, to, &what, &err) < 0)
		return complain_halfway(h, i, half, &err);
	if (what == FL_CHANGED_MEANWHILE) {
		(void)snprintf(text, sizeof text,
			       "ClusterQueue %s was changed by another: all is read again",
			       q->name);
		say(h, FL_STYLE_WARN, text);
		h->agreed = h->o->yes;
		return -1;
	}
	if (what == FL_CHANGED_NOT)
		return FL_EXIT_YES;
	q->now = to;
	mark_done(h, q->name, half);
	(void)snprintf(text, sizeof text, "ClusterQueue %s: %s", q->name,
		       half && fl_marked_checked(to) ?
			       "has an inactive check, no scheduler decides" :
		       half       ? "on Hold, no scheduler decides" :
		       h->o->back ? "given back" :
				    "handed over");
	say(h, FL_STYLE_PLAIN, text);
	return FL_EXIT_YES;
}

/* As change_one. What fairlead decides for comes first: else it could decide in a tree that this makes whole. */
static int change_all(struct handover *h, bool half)
{
	int code = FL_EXIT_YES;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < h->tree.n_queues && code == FL_EXIT_YES; i++)
			if ((h->tree.queues[i].now.mark == FL_HANDED_RUNS) == (pass == 0))
				code = change_one(h, i, half);
	return code;
}

static int wait_for_quiet(struct handover *h)
{
	struct fl_barrier_end end;
	fairlead_error err = { 0 };
	char text[200], late[100] = "";

	if (fl_handing_wait(&h->reach, &h->tree, &end, &err) < 0) {
		(void)fl_complain(&err);
		fprintf(stderr,
			"fairlead: the queues of the tree stay on Hold, and no scheduler "
			"decides in them\n"
			"hint: the same command waits again%s\n",
			h->o->back ? "" : "; --back goes back");
		(void)print_json(h, first_answer(h));
		return FL_EXIT_FAILED;
	}
	if (end.late)
		(void)snprintf(late, sizeof late,
			       " (%" PRIu32 " came late, the last one after %.1f s)", end.late,
			       (double)end.last / 1000);
	(void)snprintf(text, sizeof text, "%s has stopped: no new reservation for %d s%s",
		       h->o->back ? "fairlead" : "Kueue", FL_BARRIER_QUIET / 1000, late);
	say(h, FL_STYLE_PLAIN, text);
	h->quiet = true;
	return FL_EXIT_YES;
}

static bool is_between(const struct fl_handing *t)
{
	for (uint32_t i = 0; i < t->n_queues; i++)
		if (t->queues[i].now.mark == FL_HANDED_BETWEEN)
			return true;
	return false;
}

/* An AdmissionCheck comes before the queues that name it. An exit code. */
static int make_check(struct handover *h)
{
	fairlead_error err = { 0 };
	bool needed = false;

	for (uint32_t i = 0; i < h->tree.n_queues && !h->o->back; i++)
		needed |= h->tree.queues[i].now.checks != FL_CHECKS_NONE;
	return needed && fl_handing_make_check(&h->reach, &h->tree, &err) < 0 ? fl_complain(&err) :
										FL_EXIT_YES;
}

/* One step of the way, as change_one. */
static int step(struct handover *h)
{
	int code = FL_EXIT_YES;

	code = make_check(h);
	if (code != FL_EXIT_YES)
		return code;
	if (count_changes(h, /* half= */ true)) {
		h->quiet = false;
		return change_all(h, /* half= */ true);
	}
	if (is_between(&h->tree) && !h->quiet)
		code = wait_for_quiet(h);
	return code == FL_EXIT_YES ? change_all(h, /* half= */ false) : code;
}

static int run(struct handover *h)
{
	fairlead_error err = { 0 };
	int code;

	for (int i = 0; i < ROUNDS; i++) {
		code = read_tree(h);
		if (code != FL_EXIT_YES)
			return code;
		if (h->tree.answer.n_refusals)
			return refuse(h);
		if (!count_changes(h, /* half= */ false) && !h->o->dry_run)
			return FL_EXIT_YES;
		code = ask(h);
		if (h->o->dry_run)
			return code == FL_EXIT_YES ? print_json(h, &h->tree.answer) : code;
		if (code == FL_EXIT_YES)
			code = step(h);
		if (code > FL_EXIT_YES)
			return code;
	}
	fl_fail(&err, FAIRLEAD_ESTATE, "its ClusterQueues are changed by others all the time");
	(void)fl_fail_in(&err, "%s", h->tree.answer.tree);
	return fl_complain(&err);
}

static int finish(struct handover *h)
{
	char text[FL_MAX_NAME + 100];

	first_answer(h)->done = true;
	(void)snprintf(text, sizeof text, "The tree of %s is %s%s", h->tree.answer.tree,
		       h->o->back ? "Kueue's" : "handed over", h->n_done ? "" : " already");
	say(h, FL_STYLE_GOOD, text);
	return print_json(h, first_answer(h));
}

int fl_cmd_handover(const struct fl_options *o)
{
	struct handover h = { .o = o };
	fairlead_error err = { 0 };
	int code;

	if (!o->yes && !o->dry_run && (o->output == FL_OUTPUT_JSON || !isatty(STDIN_FILENO)))
		return fl_usage_error(o->verb,
				      "%s: give --yes, or --dry-run to see what would "
				      "change",
				      o->output == FL_OUTPUT_JSON ?
					      "with -o json it does not ask" :
					      "it has to ask, and there is no terminal");
	/* Its reader may go in the middle, as head does; this goes on. */
	(void)signal(SIGPIPE, SIG_IGN);
	code = fl_reach_open(o, &h.reach, &err) < 0 ? fl_complain(&err) : run(&h);
	if (code == FL_EXIT_YES && !o->dry_run)
		code = finish(&h);
	close_trees(&h);
	fl_reach_close(&h.reach);
	return code;
}
