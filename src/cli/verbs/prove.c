/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove - can preemption loop for ever?
 *
 * Nothing is printed or written before the exploration has ended, one way or another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/prove/face.h"
#include "ask/prove/proof.h"
#include "ask/prove/whole.h"
#include "cli/input/snapshot.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/out_file.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tape_print.h"
#include "input/input.h"
#include "report/prove/prove_report.h"

enum { STATES = 1000000, MEMORY = 1 << 30, CYCLES = 10000, MOST_TRIED = 20000 };

static const char maker[] = "fairlead " FAIRLEAD_VERSION " prove";

struct proving {
	const struct fl_options *options;
	struct fl_snapshot snapshot;
	struct fl_tape tape; /* for --out */
	struct fl_arena arena;
	struct fl_ticker ticker;
	bool stopped;
	struct fl_prover *prover;
	struct fl_prove_options how;
	struct fl_prove_result result;
	struct fl_settle_result own;
	struct fl_loop_moves moves;
	struct fl_remedies remedies;
	struct fl_prove_answer answer;
};

static bool has_loop(const struct proving *v) { return v->result.loop != FL_LOOP_NONE; }

/* --- the exploration, and to go on with it --- */

static int watch(void *user, const struct fl_prove_progress *p)
{
	struct proving *v = user;

	fl_ticker_show(&v->ticker, "%llu states, %llu more found, %llu MiB",
		       (unsigned long long)p->states, (unsigned long long)p->waiting,
		       (unsigned long long)(p->bytes >> 20));
	v->stopped |= fl_interrupted();
	return v->stopped;
}

static bool is_there(const char *name) { return access(name, F_OK) == 0; }

static int load(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	const char *name = v->options->resume;
	struct fl_input *in = NULL;
	struct fl_image image = { 0 };
	int rc = fl_input_open(name, &in, err);

	if (rc < 0)
		return rc;
	rc = fl_image_read(&image, &fl_mem_heap, fl_input_source(in), maker, err);
	if (rc == 0)
		rc = fl_prover_load(&fl_mem_heap, s->ops, s->policy, s->model, &v->how, &image,
				    &v->prover, err);
	fl_image_done(&image);
	fl_input_close(in);
	if (rc == FAIRLEAD_EINPUT) /* an image of a state says what to do with one of those */
		fl_fail_hint(err,
			     "remove it, or name another file: then the exploration begins anew");
	if (rc < 0 && rc != FAIRLEAD_ENOMEM)
		snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
	return rc;
}

static int put_bytes(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	struct fl_out_file *f = user;

	return fwrite(bytes, 1, n, f->out) == n ? 0 : fl_out_fail(f->name, err);
}

static int save(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	struct fl_image_writer w;
	struct fl_out_file file;
	int rc = fl_out_file_open(&file, v->options->resume, err);

	if (rc < 0)
		return rc;
	rc = fl_image_begin(&w, &(struct fl_image_output){ put_bytes, &file }, maker, err);
	if (rc == 0)
		rc = fl_prover_save(v->prover, s->ops, s->policy, s->model, &w, err);
	if (rc == 0)
		rc = fl_image_end(&w, err);
	if (rc == 0)
		rc = fl_out_file_finish(&file, err);
	if (rc == 0)
		rc = fl_out_file_place(&file, err);
	fl_out_file_done(&file);
	return rc;
}

static int explore(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	const struct fl_options *o = v->options;
	bool again = o->resume && is_there(o->resume);

	v->how = (struct fl_prove_options){
		.mem = &fl_mem_heap,
		.now = s->now,
		.states = o->bound ? o->bound : STATES,
		.bytes = o->memory ? (size_t)o->memory : MEMORY,
		.progress = watch,
		.user = v,
	};
	fl_interrupt_listen();
	fl_ticker_begin(&v->ticker);
	int rc = again ? load(v, err) : fl_prover_new(&fl_mem_heap, &v->prover, err);
	if (rc == 0)
		rc = fl_proof(s->ops, s->policy, s->model, &v->how, v->prover, &v->result, err);
	fl_ticker_end(&v->ticker);
	if (rc < 0)
		return rc;
	v->answer.end = v->result.complete                ? FL_PROVE_ALL :
			v->stopped                        ? FL_PROVE_STOPPED :
			v->result.states >= v->how.states ? FL_PROVE_BOUND :
							    FL_PROVE_MEMORY;
	if (!o->resume || v->result.complete)
		return 0;
	/* Where only the lifting stopped, what is saved spares all before it, and it begins anew. */
	if (!v->result.lifting)
		v->answer.resume = o->resume;
	return save(v, err);
}

