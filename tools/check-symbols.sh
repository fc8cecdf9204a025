#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-symbols - what the core's objects want from outside, and what state they keep
#
# usage: tools/check-symbols.sh LIBRARY.a [ALLOW-LIST]
#
# Fails for an undefined symbol that neither the core itself nor the allow-list
# has, and for any variable that can be written: the core has no globals.
set -eu
library=$1
list=${2:-$(dirname "$0")/core-symbols.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -A "$library" >"$work/nm" || true
[ -s "$work/nm" ] || { echo "check-symbols: no symbols in $library"; exit 1; }
objdump -t "$library" >"$work/table"

failed=0
# nm -A writes "library:object:[value] type symbol".
awk -v list="$list" '
BEGIN {
	while ((getline line < list) > 0) {
		n = split(line, word, " ")
		if (n == 0 || word[1] ~ /^#/)
			continue
		allowed[word[1]] = n > 1 ? word[2] : "*"
	}
}
{
	# An archive that is thin names its objects with their folder.
	split($1, part, ":")
	object = part[2]
	sub(/^.*\//, "", object)
	type = $(NF - 1)
	sub(/^.*:/, "", type)
	name = $NF
	if (type == "U" || type == "w")
		wants[object " " name] = 1
	else
		defined[name] = 1
}
END {
	for (want in wants) {
		split(want, word, " ")
		name = plain = word[2]
		# The checked variants that hardened builds put in place of the plain ones.
		if (match(plain, /^__.*_chk$/))
			plain = substr(plain, 3, length(plain) - 6)
		if (name in defined)
			continue
		if (!(plain in allowed))
			print word[1] ": the core may not use " name
		else if (allowed[plain] != "*" && allowed[plain] != word[1])
			print word[1] ": only " allowed[plain] " may use " name
	}
}' "$work/nm" | LC_ALL=C sort >"$work/bad"
[ ! -s "$work/bad" ] || { cat "$work/bad"; failed=1; }

# Tables of pointers are written once by the loader and then read-only: .data.rel.ro is fine.
awk '
/^[^ ]*:[ ]+file format/ {
	object = $1
	sub(/^.*\//, "", object)
	next
}
$0 ~ / O / || $0 ~ /\*COM\*/ {
	for (i = 1; i <= NF; i++)
		if ($i == "*COM*" || $i ~ /^\.(data|bss|tdata|tbss)(\.|$)/) {
			if ($i !~ /^\.data\.rel\.ro/)
				print object " the core may not keep " $NF " in " $i ": no mutable globals"
		}
}' "$work/table" >"$work/bad"
[ ! -s "$work/bad" ] || { cat "$work/bad"; failed=1; }
exit $failed
