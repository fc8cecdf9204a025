/* SPDX-License-Identifier: Apache-2.0 */
/* past - the model as of the state just before a window; private to this folder */
#ifndef FL_ASK_AGREE_PAST_H
#define FL_ASK_AGREE_PAST_H

#include "ask/agree/window.h"

/*
 * The model has those of the state just before the window that have left since, until
 * fl_agree_present.  Newcomers are in it, too; the policy says that they are not there yet.
 */
void fl_agree_past(struct fl_agree_window *w);
void fl_agree_present(struct fl_agree_window *w);

#endif
