#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every function that the library exports stands in the table of test_public.
# covered.sh LIBRARY TEST_PUBLIC
set -eu
listed=$("$2" --list | sort -u)
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort -u)
status=0
for symbol in $exported; do
	echo "$listed" | grep -qx "$symbol" || {
		echo "no allocation is failed through: $symbol"
		status=1
	}
done
[ "$(echo "$exported" | wc -l)" -gt 10 ] || { echo "no exported functions found in $1"; status=1; }
exit $status
