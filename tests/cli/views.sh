#!/bin/bash
# views.sh - saving, listing, describing, using and dropping views; a catalogue that is not one is left alone.
. tests/cli/lib.bash
run 'view slow(th = 1ms) := count as n of read where latency > $th by file;'
case_is save 0 "" "view slow saved"
run list slow
case_is list 0 $'kind  name  doc\nview  slow' ""
run describe slow
case_is describe 0 \
'kind       name       type     where  doc
view       slow                       view slow
parameter  th         = 1ms
column     file       string
column     n          integer
text       view slow                  view slow(th = 1ms) := count as n of read where latency > $th by file' ""
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
'query:1:1: error: there is no view `slow` [E-NAME-VIEW]
  drop view slow;
  ^~~~~~~~~~~~~~'
run 'view v1() := count of read; explain events of v1;'
same use-in-same-text "$rc" 0

# A file that is no database, and a database that is not ours: said plainly, nothing lost.
echo "not a database at all" >"$tmp/bad.db"; cp "$tmp/bad.db" "$tmp/bad.copy"
sqlite3 "$tmp/other.db" 'create table t(x); insert into t values (1);'; cp "$tmp/other.db" "$tmp/other.copy"
export RUNNEL_CATALOG=$tmp/bad.db
run 'view z() := count of read;'
case_is corrupt-save 4 "" \
"error: the catalogue of views $tmp/bad.db cannot be read: file is not a database
  the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG"
run --stop-after=plan 'count of nosuchview'
holds corrupt-read "error: the catalogue of views $tmp/bad.db cannot be read: file is not a database" "$tmp/err"
run --stop-after=plan 'count of read'
case_is corrupt-not-needed 0 "" ""
export RUNNEL_CATALOG=$tmp/other.db
run 'view z() := count of read;'
same other-save "$rc $(head -n1 "$tmp/err")" "4 error: $tmp/other.db is an SQLite database, but no catalogue of views"
cmp -s "$tmp/bad.db" "$tmp/bad.copy" && cmp -s "$tmp/other.db" "$tmp/other.copy"; same left-alone $? 0
exit $status
