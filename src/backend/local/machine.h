/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine - the capacity of this machine
 *
 * First detection: cores that we may run on and memory, neither more than the control groups that
 * we are in allow, and GPUs of the nvidia driver.  Then, with the configuration, the amounts of
 * each flavor and the numbers of its devices.
 */
#ifndef FL_BACKEND_LOCAL_MACHINE_H
#define FL_BACKEND_LOCAL_MACHINE_H

#include "backend/backend.h"

enum { FL_MACHINE_DEVICES = 1024, FL_MACHINE_ROWS = 64, FL_MACHINE_REMARKS = 32 };

struct fl_machine_found {
	int64_t cpu, memory; /* milli; bytes */
	uint32_t devices[FL_MACHINE_DEVICES];
	uint32_t n_devices;
};

/* Reads files below @root, "" except in tests. A file that cannot be read counts as missing. */
void fl_machine_find(const char *root, struct fl_machine_found *ret);

/* A device, and the run that has it. */
struct fl_device {
	char flavor[FL_JOB_RESOURCE], resource[FL_JOB_RESOURCE];
	uint32_t number;
	uint64_t job; /* 0: it is free */
	uint32_t attempt;
};

struct fl_stock {
	struct fl_capacity_row rows[FL_MACHINE_ROWS];
	struct fl_device devices[FL_MACHINE_DEVICES];
	char *remarks[FL_MACHINE_REMARKS];
	uint32_t n_rows, n_devices, n_remarks;
};

/*
 * FAIRLEAD_EINPUT: the configuration contradicts itself or the machine.  Uses flavors and
 * `reserved` of @options.
 */
int fl_machine_share(const struct fl_machine_found *found, const struct fl_host_options *options,
		     struct fl_stock *ret, fairlead_error *err);
void fl_machine_remark(struct fl_stock *m, const char *format, ...) FL_PRINTF(2, 3);
void fl_machine_done(struct fl_stock *m);

/* Devices that a run has, in the order in which it got them.  Texts are those of the stock. */
struct fl_taken {
	uint32_t numbers[FL_MACHINE_DEVICES];
	const char *resources[FL_MACHINE_DEVICES];
	uint32_t n;
};

/*
 * Gives devices of a grant's resource to a run: lowest numbers first, appended to @ret.  All or
 * none: false when too few are free.  True without devices for a resource without numbers.
 */
bool fl_machine_take(struct fl_stock *m, const struct fl_run_grant *grant, uint64_t job,
		     uint32_t attempt, struct fl_taken *ret);
/* After a restart: the run has this device.  @resource "": not known, so whichever has the number. */
void fl_machine_retake(struct fl_stock *m, const char *resource, uint32_t number, uint64_t job,
		       uint32_t attempt);
void fl_machine_release(struct fl_stock *m, uint64_t job, uint32_t attempt);

#endif