/* --- more about a loop --- */

static int no_news(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)user, (void)cycle, (void)err;
	return 0;
}

static int go_by_itself(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	const struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.now = s->now,
		.interval = FL_SECOND,
		.cycles = CYCLES,
		.to_the_end = true,
	};
	fl_mark mark;
	int rc = s->ops->mark(s->policy, &mark, err);

	if (rc < 0)
		return rc;
	rc = fl_settle(s->ops, s->policy, s->model, &options, no_news, NULL, &v->own, err);
	s->ops->rollback(s->policy, mark);
	v->answer.own = &v->own;
	return rc;
}

static int look_closer(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	const struct fl_prove_result *p = &v->result;
	struct fl_remedy_options options = {
		.mem = &fl_mem_heap,
		.arena = &v->arena,
		.now = s->now,
		.interval = FL_SECOND,
		.cycles = CYCLES,
		.states = fl_remedy_states(s->model),
		.bytes = v->how.bytes,
		.progress = watch,
		.user = v,
	};
	uint64_t more = p->complete ? 2 * p->states : 0; /* as large an exploration as this one */

	if (more > options.states)
		options.states = more < MOST_TRIED ? (uint32_t)more : MOST_TRIED;
	int rc = 0;

	v->answer.shortest = p->n;
	v->how.states = options.states;
	if (options.states)
		rc = fl_whole_loop(s->ops, s->policy, s->model, &v->how, &v->result,
				   &v->answer.whole, err);
	if (rc == 0)
		rc = fl_loop_moves_tell(s->ops, s->policy, s->model, s->now, p->moves, p->prefix,
					p->n, &v->arena, &v->moves, /* ret_failed= */ NULL, err);
	if (rc == 0 && options.states)
		rc = fl_remedies_try(s->ops, s->model, &options, &v->remedies, err);
	fl_ticker_end(&v->ticker);
	v->answer.moves = &v->moves;
	v->answer.remedies = &v->remedies;
	return rc;
}

/* --- files --- */

static void put_move(struct fl_json *j, const struct fl_model *m, struct fl_move move)
{
	char name[FL_REPORT_NAME];

	fl_json_object(j, NULL);
	if (!fl_move_names(move.kind))
		fl_json_bool(j, fl_move_name(move.kind), true);
	else
		fl_json_text(j, fl_move_name(move.kind),
			     fl_report_workload(m, move.workload, name));
	fl_json_end_object(j);
}

/* The Moves document of the loop, to be freed; NULL without memory. */
static char *moves_text(const struct proving *v)
{
	const struct fl_prove_result *p = &v->result;
	struct fl_json j;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool bad;

	if (!out)
		return NULL;
	fl_json_head(&j, out, "Moves");
	fl_json_object(&j, "metadata");
	fl_json_text(&j, "name", "loop");
	fl_json_end_object(&j);
	fl_json_object(&j, "spec");
	fl_json_list(&j, "moves");
	for (uint32_t i = 0; i < p->prefix + p->n; i++)
		put_move(&j, v->snapshot.model, p->moves[i]);
	fl_json_end_list(&j);
	fl_json_int(&j, "repeat", p->n);
	fl_json_end_object(&j);
	fl_json_end_object(&j);
	bad = ferror(out) || j.failed;
	bad |= fclose(out) != 0;
	if (!bad)
		return text;
	free(text);
	return NULL;
}

static int write_svg(FILE *out, struct proving *v, fairlead_error *err)
{
	(void)err;
	fl_loop_svg(out, &v->snapshot.report, &v->moves, v->result.loop);
	return 0;
}

static int write_replay(FILE *out, struct proving *v, fairlead_error *err)
{
	char *moves = moves_text(v);

	if (!moves)
		return fl_fail_nomem(err);
	fl_tape_print(out, &v->tape, moves);
	free(moves);
	return 0;
}

