#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed - the files of the daemon's page as a table in C

usage: embed.py INDEX CSS JS OUTPUT

INDEX has the marks @CSS@ and @JS@.  Style and script get names with a hash of their bytes, so that
a browser may keep them for as long as it likes: another build has other names.  Each file is there
as it is and compressed.  The same input makes the same output.
"""

import gzip
import hashlib
import re
import sys


def name_of(data, ending):
    return f"/page-{hashlib.sha256(data).hexdigest()[:20]}.{ending}"


def array(name, data):
    lines = [",".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24)]
    return f"static const unsigned char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def row(name, path, kind, data, packed, lasts):
    tag = hashlib.sha256(data).hexdigest()[:20]
    return (f"\t{{ \"{path}\", \"{kind}\", \"W/\\\"{tag}\\\"\", {name}, {len(data)}, "
            f"{name}_packed, {len(packed)}, {lasts} }},\n")


def main(index, css, js, output):
    index, css, js = (open(name, "rb").read() for name in (index, css, js))
    names = {b"@CSS@": name_of(css, "css").encode(), b"@JS@": name_of(js, "js").encode()}
    index = re.sub(b"@(?:CSS|JS)@", lambda mark: names[mark[0]], index)
    # What the policy forbids would not work, and nobody would see why.
    if re.search(rb"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", index):
        sys.exit("embed: the policy of the page allows no style, script or handler within it")
    files = [("index", "/", "text/html; charset=utf-8", index, "false"),
             ("style", names[b"@CSS@"].decode(), "text/css; charset=utf-8", css, "true"),
             ("script", names[b"@JS@"].decode(), "text/javascript; charset=utf-8", js, "true")]
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by web/page/embed.py; do not edit. */\n#include \"daemon/page/files.h\"\n\n")
        rows = ""
        for name, path, kind, data, lasts in files:
            packed = gzip.compress(data, 9, mtime=0)
            out.write(array(name, data) + array(name + "_packed", packed))
            rows += row(name, path, kind, data, packed, lasts)
        out.write(f"const struct fl_page_file fl_page_files[] = {{\n{rows}}};\n"
                  f"const size_t fl_page_n_files = {len(files)};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
