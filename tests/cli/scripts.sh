#!/bin/bash
# scripts.sh - query files that are programs: parameters, results that later statements use,
# assertions, formats. Everything runs over a recorded trace; the truth is what sqlite3 reads from
# the same file.
. tests/cli/lib.bash
T=$tmp/t.rnt
"$B/tests/gen_trace" "$T" 3000 5 || { not_ok "no trace"; exit 1; }
cd "$tmp" || exit 1
sql() { sqlite3 "$T" "$@"; }

# ---- parameters
cat >p.rnl <<'EOF'
#!/usr/bin/env -S runnel
--| Which call.
param call string;
--| How long is slow.
--| In any unit of time.
param threshold = 1us;
param most integer = 1000;
count of syscall where name = $call and latency > $threshold limit $most from "t.rnt";
EOF
slow() { sql "select count(*) from events where name = '$1' and latency > $2"; }
run -q -o csv p.rnl call=read
case_is default 0 "count
$(slow read 1000)" ""
run -q -o csv p.rnl threshold=2ms call=read
case_is value 0 "count
$(slow read 2000000)" ""
"$RN" -q -o csv - call=read threshold=2ms <p.rnl >out 2>err; rc=$?
case_is stdin 0 "count
$(slow read 2000000)" ""
"$RN" -q -o csv - <<<'count of syscall from "t.rnt"' >out 2>err; rc=$?
case_is stdin-without-values 0 "count
3000" ""
cp p.rnl slow-calls; chmod +x slow-calls
PATH=$B:$PATH timeout 300 ./slow-calls call=write -q -o csv threshold=1ms >out 2>err; rc=$?
case_is executable 0 "count
$(slow write 1000000)" ""
run p.rnl
case_is missing 1 "" \
	'p.rnl:3:7: error: the parameter `call` has no value: a string is needed [E-PARAM]
  param call string;
        ^~~~
  give it one behind the file: runnel p.rnl call=VALUE'
run p.rnl call=read threshold=5
case_is unit 1 "" 'p.rnl:6:7: error: the parameter `threshold` is a duration, and `threshold=5` gives it none [E-PARAM]
  param threshold = 1us;
        ^~~~~~~~~
  for instance threshold=10ms'
run p.rnl call=read treshold=5ms
case_is undeclared 2 "" "runnel: \`treshold=5ms\` is given, but p.rnl declares no parameter \`treshold\`; did you mean \`threshold\`?"
run -q -o csv 'param text string; count of syscall where proc = $text from "t.rnt"' text=12
case_is text-stays-text 0 "count
0" ""
run -q -o csv 'param share float = 0.99; quantile(latency, $share) of syscall from "t.rnt"'
mv out with
run -q -o csv 'quantile(latency, 0.99) of syscall from "t.rnt"'
same fraction-in-the-name "$rc $(head -n1 with) $(sed -n 2p with)" \
	"0 $(head -n1 out) $(sed -n 2p out)"
run -o csv describe p.rnl
case_is describe 0 'kind,name,type,unit,where,doc
parameter,call,"string, required","","",Which call.
parameter,threshold,duration = 1us,"","","How long is slow.
In any unit of time."
parameter,most,integer = 1000,"","",""
statement,line 8,"","","","count of syscall where name = $call and latency > $threshold limit $most from ""t.rnt"""' ""
run describe nosuch.rnl
same describe-no-file "$rc $(cat err)" "2 runnel: cannot read nosuch.rnl: No such file or directory"
echo 'param x; count of' >bad.rnl; run describe bad.rnl
same describe-bad-file "$rc $(grep -c E-SYNTAX err)" "1 2"
# shellcheck disable=SC2238 # a file of that name is meant
: >read
run -o csv describe read
same describe-class-beside-a-file "$rc $(sed -n 2p out | cut -d, -f1,2)" "0 class,read"

