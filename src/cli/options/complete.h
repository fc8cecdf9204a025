/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete - what could stand next on a command line
 *
 * The shells' scripts (completion_scripts.c) ask for it with each press of the tab
 * key, so there is one answer for all of them, and it comes from the tables of
 * verbs and options alone.  What an option or operand takes is told by the word
 * that --help shows for it: FILE, FORMAT, WORKLOAD, ...
 */
#ifndef FL_CLI_OPTIONS_COMPLETE_H
#define FL_CLI_OPTIONS_COMPLETE_H

#include "cli/cli.h"

/*
 * @words stand behind "fairlead"; the last one is being typed, and may be empty.
 * Prints a candidate a line, "WORD<tab>what it is", or ":file<tab>PREFIX" where the
 * shell itself knows best, PREFIX being the part of the word that is no file name.
 *
 * Names of workloads and nodes are read from the files that stand on the line, in
 * silence and for two seconds at most; those that a shell would have to quote are
 * left out, so that nothing from a file is ever run.
 */
void fl_complete(char **words, uint32_t n);

extern const char fl_script_bash[], fl_script_zsh[], fl_script_fish[];

#endif
