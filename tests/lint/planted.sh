#!/bin/bash
# planted.sh - what lint is for is refused: each rule that a script checks is broken once in a copy.
. tests/support/check.bash
tar -c --exclude=./build --exclude=./.git --exclude=./tests/fuzz/corpus . | tar -x -C "$tmp"
cd "$tmp" || exit 1
plant() { printf '%b\n' "$2" >>"$1"; } # FILE TEXT
refused() { # NAME TEXT FILE: a line of what lint said has TEXT
	if grep -qF -- "$2" "$3"; then
		ok "$1 is refused"
	else
		not_ok "$1 is refused: no '$2' in:"
		sed 's/^/# /' "$3"
	fi
}
wide=$(printf 'x%.0s' {1..101})
# Nothing but what is planted is newer than the last clean run of shellcheck.
mkdir -p none/tests && touch -d '1 second ago' none/tests/shellcheck.clean
plant lang/base/arena.c 'int rn_planted( void );'
plant lang/base/err.c "// $wide"
plant tests/cli/keep.sh "# $wide"
plant tests/cli/views.sh "echo ${wide:0:50} ${wide:0:50}"
plant README.md "\nword $wide and more words, so that it is no longer than one would break"
plant tests/cli/tags.sh 'rm $1'
plant docs/cluster.md '\nThe nodes reci''eve it.'
chmod -x tests/cli/functions.sh
B=$tmp/none tests/lint/format.sh >format 2>&1
refused 'C that is not formatted' './lang/base/arena.c:' format
refused 'a line of C of 104 columns' './lang/base/err.c:' format
refused 'a comment of shell of 103 columns' './tests/cli/keep.sh:' format
refused 'a line of shell of 106 columns' './tests/cli/views.sh:' format
refused 'a line of a document of 170 columns' './README.md:' format
refused 'a script that cannot be executed' './tests/cli/functions.sh' format
refused 'what shellcheck finds' 'tests/cli/tags.sh:' format
refused 'a word that is misspelt' 've ==> receive' format
plant lang/values/ip.c '#include "repl/cli/session.h"\nvoid rn_planted(void) { puts(""); }'
plant exec/hosts/hosts.c 'void rn_planted(void)\n{\n\tint fd = open("x",\n\t\tO_WRONLY);\n}'
plant exec/wire/pack.c 'int rn_planted(void)\n{\n\treturn sqlite3_open("x", NULL);\n}'
plant exec/hosts/said.c '/* said.c - planted. */\nconst char *const rn_planted_said = "the node says no to who asks";'
plant exec/hosts/pattern.c '/* pattern.c - planted. */\n#include <fnmatch.h>'
plant exec/hosts/raw.c '/* raw.c - planted. */\nvoid *rn_planted(void) { return strdup(""); }'
# A call that no include shows; an object without its source would not be looked at.
mkdir -p none/obj/lang/base none/obj/exec/node
plant lang/base/below.c '/* below.c - planted. */'
plant exec/node/above.c '/* above.c - planted. */'
echo 'int rn_planted(void); int rn_below(void) { return rn_planted(); }' |
	gcc -c -x c -o none/obj/lang/base/below.o -
echo 'int rn_planted(void) { return 1; }' | gcc -c -x c -o none/obj/exec/node/above.o -
plant exec/link/link.h '#include "exec/nats/nats_impl.h"'
# Names of the linker and of headers.
plant lang/base/unnamed.c '/* unnamed.c - planted. */'
echo 'int planted_global;' | gcc -c -x c -o none/obj/lang/base/unnamed.o -
echo 'int rn_elsewhere;' | gcc -c -x c -o none/obj/exec/node/above2.o -
plant exec/node/above2.c '/* above2.c - planted. */'
plant lang/base/arena.h 'extern int rn_elsewhere;'
plant lang/base/arena.h 'struct planted_tag {\n\tstruct rn_arena *q;\n};'
plant lang/base/arena.h 'void rn_planted(struct rn_arena *a);'
plant stdlib/mem.rnl 'view planted(n = 10, flags = 0x40) := count of open where flags & 64 != 0;'
plant stdlib/fs.rnl 'view biolatency() := count of read;'
plant exec/wire/pack.h 'struct rn_arena_twin {\n\tint n;\n};'
plant lang/base/arena.h 'struct rn_arena_twin {\n\tint n;\n};'
rm lang/values/README.md
for i in {1..41}; do echo "line $i" >>exec/wire/README.md; done
for i in {1..30}; do plant "exec/link/more$i.c" "/* more$i.c - planted. */"; done
sed -i 's/^#define RN_ROW_FORMATS(X) /&X(planted, false, ROWS) /' repl/out/output.h
sed -i 's/.*{.name = "doctor"/\t{.name = "planted"},\n&/' repl/cli/commands.c
sed -i 's/^#define RN_FIELDS.*/&\n\tX(PLANTED, "planted", WORD, NONE, COMMON, 0, "") \\/' \
	probes/catalog/catalog.h