static int write_file(struct proving *v, const char *name,
		      int (*write)(FILE *out, struct proving *v, fairlead_error *err),
		      fairlead_error *err)
{
	struct fl_out_file file;

	if (!name)
		return 0;
	if (!has_loop(v)) {
		fprintf(stderr, "fairlead: no loop, so %s is not written\n", name);
		return 0;
	}
	if (strcmp(name, "-") == 0)
		return write(stdout, v, err);
	int rc = fl_out_file_open(&file, name, err);
	if (rc < 0)
		return rc;
	rc = write(file.out, v, err);
	if (rc == 0)
		rc = fl_out_file_finish(&file, err);
	if (rc == 0)
		rc = fl_out_file_place(&file, err);
	fl_out_file_done(&file);
	return rc;
}

/* --- the whole --- */

/* As fl_snapshot_open, and what was read stays on a tape where it is to be written again. */
static int open_input(struct proving *v, fairlead_error *err)
{
	const struct fl_options *o = v->options;
	struct fl_snapshot *s = &v->snapshot;
	int rc = fl_snapshot_begin(s, o, err);

	s->images = !o->out;
	if (rc == 0 && o->out)
		rc = fl_tape_init(&v->tape, &fl_mem_heap, err);
	v->tape.no_moves = true;
	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, o->out ? &v->tape.tap : NULL, err);
	return rc < 0 ? rc : fl_snapshot_seal(s, /* assume= */ false, err);
}

/* By the theorem, where there is one for it; else by looking. */
static int answer(struct proving *v, fairlead_error *err)
{
	const struct fl_snapshot *s = &v->snapshot;
	int rc;

	if (!v->options->check && s->ops->settles && s->ops->settles(s->policy)) {
		v->answer.end = FL_PROVE_THEOREM;
		v->answer.theorem = fl_prove_face_of(s->ops)->theorem;
		return 0;
	}
	rc = explore(v, err);
	if (rc == 0 && (has_loop(v) || v->result.complete))
		rc = go_by_itself(v, err);
	return rc == 0 && has_loop(v) ? look_closer(v, err) : rc;
}

static int prove(struct proving *v, fairlead_error *err)
{
	const struct fl_options *o = v->options;
	struct fl_snapshot *s = &v->snapshot;
	bool printed = (o->svg && strcmp(o->svg, "-") == 0) || (o->out && strcmp(o->out, "-") == 0);
	int rc = fl_snapshot_start(s, fl_snapshot_clock(s), err);

	v->answer.result = &v->result;
	if (rc == 0)
		rc = answer(v, err);
	if (rc == 0)
		rc = write_file(v, o->out, write_replay, err);
	if (rc == 0)
		rc = write_file(v, o->svg, write_svg, err);
	if (rc < 0 || (printed && has_loop(v)))
		return rc;
	if (o->output == FL_OUTPUT_JSON)
		fl_prove_json(&s->report, s->ops->name, &v->answer);
	else
		rc = fl_prove_text(&s->report, &v->answer, err);
	return rc;
}

/* A loop is one however little was looked at; only all there is can show that there is none. */
static int exit_of(const struct proving *v)
{
	const struct fl_prove_answer *a = &v->answer;

	if (has_loop(v) || (a->own && a->own->loop_first))
		return FL_EXIT_NO;
	if ((a->end != FL_PROVE_ALL && a->end != FL_PROVE_THEOREM) ||
	    fl_snapshot_uncertain(&v->snapshot))
		return FL_EXIT_UNKNOWN;
	return fl_prove_doubt(a) ? FL_EXIT_DOUBT : FL_EXIT_YES;
}

int fl_cmd_prove(const struct fl_options *options)
{
	struct proving v = { .options = options };
	fairlead_error err = { 0 };

	fl_arena_init(&v.arena, &fl_mem_heap);
	int rc = open_input(&v, &err);
	int code = rc < 0 ? fl_complain(&err) : fl_snapshot_warn(&v.snapshot);
	if (code == FL_EXIT_YES) {
		rc = prove(&v, &err);
		code = rc < 0 ? fl_complain(&err) : exit_of(&v);
	}
	fl_prove_done(&fl_mem_heap, &v.result);
	fl_prover_free(v.prover);
	fl_tape_done(&v.tape);
	fl_arena_done(&v.arena);
	fl_snapshot_done(&v.snapshot);
	return code;
}
