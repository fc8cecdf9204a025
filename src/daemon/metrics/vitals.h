/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vitals - what this process takes of the machine, as Prometheus' clients call it (process_*)
 *
 * What cannot be found out is -1.  Cost: a look at each open file; some files below /proc.
 */
#ifndef FL_DAEMON_METRICS_VITALS_H
#define FL_DAEMON_METRICS_VITALS_H

struct fl_vitals {
	double open_fds, max_fds; /* that of the soft limit; infinite: none */
	double resident_bytes, virtual_bytes;
	double cpu_seconds; /* user and system */
	double started;     /* seconds since 1970 */
};
void fl_vitals_look(struct fl_vitals *ret);

#endif
