#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The service is one that systemd takes: unit-file.sh FILE
set -eu
command -v systemd-analyze >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's|@bindir@/fairleadd|/bin/true|' "$1" >"$work/fairleadd.service"
out=$(systemd-analyze verify --man=no "$work/fairleadd.service" 2>&1) || { echo "$out"; exit 1; }
[ -z "$out" ] || { echo "$out"; exit 1; }
# A wall clock that is set behind its start would be taken for time that has gone by (daemon/engine/clock.h).
for line in After Wants; do
	grep -q "^$line=.*time-sync.target" "$1" || { echo "$1: $line= does not name time-sync.target"; exit 1; }
done
