/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain - is a character visible, and as what it is?
 *
 * Those that are not: control characters; breaks of lines and paragraphs; what has no width (U+200B,
 * joiners, the byte order mark, tags); what reverses the direction of the text around it (U+202E and
 * its like).  In a name they make one look like another, or a line like two.
 */
#ifndef FL_BASE_PLAIN_H
#define FL_BASE_PLAIN_H

#include <stddef.h>

/* Bytes of such a character that @text begins with; 0: it begins with another. Well-formed UTF-8. */
size_t fl_plain_odd(const char *text);

#endif
