/* SPDX-License-Identifier: Apache-2.0 */
/* client_turn - sends what is due, as fast as the bucket allows, with credentials; private to src/kube */
#ifndef FL_KUBE_CLIENT_TURN_H
#define FL_KUBE_CLIENT_TURN_H

#include "kube/client_state.h"

/* In the next turn of the loop. */
void fl_kube_hurry(struct fl_kube_client *k);

#endif
