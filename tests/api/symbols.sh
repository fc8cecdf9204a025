#!/bin/sh
# The shared library exports fairlead_* and nothing else, and all that the header declares, each
# with a version, so that a program says at its start what the library at hand has not.
# symbols.sh LIBRARY HEADER
set -eu
versioned=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
exported=$(echo "$versioned" | sed 's/@.*//')
declared=$(grep -v typedef "$2" | grep -o 'fairlead_[a-z_]*(' | tr -d '(' | sort -u)
status=0
for symbol in $versioned; do
	case $symbol in
	fairlead_*@@FAIRLEAD_0.*) ;;
	fairlead_*) echo "exported without a version: $symbol"; status=1 ;;
	*) echo "exported but not public: $symbol"; status=1 ;;
	esac
done
for symbol in $declared; do
	echo "$exported" | grep -qx "$symbol" || { echo "declared but not exported: $symbol"; status=1; }
done
[ "$(echo "$declared" | wc -l)" -gt 10 ] || { echo "no declarations found in $2"; status=1; }
exit $status
