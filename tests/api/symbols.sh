#!/bin/sh
# The shared library exports fairlead_* and nothing else, and all that the header declares.
# symbols.sh LIBRARY HEADER
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort)
declared=$(grep -v typedef "$2" | grep -o 'fairlead_[a-z_]*(' | tr -d '(' | sort -u)
status=0
for symbol in $exported; do
	case $symbol in
	fairlead_*) ;;
	*) echo "exported but not public: $symbol"; status=1 ;;
	esac
done
for symbol in $declared; do
	echo "$exported" | grep -qx "$symbol" || { echo "declared but not exported: $symbol"; status=1; }
done
[ "$(echo "$declared" | wc -l)" -gt 10 ] || { echo "no declarations found in $2"; status=1; }
exit $status
