#!/bin/bash
# layers.sh - the rules of the house that a script can check: which layer includes which, who prints, how long files are, whether a page that is made
# from sources is current, and the reference names what there is.
set -u
bad=0
complain() { echo "not ok $*"; bad=1; }
allowed() { # LAYER: the layers it may include
	case $1 in
	lang) echo lang ;; planner) echo lang planner ;;
	exec) echo lang planner exec ;; probes) echo lang planner probes ;;
	repl) echo lang planner exec probes repl ;;
	esac
}
for layer in lang planner exec probes repl; do
	ok=" $(allowed $layer) "
	while IFS=: read -r file line text; do
		to=$(sed -n 's|.*#include "\([a-z]*\)/.*|\1|p' <<<"$text")
		[[ -z $to || $ok == *" $to "* ]] || complain "$file:$line: $layer/ must not include $to/"
	done < <(grep -rn '#include "[a-z]*/' $layer --include=*.c --include=*.h --include=*.y --include=*.re)
	[ $layer = repl ] || while read -r hit; do complain "$hit: only repl/ prints or exits"; done < <(
		grep -rnE '\b(printf|puts|perror|fprintf ?\(std|_?exit) ?\(' $layer --include=*.c --include=*.re | grep -vE '_printf|^probes/bpf/' |
		grep -E '[^_a-z](printf|puts|perror|exit|_exit) ?\(|fprintf ?\(std')
done
# What the program shares with the library knows nothing of the program, and is as silent as the layers below it.
while read -r hit; do complain "$hit: repl/lib must not include the program's headers"; done < <(
	grep -rn '#include "repl/' repl/lib | grep -v '#include "repl/lib/')
while read -r hit; do complain "$hit: repl/lib neither prints nor exits"; done < <(
	grep -rnE '[^_a-z](printf|puts|perror|exit|_exit) ?\(|fprintf ?\(std' repl/lib)
while read -r hit; do complain "$hit: repl/sqlite is a user of runnel.h and of nothing else of ours"; done < <(
	grep -rnE '#include "' repl/sqlite | grep -v '#include "repl/lib/runnel.h"')
for dir in lang planner exec probes repl; do
	for f in $(find $dir -name '*.c' -o -name '*.h' -o -name '*.re' -o -name '*.y'); do
		n=$(wc -l <"$f"); [ "$n" -le 800 ] || complain "$f: $n lines"
		head -1 "$f" | grep -qE '^/\*' || complain "$f: does not open with its purpose"
	done
done
# What a query can name is in the reference: fields, classes and families, aggregates (arg0 to arg5 are told together).
while read -r name; do
	grep -qE "\`$name[\`( ]" docs/language.md || complain "docs/language.md does not have \`$name\`"
done < <({ grep -oP '^\t(X|N|OWN)\((\w+, )?"\K\w+(?=")' probes/catalog.h | grep -vx 'arg[1-4]'
	sed -n '/define RN_AGGS/,/RN_AGG_DECLARE/p' exec/agg/aggs.h | grep -oP 'X\(\K[a-z]\w*(?=\))'; } | sort -u)
LC_ALL=C awk -f stdlib/doc.awk stdlib/*.rnl | cmp -s - docs/stdlib.md || complain "docs/stdlib.md is not what its modules say: make docs/stdlib.md"
[ $bad = 0 ] && echo "ok layers"
exit $bad
