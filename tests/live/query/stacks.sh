#!/bin/bash
# Stacks: a known chain of functions, each with its exact number of calls; kernel stacks; patterns,
# rows, windows, recordings.
. tests/live/lib.sh
need_bpf; need jq
CHAIN=$PWD/$B/tests/programs/chain
chain='main;chain_a;chain_b;chain_c=5000 main;chain_a;chain_d=10000'
# what calls main is the C library's business
shorten='"\(.ustack | sub("^.*main;"; "main;"))=\(.count)"'
lines() { field "$1" | sort | paste -sd' '; }
q -c "$CHAIN 5000 300" 'count of getppid where proc = chain by ustack'
same 'a user stack for each chain' "$(lines "$shorten")" "$chain"
q -c "$CHAIN 5000 300" 'count of getppid where proc = chain by proc, ustack, stack'
same 'with other keys' "$(lines "$shorten")" "$chain"
same 'no stack lost' "$(grep '"ledger"' "$tmp/err" | jq .ledger.lost_stack)" 0
q -c "$CHAIN 5000 300" \
	'count of getppid where proc = chain and ustack ~ "*chain_b;chain_c" by ustack'
same 'a glob over the text' "$(lines "$shorten")" 'main;chain_a;chain_b;chain_c=5000'
q -c "$CHAIN 5000 300" 'count of getppid where proc = chain and ustack =~ "chain_d$"'
same 'a regex over the text' "$(field .count)" 10000
q -c "$CHAIN 20000 300" 'sum(n) of (count as n of getppid where proc = chain by ustack every 50ms)'
same 'windows add up' "$(field '."sum(n)"')" 60000
q -c "$CHAIN 0 300 10" 'count of getppid where proc = chain by ustack'
same 'a thousand stacks: none counted twice or left out' "$(field .count | jq -s add)" 1024
same 'what found no place says so' \
	"$(jq -s 'map(select(.ustack == "(stack lost)") | .count) | add // 0' "$tmp/out")" \
	"$(grep '"ledger"' "$tmp/err" | jq .ledger.lost_stack)"
same 'nearly all find one' "$(jq -s 'map(select(.count == 1)) | length >= 1000' "$tmp/out")" true
q -c "$CHAIN 5000" 'count of getppid where proc = chain by stack'
same 'kernel stacks add up' "$(field .count | jq -s add)" 15000
same 'a kernel stack of a system call' \
	"$(field 'select(.stack | test("(^|;)do_syscall_64;")) | .count' | jq -s add)" 15000
same 'nothing of ourselves in it' "$(field 'select(.stack | test("bpf|trace"))')" ''
q -c "$CHAIN 1 300" \
	'proc, stack, ustack of tracepoint "raw_syscalls:sys_enter" where id = 110 and proc = chain'
same 'rows of a tracepoint' "$(field '.ustack | sub("^.*main;"; "main;")' | paste -sd' ')" \
	'main;chain_a;chain_b;chain_c main;chain_a;chain_d main;chain_a;chain_d'
same 'with the stack of the kernel' \
	"$(field 'select(.stack | test("do_syscall_64")) | .proc' | paste -sd' ')" \
	'chain chain chain'
q -c "$CALLS sleep=40x1000" 'count of tracepoint "sched:sched_switch" where proc = calls and stack ~ "*nanosleep*schedule*"'
same 'where a sleeping thread waits' "$(field '.count >= 20')" true
q -c "sh -c '$CALLS fork=9; :'" 'count of fork where proc = calls by stack'
same 'forks' "$(field 'select(.stack | test("kernel_clone$")) | .count')" 9
q -c "$CALLS fork=9" 'count of exit where proc = calls by stack'
same 'exits' "$(field 'select(.stack | test("do_exit")) | .count' | jq -s add)" 10
q -c "$CHAIN 2 300" "time, proc, stack, ustack of getppid where proc = chain into \"$tmp/s.rnt\""
q "count of getppid by ustack from \"$tmp/s.rnt\""
same 'a recording keeps the text' "$(lines "$shorten")" \
	'main;chain_a;chain_b;chain_c=2 main;chain_a;chain_d=4'
q 'count of tracepoint "sched:sched_switch" where tid = 0 by ustack for 200ms'
same 'no program, no user stack' "$(field .ustack)" ''
done_testing
