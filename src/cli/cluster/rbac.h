/* SPDX-License-Identifier: Apache-2.0 */
/* rbac - the ClusterRole that lets a user read what the command reads, as YAML on standard output */
#ifndef FL_CLI_CLUSTER_RBAC_H
#define FL_CLI_CLUSTER_RBAC_H

void fl_cluster_print_role(void);

#endif
