/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop - loops among states: ways back with an eviction on them
 *
 * Guarantees: what is said holds of the states that were explored; of one that was not, anything
 * may follow.  A loop is forced only if from its states none is reached from which no workload is
 * ever evicted again, nor one that was not explored.  The loop that is reported is one of the worst
 * kind there is: forced, then possible, then passing.  It begins in a state in which no eviction is
 * under way, where there is one, so that every eviction on it completes; of such loops it has the
 * fewest moves, then it is reached with the fewest, then that state was found first.  Nothing here
 * recurses.
 *
 * Time: that of strongly connected components, once; then, where there is a loop, a search for the
 * shortest from each state that could be on it, which looks at most at FL_LOOP_LOOKS edges (some
 * seconds); the loop that is reported after that may not be the shortest.
 */
#ifndef FL_ASK_PROVE_LOOP_H
#define FL_ASK_PROVE_LOOP_H

#include "ask/prove/states.h"

/* What the search keeps of a state: states count it beforehand. */
enum { FL_LOOP_BYTES = 5 * sizeof(uint32_t) + 2 };
#define FL_LOOP_LOOKS (UINT64_C(1) << 30)

/* Room for the search, kept from one to the next. */
struct fl_loop_room {
	uint32_t *numbers;
	unsigned char *flags;
	uint32_t cap;
};
void fl_loop_room_done(struct fl_loop_room *room, const struct fl_mem *mem);

/* Fills *ret, but for `tried` and `timed`, which stay. 0, or FAIRLEAD_ENOMEM. */
int fl_loop_find(const struct fl_states *s, struct fl_loop_room *room, struct fl_prove_result *ret,
		 fairlead_error *err);

#endif
