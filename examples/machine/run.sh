#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine: a daemon on a state folder of its own, some sixty short jobs of three teams in three
# waves, who has how much while they come, who made way for whom and why, and the fairness report.
# It takes a minute, and nothing of it stays.
# FAIRLEAD names the command (default: the one that was built here), FAIRLEADD the daemon (default:
# the one beside it). FAIRLEAD_SPEED=4 is four times as fast.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
fairleadd=${FAIRLEADD:-$(dirname "$fairlead")/fairleadd}
speed=${FAIRLEAD_SPEED:-1}
place=$(mktemp -d "${TMPDIR:-/tmp}/fairlead-run.XXXXXX")
daemon=

say() {
	printf '\n== %s\n\n' "$*"
}

# However it ends: all jobs are cancelled, the daemon stops, the folder goes.
clean_up() {
	rc=$?
	trap '' INT TERM HUP
	if [ -n "$daemon" ]; then
		"$fairlead" cancel $(seq "$(cat "$place/last" 2>/dev/null || echo 0)") >"$place/cancelled" 2>&1 || :
		for _ in $(seq 50); do
			"$fairlead" jobs 2>/dev/null | grep -q '[0-9] ' || break
			sleep 0.1
		done
		kill "$daemon" 2>/dev/null || :
		wait "$daemon" 2>/dev/null || :
	fi
	rm -rf "$place"
	exit "$rc"
}
