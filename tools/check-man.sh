#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-man - manual pages are well-formed
#
# usage: tools/check-man.sh [ROOT]
set -eu
root=${1:-$(dirname "$0")/..}
if ! command -v mandoc >/dev/null; then
	echo "check-man: no mandoc here" >&2
	exit 77
fi
cd "$root"
find doc/man -name '*.[1-8]' -print0 | LC_ALL=C sort -z | xargs -0 -r mandoc -Tlint -Wwarning
