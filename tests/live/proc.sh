#!/bin/bash
# The snapshot table `proc` against /proc.
. tests/live/lib.sh
need_bpf; need jq
sleep 300 & pid=$!; sleep 0.5
q "pid, ppid, proc, uid, state, threads of proc where pid = $pid"
same 'a process we know' "$(field '"\(.pid) \(.ppid) \(.proc) \(.uid) \(.threads)"')" "$pid $$ sleep $(id -u) 1"
q "rss of proc where pid = $pid"
same 'resident size' "$(field .rss)" "$(($(cut -d" " -f2 /proc/$pid/statm) * 4096))"
q 'count of proc'
n=$(ls -d /proc/[0-9]* | wc -l)
same 'the number of processes' "$(field ".count - $n | fabs < 15")" true
q 'pid, rss of proc order by rss desc limit 3'
same 'order and limit' "$(jq -s 'length == 3 and .[0].rss >= .[1].rss' "$tmp/out")" true
"$CALLS" times=100 pause=20 getppid=50 & calls=$!
q 'count of getppid where pid in (pid of proc where proc = calls) for 1s'
same 'a set from a table' "$(field '.count >= 50')" true
kill $pid $calls; exit $status
