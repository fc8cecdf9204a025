/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page - a report as one HTML file that needs no network
 *
 * The charts (web/) are bundled when fairlead is built and are part of the command; a page is
 * what stands before the data, the data, and what stands behind it. The page's own policy lets a
 * browser run that one script and nothing else, and load nothing.
 */
#ifndef FL_REPORT_OUT_PAGE_H
#define FL_REPORT_OUT_PAGE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write the page of a SimulationReport or a ComparisonReport to `out`. `json` must be one JSON
 * text in UTF-8; whatever stands in its strings is shown as text and cannot end the script
 * element it is kept in. 0, or FAIRLEAD_EIO when `out` takes no more.
 */
int fl_page_write(FILE *out, const char *json, size_t len);

/* Made by web/embed.py. */
extern const unsigned char fl_page_head[], fl_page_tail[];
extern const size_t fl_page_head_len, fl_page_tail_len;

#endif
