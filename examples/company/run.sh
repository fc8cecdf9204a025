#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The company: its quota tree, what the scheduler would do until nothing changes, and why one
# workload still waits.  FAIRLEAD names the command (default: the one that was built here).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
waiting=${1:-language/openb-pod-3129}

say() {
	printf '\n== %s\n\n' "$*"
}

say "who owns and who uses what"
"$fairlead" tree -f "$here/tree.yaml" -f "$here/workloads.yaml"
say "what is decided, cycle by cycle, until nothing changes"
"$fairlead" plan --settle -f "$here/tree.yaml" -f "$here/workloads.yaml"
say "why $waiting waits"
"$fairlead" explain "$waiting" -f "$here/tree.yaml" -f "$here/workloads.yaml"
