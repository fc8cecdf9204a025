/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input - what -f names, found and read as it comes
 *
 * FILE is a file, a folder (searched for *.yaml, *.yml, *.json and these with
 * .gz, in name order, without hidden entries), a glob, or "-".  What begins like
 * gzip is unpacked, whatever it is called.  Nothing larger than FL_MAX_INPUT is
 * read, unpacked or not.  What is not there, not readable, empty or cut off is
 * FAIRLEAD_EINPUT; a read that fails half way is FAIRLEAD_EIO.
 */
#ifndef FL_INPUT_INPUT_H
#define FL_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"

struct fl_inputs {
	char **names; /* "-" is standard input */
	uint32_t n, cap;
};

/* All files that the @n arguments name. */
int fl_inputs_find(struct fl_inputs *in, char **arguments, uint32_t n, fairlead_error *err);
void fl_inputs_done(struct fl_inputs *in);

/*
 * One of them as it comes, unpacked.  Its source gives "is empty" at the end of blanks
 * only; errors name the file.  @name stays the caller's and must outlive it.
 */
struct fl_input;
int fl_input_open(const char *name, struct fl_input **ret, fairlead_error *err);
const struct fl_source *fl_input_source(const struct fl_input *in);
/* Is it an image (base/image.h)?  Nothing of it is lost by the question. */
int fl_input_is_image(struct fl_input *in, bool *ret, fairlead_error *err);
struct fl_input *fl_input_close(struct fl_input *in);

struct fl_text {
	char *bytes; /* followed by a NUL that is not counted */
	size_t len;
};

/* One of them whole, where lines are looked up. */
int fl_input_read(const char *name, struct fl_text *ret, fairlead_error *err);
void fl_text_done(struct fl_text *t);

/*
 * So that standard input can be read again, any number of times: keep what comes from a
 * pipe in a file without a name, then go back to its start.
 */
int fl_inputs_keep(fairlead_error *err);
int fl_inputs_rewind(fairlead_error *err);

/* Where a file is that @document names @name: beside it. "./-" is a file. From malloc; NULL. */
char *fl_input_beside(const char *document, const char *name);

/* What messages call it. */
const char *fl_input_title(const char *name);

/* What the system says of @code, in lower case as all messages are. */
const char *fl_system_text(int code, char buffer[128]);

/* Unpack gzip of several members; private to input and its tests. */
int fl_gunzip(const struct fl_text *packed, int64_t limit, struct fl_text *ret,
	      fairlead_error *err);

#endif
