#!/bin/bash
# scripts.sh - query files over live events: results of what was seen, Ctrl-C in the middle, -c and
# -p, nodes, rows that a reader follows.
. tests/live/lib.sh
need_bpf; need jq
D=$PWD/docs/examples
export NO_COLOR=1
cd "$tmp" || exit 1
has() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "${2:-1}" ]; }
attached() { grep -q '^attached' "$1"; }

# ---- a result is what was seen, read twice, without tracing again
cat >let.rnl <<'EOF'
let seen := count, sum(bytes) as moved of syscall where proc = calls and name in (getppid, pwrite64) by name;
name, count of seen order by name;
sum(count) as all, sum(moved) as moved of seen;
assert sum(count) = 1000 of seen else "calls are missing";
EOF
q -q -c "$CALLS getppid=700 pwrite=300x10" let.rnl; rc=$?
same 'a result of a command' "$rc $(jq -c . out | paste -sd' ')" \
	'0 {"name":"getppid","count":700} {"name":"pwrite64","count":300} {"all":1000,"moved":3000}'
q -q -c "$CALLS getppid=699 pwrite=300x10" let.rnl; rc=$?
same 'an assertion about a command' "$rc $(head -n1 err) $(tail -n1 err)" \
	"1 let.rnl:4:8: error: calls are missing [E-ASSERT]   sum(count) = 999"
"$CALLS" times=100000 pause=20 getppid=10 & pid=$!
# Until it was seen both times: it may stand still for that long.
seen_twice() {
	q -q -p "$pid" 'let mine := count of getppid by pid for 1s; pid of mine; count of getppid where pid in (pid of mine) for 500ms'
	rc=$?
	[ "$(wc -l <out)" = 2 ] && [ "$(tail -n 1 out | jq .count)" != 0 ]
}
await seen_twice
kill $pid; wait $pid 2>/dev/null
same 'a result as a set, live' "$rc $(jq -c '.pid // (.count > 0)' out | paste -sd' ')" \
	"0 $pid true"
"$RN" -q -c true 'let a := count of syscall; let b := count of syscall; events of a' >out 2>err
same 'one live query to a command' "$? $(cat err)" \
	'2 runnel: -c goes with one query of live events; query has 2'

# ---- Ctrl-C
interrupt() { # NAME FILE: leaves rc; the first query is attached when it is interrupted
	: >err; : >out
	"$RN" -v -o json "$1" >out 2>err & pid=$!
	await attached err || not_ok "$1 is attached"
	kill -INT $pid; wait $pid; rc=$?
}
echo 'let a := count of syscall for 1h; count of a;' >i.rnl; interrupt i.rnl
same 'Ctrl-C in a let' "$rc $(cat out) $(grep 'runnel: ' err)" \
	'130  runnel: interrupted: let a keeps nothing'
echo 'assert count > 0 of syscall for 1h; count of processes;' >i.rnl; interrupt i.rnl
same 'Ctrl-C in an assertion' "$rc $(cat out) $(grep 'runnel: ' err)" \
	'130  runnel: interrupted: an assertion was not decided'
echo 'assert count < 0 of syscall for 1h; count of processes;' >i.rnl; interrupt i.rnl
same 'Ctrl-C in an assertion that does not hold so far' "$rc $(grep -c E-ASSERT err)" '130 0'
echo 'count of syscall for 1h; let a := count of processes; count of a;' >i.rnl; interrupt i.rnl
same 'Ctrl-C in a query' "$rc $(wc -l <out)" '0 1'

# ---- rows come while the query runs, to a reader that follows them, each as a whole line
"$CALLS" times=100000 pause=20 getppid=1 & pid=$!
{
	exec "$RN" -v -o json 'proc, ret of getppid where proc = calls' 2>err
} > >(exec jq --unbuffered -c '.proc' >follow) &
asked=$!
await has follow 5
same 'jq follows rows' "$? $(head -n1 follow) $(kill -0 $asked 2>/dev/null && echo runs)" \
	'0 "calls" runs'
