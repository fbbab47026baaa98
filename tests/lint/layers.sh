#!/bin/bash
# layers.sh - the rules of the house that a script can check: who prints, how long files are,
# and whether a page that is made from sources is current. The scripts that it calls at the end each
# say what they check.
. tests/support/check.bash
complain() { not_ok "$*"; }
# Statements of the files of C below these folders, each as FILE:LINE:TEXT in one line.
statements() {
	find "$@" -name '*.[ch]' -o -name '*.re' | sort | xargs awk '
		FNR == 1 { text = "" }
		{
			line = $0
			sub(/^[ \t]+/, "", line)
			if (text == "")
				at = FNR
			text = text (text == "" ? "" : " ") line
		}
		/[;{}][ \t]*$/ || /\*\/[ \t]*$/ || /^#/ || /^$/ {
			if (text != "")
				print FILENAME ":" at ":" text
			text = ""
		}'
}
# Only the rooms of the program print or exit: the library has the others.
silent=(lang planner exec probes repl/api repl/engine repl/render repl/sqlite repl/views)
while read -r hit; do
	complain "$hit: only the program's rooms print or exit (repl/cli and those beside it)"
done < <(
	grep -rnE '\b(printf|puts|perror|fprintf ?\(std|_?exit) ?\(' "${silent[@]}" \
		--include=*.c --include=*.re |
		grep -vE '_printf|^probes/bpf/' |
		grep -E '[^_a-z](printf|puts|perror|exit|_exit) ?\(|fprintf ?\(std')
# Texts of others are compiled within limits: see lang/values/regex.h.
while read -r hit; do complain "$hit: only lang/values/regex.c calls regcomp"; done < <(
	grep -rnE '[^_a-z]regcomp ?\(' lang planner exec probes repl --include=*.c |
	grep -v '^lang/values/regex.c:')
# Memory that runs out ends a query, not the process. repl/api gives its caller NULL, as it says.
while read -r hit; do complain "$hit: memory comes from lang/base/memory.h"; done < <(
	grep -rnE '(^|[^_a-zA-Z>.])(malloc|calloc|realloc|reallocarray|v?asprintf|strn?dup) ?\(' \
		lang planner exec probes repl --include=*.c --include=*.h --include=*.re --include=*.y |
		grep -vE '^(lang/base/memory\.c|repl/heap\.c|repl/api/api(_text)?\.c):' |
		grep -vE ':[[:space:]]*(/?\*|//)')
# A glob means the same wherever one writes it.
while read -r hit; do complain "$hit: globs are matched by lang/values/glob.h"; done < <(
	grep -rnE '[^_a-z]fnmatch ?\([^3]|#include <fnmatch\.h>' lang planner exec probes repl \
		--include=*.c --include=*.h)
# What the program says may quote names of others: docs/security.md, "Text for terminals and
# programs".
while read -r hit; do
	complain "$hit: what is said on stderr passes rn_say (repl/terminal/terminal.h)"
done < <(
	grep -rnE 'fprintf ?\(stderr' repl --include=*.c)
while read -r hit; do
	complain "$hit: repl/sqlite is a user of runnel.h and of nothing else of ours"
done < <(
	grep -rnE '#include "' repl/sqlite | grep -v '#include "repl/api/runnel.h"')
# Files that anybody may have made are read within limits, which probes/process/elf.c keeps.
while read -r hit; do
	complain "$hit: ELF files are read by probes/process/elf.h alone"
done < <(
	grep -rnE '#include <(elf|gelf|libelf|elfutils/[a-z]*)\.h>|\b(elf_begin|elf_memory|dwarf_begin|dwfl_begin) ?\(' \
		lang planner exec probes repl --include=*.c --include=*.h |
		grep -vE '^probes/process/elf(_[a-z]+)?\.c:')
# Files are opened for writing by lang/files/outfile.c alone, which looks at who placed what is
# there: docs/security.md. SQLite writes into a descriptor (exec/trace/fdvfs.c). Only the catalogue
# has a name, and its directory is looked at first.
while read -r hit; do
	complain "$hit: files are opened for writing by lang/files/outfile.h"
done < <(
	statements lang planner exec probes repl |
		grep -E '[^_a-z](open|openat|open64)\(.*O_(WRONLY|RDWR|CREAT|APPEND|TRUNC)|[^_a-z](freopen|fopen)\([^,]*, *"[^"]*[wa+]|[^_a-z](creat|tmpfile|mko?stemps?|rename|symlink|link|mkdir) ?\(' |
		grep -vE '^lang/files/outfile\.c:|^probes/bpf/|fopen\("/dev/null"|:[0-9]+:\s*(/?\*|//)')
while read -r hit; do
	complain "$hit: SQLite writes to a descriptor (exec/trace/fdvfs_impl.h), or to the catalogue"
done < <(
	statements lang planner exec probes repl |
		grep -E 'sqlite3_open(16)? ?\(|SQLITE_OPEN_(READWRITE|CREATE)' |
		grep -vE '":memory:"|^exec/trace/fdvfs\.c:|^repl/views/catalog_db\.c:')
for dir in lang planner exec probes repl; do
	# shellcheck disable=SC2044 # names of ours
	for f in $(find $dir -name '*.c' -o -name '*.h' -o -name '*.re' -o -name '*.y'); do
		n=$(wc -l <"$f"); [ "$n" -le 800 ] || complain "$f: $n lines"
		head -1 "$f" | grep -qE '^/\*' || complain "$f: does not open with its purpose"
	done
done
LC_ALL=C awk -f stdlib/doc.awk stdlib/*.rnl | LC_ALL=C awk -f docs/packaging/fill.awk |
	cmp -s - docs/generated/stdlib.md ||
	complain "docs/generated/stdlib.md is not what its modules say: make docs/generated/stdlib.md"
[ -s "$tap_results" ] || ok 'rooms, words and pages keep the rules of this file'
silent 'rooms stand on those that tests/lint/arrows allows' tests/lint/arrows.py
silent 'rows of tables are complete' tests/lint/recipes.py
silent 'no function is too long' tests/lint/functions.py
silent 'names have their prefix' tests/lint/names.py
silent 'declarations stand where one looks for them' tests/lint/headers.py
silent 'numbers of the library have names' tests/lint/library.py
silent 'links lead to something' tests/lint/links.py
silent 'sentences are plain' tests/lint/prose.py
silent 'messages are plain' tests/lint/messages.py
done_testing
