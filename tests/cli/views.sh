#!/bin/bash
# views.sh - saving, listing, describing, using and dropping views; a catalogue that is not one is
# left alone.
. tests/cli/lib.bash
run 'view slow(th = 1ms) := count as n of read where latency > $th by file;'
case_is save 0 "" "view slow saved"
run list slow
case_is list 0 $'kind  name  doc\nview  slow  (th = 1ms)' ""
run describe slow
case_is describe 0 \
'kind       name  type     unit  where  doc
view       slow
parameter  th    = 1ms
column     file  string
column     n     integer
text                                   view slow(th = 1ms) := count as n of read where latency > $th by file' ""
run --stop-after=plan 'sum(n) of slow(2ms)'
case_is use-saved 0 "" ""
run 'view slow(th = 2ms) := count as m of read where latency > $th by file;'
run --stop-after=types 'sum(m) of slow'
case_is replace 0 "" ""
run --stop-after=types 'sum(n) of slow'
same replaced "$rc" 1
run -q 'drop view slow;'
case_is drop 0 "" ""
run 'drop view slow;'
case_is dropped 1 "" \
'query:1:11: error: there is no view `slow` [E-NAME-VIEW]
  drop view slow;
            ^~~~
  did you mean `slow_calls`?'
run 'view v1() := count of read; explain events of v1;'
same use-in-same-text "$rc" 0

# Parameters that are fields, conditions and sources.
demo='from "tests/demo/io.rnt"'
run "view busiest(what, key, c = true) := count of \$what where \$c by \$key top 3;"
same field-saved "$rc" 0
is_same() { # NAME VIEW QUERY
	run -o csv "events of $2 $demo"; cp "$tmp/out" "$tmp/of_view"
	run -o csv "$3 $demo"
	same "$1" "$rc $(wc -l <"$tmp/out") $(cat "$tmp/of_view")" "0 4 $(cat "$tmp/out")"
}
is_same source-and-field 'busiest(io, proc)' 'count of io by proc top 3'
is_same query-and-expression 'busiest((events of io where bytes > 100), basename(file))' \
	'count of io where bytes > 100 by basename(file) top 3'
is_same condition 'busiest(io, name, bytes > 4096)' 'count of io where bytes > 4096 by name top 3'
is_same condition-by-name 'busiest(c = (error = 0), what = io, key = name)' \
	'count of io where error = 0 by name top 3'
run "events of busiest(io, \$k) $demo" k=proc
same text-from-outside "$rc $(grep -c 'stands for a field' "$tmp/err")" '1 1'
run list busiest
same list-kinds \
	"$(sed -n 2p "$tmp/out")" 'view  busiest  (what source, key field, c condition = true)'
run describe busiest
same describe-kinds "$(sed -n 's/^parameter //p' "$tmp/out" | tr -s ' ' | paste -sd,)" \
	' what required source, key required field, c = true condition'
run -q 'drop view busiest;'

# A saved view and one of a module: the latest counts, and a note says so.
run --stop-after=plan 'view slow_reads(t) := count as mine of read where latency > $t; sum(mine) of slow_reads(1ms)'
case_is hides-module 0 "" \
'query:1:1: note: the module io has a view `slow_reads` too [N-VIEW-HIDDEN]
  view slow_reads(t) := count as mine of read where latency > $t; sum(mine) of slow_reads(1ms)
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  the latest counts: behind `use io;` that is the module'"'"'s, until a text defines its own'
run -q 'view slow_reads(t) := count as mine of read where latency > $t;'
run --stop-after=plan 'sum(mine) of slow_reads(1ms)'; case_is saved-alone 0 "" ""
run --stop-after=plan 'use io; sum(mine) of slow_reads(1ms)'
same hidden-by-module "$rc $(head -n1 "$tmp/err")" \
	"1 query:1:1: note: the module hides what is saved as \`slow_reads\` [N-VIEW-HIDDEN]"
run -q list slow_reads; same listed-once "$(grep -c slow_reads "$tmp/out")" 1
run -q 'drop view slow_reads;'; same drop-hider "$rc" 0

# What a comment says is no code; a view may have the name of an aggregate.
run -- $'--| $100 for a 5" disk\nview last := count of io;'
same doc-is-no-code "$rc $(cat "$tmp/err")" '0 view last saved'
run describe last
same both-of-a-name "$rc $(awk '{ print $1 }' "$tmp/out" | paste -sd' ')" \
	'0 kind view column text aggregate'
