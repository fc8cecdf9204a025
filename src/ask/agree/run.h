/* SPDX-License-Identifier: Apache-2.0 */
/* run - when the engine's cycles come in a window; private to this folder */
#ifndef FL_ASK_AGREE_RUN_H
#define FL_ASK_AGREE_RUN_H

#include "ask/agree/window.h"

/* From the state just before the window to its end. */
int fl_agree_run(struct fl_agree_window *w, const struct fl_sink *sink, fairlead_error *err);
/*
 * In the state in which the scheduler was, with all of its decisions before heard[@at]: does the engine
 * decide @like at one of the moments shortly before that?  1: yes.  Without rows of a placement:
 * anywhere.  w->engine has other rows after it.
 */
int fl_agree_would(struct fl_agree_window *w, uint32_t at, const struct fl_agree_heard *like,
		   fairlead_error *err);
/* Cycles that decide nothing, as those of the scheduler before. */
int fl_agree_look_around(struct fl_agree_window *w, fairlead_error *err);

#endif
