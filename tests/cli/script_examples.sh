#!/bin/bash
# script_examples.sh - the query files of docs/examples and the script that acts on them, over a
# recorded trace; live, tests/live/query/scripts.sh.
. tests/cli/lib.bash
D=$PWD/docs/examples
"$B/tests/gen_trace" "$tmp/t.rnt" 3000 5 || { not_ok "no trace"; exit 1; }
cd "$tmp" || exit 1
export PATH=$B:$PATH RUNNEL=$RN
sql() { sqlite3 t.rnt "$@"; }
for f in "$D"/*.rnl; do
	run describe "$f"
	same "describe ${f##*/}" "$rc $(cat err)" "0 "
	same "documented ${f##*/}" "$(grep -c '^parameter  *[a-z]*  .*\.$' out)" \
		"$(grep -c '^param ' "$f")"
done
run -q -o csv "$D/check.rnl" recording=t.rnt limit=10s failures=100
same holds "$rc $(wc -l <out) $(head -n1 out)$(cat err)" "0 4 proc,name,worst,calls"
same 'the answer behind the assertions' "$(sed -n 2p out | cut -d, -f1,2,4)" \
	"$(sqlite3 t.rnt -csv "select proc, name, count(*) from events
	where name in ('fsync', 'fdatasync', 'pread64', 'pwrite64') and latency is not null group by proc, name
	having proc || ',' || name = '$(sed -n 2p out | cut -d, -f1,2)'")"
timeout 300 "$D/check.rnl" recording=t.rnt limit=1us >out 2>err; rc=$?
same fails "$rc $(head -n1 err) $(cat out)" \
	"1 $D/check.rnl:17:8: error: the disk keeps a program waiting [E-ASSERT] "
# percent, rounded up: the script has the fraction
failed=$(sql "select (100 * sum(error != 0) + count(*) - 1) / count(*) from events where name in ('open', 'openat', 'openat2', 'creat')")
run -q "$D/check.rnl" recording=t.rnt limit=10s failures=$((failed - 1))
same 'fails by its parameter' "$rc $(head -n1 err | sed 's/.*error: //')" \
	"1 too many opens fail [E-ASSERT]"
run -q "$D/check.rnl" recording=t.rnt limit=10s failures="$failed"
same 'holds by its parameter' "$rc" 0
run -q "$D/check.rnl" recording=nosuch.rnt; same 'no recording' "$rc $(grep -c E-TRACE err)" "1 3"
run --explain "$D/slow-calls.rnl"
same explain "$rc $(grep -c 'reads the result `slow` (of line 11), at the coordinator' out)" "0 2"

RECORDING=t.rnt LIMITS='limit=10s failures=100' "$D/guard.sh" "$D/check.rnl" >out 2>err; rc=$?
same guard "$rc $(cat out)" "0 guard.sh: all assertions of $D/check.rnl hold"
RECORDING=t.rnt LIMITS='limit=1us' "$D/guard.sh" "$D/check.rnl" >out 2>err; rc=$?
same guard-fails "$rc $(cat out) $(tail -n1 err)" "1  guard.sh: $D/check.rnl ended with status 1"
sqlite3 t.rnt "update ledger set count = 3 where item = 'lost_ring' and node = 'node1'"
RECORDING=t.rnt LIMITS='limit=10s failures=100' "$D/guard.sh" "$D/check.rnl" >out 2>err; rc=$?
same guard-not-all-seen "$rc" 3
"$D/guard.sh" "$D/check.rnl" >out 2>err
same guard-usage "$? $(cat err)" "2 usage: guard.sh FILE.rnl COMMAND [ARGUMENT...]"
done_testing
