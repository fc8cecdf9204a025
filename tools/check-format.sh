#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-format - the layout of C files is clang-format 14's
#
# usage: tools/check-format.sh [--fix] [ROOT]
#
# --fix lays them out instead.  Without clang-format 14 the check is skipped (77):
# another version lays out differently.
set -eu
fix=
if [ "${1-}" = --fix ]; then
	fix=yes
	shift
fi
root=${1:-$(dirname "$0")/..}
format=
for candidate in clang-format-14 clang-format; do
	if command -v $candidate >/dev/null && $candidate --version | grep -q 'version 14\.'; then
		format=$candidate
		break
	fi
done
if [ -z "$format" ]; then
	echo "check-format: no clang-format 14 here" >&2
	[ -z "$fix" ] || exit 1
	exit 77
fi
cd "$root"
folders=
for folder in include src tests bench doc; do
	[ ! -d $folder ] || folders="$folders $folder"
done
if [ -n "$fix" ]; then
	# shellcheck disable=SC2086
	find $folders -name '*.[ch]' -print0 | LC_ALL=C sort -z | xargs -0 -r "$format" -i
else
	# shellcheck disable=SC2086
	find $folders -name '*.[ch]' -print0 | LC_ALL=C sort -z | xargs -0 -r "$format" --dry-run -Werror
fi