sed -i 's/&rn_func_delta, NULL/\&rn_func_planted, &/' lang/catalog/funcs.c
plant tests/live/kernel/test_events_kernel.c '/* No query asks for planted. */'
sed -i 's/.*{.say = of_others},/&\n\t{.hint = "planted in the table"},/' lang/syntax/mistakes.c
{
	printf 'int rn_planted_long(void)\n{\n'
	for i in {1..57}; do printf '\tputs("%s");\n' "$i"; done
	printf '\treturn 0;\n}\n\nstatic int planted_ladder(int r)\n{\n'
	for i in {1..9}; do printf '\tif (!r)\n\t\tr = step(%s);\n' "$i"; done
	printf '\treturn r;\n}\n'
} >>exec/link/link.c
plant docs/security.md '\nSee [planted](planted.md) and [cluster](cluster.md#planted).'
lines=$(($(wc -l <docs/language/grammar.md) + 250))
for i in {1..250}; do plant docs/language/grammar.md "line $i"; done
long=$(printf 'word %.0s' {1..41})
plant docs/platforms.md "\nThe node sends $long."
plant lang/base/err.h '// Of the planted ones, this is a comment.'
plant tests/cli/keep.sh '# The node says no to who asks too often.'
plant tests/lint/width.py '# Whoever reads this, may stop.'
for i in {1..3}; do plant docs/long.md "Word ${long:0:80}."; done
B=none tests/lint/layers.sh >layers 2>&1
refused 'a sentence of 44 words' 'docs/platforms.md:' layers
refused 'a sentence that begins with "Of"' 'a sentence begins with "Of": Of the planted' layers
refused 'a clause for a name, in a comment of shell' 'tests/cli/keep.sh:' layers
refused 'a clause for a name, in a comment of Python' 'tests/lint/width.py:' layers
refused 'a page whose sentences are long' 'docs/long.md: sentences have a median of 17' layers
refused 'a link to no page' 'there is no docs/planted.md' layers
refused 'a link to no heading' 'docs/cluster.md has no heading #planted' layers
refused "a page of $lines lines" "docs/language/grammar.md: $lines lines" layers
refused 'an include of a room above' 'lang/values must not include repl/cli/session.h' layers
refused 'a call of a room above' \
	'lang/base/below.c: lang/base must not call rn_planted of exec/node/above.c' layers
refused 'a private header of another room' 'exec/nats/nats_impl.h is private to exec/nats/' layers
refused 'a room without a README' 'lang/values: it has no README.md' layers
refused 'a long README' 'exec/wire/README.md: more than 40 lines' layers
refused 'a room of many files' 'exec/link: 3' layers
refused 'a global without its prefix' 'the global planted_global does not begin' layers
refused 'a number without a name' 'planted has the number 64: write its name' layers
refused 'flags as a default' 'planted has the number 0x40: write its name' layers
refused 'a view in two modules' 'the view biolatency stands in' layers
refused 'a struct without its prefix' 'the tag planted_tag does not begin' layers
refused 'a tag of two structs' 'the tag rn_arena_twin stands in' layers
refused 'a declaration in the header of another file' 'rn_elsewhere of exec/node/above2.c' layers
refused 'a member of one letter' 'the member q of type struct rn_arena is one letter' layers
refused 'a parameter of one letter' 'the parameter a points to a struct rn_arena' layers
refused 'a function of 61 lines' 'rn_planted_long has 61 lines' layers
refused 'nine steps in a ladder' 'planted_ladder has 9 steps' layers
refused 'a format without documentation' \
	'an output format: runnel.1 does not have planted' layers
refused 'a subcommand without a test' 'a subcommand: tests does not have planted' layers
refused 'a field without documentation' \
	'a field: the language reference, Fields, does not have planted' layers
refused 'a field in a comment of a test' 'a field: tests/live does not have planted' layers
refused 'a function of groups without a test' \
	'a function of groups: tests/diff does not have planted' layers
refused 'a hint without a golden' \
	'a hint of a syntax error: tests/golden/errors does not have planted in the table' layers
refused 'printing below repl/' 'lang/values/ip.c' layers
refused 'opening a file for writing, over two lines' 'exec/hosts/hosts.c' layers
refused 'a message with a clause for a name' 'exec/hosts/said.c:2:' layers
refused 'another matcher of globs' 'exec/hosts/pattern.c' layers
refused 'memory of libc' 'exec/hosts/raw.c' layers
refused 'opening a database for writing' 'exec/wire/pack.c' layers
done_testing
