#!/bin/bash
# Rows by the way of the ring: more than it holds at once, so that the reader comes to its end and
# begins again, where all of it has been mapped.
. tests/live/lib.sh
need_bpf; need jq
# 64 bytes each and more: twice the ring. What the reader is too slow for is counted.
q -c "$CALLS times=50 pause=2 getppid=10000" \
	'time, proc, pid, tid, name, ret of syscall where proc = calls and name = getppid'
same 'rows and those that were lost' \
	"$(($(wc -l <"$tmp/out") + $(tail -1 "$tmp/err" | jq '[.ledger.nodes[].lost_ring] | add')))" \
	500000
same 'each is whole' "$(jq -c '[.proc, .name, .pid == .tid, .ret > 0, .time > 0]' "$tmp/out" | sort | uniq -c | sed 's/^ *[0-9]* //')" \
	'["calls","getppid",true,true,true]'
same 'in order' "$(jq .time "$tmp/out" | sort -nc 2>&1)" ''
# Two tracepoints: attached to by name, as nothing of their own is asked for; through an event of
# perf's, as it is. The same answer.
known=sched:sched_process_fork
q -c "$CALLS fork=7" "count of tracepoint \"$known\" where proc = calls by proc"
same 'by name' "$(field .count)" 7
q -c "$CALLS fork=7" \
	"count, distinct(child_pid) of tracepoint \"$known\" where proc = calls by proc"
same 'by its fields' "$(field '[.count, ."distinct(child_pid)"] | join(" ")')" '7 7'
RUNNEL_WITHOUT=sched_process_exit q -c "$CALLS fork=7" \
	'count of tracepoint "sched:sched_process_exit" where proc = calls by proc'
same 'where it has no name that a program can use' "$(field .count)" 8
# a name that is no UTF-8
file=$tmp/$'odd\xff'; echo x >"$file"; cp "$(command -v head)" "$tmp/odd$$"
q -c "$tmp/odd$$ -c 1 $tmp/odd?" "file, bytes of read where proc = odd$$ and bytes = 1"
same 'a byte that is no character' "$(field '.file | ltrimstr("'"$tmp"'/")' | tail -n 1)" \
	$'odd\xef\xbf\xbd'
q -c "$tmp/odd$$ -c 1 $tmp/odd?" "set(file) as files of read where proc = odd$$ and bytes = 1"
same 'the same in a list' "$(field '.files[] | ltrimstr("'"$tmp"'/")')" $'odd\xef\xbf\xbd'
done_testing
