#!/bin/bash
# The snapshot table `processes` against /proc.
. tests/live/lib.sh
need_bpf; need jq
sleep 300 & pid=$!
await is_now $pid sleep
q "pid, ppid, proc, uid, state, threads of processes where pid = $pid"
same 'a process we know' "$(field '"\(.pid) \(.ppid) \(.proc) \(.uid) \(.threads)"')" \
	"$pid $$ sleep $(id -u) 1"
q "rss of processes where pid = $pid"
same 'resident size' "$(field .rss)" "$(($(cut -d" " -f2 /proc/$pid/statm) * 4096))"
# Between two looks at how many there are, where these agree.
processes() { set -- /proc/[0-9]*; echo $#; }
counted() {
	local more
	n=$(processes); q 'count of processes'; more=$(($(processes) - n))
	[ "${more#-}" -lt 5 ]
}
await counted
same 'the number of processes' "$(field ".count - $n | fabs < 15")" true
q 'pid, rss of processes order by rss desc limit 3'
same 'order and limit' "$(jq -s 'length == 3 and .[0].rss >= .[1].rss' "$tmp/out")" true
"$CALLS" times=1000000 pause=20 getppid=50 & calls=$!
await is_now $calls calls
during 'count of getppid where pid in (pid of processes where proc = calls)' round $calls
same 'a set from a table' "$(field '.count >= 50')" true
kill $pid $calls; done_testing
