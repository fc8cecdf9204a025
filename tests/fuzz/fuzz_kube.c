/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes objects through the whole engine (drive.h). */
#include "fuzz/drive.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct random r = { fuzz_hash(data, size) };
	struct drive_counts counts = { 0 };

	drive(data ? (const char *)data : "", size, &r, &counts);
	return 0;
}
