#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shape_types - a field of a shape whose member has another type does not compile
#
# usage: tests/guide/shape_types.sh ROOT
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compiles FIELD: of a row with one member of each of three types
compiles() {
	cat >"$work/row.c" <<END
#include "report/out/shape.h"
struct row {
	uint32_t count;
	double number;
	const char *text;
};
#define ROW struct row
const struct fl_json_field field = $1;
END
	"${CC:-cc}" -std=c17 -D_GNU_SOURCE -fsyntax-only -I "$root/include" -I "$root/src" "$work/row.c" 2>"$work/errors"
}

status=0
for field in 'FL_FIELD(COUNT, "count", count, NULL)' 'FL_FIELD(NUMBER, "number", number, NULL)' \
	'FL_FIELD(TEXT, "text", text, NULL)'; do
	compiles "$field" || {
		echo "$field should compile:"
		cat "$work/errors"
		status=1
	}
done
for field in 'FL_FIELD(COUNT, "count", number, NULL)' 'FL_FIELD(NUMBER, "number", count, NULL)' \
	'FL_FIELD(TEXT, "text", number, NULL)' 'FL_FIELD(COUNT, "count", missing, NULL)' \
	'FL_FIELD_ENUM("text", number, (const char *[]){ "a" }, NULL)'; do
	if compiles "$field"; then
		echo "$field should not compile"
		status=1
	fi
done
exit $status
