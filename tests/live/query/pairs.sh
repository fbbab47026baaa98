#!/bin/bash
# Pairs of events of real programs: sleeps, the run queue, requests to a disk; beside bpftrace on
# the same calls; stacks; nodes.
. tests/live/lib.sh
need_bpf; need jq
# Programs with names of their own: others sleep and write, too.
nap=pairnap$$ writer=pairdd$$ file=$PWD/$B/tests/pairs.$$.tmp
cp "$(command -v sleep)" "$tmp/$nap"; cp "$(command -v dd)" "$tmp/$writer"
sleeps() { for _ in $(seq 20); do "$tmp/$nap" 0.01; done; }
writes() {
	"$tmp/$writer" if=/dev/zero of="$file" bs=64k count=32 oflag=direct conv=fsync 2>"$tmp/dd"
}
# Both are about the whole machine.
over() { # QUERY COMMAND...
	during "$@"
	grep '"ledger"' "$tmp/err" |
		jq -c '.ledger | del(.nodes) | with_entries(select(.value != 0))' | sed 's/^/# /'
}
over "count, min(latency) of between sys_enter_clock_nanosleep and sys_exit_clock_nanosleep on tid where proc = $nap" \
	sleeps
same 'twenty sleeps, each as long as it was to be' \
	"$(field '[.count, ."min(latency)" >= 10000000] | tostring')" '[20,true]'
over "count, min(latency), max(latency) of between sched_wakeup and sched_switch on pid = next_pid where comm = $nap and next_comm = $nap" \
	sleeps
# One that is woken before it has left its CPU waits for none.
same 'most have waited for a CPU' \
	"$(field '[.count >= 10, ."min(latency)" >= 0, ."max(latency)" < 60e9] | tostring')" \
	'[true,true,true]'
over "count, sum(latency) of between sched_switch and sched_switch on prev_pid = next_pid where prev_comm = $nap by stack" \
	sleeps
same 'what it did off the CPU is in the stack of the switch' \
	"$(field 'select(.stack | test("nanosleep")) | .count' | jq -s 'add >= 10')" true

# ---- requests to a disk, of whoever makes them ----
done_writes() { awk '{n += $8} END {print n}' /proc/diskstats; }
before=$(done_writes)
if ! writes || [ $(($(done_writes) - before)) -lt 32 ]; then
	skip "requests to a disk: $PWD/$B is on no block device that takes direct writes"
	disk=
else
	disk=1
	over "count, sum(bytes), min(latency) of between block_rq_issue and block_rq_complete on dev, sector" \
		writes
	same 'what is written is requested and completed' \
		"$(field '[.count >= 32, ."sum(bytes)" >= 2097152, ."min(latency)" > 0] | tostring')" \
		'[true,true,true]'
fi

# ---- beside bpftrace: the same events in the same run ----
beside() { # WHAT QUERY SCRIPT COMMAND
	echo "$3" >"$tmp/pair.bt"
	echo "$4" >"$tmp/run.sh"
	over "$2" timeout 120 unshare -m sh -c \
		'mount -t tracefs t /sys/kernel/tracing; mount -t debugfs d /sys/kernel/debug
		exec bpftrace -q -c "$0 $1/run.sh" "$1/pair.bt" -o "$1/bt"' "$(command -v bash)" "$tmp" 2>"$tmp/bt.err"
	theirs=$(sed -n 's/^@n: //p' "$tmp/bt")
	ours=$(field .count) # what is said to be lost may be missing
	same "$1, as by bpftrace" "$((ours <= ${theirs:-0} && ${theirs:-0} <= ours + $(lost)))" 1
	echo "# $1: runnel $(field .count), bpftrace ${theirs:-none}"
}
if ! command -v bpftrace >/dev/null; then
	skip "beside bpftrace: there is none"
