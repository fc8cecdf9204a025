#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# checks-can-fail - plant one violation of each kind and see the check name it
#
# usage: tests/tools/checks-can-fail.sh ROOT     (TAP on standard output)
set -u
root=$(cd "$1" && pwd) || exit 1
tools=$root/tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0

report() { # good?, name, what was seen
	n=$((n + 1))
	if [ "$1" = yes ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

passes() { # name, command...
	local name=$1 out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	if [ $rc -eq 0 ]; then report yes "$name" ''; else report no "$name" "status $rc: $out"; fi
}

fails() { # name, what its output must say, command...
	local name=$1 text=$2 out rc=0
	shift 2
	out=$("$@" 2>&1) || rc=$?
	if [ $rc -ne 0 ] && [ $rc -ne 77 ] && [[ $out == *"$text"* ]]; then
		report yes "$name" ''
	else
		report no "$name" "status $rc, wanted a failure that says '$text': $out"
	fi
}

fresh() {
	rm -rf "$work/tree"
	mkdir -p "$work/tree/src/base" "$work/tree/src/model" "$work/tree/src/codec" "$work/tree/doc/man"
	cp "$root/.clang-format" "$work/tree"
	printf 'base\nmodel base\ncodec base model\n' >"$work/tree/layers.txt"
	printf '#include <string.h>\n\n#include "base/a.h"\n' >"$work/tree/src/model/a.c"
	printf '#include <stdint.h>\n' >"$work/tree/src/base/a.h"
	printf '#include <yaml.h>\n\n#include "model/a.h"\n' >"$work/tree/src/codec/a.c"
}

plant() { # file, line
	mkdir -p "$(dirname "$work/tree/$1")"
	printf '%b\n' "$2" >>"$work/tree/$1"
}

layers() { # name, file, line, message
	fresh
	plant "$2" "$3"
	fails "layers: $1" "$4" "$tools/check-layers.sh" "$work/tree"
}

fresh
passes 'layers: a clean tree' "$tools/check-layers.sh" "$work/tree"
layers 'a lower module looks up' src/base/b.c '#include "model/a.h"' 'src/base/b.c:1: base may not include model/a.h'
layers 'a sibling' src/model/b.h '#  include "codec/a.h"' 'model may not include codec/a.h'
layers 'deep inside a folder' src/model/x/b.c '#include "codec/a.h"' 'model/x may not include codec/a.h'
layers 'a folder without a line' src/misc/b.c '#include "base/a.h"' '"misc" has no line'
layers 'a header without its module' src/base/b.c '#include "a.h"' 'should be written "folder/file.h"'
layers 'a way round' src/base/b.c '#include "../model/a.h"' 'should be written "folder/file.h"'
for header in sqlite3.h uv.h microhttpd.h curl/curl.h yaml.h jansson.h libsmartcols/libsmartcols.h; do
	layers "a foreign $header" src/model/b.c "#include <$header>" "model may not include <$header>"
done
layers 'the public header from inside' src/model/b.c '#include <fairlead/fairlead.h>' 'only api includes'

law() { # name, line of layers.txt, message
	fresh
	echo "$2" >>"$work/tree/layers.txt"
	fails "layers: $1" "$3" "$tools/check-layers.sh" "$work/tree"
}

law 'a line without a folder' 'model/rooms base' '"model/rooms" has no sources'
law 'two lines for a folder' 'model codec' '"model" has two lines'

rooms() { # grants of model/x, then of model/y, which includes a header of it
	fresh
	mkdir -p "$work/tree/src/model/x" "$work/tree/src/model/y"
	echo '#include "base/a.h"' >"$work/tree/src/model/x/x.h"
	echo '#include "model/x/x.h"' >"$work/tree/src/model/y/y.c"
	printf '%s\n' "model/x $1" "model/y $2" >>"$work/tree/layers.txt"
}
rooms '' 'model/x'
passes 'layers: what stands above holds below, and a room that was granted' "$tools/check-layers.sh" "$work/tree"
rooms '' 'model/*'
passes 'layers: a room among all of a folder' "$tools/check-layers.sh" "$work/tree"
rooms 'model/y' ''
fails 'layers: sideways' 'model/y may not include model/x/x.h' "$tools/check-layers.sh" "$work/tree"
rooms '' 'model'
fails 'layers: a folder is not what is in it' 'model/y may not include model/x/x.h' "$tools/check-layers.sh" "$work/tree"
fresh
for i in $(seq 41); do echo '/* x */' >"$work/tree/src/model/many$i.h"; done
fails 'layers: too many in one folder' 'more than 40 sources' "$tools/check-layers.sh" "$work/tree"
fresh
rm "$work/tree/layers.txt"
fails 'layers: no law at all' 'layers.txt: not found' "$tools/check-layers.sh" "$work/tree"

fresh
printf 'struct fl_a {\n\tint a;\n};\n' >"$work/tree/src/base/b.h"
passes 'names: each struct once' "$tools/check-names.sh" "$work/tree"
printf 'struct fl_a {\n\tint b;\n};\n' >"$work/tree/src/model/b.h"
fails 'names: two structs of one name' 'src/model/b.h:1: struct fl_a is defined more than once' "$tools/check-names.sh" "$work/tree"

few_headers() { # a source, and what it exports in its own header
	fresh
	plant src/base/b.h 'int fl_b(int a);\n/* int fl_c(int a); */'
	plant src/base/b.c '#include "base/b.h"\n\nint fl_b(int a)\n{\n\treturn a;\n}\n\nstatic int fl_d(int a)\n{\n\treturn a;\n}'
}
few_headers
passes 'headers: each function in that of its source' "$tools/check-headers" "$work/tree"
plant src/base/c.h 'int fl_c(int a,\n\t int b);'
plant src/base/b.c 'int fl_c(int a,\n\t int b)\n{\n\treturn a + b;\n}'
fails 'headers: a function in another one' 'src/base/b.c: fl_c: declared in base/c.h' \
	"$tools/check-headers" "$work/tree"
plant tools/declared-elsewhere.txt 'base/b.c base/c.h 1'
passes 'headers: a function that is excepted' "$tools/check-headers" "$work/tree"
plant src/base/c.h 'int fl_e(void);'
plant src/base/b.c 'int fl_e(void)\n{\n\treturn 0;\n}'
fails 'headers: one more than is excepted' 'src/base/b.c: fl_c, fl_e: declared in base/c.h' \
	"$tools/check-headers" "$work/tree"
few_headers
plant tools/declared-elsewhere.txt 'base/b.c base/c.h 1'
fails 'headers: an exception without use' 'declared-elsewhere.txt: base/b.c base/c.h: 0 and not 1' \
	"$tools/check-headers" "$work/tree"
few_headers
plant src/base/b_parts.h 'int fl_b(int a);'
fails 'headers: one of parts' 'src/base/b_parts.h: a header is called' "$tools/check-headers" "$work/tree"

library() { # C text -> $work/lib.a with it and a mem.c that may call realloc
	rm -rf "${work:?}/lib" "$work/lib.a"
	mkdir "$work/lib"
	printf '#include <stdlib.h>\nvoid *m(void *p, size_t n);\nvoid *m(void *p, size_t n)\n{\n\treturn realloc(p, n);\n}\n' >"$work/lib/m.c"
	printf '%b\n' "$1" >"$work/lib/a.c"
	cc -O1 -fPIC -c -o "$work/lib/src_base_mem.c.o" "$work/lib/m.c" &&
		cc -O1 -fPIC -fno-builtin -c -o "$work/lib/src_model_a.c.o" "$work/lib/a.c" &&
		ar "${2-rcs}" "$work/lib.a" "$work/lib/"*.o
}

symbols() { # name, C text, message
	library "$2" || { report no "symbols: $1" 'does not compile'; return; }
	fails "symbols: $1" "$3" "$tools/check-symbols.sh" "$work/lib.a" "$tools/core-symbols.txt"
}

good='#include <stddef.h>\n#include <string.h>\nvoid *m(void *p, size_t n);\nstatic const char *const t[] = { "a" };\nchar *f(char *p) { memset(p, 0, strlen(t[0])); return m(p, 1); }'
library "$good"
passes 'symbols: a clean library' "$tools/check-symbols.sh" "$work/lib.a" "$tools/core-symbols.txt"
library "$good" rcsT
passes 'symbols: a clean thin library' "$tools/check-symbols.sh" "$work/lib.a" "$tools/core-symbols.txt"
symbols 'the heap' '#include <stdlib.h>\nvoid *f(void) { return malloc(3); }' 'src_model_a.c.o: the core may not use malloc'
symbols 'realloc from the wrong place' '#include <stdlib.h>\nvoid *f(void) { return realloc(0, 3); }' 'src_model_a.c.o: only src_base_mem.c.o may use realloc'
for call in 'stdio.h fopen("a", "r")' 'stdio.h printf("a")' 'time.h time(0)' 'stdlib.h getenv("A")' 'locale.h setlocale(0, "")' 'stdlib.h strtol("1", 0, 0)' 'stdlib.h rand()'; do
	symbols "${call#* }" "#include <${call%% *}>\nlong f(void);\nlong f(void) { return (long)${call#* }; }" "may not use $(expr "${call#* }" : '\([a-z]*\)')"
done
symbols 'a variable with a value' 'int counter = 1;' 'no mutable globals'
symbols 'a variable without one' 'int counter;' 'no mutable globals'
symbols 'a static one in a function' 'int f(void) { static int n; return n++; }' 'no mutable globals'
symbols 'one for each thread' '_Thread_local int n;\nint f(void) { return n++; }' 'the core may not use __tls_get_addr'
: >"$work/none.a"
fails 'symbols: an empty library' 'no symbols' "$tools/check-symbols.sh" "$work/none.a" "$tools/core-symbols.txt"

library "$good"
cp "$work/lib.a" "$work/first.a"
library 'static int f(void) { return 1; }\nint g(void);\nint g(void) { return f(); }'
ar d "$work/lib.a" src_base_mem.c.o
passes 'twice: two libraries' "$tools/check-twice.sh" "$work/first.a" "$work/lib.a"
library 'int f(void);\nint f(void) { return 1; }'
ar d "$work/lib.a" src_base_mem.c.o
fails 'twice: a function in both' 'f stands in src_model_a.c.o, too' "$tools/check-twice.sh" "$work/first.a" "$work/lib.a"
library 'extern const int f;\nconst int f = 1;'
ar d "$work/lib.a" src_base_mem.c.o
fails 'twice: a table of that name' 'f stands in src_model_a.c.o, too' "$tools/check-twice.sh" "$work/first.a" "$work/lib.a"
fails 'twice: an empty library' 'no symbols' "$tools/check-twice.sh" "$work/first.a" "$work/none.a"

if command -v clang-format-14 >/dev/null || clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	fresh
	passes 'format: a clean tree' "$tools/check-format.sh" "$work/tree"
	plant src/base/b.c 'int  f( void ) ;'
	fails 'format: a sloppy line' 'src/base/b.c:1' "$tools/check-format.sh" "$work/tree"
	passes 'format: mended' "$tools/check-format.sh" --fix "$work/tree"
	passes 'format: and now clean' "$tools/check-format.sh" "$work/tree"
else
	n=$((n + 1))
	echo "ok $n - format # SKIP no clang-format 14"
fi

text() { # name, line
	fresh
	plant notes.md "$2"
	fails "text: $1" 'notes.md:1' "$tools/check-text.sh" "$work/tree"
}

fresh
plant fine.md 'A path of work/main, the word today, and /tmp/x are fine.'
few_words() { # a tree with two words: one that is not to be used, and one of our own
	fresh
	plant doc/words.txt '[field]\nended  gone!  of a workload\n[ours]\nrung  level of the share  a share'
	plant doc/guide/glossary.md '| rung | a share |'
	plant doc/guide/embed.md 'A rung.\n```\nit is gone\n```'
	plant src/base/a.c '/* `gone` */\nstatic const char a[] = "has ended", b[] = "gone";'
}

few_words
passes 'words: code is not looked at' "$tools/check-words" "$work/tree"
plant src/decide/a.c '/* `gone`, @gone and GONE */'
passes 'words: code in a comment' "$tools/check-words" "$work/tree"
plant src/decide/a.c 'int a; /* one that\n * is gone */'
fails 'words: one in a comment' "src/decide/a.c:3: 'gone'" "$tools/check-words" "$work/tree"
few_words
plant src/base/a.c 'static const char c[] = "is gone";'
fails 'words: one in a message' "src/base/a.c:3: 'gone'" "$tools/check-words" "$work/tree"
few_words
plant doc/guide/embed.md 'The job is gone.'
fails 'words: one in a page' "doc/guide/embed.md:5: 'gone'" "$tools/check-words" "$work/tree"
few_words
plant doc/man/fairlead-x.1 '.\\" printed: options\nIt is gone.\n.\\" more\nBut this.\n.\\" end of options'
passes 'words: what is printed into a manual page is not looked at' "$tools/check-words" "$work/tree"
few_words
plant doc/man/fairlead-x.1 '.\\" printed: options\nIt ends.\n.\\" more\nIt is gone.\n.\\" end of options'
fails 'words: what stands beside it is' "doc/man/fairlead-x.1:4: 'gone'" "$tools/check-words" "$work/tree"
few_words
plant src/model/notice.def 'A("flavor")'
fails 'words: an exception without use' "no text needs the exception 'flavor-matches-nobody'" \
	"$tools/check-words" "$work/tree"
few_words
plant doc/words.txt 'turn  time'
fails 'words: a row of two columns' 'doc/words.txt:5: not three columns' "$tools/check-words" "$work/tree"
few_words
plant doc/words.txt 'turn  time  a time'
fails 'words: none in the glossary' "has no 'turn'" "$tools/check-words" "$work/tree"
few_words
plant doc/guide/glossary.md '| quorum | many |'
fails 'words: one of the glossary that is not used' "uses 'quorum'" "$tools/check-words" "$work/tree"

fresh
plant notes.md 'a quota'
passes 'spelling: a clean tree' "$tools/check-spelling" "$work/tree"
plant notes.md 'te''h quota'
fails 'spelling: a misspelling' 'notes.md:2' "$tools/check-spelling" "$work/tree"

passes 'text: a clean tree' "$tools/check-text.sh" "$work/tree"
text 'work for later' 'int x; /* TO''DO: think */'
text 'work to mend' 'FIX''ME'
text 'a folder of one machine' 'see /wo''rk/main/x'
text 'somebody at home' 'cd /ho''me/someone'
text 'material beside the tree' 'cat ../sha''red/x'

mkdir -p "$work/tree/include" && cp -r "$root/include/fairlead" "$work/tree/include/"
cp "$root"/doc/man/*.3 "$work/tree/doc/man/"
passes 'man3: pages as the headers say' "$tools/man3" --root "$work/tree" --check
sed -i 's/NULL is allowed; always/NULL is fine; always/' "$work/tree/include/fairlead/fairlead.h"
fails 'man3: a comment that was changed' 'doc/man/fairlead_engine_free.3 is not what' \
	"$tools/man3" --root "$work/tree" --check
cp -r "$root/include/fairlead" "$work/tree/include/"
cp "$work/tree/doc/man/fairlead.3" "$work/tree/doc/man/fairlead_more.3"
fails 'man3: a page of nothing' 'doc/man/fairlead_more.3 is not what' \
	"$tools/man3" --root "$work/tree" --check
rm "$work/tree/doc/man/fairlead_more.3"
sed "s/'fairlead_engine_wake'/'other'/" "$root/doc/meson.build" >"$work/tree/doc/meson.build"
fails 'man3: a page that is not installed' 'fairlead_engine_wake.3 is not installed' \
	"$tools/man3" --root "$work/tree" --check
rm "$work/tree/doc/meson.build"
sed -i 's/fairlead_engine_wake(/fairlead_engine_sleep(/' "$work/tree/include/fairlead/fairlead.h"
fails 'man3: a function without a line' 'no line about fairlead_engine_sleep' \
	"$tools/man3" --root "$work/tree" --check
rm -r "$work/tree/include" "$work/tree"/doc/man/*.3

guide=doc/guide # apart, so that this file passes its own check
links() { # name, file, line, message
	fresh
	plant $guide/a.md '# A page\n\n## A part\n\n## A part'
	plant "$2" "$3"
	fails "links: $1" "$4" "$tools/check-links" "$work/tree"
}

fresh
plant $guide/a.md '# A page\n\n## A part, (x) of it\n\n## A part\n\n## A part'
plant fine.md "[a]($guide/a.md#a-part-x-of-it) [b]($guide/a.md#a-part-1) [c](https://example.org/x) [d](doc)"
plant src/base/c.h "/* $guide/a.md#a-page */"
passes 'links: a clean tree' "$tools/check-links" "$work/tree"
links 'to no file' x/b.md "[a](../$guide/b.md)" "x/b.md:1: there is no $guide/b.md"
links 'to no heading' b.md "\n[a]($guide/a.md#a-part-2)" "b.md:2: $guide/a.md has no heading 'a-part-2'"
links 'to no heading of the page itself' b.md '[a](#b)' "b.md:1: b.md has no heading 'b'"
links 'a picture' b.md '<img src="a.svg">' 'b.md:1: there is no a.svg'
links 'a comment' src/base/c.h "/* $guide/b.md */" "src/base/c.h:1: there is no $guide/b.md"
links 'a heading in a comment' src/base/c.h "/* $guide/a.md#b */" "src/base/c.h:1: $guide/a.md has no heading 'b'"

if command -v mandoc >/dev/null; then
	page='.Dd January 1, 2025\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd a thing'
	fresh
	plant doc/man/a.1 "$page"
	passes 'man: a clean page' "$tools/check-man.sh" "$work/tree"
	plant doc/man/b.1 "$page\n.Xyz no such macro"
	fails 'man: an unknown macro' 'b.1' "$tools/check-man.sh" "$work/tree"
else
	n=$((n + 1))
	echo "ok $n - man # SKIP no mandoc"
fi

# shellcheck disable=SC2016 # what stands in backticks is of a page
rules() { # a page of rules in words, a source that names one, and a recorded suite
	fresh
	mkdir -p "$work/tree/doc/semantics" "$work/tree/src/decide/borrow" "$work/tree/tests/conformance"
	printf '/* As doc/semantics/borrow.md,\n * B1.2 and B1 have it. */\nstatic int f(int a,\n\t     int b)\n{\n\treturn a + b;\n}\nint g(void);\n' >"$work/tree/src/decide/borrow/a.c"
	printf '{"id": "thin-1"}\n' | gzip >"$work/tree/tests/conformance/thin.jsonl.gz"
	{
		echo '## B1 All'
		for i in $(seq 10); do
			printf '\n**B1.%s One.** See [it](borrow.md).\n> Code: `a.c` (`f`). Recorded: `thin` (thin-1).\n' "$i"
		done
	} >"$work/tree/doc/semantics/borrow.md"
}

semantics() { # name, file, sed that plants it, message
	rules
	sed -i "$3" "$work/tree/$2"
	fails "semantics: $1" "$4" "$tools/check-semantics.py" "$work/tree"
}

page=doc/semantics/borrow.md
# shellcheck disable=SC2016
if /usr/bin/python3 --version >/dev/null 2>&1; then
	rules
	passes 'semantics: a clean tree' "$tools/check-semantics.py" "$work/tree"
	semantics 'a rule that is not there' src/decide/borrow/a.c 's/B1.2/B1.22/' 'a.c:1: there is no B1.22 in borrow.md'
	semantics 'a group that is not there' src/decide/borrow/a.c 's/and B1/and B2/' 'there is no B2 in borrow.md'
	semantics 'a page that is not there' src/decide/borrow/a.c 's/borrow.md/lend.md/' 'there is no B1.2 in lend.md'
	semantics 'a section of no document' src/decide/borrow/a.c 's/B1 have/B1 (conformance: 3)/' "a section of no document"
	semantics 'a function that moved' $page '0,/`f`/s//`h`/' 'B1.1: a.c does not define h'
	semantics 'a function that is only declared' $page '0,/`f`/s//`g`/' 'B1.1: a.c does not define g'
	semantics 'a file that moved' $page '0,/`a.c`/s//`b.c`/' 'B1.1: b.c is not there'
	semantics 'an unknown suite' $page '0,/`thin`/s//`thick`/' 'there is no suite thick'
	semantics 'an unknown case' $page '0,/thin-1/s//thin-2/' 'no case thin-2 in these suites'
	semantics 'an unknown test' $page '0,/Recorded: .*/s//Tested: tests\/none.c./' 'tests/none.c is not there'
	semantics 'a number that stands twice' $page 's/B1.3/B1.2/' 'B1.2 stands twice'
	semantics 'a number that is left out' $page '/B1.3/d' 'B1.4 is not the next number'
	semantics 'a rule of nobody' $page '0,/Code: `a.c` (`f`)./s///' 'B1.1 does not say which function makes it so'
	semantics 'a rule that nothing holds' $page '0,/ Recorded.*/s///' 'B1.1 is neither recorded nor tested'
	semantics 'a dead link' $page '0,/(borrow.md)/s//(lend.md)/' 'lend.md is not there'
	semantics 'a page of another form' $page 's/^\*\*B/B/' 'only 0 rules'
	rules
	rm "$work/tree/$page"
	fails 'semantics: no page' 'doc/semantics: no page' "$tools/check-semantics.py" "$work/tree"
else
	n=$((n + 1))
	echo "ok $n - semantics # SKIP no python3"
fi

# The tools of `make analyse` come apart from those of the tests: each is tried where it is there.
analyses() { # stage, needs, file, text, what must be said
	if ! "$2" --version >/dev/null 2>&1; then
		n=$((n + 1))
		echo "ok $n - analyse: $1 # SKIP no $2"
		return
	fi
	printf '%b\n' "$4" >"$work/$3"
	fails "analyse: $1" "$5" "$tools/analyse" "$1" "$work/$3"
}

# shellcheck disable=SC2016 # the planted mistake
analyses shell shellcheck a.sh '#!/bin/sh\nrm -rf $1' SC2086
analyses python flake8 a.py '#!/usr/bin/python3\nimport os' F401
analyses cppcheck cppcheck a.c 'int f(void);\nint f(void)\n{\n\tint a[2] = { 0 };\n\treturn a[2];\n}' arrayIndexOutOfBounds

# Groups of unit tests: nothing that was not run, and nothing that failed, looks like what passed.
group() { # file, name, body
	printf '#include <stdlib.h>\n#include "lib/group.h"\nUNIT_GROUP_RUN("%s")\n{\n\t%s\n}\n' "$2" "$3" >"$work/$1.c"
}

grouped() { # program, files...
	local program=$1
	shift
	(cd "$work" && cc -D_GNU_SOURCE -I"$root/tests" -o "$program" "$root/tests/lib/group.c" "$@" 2>&1)
}

group good good 'return 0;'
group again good 'return 0;'
group bad bad 'return 3;'
group crash crash 'abort();'
printf 'int main(void)\n{\n\treturn 0;\n}\n' >"$work/main.c"
grouped groups good.c bad.c crash.c
grouped twice good.c again.c
passes 'groups: one that is good' "$work/groups" good
fails 'groups: one that fails' '' "$work/groups" bad
fails 'groups: a name that none has' "no group 'goof'" "$work/groups" goof
passes 'groups: two that are named' "$work/groups" good good
fails 'groups: two that are named, of which one fails' 'groups that failed: 1' "$work/groups" good bad
fails 'groups: two that are named, of which one is none' "no group 'goof'" "$work/groups" good goof
fails 'groups: all of them, of which two fail' 'groups that failed: 2' "$work/groups"
fails 'groups: all of them, of which one crashes' 'crash: Aborted' "$work/groups"
fails 'groups: a name that two have' "two groups are called 'good'" "$work/twice" good
fails 'groups: a second main' 'multiple definition' grouped second good.c main.c

# Tables of fields: a member of another type than the row says does not compile.
typed() { # type, member
	printf '%s\n' '#include "codec/object/types.h"' \
		'struct row { bool on; int32_t n; };' 'extern const struct fl_field fields[];' \
		"const struct fl_field fields[] = { { FL_IS(\"a\", $1, struct row, $2) }, { .name = 0 } };" >"$work/typed.c"
	cc -std=c17 -D_GNU_SOURCE -I"$root/src" -I"$root/include" -fsyntax-only "$work/typed.c" 2>&1
}

passes 'fields: members of their types' typed flag on
fails 'fields: a number for a flag' "is negative" typed flag n
fails 'fields: a flag for a number' "is negative" typed int32 on

row() { # result, output
	printf '{"name": "x", "result": "%s", "stdout": "%s"}\n' "$1" "$2"
}

counts() { # name, wanted line, wanted status, rows...
	local name=$1 want=$2 status=$3 rc=0 out
	shift 3
	: >"$work/log.json"
	[ $# -eq 0 ] || printf '%s\n' "$@" >"$work/log.json"
	out=$("$tools/count-results" "$work/log.json" | tail -n 1) || true
	"$tools/count-results" "$work/log.json" >/dev/null || rc=$?
	if [ "$out" = "$want" ] && [ $rc -eq "$status" ]; then
		report yes "count: $name" ''
	else
		report no "count: $name" "status $rc: $out"
	fi
}

counts 'programs' '2 passed, 0 failed' 0 "$(row OK '')" "$(row OK 'ok')"
counts 'a failing one' '1 passed, 1 failed' 1 "$(row OK '')" "$(row FAIL '')"
counts 'a skipped one' '1 passed, 0 failed, 1 skipped' 0 "$(row OK '')" "$(row SKIP '')"
counts 'one that ran out of time' '0 passed, 1 failed' 1 "$(row TIMEOUT '')"
counts 'TAP' '2 passed, 0 failed, 1 skipped' 0 "$(row OK '1..3\nok 1 - a\nok 2 - b\nok 3 # SKIP no')"
counts 'TAP with a failure' '1 passed, 1 failed' 1 "$(row FAIL '1..2\nok 1 - a\nnot ok 2 - b')"
counts 'TAP that crashes at the end' '2 passed, 1 failed' 1 "$(row ERROR '1..2\nok 1 - a\nok 2 - b')"
counts 'nothing at all' '0 passed, 0 failed' 1

echo "1..$n"
