/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suggest - what may be meant by a name of which there is no object; private to src/model
 *
 * After many notices nothing is suggested any more: one look costs as much as there are names.
 */
#ifndef FL_MODEL_SUGGEST_H
#define FL_MODEL_SUGGEST_H

#include "model/table.h"

enum { FL_SUGGESTION = 512 };

/*
 * "did you mean 'a' or 'b'?" in @buffer, of the objects of @table; NULL when no name is near.
 * @namespace counts where objects of the table have one.
 */
const char *fl_model_suggest(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			     struct fl_sym name, char buffer[FL_SUGGESTION]);

#endif
