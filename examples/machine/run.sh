#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine: a daemon in a folder of its own, some sixty short jobs of three teams in three waves,
# who has how much meanwhile, who made way for whom and why, and the fairness report; then a job that
# fails, and an interactive one.  Each job asks for an eighth of the cpu that the machine has, however
# much that is.  The daemon's page can be opened in a browser meanwhile, and on a terminal until a key is
# pressed.  It takes less than a minute, and nothing of it stays.
# FAIRLEAD names the command (default: the one that was built here), FAIRLEADD the daemon (default:
# the one beside it).  FAIRLEAD_SPEED=2 is twice as fast.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
fairleadd=${FAIRLEADD:-$(dirname "$fairlead")/fairleadd}
speed=${FAIRLEAD_SPEED:-1}
# As root it stays root and runs jobs of root alone: in a container there is often no other user, and
# the folders here may be open to root only.
[ "$(id -u)" = 0 ] && account='--account root' || account=

say() {
	printf '\n== %s\n\n' "$*"
}

# A command as one would type it, and what it prints.
show() {
	printf '$ fairlead %s\n' "$*"
	"$fairlead" "$@"
}

# However it ends: the jobs first, then the daemon, then the folder.  One that was killed is started
# again, for it finds its jobs.
clean_up() {
	status=$?
	trap '' INT TERM HUP
	trap - EXIT
	[ -z "$jobs" ] || kill -0 "$daemon" 2>/dev/null || start || :
	"$fairlead" cancel --state PENDING,RUNNING >/dev/null 2>&1 || :
	all_over || :
	[ -z "$page" ] || kill "$page" 2>/dev/null || :
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
	[ -z "$terminal" ] || stty "$terminal" || :
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
	# shellcheck disable=SC2086 # nothing, or two words
	setsid "$fairleadd" --config "$here/daemon.yaml" --state "$place/state" $account \
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

# The address of the page, which is open from now on.
open_page() {
	[ -z "$page" ] || kill "$page" 2>/dev/null || :
	: >"$place/page"
	"$fairlead" page --no-open >"$place/page" 2>"$place/page-log" </dev/null &
	page=$!
	for _ in $(seq 200); do
		[ ! -s "$place/page" ] || break
		kill -0 "$page" 2>/dev/null || break
		sleep 0.1
	done
	cat "$place/page"
}

# One key, without Enter.
await_key() {
	terminal=$(stty -g)
	stty -icanon -echo min 1 time 0
	dd bs=1 count=1 >/dev/null 2>&1
	stty "$terminal"
	terminal=
}

# The cpu of the machine: of the first row of that resource, which is the whole company's.
cpu_of_all() {
	"$fairlead" queues | awk '{ for (i = 1; i < NF; i++) if ($i == "cpu") { print $(i + 1); exit } }'
}

# An eighth of an amount such as 64, 1.5 or 500m.
eighth() {
	awk -v all="$1" 'BEGIN { m = int(all * (all ~ /m$/ ? 1 : 1000) / 8); print m % 1000 ? m "m" : m / 1000 }'
}

# team, how many jobs, seconds each takes
wave() {
	length=$(awk "BEGIN { print $3 / $speed }")
	jobs=$("$fairlead" submit -q "$1" -r "cpu=$part" --array "$2" -- sleep "$length")
	printf '%s: jobs %s\n\n' "$1" "$jobs"
}

watch() {
	"$fairlead" top --for "$(awk "BEGIN { print int(1000 * $1 / $speed) }")ms"
}

daemon=
jobs=
page=
terminal=
place=$(mktemp -d /tmp/fairlead-run.XXXXXX)
chmod 755 "$place"
export FAIRLEAD_SOCKET="$place/state/fairlead.sock"
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
start
# Each job asks for an eighth of what there is, however much that is.
all=$(cpu_of_all)
part=$(eighth "$all")
say "to look at meanwhile in a browser; the address is for one, within a minute"
open_page
say "$all cpu for three teams, $part for each job; vision, of weight 2, comes alone"
wave vision 28 4
watch 5
say "language, of weight 1, comes: vision makes way for its part"
wave language 22 3
watch 7
say "who made way for whom, and why"
show events --kind Preempted
say "robotics, of weight 1, comes: a half, a quarter, a quarter"
wave robotics 12 3
watch 5
waiting=${jobs#*-}
say "why job $waiting waits"
show explain "$waiting"
say "until all is done"
watch 9
all_over
say "what each team had, and what it was due by its weight"
show history
say "a job that fails: why, and what it printed last"
show submit -q vision -r "cpu=$part" --wait -- cat results.csv >"$place/answer" 2>/dev/null || :
cat "$place/answer"
show job "$(tail -n 1 "$place/answer")"
say "an interactive job: it has a terminal where this is one"
show run -q vision -r "cpu=$part" -- tty || : # exit status 1: it is none
say "to start it for good"
[ -z "$account" ] || account="\\
    $account "
cat <<END
  fairleadd --config examples/machine/daemon.yaml --state ~/.fairlead $account&
  export FAIRLEAD_SOCKET=~/.fairlead/fairlead.sock
  fairlead submit -q vision -r cpu=1 -- python3 train.py
  fairlead run -q vision -r cpu=1 -- bash

Both programs are in $(cd "$(dirname "$fairlead")" && pwd).
As a service for all users, and with more settings: doc/guide/daemon.md.
END
if [ -t 0 ] && [ -t 1 ]; then
	say "until a key is pressed: the page of what was, at"
	open_page
	await_key
fi
