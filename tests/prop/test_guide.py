# SPDX-License-Identifier: Apache-2.0
"""The guide's page names every property and counterexample, and no others."""
import ast
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "doc", "guide", "properties.md")


def functions():
	"""(name, docstring) of each test of a property."""
	for name in sorted(os.listdir(HERE)):
		if name.startswith("test_") and name.endswith(".py") and name != os.path.basename(__file__):
			with open(os.path.join(HERE, name), encoding="utf-8") as f:
				for node in ast.parse(f.read()).body:
					if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
						yield node.name, ast.get_docstring(node) or ""


def test_page_has_every_property():
	with open(PAGE, encoding="utf-8") as f:
		named = re.findall(r"`(test_\w+)`", f.read())
	assert sorted(named) == sorted(name for name, _ in functions())


def test_each_says_what_it_states():
	assert [name for name, text in functions() if len(text) < 40] == []


def test_counterexamples_are_those_that_break():
	"""Or did once: who says `Mended` asserts that it does not any more."""
	files = {name.removesuffix(".yaml") for name in os.listdir(os.path.join(HERE, "counterexamples"))}
	broken = {name.removeprefix("test_").replace("_", "-") for name, text in functions()
		  if text.startswith(("Broken: ", "Mended: "))}
	assert files == broken
