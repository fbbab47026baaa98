#!/bin/bash
# kill -9 in mid-query leaves no program, map or link behind: those that the process holds are noted
# by id (fdinfo, and the maps that its programs use), and must be gone afterwards. Other tracers on
# the machine do not disturb.
. tests/live/lib.sh
need_bpf; need bpftool jq
held() { # PID: "prog 12", "map 3", "link 4"
	sed -n 's/^\(prog\|map\|link\)_id:[[:space:]]*/\1 /p' /proc/"$1"/fdinfo/* 2>/dev/null |
		sort -u >"$tmp/fds"
	cat "$tmp/fds"
	while read -r what id; do
		[ "$what" = prog ] &&
			bpftool -j prog show id "$id" 2>/dev/null | jq -r '.map_ids[]? | "map \(.)"'
	done <"$tmp/fds"
}
alive() { "$B/tests/programs/bpf_alive" <"$1"; }
none_alive() { [ -z "$(alive "$tmp/held")" ]; }
grep -q 'plaintext of TLS  *ok' "$tmp/doctor" && tls='count of tls'
for query in ${tls:+"$tls"} 'count of syscall by proc' \
	'p99(latency), sum(bytes) of io by proc, file' 'events of tag fix283' \
	'count of tracepoint "sched:sched_switch"' \
	'max(prev_pid) of tracepoint "sched:sched_switch"'; do
	: >"$tmp/err"
	"$RN" -v "$query" >/dev/null 2>"$tmp/err" & pid=$!
	# a tracepoint whose own fields are read hangs on a perf event, which is no link
	want='link map prog'; [[ $query == *prev_pid* ]] && want='map prog'
	await watching $pid
	held $pid | sort -u >"$tmp/held"
	same "attached: $query" "$(cut -d' ' -f1 "$tmp/held" | sort -u | paste -sd' ')" "$want"
	kill -9 $pid; wait $pid 2>/dev/null
	await none_alive
	same "nothing left of $(wc -l <"$tmp/held") objects: $query" "$(alive "$tmp/held")" ''
done
done_testing
