#!/bin/bash
# errors.sh - messages that a stranger can act on, whole. Wrong queries exit with 1 and attach
# nothing.
. tests/cli/lib.bash
wrong() { # NAME QUERY MESSAGE
	run "$2"; case_is "$1" 1 "" "$3"
}
wrong field 'count of read where prc = java' \
'query:1:21: error: `prc` is not a field of `read` [E-NAME-FIELD]
  count of read where prc = java
                      ^~~
  did you mean `proc`? `runnel describe read` lists them'
wrong source 'count of raed by proc' \
'query:1:10: error: `raed` is not an event class, table or view [E-NAME-SOURCE]
  count of raed by proc
           ^~~~
  did you mean `read`?'
wrong unit 'count of read where bytes > 5ms' \
'query:1:29: error: units differ: a size and a duration [E-UNIT]
  count of read where bytes > 5ms
                      ~~~~~   ^~~
  `bytes` is a size, `5ms` is a duration'
wrong trace 'count of read from "/nope.rnt"' \
'query:1:20: error: the trace "/nope.rnt" cannot be read: No such file or directory [E-TRACE]
  count of read from "/nope.rnt"
                     ^~~~~~~~~~~'
run 'count of io where bytes > (bytes of io limit 2) from "tests/demo/io.rnt"'
case_is second-row 4 "" \
'query:1:28: error: a query as a value gave 2 rows, and only one can be taken
  count of io where bytes > (bytes of io limit 2) from "tests/demo/io.rnt"
                             ^~~~~~~~~~~~~~~~~~~
  `limit 1`, or an aggregate, makes it one'
wrong name-of-a-flag 'count of open where flags & (O_CREAT | O_EXLC) != 0' \
'query:1:40: error: `O_EXLC` is neither a field of `open` nor a name of open flags [E-NAME-FIELD]
  count of open where flags & (O_CREAT | O_EXLC) != 0
                                         ^~~~~~
  did you mean `O_EXCL`?'
wrong name-of-a-signal 'count of kill where arg1 in (SIGTERM, TERM)' \
'query:1:39: error: `TERM` is neither a field of `kill` nor a name of a signal [E-NAME-FIELD]
  count of kill where arg1 in (SIGTERM, TERM)
                                        ^~~~
  such names are like SIGKILL; or write a number'
wrong sum-of-flags 'sum(flags) of open' \
'query:1:5: error: `sum` of names would mean nothing [E-UNIT]
  sum(flags) of open
      ^~~~~
  set(flags) says which ones there are'
wrong flags-and-time 'count of open where flags = 5ms' \
'query:1:29: error: units differ: open flags and a duration [E-UNIT]
  count of open where flags = 5ms
                      ~~~~~   ^~~
  `flags` is open flags, `5ms` is a duration'
wrong module 'use oi;' \
'query:1:1: error: there is no module `oi` [E-NAME-MODULE]
  use oi;
  ^~~~~~
  did you mean `io`?'
run --stop-after=types 'events of slow_reads'
same not-used "$rc" 0
wrong not-used-typo 'events of biolatncy' \
'query:1:11: error: `biolatncy` is not an event class, table or view [E-NAME-SOURCE]
  events of biolatncy
            ^~~~~~~~~
  did you mean `biolatency`?'
wrong name-of-a-script 'opensnoop.bt' \
'query:1:13: error: found the end of the query, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  opensnoop.bt
              ^
  `opensnoop` alone is a view'
wrong name-of-a-class 'read;' \
'query:1:1: error: `read` is an event class, which is asked by a query [E-NAME-SOURCE]
  read;
  ^~~~
  `events of read` shows each, `count of read by proc` counts'
wrong circle 'view p := events of q; view q := events of p' \
'view p:1:21: error: the view `q` uses itself [E-NAME-VIEW]
  view p := events of q
                      ^
  q -> p -> q'
wrong class-as-view 'view read() := count of write;' \
'query:1:1: error: `read` is an event class; a view needs another name [E-NAME-VIEW]
  view read() := count of write;
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~'
wrong drop-module 'use io; drop view slow_reads;' \
'query:1:19: error: `slow_reads` is part of stdlib/io.rnl and cannot be dropped [E-NAME-VIEW]
  use io; drop view slow_reads;
                    ^~~~~~~~~~
  only views of your own are dropped: `runnel list --saved` shows them'
# Their texts belong to the layers that make them: here only that they get out, with status 1 and a
# place.
for c in 'E-AGG-WHERE|count of read where count > 5' 'E-LEX|count of read where file = "x' \
	'E-LATER|count of block by proc' \
	'E-SYNTAX|count by read' 'E-NAME-PARAM|count of read where proc = $who' \
	'E-TYPE|count of read where proc > 5'; do
	run "${c#*|}"
	same "${c%%|*}" "$rc $(grep -c "\[${c%%|*}" "$tmp/err") $(head -c8 "$tmp/err")" \
		"1 1 query:1:"
done
run 'count of read where prc = java; count of write where byts > 1'
same two-errors "$rc $(grep -c E-NAME-FIELD "$tmp/err")" "1 2"
# A script's message names the file and the right line, with a #! line above.
printf '#!/usr/bin/env runnel\n-- comment\ncount of raed;\n' >"$tmp/s.rnl"
run "$tmp/s.rnl"
same script-place "$rc $(head -n1 "$tmp/err")" \
	"1 $tmp/s.rnl:3:10: error: \`raed\` is not an event class, table or view [E-NAME-SOURCE]"
# A wrong query leaves the file of -O as it was.
echo keep >"$tmp/rows"
run -O "$tmp/rows" 'count of raed'
same output-untouched "$rc $(cat "$tmp/rows")" "1 keep"
# Nothing of a text runs, or is saved, if a part of it is wrong.
run 'view good() := count of read; count of raed;'
same nothing-saved "$rc $(ls "$tmp"/catalog.db 2>&1 | grep -c cannot)" "1 1"
# Where a value is written depends on where the text came from.
printf 'count of read limit $n;\n' >"$tmp/p.rnl"
run "$tmp/p.rnl"
holds value-of-a-file "  give it one behind the file: runnel $tmp/p.rnl n=VALUE" "$tmp/err"
run 'count of read limit $n'
holds value-of-a-query "  give it one behind the query: runnel 'QUERY' n=VALUE" "$tmp/err"
"$RN" <"$tmp/p.rnl" >"$tmp/out" 2>"$tmp/err"
holds value-of-a-pipe "  give it one on the command line: runnel - n=VALUE" "$tmp/err"
# Each query that a hint writes out must compile. Queries of tracepoints are left out, as reading
# tracepoints needs a right.
grep -hE '^  .*(s a|irst) query: ' tests/golden/errors/*.t | sed -E 's/.*(s a|irst) query: //' |
	sort -u | grep -v tracepoint >"$tmp/hinted"
while read -r query; do
	run --stop-after=plan "$query"
	# a note, as that rows leave the kernel, is no fault of the query
	same "a query of a hint: $query" "$rc $(grep -m1 ': error: \|: warning: ' "$tmp/err")" '0 '
done <"$tmp/hinted"
same 'hints with queries' "$(($(wc -l <"$tmp/hinted") > 5))" 1
done_testing
