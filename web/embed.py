#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed - the page around a report's data, as two C arrays

usage: embed.py SHELL CSS JS OUTPUT

SHELL has the marks @POLICY@, @CSS@, @DATA@ and @JS@.  What stands before @DATA@ becomes
fl_page_head, what stands behind it fl_page_tail.  The policy names the style and the script by
their hashes, so that nothing else in the page can be either.  The same input makes the same output.
"""

import base64
import hashlib
import sys


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, text):
    data = text.encode()
    lines = [",".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24)]
    return (f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) + "};\n"
            f"const size_t {name}_len = {len(data)};\n")


def main(shell, css, js, output):
    shell, css, js = (open(name, encoding="utf-8").read() for name in (shell, css, js))
    css, js = css.strip(), js.strip()
    if "</script" in js.lower() or "<!--" in js or "</style" in css.lower():
        sys.exit("embed: the bundle would end its own element")
    policy = (f"default-src 'none'; script-src {hash_of(js)}; style-src {hash_of(css)}; "
              "base-uri 'none'; form-action 'none'")
    head, tail = shell.split("@DATA@")
    head = head.replace("@POLICY@", policy).replace("@CSS@", css)
    tail = tail.replace("@JS@", js)
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by web/embed.py; do not edit. */\n#include \"report/out/page.h\"\n\n")
        out.write(array("fl_page_head", head) + array("fl_page_tail", tail))


if __name__ == "__main__":
    main(*sys.argv[1:])
