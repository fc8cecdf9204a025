#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine: a daemon in a folder of its own, some sixty short jobs of three teams in three waves,
# who has how much meanwhile, who made way for whom and why, and the fairness report.  It takes less
# than a minute, and nothing of it stays.
# FAIRLEAD names the command (default: the one that was built here), FAIRLEADD the daemon (default:
# the one beside it).  FAIRLEAD_SPEED=2 is twice as fast.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
fairleadd=${FAIRLEADD:-$(dirname "$fairlead")/fairleadd}
speed=${FAIRLEAD_SPEED:-1}

say() {
	printf '\n== %s\n\n' "$*"
}

# However it ends: the jobs first, then the daemon, then the folder.  One that was killed is started
# again, for it finds its jobs.
clean_up() {
	status=$?
	trap '' INT TERM HUP
	trap - EXIT
	[ -z "$jobs" ] || kill -0 "$daemon" 2>/dev/null || start || :
	"$fairlead" cancel 1-100 >/dev/null 2>&1 || :
	all_over || :
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
	wait
	rm -rf "$place"
	exit "$status"
}

all_over() {
	for _ in $(seq 200); do
		left=$("$fairlead" jobs 2>/dev/null) || return
		case $left in "No jobs"*) return ;; esac
		sleep 0.1
	done
	return 1
}

# A session of its own: Ctrl-C is for this script, and the daemon ends when the jobs have.
start() {
	setsid "$fairleadd" --config "$here/daemon.yaml" --state "$place/state" \
		>"$place/log" 2>&1 </dev/null &
	daemon=$!
	for _ in $(seq 200); do
		"$fairlead" queues >/dev/null 2>&1 && return
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.1
	done
	cat "$place/log" >&2
	return 1
}

# team, how many jobs, seconds each takes
wave() {
	length=$(awk "BEGIN { print $3 / $speed }")
	jobs=$("$fairlead" submit -q "$1" -r cpu=1 --array "$2" -- sleep "$length")
	printf '%s: jobs %s\n\n' "$1" "$jobs"
}

watch() {
	"$fairlead" top --for "$(awk "BEGIN { print int(1000 * $1 / $speed) }")ms"
}

daemon=
jobs=
place=$(mktemp -d /tmp/fairlead-run.XXXXXX)
export FAIRLEAD_SOCKET="$place/state/fairlead.sock"
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
start

say "8 cpu for three teams; vision, of weight 2, comes alone"
wave vision 28 4
watch 5
say "language, of weight 1, comes: vision makes way for its part"
wave language 22 3
watch 7
say "who made way for whom, and why"
"$fairlead" events --kind Preempted
say "robotics, of weight 1, comes: a half, a quarter, a quarter"
wave robotics 12 3
watch 5
waiting=${jobs#*-}
say "why job $waiting waits"
"$fairlead" explain "$waiting"
say "until all is done"
watch 9
all_over
say "what each team had, and what it was due by its weight"
"$fairlead" history
say "to start it for good"
cat <<END
  fairleadd --config examples/machine/daemon.yaml --state ~/.fairlead &
  export FAIRLEAD_SOCKET=~/.fairlead/fairlead.sock
  fairlead submit -q vision -r cpu=1 -- python3 train.py

Both programs are in $(dirname "$fairlead").
As a service, and with more settings: doc/guide/daemon.md.
END
