/* SPDX-License-Identifier: Apache-2.0 */
/* library - answers of the library around it; private to net */
#ifndef FL_NET_LIBRARY_H
#define FL_NET_LIBRARY_H

/*
 * Writes an error directly to the socket, which has room for so much.  Each of @headers ends with
 * CRLF. @text and @hint are written unchanged.
 */
void fl_answer_at_once(int fd, unsigned status, const char *headers, const char *text,
		       const char *hint);

#endif
