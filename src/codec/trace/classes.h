/* SPDX-License-Identifier: Apache-2.0 */
/* classes - jobs that are made up, class by class */
#ifndef FL_CODEC_TRACE_CLASSES_H
#define FL_CODEC_TRACE_CLASSES_H

#include "model/model.h"

/* All of m->classes; random numbers are those of m->simulation.seed and the class's name. */
int fl_classes_expand(struct fl_model *m, fl_time start, fairlead_error *err);

#endif
