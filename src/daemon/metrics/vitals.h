/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vitals - resources that this process uses, with the names of Prometheus' clients (process_*)
 *
 * Unknown values are -1.  Cost: reads the list of open files and some files below /proc.
 */
#ifndef FL_DAEMON_METRICS_VITALS_H
#define FL_DAEMON_METRICS_VITALS_H

struct fl_vitals {
	double open_fds, max_fds; /* the soft limit; infinite: none */
	double resident_bytes, virtual_bytes;
	double cpu_seconds; /* user and system */
	double started;     /* seconds since 1970 */
};
void fl_vitals_look(struct fl_vitals *ret);

#endif
