/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input - finds the files that -f names, and reads them as streams
 *
 * FILE is a file, a folder (searched for *.yaml, *.yml, *.json and these with .gz, in name order,
 * without hidden entries), a glob, or "-".  A file that begins like gzip is unpacked, whatever its
 * name.  Of pipes only those are read that are open already (/dev/fd/N).  Nothing larger than FL_MAX_INPUT is read, unpacked or not.  FAIRLEAD_EINPUT: a file does
 * not exist, cannot be opened, is empty or cut off; FAIRLEAD_EIO: a read failed half way.
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

/* Finds all files that the @n arguments name. */
int fl_inputs_find(struct fl_inputs *in, char **arguments, uint32_t n, fairlead_error *err);
void fl_inputs_done(struct fl_inputs *in);

/*
 * One of them as a stream, unpacked.  For a file of blanks its source fails with "is empty"; errors
 * name the file.  @name stays the caller's and must outlive it.
 */
struct fl_input;
int fl_input_open(const char *name, struct fl_input **ret, fairlead_error *err);
const struct fl_source *fl_input_source(const struct fl_input *in);
/* Is it an image (base/image.h)? It can be read from its start afterwards. */
int fl_input_is_image(struct fl_input *in, bool *ret, fairlead_error *err);
struct fl_input *fl_input_close(struct fl_input *in);

struct fl_text {
	char *bytes; /* followed by a NUL that is not counted */
	size_t len;
};

/* Reads one of them whole, for looking up lines. */
int fl_input_read(const char *name, struct fl_text *ret, fairlead_error *err);
void fl_text_done(struct fl_text *t);

/*
 * Makes standard input and pipes among @files readable again, any number of times: bytes of a pipe
 * are kept in a file without a name.  Rewinding goes back to the start of standard input, if it is
 * among them.
 */
int fl_inputs_keep(char **files, uint32_t n, fairlead_error *err);
int fl_inputs_rewind(char **files, uint32_t n, fairlead_error *err);

/* The descriptor that "/dev/fd/N" is, as shells name the pipe of <(COMMAND); -1: another file. */
int fl_input_descriptor(const char *name);

/*
 * The path of a file that @document names @name: relative to it. "./-" is a file.  From malloc;
 * NULL.
 */
char *fl_input_beside(const char *document, const char *name);

/*
 * A name for what can be read from @fd, a file, any number of times; its lines are no places for people.
 * @title is its name in messages.  The descriptor stays the caller's.  From malloc; NULL.
 */
char *fl_input_kept(int fd, const char *title);
/* Is it such a name? */
bool fl_input_is_kept(const char *name);

/* Its name in messages. */
const char *fl_input_title(const char *name);

/* The system's text for @code, beginning in lower case like all messages. */
const char *fl_system_text(int code, char buffer[128]);

/* Unpack gzip of several members; private to input and its tests. */
int fl_gunzip(const struct fl_text *packed, int64_t limit, struct fl_text *ret,
	      fairlead_error *err);

#endif