run -- $'--| a 5" disk\nview unfit(g) := count of tracepoint $g where pid > $nosuch by name;'
same quote-in-a-doc "$rc $(grep -c 'no parameter `nosuch`' "$tmp/err")" '1 1'
run -q 'drop view last;'

# A file that is no database, and a database that is not ours: said plainly, nothing lost.
echo "not a database at all" >"$tmp/bad.db"; cp "$tmp/bad.db" "$tmp/bad.copy"
run --catalog "$tmp/own.db" 'view mine() := count of read;'
case_is own-catalogue 0 "" "view mine saved"
run --catalog "$tmp/own.db" list mine
case_is own-catalogue-has-it 0 $'kind  name  doc\nview  mine' ""
run --stop-after=types 'events of mine'
case_is other-catalogue-has-not 1 "" \
	"query:1:11: error: \`mine\` is not an event class, table or view [E-NAME-SOURCE]
  events of mine
            ^~~~
  \`runnel list\` shows them all"
sqlite3 "$tmp/other.db" 'create table t(x); insert into t values (1);'
cp "$tmp/other.db" "$tmp/other.copy"
export RUNNEL_CATALOG=$tmp/bad.db
run 'view z() := count of read;'
case_is corrupt-save 4 "" \
"error: the catalogue of views $tmp/bad.db cannot be read: file is not a database
  the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG"
run --stop-after=plan 'count of nosuchview'
holds corrupt-read \
	"error: the catalogue of views $tmp/bad.db cannot be read: file is not a database" \
	"$tmp/err"
run --stop-after=plan 'count of read'
case_is corrupt-not-needed 0 "" ""
export RUNNEL_CATALOG=$tmp/other.db
run 'view z() := count of read;'
same other-save "$rc $(head -n1 "$tmp/err")" \
	"4 error: $tmp/other.db is an SQLite database, but no catalogue of views"
cmp -s "$tmp/bad.db" "$tmp/bad.copy" && cmp -s "$tmp/other.db" "$tmp/other.copy"
same left-alone $? 0
export RUNNEL_CATALOG=$tmp/catalog.db
run 'view w1 := count of w2'
same not-itself "$rc $(grep -c E-NAME-SOURCE "$tmp/err") $(grep -c 'did you mean' "$tmp/err")" \
	"1 1 0"
run 'view w3 := count of open; view w1 := count of w2'
same another "$rc $(grep -c 'did you mean `w3`' "$tmp/err")" "1 1"

# ---- a name alone is a statement
run 'view calls(least = 0) := count as n of io by proc having count >= $least order by proc
	from "tests/demo/io.rnt"'
same alone-saved "$rc $(cat "$tmp/err")" '0 view calls saved'
run -q '* of calls(3)'; cp "$tmp/out" "$tmp/all"
run -q 'calls(3)'; same alone "$rc $(wc -l <"$tmp/all") $(cmp "$tmp/out" "$tmp/all")" '0 9 '
run -q -o csv 'calls;calls()'
same alone-twice "$rc $(grep -c '^proc,n$' "$tmp/out")" '0 2'
run -q "calls(least = 3) format json to \"$tmp/j\""
same alone-format "$rc $(jq -s length "$tmp/j")" '0 8'
run -q -o csv 'let most := max(n) as m of calls; most'
same alone-result "$rc $(tail -n 1 "$tmp/out")" \
	"0 $(awk 'NR > 1 && $2 > m { m = $2 } END { print m }' "$tmp/all")"
echo 'calls(3); -- the last' >"$tmp/q.rnl"; run -q "$tmp/q.rnl"
same alone-in-a-file "$rc $(cmp "$tmp/out" "$tmp/all")" '0 '
for q in 'calls where n > 1' 'calls(3) limit 1' 'explain calls' 'assert calls' 'let x := calls' \
	'count of (calls)' 'calls by proc'; do
	run "$q"
	same "no query: $q" \
		"$rc $(grep -c 'the query of all its rows is `\* of calls`' "$tmp/err")" '1 1'
done
run 'callz'; same alone-mistyped "$rc $(grep -c 'did you mean `calls`' "$tmp/err")" '1 1'
run 'calls(3, 4)'; same alone-values "$rc $(grep -c E-NAME-PARAM "$tmp/err")" '1 1'
run list; same command-first "$rc $(head -c 4 "$tmp/out")" '0 kind'
echo 'most: broken' >"$tmp/most"
(cd "$tmp" && "$RN" most >"$tmp/out" 2>"$tmp/err")
same file-first "$? $(head -c 6 "$tmp/err")" '1 most:1'
done_testing
