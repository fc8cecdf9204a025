#!/bin/sh
# A page of the guide is what the program prints: compare.sh PROGRAM PAGE [ARGUMENT]
program=$1 page=$2
shift 2
"$program" "$@" | diff -u "$page" - || {
	echo "$page is out of date: run  $program $* >$page"
	exit 1
}
