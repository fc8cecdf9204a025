/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_rows - the rows of a state.def, struct fl_saved_KIND for each of its tables
 *
 * Defined before: STATE, the file.  Included by a policy's image.h; table_doors.h saves and loads them.
 *
 *   TABLE(kind, "name", n, fields)    n rows of @p, and what row i of them is made of, in this order:
 *   NUMBER(type, name, live, bound)   saved as this type; what it is of; whether it, v, may be
 *   WHOLE(type, name, live, bound)    the same of a struct
 *   MEMBER(name, set)                 is i in that fl_bitset?
 *   OPTIONAL(type, name, array, bound) array[i], where there is that array
 *   GET(type, name, value)            saved only: whoever loads the table enters it by hand
 *   OF(declaration)                  what its values are of, before them
 *   ZERO(name)                        32 bits, so that there is no room between fields
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