else
	beside 'sleeps' "count of between sys_enter_clock_nanosleep and sys_exit_clock_nanosleep on tid where proc = $nap" \
		"tracepoint:syscalls:sys_enter_clock_nanosleep /comm == \"$nap\"/ { @s[tid] = nsecs; }
		tracepoint:syscalls:sys_exit_clock_nanosleep /@s[tid]/ { @n = count(); delete(@s[tid]); }" "for _ in \$(seq 20); do $tmp/$nap 0.01; done"
	beside 'times on the run queue' \
		"count of between (events of sched_wakeup where comm = $nap) and sched_switch on pid = next_pid" \
		"tracepoint:sched:sched_wakeup /args->comm == \"$nap\"/ { @q[args->pid] = nsecs; }
		tracepoint:sched:sched_switch /@q[args->next_pid]/ { @n = count(); delete(@q[args->next_pid]); }" "for _ in \$(seq 20); do $tmp/$nap 0.01; done"
	[ -z "$disk" ] || beside 'requests to the disk' \
		"count of between (events of block_rq_issue where proc = $writer and thread = $writer) and block_rq_complete on dev, sector" \
		"tracepoint:block:block_rq_issue /comm == \"$writer\"/ { @r[args->dev, args->sector] = nsecs; }
		tracepoint:block:block_rq_complete /@r[args->dev, args->sector]/ { @n = count(); delete(@r[args->dev, args->sector]); }" \
		"$tmp/$writer if=/dev/zero of=$file bs=64k count=32 oflag=direct conv=fsync 2>$tmp/dd"
fi
rm -f "$file"

# ---- nodes: the fragment goes there, with both ends ----
printf 'a exec: env\nb exec: env\n' >"$tmp/hosts"
among=$tmp/hosts during "count, min(latency) of between (events of sys_enter_clock_nanosleep where proc ~ \"pairn?p*\") and sys_exit_clock_nanosleep on tid
	where latency > 1ms and proc = $nap by node" sleeps
same 'two nodes' \
	"$(field '[.node, .count > 0, ."min(latency)" >= 10000000] | tostring' | sort | xargs)" \
	'[a,true,true] [b,true,true]'
(while sleeps; do :; done) & busy=$!
q -H "$tmp/hosts" "node, latency, start, end, next_comm of between sched_wakeup and sched_switch on pid = next_pid where comm = $nap limit 3"
same 'rows of nodes' \
	"$(field "select(.next_comm == \"$nap\" and .end > .start) | .latency >= 0" | sort -u)" \
	true
kill $busy; wait $busy 2>/dev/null
printf 'r relay: %s\n' "$tmp/hosts" >"$tmp/relays"
among=$tmp/relays during "count of between (events of sys_enter_clock_nanosleep where proc = $nap) and sys_exit_clock_nanosleep on tid by node" \
	sleeps
same 'two nodes behind a relay' "$(field '[.node, .count > 0] | tostring' | sort | xargs)" \
	'[a,true] [b,true]'

# ---- what cannot be done ----
refused() { # WHAT TEXT QUERY
	"$RN" "$3" >"$tmp/out" 2>"$tmp/err"
	same "$1" "$? $(grep -c "$2" "$tmp/err")" '1 1'
}
refused 'a class with operations that are no calls' 'E-LATER' 'count of between io and read on pid'
refused 'pairs are not recorded' 'E-LATER' \
	"events of between read and write on pid into \"$tmp/x.rnt\""
q -c "$CALLS getppid=10" "time, pid of getppid into \"$tmp/x.rnt\""
refused 'a recording pairs what it holds' 'holds only getppid' \
	"count of between getppid and getsid on pid from \"$tmp/x.rnt\""
refused 'and what it holds of it' '`tid` is not a field' \
	"count of between getppid and getppid on tid from \"$tmp/x.rnt\""
refused 'conditions that no kernel tests' 'from "x.rnt"' \
	'count of between (events of read where file =~ "x") and write on pid'
# The ledger explains second events whose first did not pass its condition. They are many, so it
# does that only with -v.
first='(events of sched_switch where prev_pid = 1)'
chosen="count of between $first and sched_switch on prev_pid = next_pid for 500ms"
"$RN" -v "$chosen" >"$tmp/out" 2>"$tmp/err"
holds 'second events without a first' 'or did not pass its condition' "$tmp/err"
"$RN" "$chosen" >"$tmp/out" 2>"$tmp/err"
same 'they are not worth a line' "$(grep -c 'its condition' "$tmp/err")" 0
done_testing
