/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - a sealed model as tables of an image, and back
 *
 * Guarantees: a model that is loaded answers as the saved one: rows, names, notices, places.
 * What is damaged on purpose is refused, or is a model like any other: all symbols, ids, spans,
 * enums and bools of every row are looked at (image.def), texts end, tables of names find an
 * end, and parents lead to a root.  Cost: a look at every row, some 10 ns a workload.
 *
 * Not in it: what only seal reads (containers of pods, limit ranges, transformations), and what
 * a simulation adds; a model of a simulation is refused.
 */
#ifndef FL_MODEL_IMAGE_H
#define FL_MODEL_IMAGE_H

#include "base/image.h"
#include "model/model.h"

/* FAIRLEAD_ESTATE for a model that is not sealed, FAIRLEAD_EINPUT for one of a simulation. */
int fl_model_save(const struct fl_model *m, struct fl_image_writer *w, fairlead_error *err);
/* Takes its tables out of @i. FAIRLEAD_EINPUT, or FAIRLEAD_ENOMEM. */
int fl_model_load(struct fl_image *i, struct fl_model **ret, fairlead_error *err);

#endif
