#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-names - a struct that several files know has a name of its own
#
# usage: tools/check-names.sh [ROOT]
#
# No two files of src define a struct of one name that begins with fl_, but for those that are each
# policy's own behind decide/policy.h: whoever sees one of these sees no other.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

own='fl_policy fl_cycle fl_job fl_saved_job'

grep -rhoE '^struct fl_[a-z0-9_]+ \{' src --include='*.[ch]' | sed 's/^struct //; s/ {$//' |
	LC_ALL=C sort | uniq -d |
	{
		failed=0
		while read -r name; do
			case " $own " in
			*" $name "*) ;;
			*)
				grep -rnE "^struct $name \\{" src --include='*.[ch]' |
					sed "s/:struct .*/: struct $name is defined more than once/"
				failed=1
				;;
			esac
		done
		exit $failed
	}