# ---- results that later statements use. A nested query in the place of the result gives the same
# rows.
# NAME RESULT QUERY: the query over the result `r`, and with the result's query in its place
all_ways() {
	run -q -o json "let r := $2; ${3//@/r}"; mv out with
	run -q -o json "${3//@/($2)}"
	same "$1" "$rc $(cksum <with) $([ -s with ] && echo some)" "0 $(cksum <out) some"
}
from='from "t.rnt"'
g="count, p99(latency) as worst, max(bytes) as most of syscall by proc, name $from"
all_ways rows "$g" 'events of @ where worst > 20us'
all_ways groups "$g" 'sum(count), max(worst) of @ where count > 3 by proc'
all_ways top "$g" 'top 4 of @'
all_ways top-other-order "max(bytes) as most, count of syscall by proc, fd $from" 'top 4 of @'
all_ways ordered "$g" 'name, count of @ order by count desc, name limit 7'
all_ways windows "count of syscall by proc every 1s $from" 'max(count), count of @ by proc'
all_ways window-column "count of syscall by proc every 1s $from" \
	'window, proc, count of @ where window > "2026-11-20 10:00:00"'
all_ways windows-of-windows "count as n of syscall by proc every 1s $from" 'sum(n) of @ every 2s'
all_ways events "time, proc, latency, file, peer, error of syscall $from" \
	'count, first(file), last(latency) of @ by proc, error'
all_ways having "proc, bytes of io $from" \
	'sum(bytes) of @ by proc having proc != "java" and count > 2'
all_ways in-between "$g" \
	'count of (proc, count as n of @ where count > 5) where n between 6 and 1000'
all_ways empty "proc of syscall where proc = nosuch $from" 'count of @'
run -q -o json "let r := proc of (count of syscall by proc $from) where count > 500; count of syscall where proc in (proc of r) by name $from"
mv out with
run -q -o json "count of syscall where proc in (proc of (count of syscall by proc $from) where count > 500) by name $from"
same set "$rc $(cksum <with)" "0 $(cksum <out)"
run -q -o csv "let a := proc, bytes of io $from; let b := sum(bytes) as moved of a by proc; let a := moved of b limit 1; count of a; count of b; moved of a"
same names-again "$rc $(paste -sd' ' out)" \
	"0 count 1 count $(sql "select count(distinct proc) from events where name in ('read','pread64','write','pwrite64','readv','writev','sendto','recvfrom','sendmsg','recvmsg','sendfile','preadv','pwritev','preadv2','pwritev2','sendmmsg','recvmmsg','splice','tee','vmsplice','copy_file_range','process_vm_readv','process_vm_writev')") moved $(tail -n1 out)"
run -q -o csv "let none := proc of syscall where proc = nosuch $from; count of none; proc of none"
case_is no-rows 0 $'count\n0\nproc' ""
run 'let r := count of syscall by proc from "t.rnt"; sum(count) of r'
same ledger "$rc $(cat err)" "0 ledger: 3,000 seen, 3,000 matched, 0 lost; from the result \`r\`"
run -o json 'let r := count of syscall by proc from "t.rnt"; sum(count) of r where count in (count of r)'
same ledger-once "$rc $(jq -c '.ledger | [.seen, .complete, .trace]' err)" \
	'0 [3000,true,"from the result `r`"]'
run -v 'let r := count of syscall by proc from "t.rnt"'
same verbose "$rc $(grep -c '^ledger of let r: 3,000 seen' err) $(grep '^let r' err)" \
	"0 1 let r: $(sql 'select count(distinct proc) from events') rows"
run 'let read := count as calls of syscall by proc from "t.rnt"; calls of read limit 0'
run -o csv 'let read := count as calls of syscall from "t.rnt"; calls of read'
same hides "$rc $(cat out) $(grep -c 'N-LET-HIDES' err)" $'0 calls\n3000 1'
run 'let r := count of syscall by proc; count of r'
same endless "$rc $(head -n1 err)" \
	"1 query:1:10: error: this query is live and would never end [E-ENDLESS]"
run 'assert count = 0 of syscall'; same endless-assertion "$rc $(grep -c E-ENDLESS err)" "1 1"
run 'let r := events of syscall into "x.rnt" for 1s; events of r'
same no-into "$rc $(grep -c E-CLAUSE err) $(grep -c error: err) $(ls x.rnt 2>&1 | grep -c cannot)" \
	"1 1 1 1"
