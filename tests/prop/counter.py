# SPDX-License-Identifier: Apache-2.0
"""Counterexamples: properties that the rules break, each on a file that breaks them.

A test of one asserts that it still does, so that a change which mends it is
noticed; then the test, and the guide's table, say something better.
"""
import os

from world import Case

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counterexamples")


def counterexample(name):
	return Case.load(os.path.join(FOLDER, name + ".yaml"))