kill -INT $asked; wait $asked; same 'and the query ends' "$?" 0
# The reader sleeps, so the pipe is full when the signal comes.
mkfifo slow; { sleep 1.5; exec cat; } <slow >whole &
reader=$!
"$RN" -v -o json 'proc, ret of getppid where proc = calls' >slow 2>err & asked=$!
await grep -q '^attached' err
sleep 1; kill -INT $asked; wait $asked; rc=$?; wait $reader
same 'an interrupted query leaves whole lines to a slow reader' \
	"$rc $(grep -cvx '{"proc": "calls", "ret": [0-9]*}' whole) $(tail -c 1 whole | xxd -p)" '0 0 0a'
{
	exec "$RN" -v -o json 'count of getppid where proc = calls every 100ms' 2>err
} > >(exec jq --unbuffered -c '.count > 0' >follow2) &
asked=$!
await has follow2 3
same 'jq follows windows' \
	"$? $(await grep -m 1 true follow2) $(kill -0 $asked 2>/dev/null && echo runs)" \
	'0 true runs'
kill -INT $asked; wait $asked
{ exec "$RN" -q 'proc, ret of getppid where proc = calls format csv to "follow3"' 2>err; } &
asked=$!
await has follow3 4
same 'a file is followed' "$? $(sed -n '1p;2s/,.*//p' follow3 | paste -sd' ') $(kill -0 $asked 2>/dev/null && echo runs)" \
	'0 proc,ret calls runs'
kill -INT $asked; wait $asked
kill $pid; wait $pid 2>/dev/null

# ---- nodes: a result holds what all of them saw
printf 'one exec: env\ntwo exec: env\n' >hosts
q -q -H hosts 'let both := count as n, max(pid) as p of processes where pid = 1 by node; node, n of both order by node; sum(n) as n of both;
	assert count = 2 of both; count as n of processes where pid in (p of both)'
same 'a result of nodes' "$? $(jq -c . out | paste -sd' ')" \
	'0 {"node":"one","n":1} {"node":"two","n":1} {"n":2} {"n":2}'
printf 'one exec: env\ngone exec: false\n' >hosts
"$RN" -o json -H hosts \
	'let half := count as n of processes where pid = 1 by node; assert sum(n) = 1 of half' >out \
	2>err
same 'a node that is gone makes a doubt' \
	"$? $(jq -r 'select(.ledger.of == "let half") | .ledger.complete' err 2>/dev/null | head -n1) $(grep -c W-ASSERT err)" \
	'0 false 1'
"$RN" -q --strict -H hosts \
	'let half := count as n of processes where pid = 1 by node; assert sum(n) = 1 of half' >out \
	2>err
same 'and is no success under --strict' "$?" 3

# ---- the examples
RUNNEL=$RN LIMITS='limit=1h failures=100' "$D/guard.sh" "$D/check.rnl" "$CALLS" getppid=3 \
	pread=20x10 enoent=2 >out 2>err
same 'a guarded command' "$? $(cat out)" "0 guard.sh: all assertions of $D/check.rnl hold"
RUNNEL=$RN LIMITS='limit=1h failures=0' "$D/guard.sh" "$D/check.rnl" "$CALLS" getppid=3 \
	pread=20x10 enoent=2 >out 2>err
same 'a guarded command that fails' "$? $(grep -c 'error: too many opens fail' err)" '1 1'
"$CALLS" times=100000 pause=1 sleep=1x3000 read0=1x1 pipe=1x10 & pid=$!
both_answers() {
	"$RN" -q -o json "$D/slow-calls.rnl" threshold=1ns time=1s >out 2>err
	rc=$?
	grep -q worst out && grep -q together out
}
await both_answers
kill $pid; wait $pid 2>/dev/null
same 'slow calls' "$rc $(jq -r 'select(.worst and .worst > 0) | "first"' out | sort -u) $(jq -r 'select(.together) | "second"' out | sort -u)" \
	'0 first second'
done_testing