run 'assert error = 0 of syscall into "x.rnt" for 1s'
same no-assertion-into "$rc $(grep -c 'error:' err)" "1 1"
run 'count of syscall from "t.rnt"; count of syscall for 1s on nosuch'
same nodes-first "$rc $(head -n1 err) $(cat out)" \
	'4 query:1:59: error: there is no node `nosuch` [E-SYSTEM] '
run 'count of syscall where pid in (pid of processes on nosuch) for 1s'
same nodes-of-a-set "$rc $(head -n1 err)" \
	'4 query:1:52: error: there is no node `nosuch` [E-SYSTEM]'
run 'let r := count as n of syscall by proc from "t.rnt"; n of r where m = 1; count of raed; p of r'
same all-errors-first "$rc $(grep -oE '\[E-[A-Z-]*' err | paste -sd' ') $(cat out)" \
	"1 [E-NAME-FIELD [E-NAME-SOURCE [E-NAME-FIELD "
run --explain 'let r := count as n of syscall by proc from "t.rnt";
n of r'
same explain "$rc $(grep -c 'reads the result `r` (of line 1)' out)" "0 1"
run --dump=bpf 'let r := count as n of syscall by proc from "t.rnt"; n of r'
same dump "$rc $(grep -c 'no BPF' out)" "0 2"
run -q -o csv 'events of syscall from "t.rnt" into "own.rnt"; let r := count as n of syscall from "own.rnt"; n of r; assert n = 3000 of r'
same recorded-by-the-text "$rc $(paste -sd' ' out)$(cat err)" "0 n 3000"
run -q 'events of syscall from "t.rnt" into "own.rnt" replace; let r := count as n of syscall from "own.rnt"; n of r where m = 1'
same recorded-by-the-text-and-wrong "$rc $(grep -c 'is not a column of the result' err)" "1 1"

# ---- assertions
run 'assert count = 3000 of syscall from "t.rnt"'; case_is holds 0 "" ""
run 'let r := count of syscall by proc from "t.rnt";
assert count > 3000 of r
    else "some are rare";
count of raed of'
run 'let r := count of syscall by proc order by proc from "t.rnt";
assert count > 3000 of r where proc = nginx
    else "some are rare"; count of syscall from "t.rnt"'
case_is fails 1 "" 'query:2:8: error: some are rare [E-ASSERT]
  assert count > 3000 of r where proc = nginx
         ^~~~~~~~~~~~
  count = 1'
run 'assert p99(latency) < 1us, count > 0 of syscall where proc = dd by proc, name order by name from "t.rnt"'
same values "$rc $(tail -n1 err | sed 's/= [0-9.]* us/= N us/')" \
	"1   proc = dd, name = $(sql "select min(name) from events where proc = 'dd'"), p99(latency) = N us, count = $(sql "select count(*) from events where proc = 'dd' and latency is not null group by name order by name limit 1")$(
	n=$(sql "select count(distinct name) from events where proc = 'dd'"); [ "$n" = 1 ] ||
		echo "; $n of $n rows fail, this is the first")"
run 'assert count > 1, proc != dd of syscall by proc order by proc from "t.rnt"'
same second-condition "$rc $(sed -n 3p err) $(tail -n1 err)" \
	"1                     ^~~~~~~~~~   proc = dd, count = $(sql "select count(*) from events where proc = 'dd'"); 1 of $(sql "select count(distinct proc) from events") rows fails"
run 'assert count < 0 of syscall by proc, bucket(time, 10s) as window order by proc limit 1 from "t.rnt"'
same a-key-called-window "$rc $(tail -n1 err | sed 's/window = 20[0-9: .-]*/window = T/')" \
	"1   proc = dd, window = T, count = $(sql "select count(*) from events where proc = 'dd'")"
run 'assert count > 0, proc != dd of syscall by proc every 10s from "t.rnt"'
same windows "$rc $(tail -n1 err | sed -E 's/window = 20[0-9: .-]*\(([0-9.]+) of 10 s\)/window = T (partial)/; s/;.*//')" \
	"1   window = T (partial), proc = dd, count = $(sql "select count(*) from events where proc = 'dd'")"
