#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-text - words and paths that have no business in the tree
#
# usage: tools/check-text.sh [ROOT]
#
# Promises of later work, and paths that exist on one machine only.  Looks at
# what git tracks; outside a checkout at every file but those of builds.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

list() {
	if [ -n "$(git ls-files 2>/dev/null | head -n 1)" ]; then
		git ls-files -z
	else
		find . -type d \( -name .git -o -name 'build*' -o -name '__pycache__' -o -name '.*_cache' \) \
			-prune -o -type f -print0
	fi
}

# Put together from pieces, so that this file passes its own check.
later='TO''DO|FIX''ME|XX''X'
paths='(^|[^a-zA-Z0-9_.])/(wo''rk|ro''ot|ho''me)/[a-z]|\.\./sha''red'

# xargs may need several greps, and one without a find does not make up for another with one.
found=$(list | LC_ALL=C sort -z | xargs -0 -r grep -nIE "\\b($later)\\b|$paths" /dev/null || true)
[ -n "$found" ] || exit 0
printf '%s\n' "$found"
exit 1
