/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check - what a structure promises of itself, looked at in checked builds
 *
 * A structure that is kept for speed states what always holds of it, and has a function that
 * looks whether it does.  Such functions, and calls of them, are compiled with FL_CHECKED only
 * (meson option `checked`); there they may be as slow as what the structure saves.
 */
#ifndef FL_BASE_CHECK_H
#define FL_BASE_CHECK_H

#ifdef FL_CHECKED
#include <assert.h>
#define FL_CHECK(holds) assert(holds)
#endif

#endif
