#!/bin/bash
# oneliners.sh - the one-liners of bpftrace's tutorial beside the views that stand for them. Where
# the one-liner is about functions of the kernel (kprobes), its form by tracepoints is taken, and
# the case says so: of this kind, any kernel has what both need.
. tests/peers/peers.bash

# 1
bt -l 'tracepoint:*' 2>/dev/null | sed -n 's/^tracepoint://p' | LC_ALL=C sort -u >"$tmp/bt.lines"
"$RN" -o json list '*:*' | jq -r 'select(.kind == "tracepoint") | .name' |
	LC_ALL=C sort -u >"$tmp/rn.lines"
same 'tutorial 1, listing probes' \
	"$(comm -23 "$tmp/bt.lines" "$tmp/rn.lines" | head -n3) $(wc -l <"$tmp/bt.lines" | awk '{ print ($1 > 100) }')" \
	' 1'

compare 'tutorial 3, file opens: paths as given of failed opens' \
	'tracepoint:syscalls:sys_enter_openat /comm == "WHO"/ { @name[tid] = args->filename; }
	tracepoint:syscalls:sys_exit_openat /comm == "WHO" && args->ret < 0/ { printf("%s\n", str(@name[tid])); }
	tracepoint:syscalls:sys_exit_openat { delete(@name[tid]); }' \
	'use fs; file of opensnoop where proc = WHO and error != 0' \
	'select(.type == "printf") | .data | rtrimstr("\n")' .file $ROUNDS
compare 'tutorial 3, file opens: how many' \
	'tracepoint:syscalls:sys_enter_openat /comm == "WHO"/ { @ = count(); }' \
	'use fs; count of opensnoop where proc = WHO' "$bt_map" '"=\(.count)"'
compare 'tutorial 4, system calls by process (at their return)' \
	"tracepoint:raw_syscalls:sys_exit /$NO_BIRTH/ { @[comm] = count(); }" \
	'use syscalls; events of calls_by_process where proc = WHO' \
	"$bt_map | select(startswith(\"$WHO=\"))" '"\(.proc)=\(.calls)"'
compare 'tutorial 5, distribution of read() bytes (all calls of the family)' \
	'tracepoint:syscalls:sys_exit_read, tracepoint:syscalls:sys_exit_pread64 /comm == "WHO"/ { @bytes = hist(args->ret); }' \
	'use io; events of read_sizes(WHO)' "$bt_hist" "$(rn_hist size)" 6
compare 'tutorial 6, read() bytes in equal steps (tracepoint in place of kretprobe:vfs_read)' \
	'tracepoint:syscalls:sys_exit_read, tracepoint:syscalls:sys_exit_pread64 /comm == "WHO"/ { @bytes = lhist(args->ret, 0, 2000, 200); }' \
	'use io; events of read_sizes_linear(WHO)' "$bt_hist" "$(rn_hist size)" 3
# (the durations are measured by each at its own moments: what can be held against each other is
# their number)
compare \
	'tutorial 7, timing read()s: how many were timed (tracepoints in place of kprobe:vfs_read)' \
	'tracepoint:syscalls:sys_enter_read, tracepoint:syscalls:sys_enter_pread64 /comm == "WHO"/ { @start[tid] = nsecs; }
	tracepoint:syscalls:sys_exit_read, tracepoint:syscalls:sys_exit_pread64 /@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }
	END { clear(@start); }' \
	'use io; events of read_latency(WHO) where proc = WHO' \
	"[$bt_hist] | map(split(\"=\")[1] | tonumber) | add // empty" \
	.reads
# (but sched_process_free: an interrupt brings it, after a while, to the process that runs then)
compare 'tutorial 8, process-level events' \
	'tracepoint:sched:sched_process_e*, tracepoint:sched:sched_process_fork, tracepoint:sched:sched_process_wait
	/comm == "WHO"/ { @[probe] = count(); }' \
	'use sched; events of sched_events(WHO) where name ~ "sched:sched_process_*" and name != "sched:sched_process_free"' \
	"$bt_map"' | ltrimstr("tracepoint:")' '"\(.name)=\(.times)"' 4
# Two profiles look at different moments of the same time: what can be held against each other is
# how often the kernel was found reading.
mkdir "$tmp/dd"; cp "$(command -v dd)" "$tmp/dd/$WHO"
PROGRAM="$tmp/dd/$WHO if=/dev/zero of=/dev/null bs=1M count=100000"
both 'profile:hz:99 /comm == "WHO"/ { @[kstack] = count(); }' \
	'use sched; events of kernel_profile(WHO, 1000)'
if [ $rc = 0 ] || [ $rc = 3 ]; then
	theirs=$(jq -s '[.[] | select(.type == "map") | .data[] | to_entries[] | select(.key | test("vfs_read")) | .value] | add // 0' "$tmp/bt.json")
	ours=$(jq -s '[.[] | select(.stack | test("vfs_read")) | .samples] | add // 0' "$tmp/rn.json")
	if [ "$theirs" -ge 20 ] && [ "$ours" -ge $((theirs * 7 / 10)) ] &&
		[ "$ours" -le $((theirs * 14 / 10)) ]; then
		ok "tutorial 9, profile of on-CPU kernel stacks: $ours samples, bpftrace $theirs"
	else
		not_ok "tutorial 9, profile of on-CPU kernel stacks: $ours samples, bpftrace $theirs"
	fi
elif [ $rc = 2 ]; then skip "tutorial 9: $why"
else not_ok "tutorial 9: $why"; fi
PROGRAM=
compare 'tutorial 10, scheduler tracing' \
	'tracepoint:sched:sched_switch /comm == "WHO"/ { @[kstack] = count(); }' \
	'use sched; events of switch_stacks(WHO, 1000)' \
	'select(.type == "map") | .data[] | to_entries[] | "\(.key | split("\n") | map(gsub("^ +|\\+[0-9]+$"; "") | sub("^__(do|ia32|x64)_sys_"; "sys_")) | map(select(. != "" and (startswith("__traceiter_") | not))) | reverse | join(";"))=\(.value)"' \
	'"\(.stack | gsub("(?<=;)__(do|ia32|x64)_sys_"; "sys_") | gsub(";__traceiter_[a-z_]+$"; ""))=\(.times)"' 5 # (two names of the same function)
compare 'tutorial 11, block I/O' \
	'tracepoint:block:block_rq_issue /comm == "WHO"/ { @ = hist(args->bytes); }' \
	'use io; events of bitesize(WHO)' "$bt_hist" "$(rn_hist size)" 1
compare 'tutorial 12, paths opened (tracepoints in place of kprobe:vfs_open)' \
	'tracepoint:syscalls:sys_enter_openat /comm == "WHO"/ { @name[tid] = args->filename; }
	tracepoint:syscalls:sys_exit_openat /comm == "WHO" && args->ret >= 0/ { @[str(@name[tid])] = count(); delete(@name[tid]); }
	END { clear(@name); }' \
	"use fs; events of opened_paths(WHO, 1000) where file ~ \"/dev/*\" or file ~ \"$tmp/*\" and file != \"$tmp/WHO\"" \
	"$bt_map"' | select(startswith("/dev/") or startswith("'"$tmp"'/"))' \
	'"\(.file)=\(.opens)"' 3
done_testing
