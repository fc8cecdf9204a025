/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser - opens an address in a browser of this user, where there is a screen
 *
 * The address has a secret in it, and all users of a machine see what programs are called with.  So
 * xdg-open is given a file that only its owner can read, which leads to the address; the file is removed
 * after a minute, or with this process.
 */
#ifndef FL_CLI_CLIENT_BROWSER_H
#define FL_CLI_CLIENT_BROWSER_H

#include <stdbool.h>

/* False: there is no screen, or no file can be made. Whether a browser comes is not waited for. */
bool fl_browser_open(const char *url);

#endif
