#!/bin/bash
# The kernel pairs the events of a program while they are recorded: pairs of the recording are the
# same ones, and so is their ledger.
. tests/live/lib.sh
need_bpf; need jq sqlite3
me=ends$$ # others make such calls, too
cp "$B/tests/programs/pairs" "$tmp/$me"
ends="(events of getpgid where arg2 = 1 and proc = $me) and (events of getsid where arg2 = 1 and proc = $me) on arg0"
queries=("arg0, arg1, name, end_name, error, end_error, end_arg1, end_proc, pid of between $ends"
	"count, min(arg1), max(arg1), distinct(arg0) of between $ends where arg1 < 1010 by name, end_name, error, end_arg2"
	"arg1, latency > 0ns as some of between (events of getpgid where arg2 = 2 and proc = $me) and (events of getpgid where arg2 = 2 and proc = $me) on tid, arg0"
	"count, max(latency) >= 1ms as slept of between (events of getpgid where arg2 = 2 and proc = $me) and (events of clock_nanosleep where proc = $me) on tid by proc")
queries+=("tid, name, proc of between (events of sys_enter_getpgid where proc = $me) and (events of sys_exit_getpgid where proc = $me) on tid where latency >= 0ns")
# of several tracepoints, `name` tells which one it was
recorded=("${queries[@]/%/ from \"$tmp/x.rnt\"}")
glob='tracepoint "syscalls:sys_*_getpgid"'
recorded[4]="tid, name, proc of between (events of $glob where name =~ enter) and (events of $glob where name =~ exit) on tid where latency >= 0ns from \"$tmp/y.rnt\""
sums='.ledger | [.matched, .unpaired, .open, .reopened, .lost_pair] | tostring'

# ---- all of them at once, over one run of the program ----
pids=() errs=()
begin() { # FILE QUERY
	"$RN" -o json -v "$2" >"$tmp/$1" 2>"$tmp/$1.err" & pids+=($!); errs+=("$tmp/$1.err")
}
for i in "${!queries[@]}"; do begin "live$i" "${queries[i]}"; done
begin record "events of syscall where proc = $me into \"$tmp/x.rnt\""
begin glob "events of $glob where proc = $me into \"$tmp/y.rnt\""
for e in "${errs[@]}"; do
	i=0; while ! grep -q '^attached' "$e" && [ $((i += 1)) -lt 600 ]; do sleep 0.1; done
done
"$tmp/$me"
kill -TERM "${pids[@]}"
for p in "${pids[@]}"; do wait "$p"; done
for i in "${!queries[@]}"; do
	"$RN" -o json -v "${recorded[i]}" >"$tmp/rec$i" 2>"$tmp/rec$i.err"
	for w in live rec; do
		jq -cS . "$tmp/$w$i" | sort >"$tmp/$w$i.rows"
		grep '"ledger"' "$tmp/$w$i.err" | jq -r "$sums" >"$tmp/$w$i.sum"
	done
	same "rows: ${queries[i]}" "$(diff "$tmp/live$i.rows" "$tmp/rec$i.rows" | head -5)" ''
	same 'their ledger' "$(cat "$tmp/rec$i.sum")" "$(cat "$tmp/live$i.sum")"
done

# ---- and they are the ones that the program made ----
same 'each pair has the first event that came last' \
	"$(jq -s '[.[] | select(.arg1 == (.arg0 - 1000000 + (if .arg0 < 1000050 then 1000 else 0 end)))] | length' "$tmp/rec0")" \
	80
same 'what has no other half' "$(cat "$tmp/rec0.sum")" '[80,10,20,50,0]'
same 'from each to the next' "$(jq -cs 'map([.arg1, .some])' "$tmp/rec2")" \
	"$(jq -cn '[range(9) | [., true]]')"
same 'from the entry of a call to its exit' "$(cat "$tmp/rec4.sum")" '[260,0,0,0,0]'
same 'from a call to a sleep' "$(jq -c '[.count, .slept]' "$tmp/rec3")" '[10,true]'
# a condition that no kernel tests, and the same in SQL
q "count of between (events of getpgid where arg2 = 1 and substr(proc, 0, 4) =~ \"^en?ds\$\" and arg1 / 2.0 > 10.5) and getsid on arg0 from \"$tmp/x.rnt\""
same 'conditions that no kernel tests' "$(field .count)" \
	"$(sqlite3 "$tmp/x.rnt" "with e as (select *, name = 'getpgid' as first from events where
	name = 'getsid' or name = 'getpgid' and arg2 = 1 and arg1 > 21), o as (select *, lag(first) over (partition by arg0 order by time) as f from e)
	select count(*) from o where not first and f")"
done_testing