run 'assert latency >= 0ns, not error = ENOENT or proc = find of syscall where proc = find from "t.rnt"'
case_is rows-hold 0 "" ""
# what was waiting when the recording began can neither hold nor fail
known() { sql "select printf('%,d', count(*)) from events where latency is not null"; }
run 'assert latency < 0ns of syscall from "t.rnt"'
same rows-fail "$rc $(tail -n1 err | sed 's/.*; //')" \
	"1 $(known) of $(known) rows fail, this is the first"
run 'assert count > 5 of syscall where proc = nosuch by proc from "t.rnt"'
case_is no-groups-hold 0 "" ""
run 'assert max(latency) < 5s of syscall where proc = nosuch from "t.rnt"'
same nothing-is-not-true "$rc $(tail -n1 err)" "1   max(latency) = null"
run -q 'assert false of syscall where proc = dd limit 1 from "t.rnt"'
same constant "$rc $(tail -n1 err)" "1   it is false"
run -v 'assert count = 3000 of syscall from "t.rnt" else "x"'
same says-what-holds "$rc $(tail -n1 err)" \
	'0 query:1:1: holds: assert count = 3000 of syscall from "t.rnt" else "x"'
run 'assert count of syscall from "t.rnt"'
same no-condition "$rc $(grep -c 'made of conditions' err)" "1 1"
# What is lost is not what holds.
"$B/tests/gen_trace" lossy.rnt 200 3 &&
	sqlite3 lossy.rnt "update ledger set count = 5 where item = 'lost_ring' and node = 'node1'"
run -q 'assert count = 200 of syscall from "lossy.rnt"'
same doubt "$rc $(head -n1 err)" \
	"0 query:1:1: warning: the assertion holds of what was seen, and that was not all [W-ASSERT]"
run -q --strict 'assert count = 200 of syscall from "lossy.rnt"'; same doubt-strict "$rc" 3
run -q --strict 'assert count = 5 of syscall from "lossy.rnt"'; same fails-all-the-same "$rc" 1
run 'let r := count as n of syscall from "lossy.rnt"; assert n = 200 of r'
same let-tells "$(grep -c '^ledger of let r: .* 5 lost' err) $(grep -c W-ASSERT err)" "1 1"
run -q --strict 'let r := count as n of syscall from "lossy.rnt"; n of r'
same let-strict "$rc $(cat out)" "3 "

# ---- formats
run -q 'count of syscall from "t.rnt" format json; count of syscall from "t.rnt" format csv; count of syscall from "t.rnt"; count of syscall from "t.rnt" format json'
case_is formats 0 $'{"count": 3000}\ncount\n3000\ncount\n 3000\n{"count": 3000}' ""
run -q -o json 'count of syscall from "t.rnt" format csv to "f.csv"; count as n of syscall from "t.rnt"; count as n of syscall from "t.rnt" format json to "f.csv"; 1 + 1 as x of syscall limit 1 from "t.rnt" format csv to "g.csv"'
same files "$rc $(cat out) $(paste -sd' ' f.csv) $(paste -sd' ' g.csv)" \
	'0 {"n": 3000} count 3000 {"n": 3000} x 2'
run -q -O o.csv -o csv \
	'count of syscall from "t.rnt" format csv to "o.csv"; count of syscall from "t.rnt"'
same file-of-both "$rc $(paste -sd' ' o.csv)$(cat out)" "0 count 3000 count 3000"
run -q -O o.csv -o csv 'count of syscall from "t.rnt" format csv to "./o.csv"; count of syscall from "t.rnt" format csv to "p.csv"; count as n of syscall from "t.rnt" format csv to "./p.csv"; count of syscall from "t.rnt"'
same file-of-many-names "$rc $(paste -sd' ' o.csv) $(paste -sd' ' p.csv)$(cat out)" \
	"0 count 3000 count 3000 count 3000 n 3000"
rm o.csv
run -q -O o.csv -o csv \
	'count of syscall from "t.rnt" format csv to "./o.csv"; count of syscall from "t.rnt"'
