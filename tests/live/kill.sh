#!/bin/bash
# kill -9 in mid-query leaves no program, map or link behind.
. tests/live/lib.sh
need_bpf; need bpftool jq
count() { for what in prog map link; do bpftool -j $what show | jq -r '.[] | .id' | sed "s/^/$what /"; done | sort; }
for query in 'count of syscall by proc' 'p99(latency), sum(bytes) of io by proc, file' 'events of tag fix283' 'count of tracepoint "sched:sched_switch"'; do
	count >"$tmp/before"
	"$RN" "$query" >/dev/null 2>&1 & pid=$!
	for _ in $(seq 100); do count >"$tmp/during"; [ "$(comm -13 "$tmp/before" "$tmp/during" | grep -c '^link')" -gt 0 ] && break; sleep 0.1; done
	same "attached: $query" "$([ "$(comm -13 "$tmp/before" "$tmp/during" | wc -l)" -gt 0 ] && echo yes)" yes
	kill -9 $pid; wait $pid 2>/dev/null
	for _ in $(seq 50); do count >"$tmp/after"; [ -z "$(comm -13 "$tmp/before" "$tmp/after")" ] && break; sleep 0.1; done
	same "nothing left: $query" "$(comm -13 "$tmp/before" "$tmp/after")" ''
done
exit $status
