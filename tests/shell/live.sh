#!/bin/bash
# live.sh - live answers at the prompt: a table that refreshes in place and stays when it ends,
# Ctrl-C, sizes, suspending.
. tests/shell/lib.bash
permitted || skip_all "this machine does not permit tracing"
cp "$(command -v sleep)" "$tmp/beatle"
(trap 'exit' TERM; while :; do "$tmp/beatle" 0.02; done) & beat=$!
tidy_up() { kill "$beat" 2>/dev/null; tm kill-server 2>/dev/null; }
at_exit tidy_up
headers() { screen | grep -c '^proc .*count'; }
at 80 24
line 'count of clock_nanosleep where proc = beatle by proc, name;'
wait_for 'beatle  clock_nanosleep'
for ((i = 0; i < 600; i++)); do
	[ "$(screen | sed -n 's/^beatle  *clock_nanosleep  *//p')" -gt 20 ] 2>/dev/null && break
	sleep 0.1
done
soon in-place 1 headers
keys '<C-c>'; wait_for 'ledger:'; wait_prompt; soon stays 1 headers; golden live 3
# turned, it refreshes in place too, and what the window has no room for is counted
clear
line '\x'
wait_for 'is on'
line 'count, sum(latency) of clock_nanosleep where proc = beatle by proc, name;'
wait_for '-[ row 1 ]'
counted() { screen | sed -n 's/^count  *| *//p' | tr -d ,; }
for ((i = 0; i < 600; i++)); do [ "$(counted)" -gt 20 ] 2>/dev/null && break; sleep 0.1; done
rows_turned() {
	screen |
		awk '/^-\[ row 1 \]/ { rows++ } /^count  *\|/ { gsub(",", "", $3); n = $3 > 20 } END { print rows + 0, n + 0 }'
}
soon expanded-in-place "1 1" rows_turned
keys '<C-c>'
wait_for 'ledger:'
wait_prompt
same expanded-stays \
	"$(screen | grep -c '^-\[ row 1 \]') $(screen | grep -c '^name  *| clock_nanosleep')" \
	"1 1"
clear; line 'count of syscall by proc, name, pid;'; wait_for ' more lines'
soon expanded-fits 1 eval 'screen | wc -l | awk "{ print \$1 <= 24 }"'
keys '<C-c>'; wait_for 'ledger:'; wait_prompt; line '\x'; wait_prompt
# the session goes on; a query of which nothing matches ends the same way
clear; line 'count of read where proc = nobody by file;'; wait_running; keys '<C-c>'
wait_for 'ledger:'; wait_prompt; ok nothing-matched
# taller and wider than the window: cut with a note, and whole at the end
tm resize-window -t x -x 60 -y 10; keys '<C-l>'; wait_prompt
line 'count, sum(latency) of syscall by proc, name, file;'; wait_for ' more'
soon fits 1 eval 'screen | wc -l | awk "{ print \$1 <= 10 }"'
keys '<C-c>'; wait_for 'ledger'; wait_prompt; ok whole-at-the-end
# suspended amid a query: it goes on, and is drawn afresh
tm resize-window -t x -x 80 -y 24; keys '<C-l>'; wait_prompt
line 'count of clock_nanosleep where proc = beatle by proc;'
wait_for 'beatle  '
keys '<C-z>'
wait_for Stopped
tm send-keys -t x clear Enter; wait_lines 1; line 'fg'; wait_for 'beatle  '; wait_running
keys '<C-c>'; wait_for 'ledger:'; wait_prompt; ok suspended
# a flow of rows ends with Ctrl-C as well
clear; line 'proc, name of clock_nanosleep where proc = beatle;'; wait_for 'beatle  '
keys '<C-c>'; wait_for 'ledger:'; wait_prompt; ok rows
line '\q'; wait_last '$'
done_testing
