/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record - the state as one file that decides as the original does
 *
 * Nothing is written before the whole input has been read and found valid.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "cli/input/snapshot.h"
#include "cli/terminal/out_file.h"
#include "cli/terminal/tape_print.h"
#include "codec/edit/alias.h"
#include "codec/edit/tape.h"

static int choose_key(const struct fl_options *o, uint64_t key[2], fairlead_error *err)
{
	static const uint64_t salted[2][2] = { { 1, 2 }, { 3, 4 } };

	if (o->salt) {
		key[0] = fl_keyed_hash(salted[0], o->salt, strlen(o->salt));
		key[1] = fl_keyed_hash(salted[1], o->salt, strlen(o->salt));
		return 0;
	}
	if (getrandom(key, sizeof(uint64_t[2]), 0) == (ssize_t)sizeof(uint64_t[2]))
		return 0;
	return fl_fail(err, FAIRLEAD_EIO, "no random key is available; give --salt TEXT");
}

static int write_file(const char *name, const struct fl_tape *t, fairlead_error *err)
{
	struct fl_out_file file;
	int rc = fl_out_file_open(&file, name, err);

	if (rc < 0)
		return rc;
	fl_tape_print(file.out, t, /* more= */ NULL);
	rc = fl_out_file_finish(&file, err);
	if (rc == 0)
		rc = fl_out_file_place(&file, err);
	fl_out_file_done(&file);
	return rc;
}

static int write_tape(const struct fl_options *o, struct fl_tape *t, fairlead_error *err)
{
	uint64_t key[2];
	int rc = 0;

	if (o->redact)
		rc = choose_key(o, key, err);
	if (rc == 0 && o->redact)
		rc = fl_tape_hide(t, key, err);
	if (rc < 0)
		return rc;
	if (o->out && strcmp(o->out, "-") != 0)
		return write_file(o->out, t, err);
	fl_tape_print(stdout, t, /* more= */ NULL);
	return 0;
}

int fl_cmd_record(const struct fl_options *options)
{
	struct fl_snapshot s = { 0 };
	struct fl_tape tape;
	fairlead_error err = { 0 };

	if (options->salt && !options->redact)
		return fl_usage_error("record", "--salt needs --redact");
	int rc = fl_tape_init(&tape, &fl_mem_heap, &err);
	if (rc == 0)
		rc = fl_snapshot_begin(&s, options, &err);
	if (rc == 0)
		rc = fl_snapshot_add(&s, options->files, options->n_files, &tape.tap, &err);
	if (rc == 0) {
		fl_kube_tap_made(s.model, &tape.tap);
		rc = fl_snapshot_seal(&s, /* assume= */ false, &err);
	}
	int code = rc < 0 ? FL_EXIT_YES : fl_snapshot_warn(&s);
	if (rc == 0 && code == FL_EXIT_YES)
		rc = write_tape(options, &tape, &err);
	if (rc < 0)
		code = fl_complain(&err);
	else if (code == FL_EXIT_YES && options->has_now)
		fputs("fairlead: the clock is not part of a record: give --now again with it\n",
		      stderr);
	fl_tape_done(&tape);
	fl_snapshot_done(&s);
	return code;
}
