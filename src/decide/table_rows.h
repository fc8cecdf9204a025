/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_rows - the rows of a state.def: struct fl_saved_KIND for each of its tables
 *
 * To be defined before: STATE, which is the file.  Included by a policy's image.h; table_doors.h
 * saves and loads the rows.
 *
 *   TABLE(kind, "name", n, fields)     n rows of @p, and the fields of row i, in this order:
 *   NUMBER(type, name, live, bound)    a number: its type in the file, the cell that it is saved
 *                                      from and loaded into, and whether a value v is valid
 *   WHOLE(type, name, live, bound)     the same for a struct
 *   MEMBER(name, set)                  is i in that fl_bitset?
 *   OPTIONAL(type, name, array, bound) array[i], if the array is not NULL
 *   GET(type, name, value)             saved only: the code that loads the table enters it itself
 *   OF(declaration)                    declares what the fields' expressions use
 *   ZERO(name)                         32 bits of padding, so that no field has a gap before it
 */
#define NUMBER(type, name, live, bound) type name;
#define WHOLE(type, name, live, bound) type name;
#define MEMBER(name, set) uint32_t name;
#define OPTIONAL(type, name, array, bound) type name;
#define GET(type, name, value) type name;
#define OF(declaration)
#define ZERO(name) uint32_t name;
#define TABLE(kind, text, n, ...)                                                                  \
	struct fl_saved_##kind {                                                                   \
		__VA_ARGS__                                                                        \
	};
#include STATE
#undef NUMBER
#undef WHOLE
#undef MEMBER
#undef OPTIONAL
#undef GET
#undef OF
#undef ZERO
#undef TABLE
