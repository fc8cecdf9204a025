/* SPDX-License-Identifier: Apache-2.0 */
/* library - answers of the library around it; private to net */
#ifndef FL_NET_LIBRARY_H
#define FL_NET_LIBRARY_H

/* An error, around the library: there is room for so much in any socket. Each of @headers ends
 * with CRLF. @text and @hint are written as they are. */
void fl_answer_at_once(int fd, unsigned status, const char *headers, const char *text,
		       const char *hint);

#endif
