#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Twelve hours of 85 GPUs: who waits, and the report to look at.  FAIRLEAD names the command
# (default: the one that was built here); the report goes into the folder that is given, or beside
# the command.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
fairlead=${FAIRLEAD:-$here/../../build/fairlead}
out=${1:-$(dirname "$fairlead")/report-openb}

printf '\n== %s\n\n' "twelve hours of services and batch jobs on 85 GPUs, in virtual time"
"$fairlead" simulate -f "$here/openb.yaml" --out "$out" | awk '/^Assumed:/ { exit } { print }'
printf 'The report with charts, for a browser: %s\n' "$out/report.html"