same new-file-of-two-names "$rc $(paste -sd' ' o.csv)$(cat out)" "0 count 3000 count 3000"
echo kept >o.csv; run -q -O o.csv 'count of syscall from "t.rnt" format csv to "p.csv"'
same not-written-not-emptied "$rc $(cat o.csv) $(paste -sd' ' p.csv)$(cat out)" "0 kept count 3000"
run 'count of syscall from "t.rnt" format jsno; count of syscall from "t.rnt" format perfetto; count of syscall from "t.rnt" format xyz'
same no-format "$rc $(grep -oE '\[E-[A-Z-]*|did you mean .*|there are .*' err | paste -sd' ')" \
	'1 [E-NAME-FORMAT did you mean `json`? [E-LATER there are table, json, csv, heat, folded, timeline, tree, svg, dot and html [E-NAME-FORMAT there are table, json, csv, heat, folded, timeline, tree, svg, dot and html'
run 'events of syscall from "t.rnt" into "y.rnt" format json'
same format-of-a-recording "$rc $(grep -c E-CLAUSE err)" "1 1"
run 'count of syscall from "t.rnt" format csv to "/nosuch/x.csv"'
same file-not-writable "$rc $(head -n1 err)" \
	"4 error: cannot write /nosuch/x.csv: No such file or directory"
run 'count of syscall from "t.rnt" format csv to "t.rnt"'
same file-that-is-read "$rc $(grep -c 'is the recording that this query reads' err) $(sql 'select count(*) from events')" \
	"4 1 3000"
cp t.rnt other.rnt
run -O other.rnt 'count of syscall from "t.rnt"'
same recording-not-written-over \
	"$rc $(grep -c 'other.rnt is a recording' err) $(cmp t.rnt other.rnt)" "4 1 "
run -q --catalog own.db 'view v := count of open'
run --catalog own.db -O own.db list v
same catalogue-not-written-over "$rc $(grep -c 'is a catalogue of views' err)" "4 1"
run -q --catalog own.db 'count of syscall from "t.rnt" format csv to "own.db"'
same catalogue-not-written-over-by-to "$rc" 4
run --catalog own.db list v; same catalogue-is-there "$rc $(grep -c '^view  *v$' out)" "0 1"
echo 'count of syscall from "t.rnt";' >self.rnl
run -O self.rnl self.rnl
same script-not-written-over "$rc $(cat self.rnl)" '4 count of syscall from "t.rnt";'
echo kept >b.rnl
run --catalog none.db export -O b.rnl
same export-of-nothing "$rc $(cat b.rnl)" '0 kept'
cp t.rnt plain
run -o json describe plain
same recording-of-any-name "$rc $(head -n1 out | jq -r .kind)" '0 recording'
run describe nosuch.rnt
same recording-not-there "$rc $(cat err)" \
	'2 runnel: cannot read nosuch.rnt: No such file or directory'
run -q 'count of syscall from "t.rnt" format csv to "/dev/full"'; same file-full "$rc" 4

# ---- exit statuses, as scripts rely on them
exits() { # STATUS STATEMENTS [ARGUMENT...]
	local want=$1 text=$2; shift 2
	"$RN" -q "$@" - <<<"$text" >out 2>err; rc=$?
	same "exit $want: $text" "$rc" "$want"
}
exits 0 'let r := count of syscall from "t.rnt"; assert count = 1 of (events of r);'
exits 1 'assert count = 0 of syscall from "t.rnt"; count of syscall from "t.rnt"'
same 'nothing runs behind a failure' "$(cat out)" ""
exits 1 'let r := count of raed;'
exits 1 'param n integer; count of syscall from "t.rnt"'
exits 4 'let r := count of syscall from "t.rnt"; events of r format csv to "/nosuch/x"'
exits 3 'let r := count as n of syscall from "lossy.rnt"' --strict
exits 0 'let r := count as n of syscall from "lossy.rnt"'
exits 0 'assert count > 0 of syscall from "lossy.rnt"'
exits 1 'assert count = 0 of syscall from "nosuch.rnt"'
run -q - x; same 'exit 2: no value' "$rc $(cat err)" '2 runnel: `x` is not NAME=VALUE'
run -q 'param n = 1; count of syscall from "t.rnt"' m=1; same 'exit 2: undeclared' "$rc" 2
done_testing
