/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_doors - saves, checks and loads the tables of a state.def (table_rows.h)
 *
 * To be defined before: STATE, which is the file, and all that its expressions use.  For each
 * table this defines:
 *
 *   KIND_kind           its kind in an image
 *   save_KIND           saves all of its rows
 *   are_KIND            are all of its rows valid?
 *   enter_KIND          makes its rows the state
 *   load_KIND           finds it in an image, checks it and enters it
 */

/* --- save --- */

#define NUMBER(type, name, live, bound) row->name = (type)(live);
#define WHOLE(type, name, live, bound) row->name = (live);
#define MEMBER(name, set) row->name = fl_bitset_has((set), i);
#define OPTIONAL(type, name, array, bound) row->name = (array) ? (array)[i] : (type){ 0 };
#define GET(type, name, value) row->name = (type)(value);
#define OF(declaration) declaration;
#define ZERO(name)
#define TABLE(kind, text, n, ...)                                                                  \
	static const struct fl_image_kind kind##_kind = { text, sizeof(struct fl_saved_##kind),    \
							  0 };                                     \
                                                                                                   \
	static int save_##kind(const struct fl_policy *p, struct fl_arena *a,                      \
			       struct fl_image_writer *w, fairlead_error *err)                     \
	{                                                                                          \
		uint32_t rows = (uint32_t)(n);                                                     \
		struct fl_saved_##kind *row, *all = fl_arena_alloc(a, rows, sizeof *all, err);     \
                                                                                                   \
		for (uint32_t i = 0; all && i < rows; i++) {                                       \
			row = &all[i];                                                             \
			__VA_ARGS__                                                                \
		}                                                                                  \
		return all ? fl_image_put(w, &kind##_kind, all, rows, err) : FAIRLEAD_ENOMEM;      \
	}
#include STATE
#undef NUMBER
#undef WHOLE
#undef MEMBER
#undef OPTIONAL
#undef GET
#undef OF
#undef TABLE

/* --- check --- */

#define WHOLE(type, name, live, bound)                                                             \
	{                                                                                          \
		const type v = row->name;                                                          \
                                                                                                   \
		(void)v;                                                                           \
		bad |= !(bound);                                                                   \
	}
#define NUMBER WHOLE
#define OPTIONAL WHOLE
#define MEMBER(name, set)
#define GET(type, name, value)
#define OF(declaration)
#define TABLE(kind, text, n, ...)                                                                  \
	static inline bool are_##kind(const struct fl_policy *p,                                   \
				      const struct fl_saved_##kind *row)                           \
	{                                                                                          \
		int bad = 0;                                                                       \
                                                                                                   \
		(void)p;                                                                           \
		for (uint32_t i = 0; i < (n); i++, row++) {                                        \
			__VA_ARGS__                                                                \
		}                                                                                  \
		return !bad;                                                                       \
	}
#include STATE
#undef NUMBER
#undef WHOLE
#undef MEMBER
#undef OPTIONAL
#undef TABLE

/* --- load --- */

#define NUMBER(type, name, live, bound) live = row->name;
#define WHOLE(type, name, live, bound) live = row->name;
#define MEMBER(name, set) fl_bitset_put((set), i, row->name, /* undo= */ NULL);
#define OPTIONAL(type, name, array, bound)                                                         \
	if (array)                                                                                 \
		(array)[i] = row->name;
#define TABLE(kind, text, n, ...)                                                                  \
	static inline void enter_##kind(struct fl_policy *p, const struct fl_saved_##kind *row)    \
	{                                                                                          \
		for (uint32_t i = 0; i < (n); i++, row++) {                                        \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	static inline int load_##kind(struct fl_policy *p, const struct fl_image *image,           \
				      fairlead_error *err)                                         \
	{                                                                                          \
		const void *rows;                                                                  \
		int r = fl_image_exactly(image, &kind##_kind, (n), &rows, err);                    \
                                                                                                   \
		if (r < 0)                                                                         \
			return r;                                                                  \
		if (!are_##kind(p, rows))                                                          \
			return fl_image_damaged(kind##_kind.name, err);                            \
		enter_##kind(p, rows);                                                             \
		return 0;                                                                          \
	}
#include STATE
#undef NUMBER
#undef WHOLE
#undef MEMBER
#undef OPTIONAL
#undef GET
#undef OF
#undef ZERO
#undef TABLE
