/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_pod - the account of the pod that this process is in: files that the kubelet has put there; private
 * to kube
 *
 * Tested with config.h.
 */
#ifndef FL_KUBE_CONFIG_POD_H
#define FL_KUBE_CONFIG_POD_H

#include "kube/config_file.h"

/*
 * It, by @host and @port (NULL: not in one) and the files in
 * @folder.  1: it is in none.
 */
int fl_kube_read_pod(struct fl_kube_config *c, const char *host, const char *port,
		     const char *folder, fairlead_error *err);

#endif
