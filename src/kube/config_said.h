/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_said - values in the files of a configuration, each with its place; private to kube
 *
 * A value is a file and a number in its document.  No message has a text of a value in it.  Tested with
 * config.h.
 */
#ifndef FL_KUBE_CONFIG_SAID_H
#define FL_KUBE_CONFIG_SAID_H

#include "base/ids.h"
#include "kube/config_file.h"

struct fl_said {
	const struct fl_kube_file *file;
	uint32_t v; /* FL_NONE: there is none */
};

static inline bool fl_said_is(struct fl_said s) { return s.v != FL_NONE; }

/* The value of @key in the map @map; none where it is null, or missing. */
struct fl_said fl_said_get(struct fl_said map, const char *key);
/* A scalar as it stands, valid as long as the files; "" where there is none. */
const char *fl_said_text(struct fl_said s);
/* The error at a value, or of its file: place and path.  Returns @code. */
int fl_said_wrong(struct fl_said s, int code, fairlead_error *err, const char *format, ...)
	FL_PRINTF(4, 5);

/*
 * The item of the list @list (such as "clusters") that is called @name, in the first file that has it:
 * the value of its @key ("cluster").  0, also where there is none.
 */
int fl_said_named(const struct fl_kube_files *f, const char *list, const char *key,
		  const char *name, struct fl_said *ret, fairlead_error *err);
/* Calls @each with each name of such a list. */
void fl_said_names(const struct fl_kube_files *f, const char *list,
		   void (*each)(void *user, const char *name), void *user);

/* --- fields of a map, by a table --- */

enum fl_said_form {
	FL_SAID_TEXT,  /* const char *: without control characters */
	FL_SAID_LINES, /* const char *: any text */
	FL_SAID_PATH,  /* const char *: relative to the folder of the file */
	FL_SAID_BYTES, /* struct fl_kube_pem: base64, into its bytes */
	FL_SAID_FLAG,  /* bool */
};

struct fl_said_field {
	const char *name; /* NULL ends the table */
	enum fl_said_form form;
	size_t to; /* in the row; left as it is where the field is missing or "" */
};

int fl_said_fields(struct fl_said map, const struct fl_said_field *fields, void *row,
		   struct fl_arena *arena, fairlead_error *err);
/* Texts of a list, and how many. */
int fl_said_texts(struct fl_said list, struct fl_arena *arena, const char ***ret, uint32_t *ret_n,
		  fairlead_error *err);

#endif
