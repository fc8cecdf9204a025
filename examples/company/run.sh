#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The company: what one department owns and uses, what the scheduler would do until nothing
# changes, why one workload still waits and the smallest change that would let it in.
# FAIRLEAD names the command (default: the one that was built here).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
waiting=${1:-language/openb-pod-3129}

say() {
	printf '\n== %s\n\n' "$*"
}

# The first two cycles, and how it ends.
shorten() {
	awk '/^Cycle / { n++ }
	     /^[0-9]+ wait/ { end = 1 }
	     n <= 2 || end { print; next }
	     !cut { print "[...]\n"; cut = 1 }'
}

say "what a department owns, uses and borrows"
"$fairlead" tree -f "$here/tree.yaml" -f "$here/workloads.yaml" platform
say "what is decided, cycle by cycle, until nothing changes"
"$fairlead" plan --settle -f "$here/tree.yaml" -f "$here/workloads.yaml" | shorten
say "why $waiting waits, whom it cannot preempt, and what would help"
"$fairlead" explain "$waiting" -f "$here/tree.yaml" -f "$here/workloads.yaml"
