#!/bin/bash
# tables.sh - what a terminal shows of a table: the core of `events of` at three widths, all columns
# with `* of`, and windows that are drawn one over the other.
. tests/shell/lib.bash
events='from "tests/demo/io.rnt" limit 3;'
for width in 40 80 120; do
	at "$width" 30
	line "events of io $events"
	wait_for 'more columns'; wait_prompt; golden "events-$width"
done
at 80 60
line '* of io from "tests/demo/io.rnt" limit 1;'
wait_for 'row 1'; wait_prompt
same all-of "$(screen | grep -cE '^(cgroup|arg5|netns) +\|')" 3
line 'events of io where uid = 0 and proc = sh from "tests/demo/io.rnt" order by offset desc limit 1;'
wait_for '1 row'; wait_prompt
same named-is-core "$(screen | grep -cE 'uid .*offset')" 1
permitted || { done_testing; exit; }
cp "$(command -v sleep)" "$tmp/beatle"
(trap 'exit' TERM; while :; do "$tmp/beatle" 0.02; done) & beat=$!
tidy_up() { kill "$beat" 2>/dev/null; tm kill-server 2>/dev/null; }
at_exit tidy_up
ours='count of clock_nanosleep where proc = beatle by proc, name every 1s'
titles() { screen | grep -cE '^[0-9:]{8}(  | \().*every 1s'; }
at 80 24
line "$ours;"
wait_for '  change'
for ((i = 0; i < 100; i++)); do screen | grep -qE '[0-9]  [+-][0-9]' && break; sleep 0.1; done
soon changed 1 eval 'screen | grep -cE "^beatle +clock_nanosleep +[0-9]+( +[+-][0-9]+)?$"'
soon one-title 1 titles
soon one-header 1 eval 'screen | grep -c "^proc .*count  change"'
tm resize-window -t x -x 40 -y 12
sleep 1.5
soon narrower 1 eval 'screen | grep -c "^proc .*change"'
keys '<C-c>'; wait_for 'ledger:'; wait_prompt
same last-window-stays "$(screen | grep -c '^beatle ') $(screen | grep -c ' of 1 s)')" "1 0"
# rows that do not fit are one line
tm resize-window -t x -x 80 -y 8; keys '<C-l>'; wait_prompt
line 'count of syscall by proc, name, pid every 1s;'
wait_for ' more'
soon fits 1 eval 'screen | wc -l | awk "{ print \$1 <= 8 }"'
keys '<C-c>'; wait_for 'ledger'; wait_prompt
# windows scroll with -v, without a cursor, and in a pipe
opts=-v at 80 70
line "$ours for 2s;"
wait_for 'ledger:'; wait_prompt
same scrolls-with-v "$(screen | grep -c '^window .*proc .*count')" 1
TERM=dumb script -qc "$RN -q '$ours for 2s'" /dev/null </dev/null >"$tmp/dumb"
same scrolls-without-cursor "$(grep -c '^window .*proc .*count' "$tmp/dumb")" 1
"$RN" -q "$ours for 2s" >"$tmp/out"
same scrolls-in-a-pipe \
	"$(head -n1 "$tmp/out" | grep -c '^window .*proc .*count$') $(grep -c change "$tmp/out")" "1 0"
# ---- a node that is waited for, and never comes
printf 'here local:\ndown exec: sh -c "sleep 4"\n' >"$tmp/hosts"
for width in 40 80 120; do
	opts="-H $tmp/hosts" at "$width" 24
	line 'count of open for 200ms;'
	wait_for 'waiting for down: sh -c'
	same "names-the-node-$width" "$(screen | grep -cE 'waiting for down: sh -c.*, [0-9]+ s$')" 1
	wait_for 'ledger: '; wait_prompt
	same "line-is-gone-$width" "$(screen | grep -c 'waiting for')" 0
	same "says-why-$width" "$(screen | grep -c '^  node down: not reachable')" 1
done
"$RN" -H "$tmp/hosts" 'count of open for 200ms' >"$tmp/out" 2>"$tmp/err"
same no-line-in-a-pipe "$(grep -c 'waiting for' "$tmp/err") $(wc -l <"$tmp/out")" "0 2"
done_testing
