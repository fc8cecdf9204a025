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
