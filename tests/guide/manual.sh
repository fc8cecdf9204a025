#!/bin/sh
# What manual pages say of verbs and options is what the tables say: manual.sh PROGRAM FOLDER [--write]
set -eu
program=$1 folder=$2 write=${3-}
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
failed=0
for page in "$folder"/fairlead.1 "$folder"/fairlead-*.1; do
	if ! "$program" "$page" >"$fresh"; then
		failed=1
	elif [ "$write" = --write ]; then
		cat "$fresh" >"$page"
	elif ! diff -u "$page" "$fresh"; then
		echo "$page is out of date: run  $0 $program $folder --write"
		failed=1
	fi
done
exit $failed
