#!/bin/sh
# A page of the guide is what the program prints: compare.sh PROGRAM PAGE
"$1" | diff -u "$2" - || {
	echo "$2 is out of date: run  $1 >$2"
	exit 1
}
