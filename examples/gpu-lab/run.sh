#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The laboratory: which queue deserves, is given and holds what, what the scheduler would do until
# nothing changes, why one workload waits, and what it would be like if the past did not count.
# FAIRLEAD names the command (default: the one that was built here).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
waiting=${1:-language/eval}

say() {
	printf '\n== %s\n\n' "$*"
}

ask() {
	verb=$1
	shift
	"$fairlead" "$verb" -f "$here/cluster" "$@"
}

say "what each queue deserves, its fair share, and what it holds"
ask tree
say "what is decided, cycle by cycle, until nothing changes"
ask plan --settle
say "why $waiting waits, and what would help"
ask explain "$waiting"
say "what would be otherwise if the past did not count"
ask what-if --change "$here/changes/no-history.yaml"
