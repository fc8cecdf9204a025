#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-twice - no name stands for two things in the libraries of the command and the daemon
#
# usage: tools/check-twice.sh LIBRARY.a...
#
# A linker takes the first one of a name that it finds in a library and does not look at others: so
# two functions of one name, in two libraries, link well, and one of them is never called.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || { echo 'usage: tools/check-twice.sh LIBRARY.a...' >&2; exit 2; }
for library; do
	# nm --defined-only -A writes "library:object:value type symbol".
	nm -g --defined-only -A "$library" >"$work/nm" 2>/dev/null || true
	[ -s "$work/nm" ] || { echo "check-twice: no symbols in $library"; exit 1; }
	cat "$work/nm" >>"$work/all"
done

awk '
$(NF - 1) ~ /^[TDRBC]$/ {
	# An archive that is thin names its objects with their folder.
	split($1, part, ":")
	object = part[2]
	sub(/^.*\//, "", object)
	if ($NF in at)
		print object ": " $NF " stands in " at[$NF] ", too"
	else
		at[$NF] = object
}' "$work/all" | LC_ALL=C sort >"$work/bad"
cat "$work/bad"
[ ! -s "$work/bad" ]
