#!/bin/bash
# tools.sh - views named after tools of bpftrace and bcc beside what those look at, told by
# bpftrace: rows counted, and their content where both can show it. The tools' own scripts hold
# kprobes, or print as they like; here are their tracepoints.
. tests/peers/peers.bash

compare 'execsnoop' 'tracepoint:sched:sched_process_exec /comm == "WHO"/ { printf("%s\n", str(args->filename)); }' \
	"use proc; file of execsnoop where proc = WHO and error = 0" \
	'select(.type == "printf") | .data | rtrimstr("\n")' .file
compare 'execsnoop: arguments' "tracepoint:syscalls:sys_enter_execve /str(args->filename) == \"$tmp/WHO\"/ { join(args->argv); }" \
	'use proc; cmdline of execsnoop where proc = WHO and error = 0' \
	'select(.type == "join") | .data' .cmdline 1 "$tmp/$WHO $ROUNDS $tmp"
compare 'execsnoop: what could not be started' \
	'tracepoint:syscalls:sys_enter_execve /comm == "WHO"/ { @name[tid] = args->filename; }
	tracepoint:syscalls:sys_exit_execve /args->ret < 0 && comm == "WHO"/ { @[str(@name[tid])] = count(); } END { clear(@name); }' \
	'use proc; events of failed_execs where proc = WHO' "$bt_map" '"\(.file)=\(.times)"' 1 \
	"/nonexistent/program=$ROUNDS"
compare 'exitsnoop' \
	'tracepoint:sched:sched_process_exit /comm == "WHO" && pid == tid/ { @ = count(); }' \
	'use proc; count of exitsnoop where proc = WHO' "$bt_map" '"=\(.count)"' 1 \
	"=$((1 + 2 * ROUNDS))"
compare 'forkers' 'tracepoint:syscalls:sys_exit_clone, tracepoint:syscalls:sys_exit_clone3 /comm == "WHO" && args->ret > 0/ { @[probe] = count(); }' \
	'use proc; events of forkers where proc = WHO' \
	"[$bt_map"' | select(contains("clone=")) | split("=")[1]] | .[]' '"\(.children)"' 1 \
	$((3 * ROUNDS))
compare 'threadsnoop' 'tracepoint:task:task_newtask /comm == "WHO" && args->clone_flags & 0x10000/ { printf("%d\n", args->pid); }' \
	'use proc; thread of threadsnoop where proc = WHO' \
	'select(.type == "printf") | .data | rtrimstr("\n")' .thread $ROUNDS
compare 'killsnoop' 'tracepoint:syscalls:sys_enter_kill /comm == "WHO"/ { @t[tid] = args->pid; @s[tid] = args->sig; }
	tracepoint:syscalls:sys_exit_kill /comm == "WHO"/ { printf("%d %d %d\n", @t[tid], @s[tid], args->ret); } END { clear(@t); clear(@s); }' \
	'use proc; target, sig, error of killsnoop where proc = WHO' \
	'select(.type == "printf") | .data | rtrimstr("\n") | sub(" 9 "; " SIGKILL ") | sub(" 10 "; " SIGUSR1 ")' \
	'"\(.target) \(.sig) \(if .error == "" then 0 else .error end)"' $((3 * ROUNDS))
compare 'signals' 'tracepoint:signal:signal_generate /comm == "WHO"/ { @[args->sig] = count(); }' \
	'use proc; sum(times) as times of signals where sender = WHO by sig' \
	"$bt_map"' | sub("^9="; "SIGKILL=") | sub("^10="; "SIGUSR1=") | sub("^17="; "SIGCHLD=")' \
	'"\(.sig)=\(.times)"' 3
compare 'statsnoop' 'tracepoint:syscalls:sys_enter_newfstatat, tracepoint:syscalls:sys_enter_statx, tracepoint:syscalls:sys_enter_statfs
	/comm == "WHO"/ { @[probe] = count(); }' \
	'use fs; count of statsnoop where proc = WHO by name' \
	"$bt_map"' | ltrimstr("tracepoint:syscalls:sys_enter_")' '"\(.name)=\(.count)"' 3
compare 'syncsnoop' 'tracepoint:syscalls:sys_enter_fsync, tracepoint:syscalls:sys_enter_fdatasync /comm == "WHO"/ { @[probe] = count(); }' \
	'use fs; count of syncsnoop where proc = WHO by name' \
	"$bt_map"' | ltrimstr("tracepoint:syscalls:sys_enter_")' '"\(.name)=\(.count)"' 2 \
	"fdatasync=$ROUNDS fsync=$ROUNDS"
compare 'removals and renames' \
	'tracepoint:syscalls:sys_exit_unlink, tracepoint:syscalls:sys_exit_rename, tracepoint:syscalls:sys_exit_mount /comm == "WHO"/ { @ = count(); }' \
	'use fs; count of syscall where proc = WHO and name in (unlink, rename, mount)' "$bt_map" \
	'"=\(.count)"' 1 "=$((3 * ROUNDS))"
compare 'syscount' 'tracepoint:raw_syscalls:sys_exit /comm == "WHO" && ('"$NO_BIRTH"')/ { @[args->id] = count(); }' \
	'count of syscall where proc = WHO by name' \
	"[$bt_map"' | split("=")[1] | tonumber] | sort | .[]' .count 20
compare 'tcpconnect' \
	'tracepoint:syscalls:sys_exit_connect /comm == "WHO"/ { @[args->ret] = count(); }' \
	'use net; count of tcpconnect where proc = WHO by error' \
	"$bt_map"' | sub("^-111="; "ECONNREFUSED=")' \
	'"\(if .error == "" then 0 else .error end)=\(.count)"' 2 "0=$ROUNDS ECONNREFUSED=$ROUNDS"
compare 'tcpaccept' \
	'tracepoint:syscalls:sys_exit_accept /comm == "WHO" && args->ret >= 0/ { @ = count(); }' \
	'use net; count of tcpaccept where proc = WHO' "$bt_map" '"=\(.count)"' 1 "=$ROUNDS"
# States by number, as include/net/tcp_states.h has them; Runnel gives the name.
tcp_names='("_ ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING NEW_SYN_RECV" | split(" ")) as $states
	| capture("(?<old>[0-9]+),(?<new>[0-9]+)=(?<n>.*)")
	| "TCP_\($states[.old | tonumber]),TCP_\($states[.new | tonumber])=\(.n)"'
compare 'tcpstates' 'tracepoint:sock:inet_sock_set_state /comm == "WHO"/ { @[args->oldstate, args->newstate] = count(); }' \
	'count of tracepoint "sock:inet_sock_set_state" where proc = WHO by oldstate, newstate' \
	"$bt_map | $tcp_names" '"\(.oldstate),\(.newstate)=\(.count)"' 5
compare 'tcpstates: both ends' 'tracepoint:sock:inet_sock_set_state /comm == "WHO"/ {
		@[ntop(args->family, args->saddr), args->sport, ntop(args->family, args->daddr), args->dport] = count(); }' \
	'count of tracepoint "sock:inet_sock_set_state" where proc = WHO by local, peer' \
	"$bt_map"' | gsub(",0(?=[,=])"; "")' \
	'"\(.local),\(.peer)=\(.count)" | gsub("(?<a>[0-9.]+):(?<p>[0-9]+)"; "\(.a),\(.p)")' $ROUNDS
compare 'packets_out: bytes by device' \
	'tracepoint:net:net_dev_queue /comm == "WHO"/ { @[str(args->name)] = sum(args->len); }' \
	'sum(len) as n of tracepoint "net:net_dev_queue" where proc = WHO by name' "$bt_map" \
	'"\(.name)=\(.n)"'
compare 'page_faults' \
	'tracepoint:exceptions:page_fault_user /comm == "WHO"/ { @[comm] = count(); }' \
	'use mem; events of page_faults where proc = WHO' "$bt_map" '"\(.proc)=\(.faults)"'
compare 'page_faults: writes' \
	'tracepoint:exceptions:page_fault_user /comm == "WHO" && args->error_code & 2/ { @ = count(); }' \
	'use mem; writes of page_faults where proc = WHO' "$bt_map" '"=\(.writes)"'
compare 'switches: preempted' \
	'tracepoint:sched:sched_switch /args->prev_comm == "WHO" && (args->prev_state == 0 || args->prev_state == 256)/ { @ = count(); }' \
	'use sched; preempted of switches(1000) where thread = WHO' "$bt_map" '"=\(.preempted)"'
compare 'page_allocs' 'tracepoint:kmem:mm_page_alloc /comm == "WHO"/ { @[comm] = count(); }' \
	'use mem; events of page_allocs where proc = WHO' "$bt_map" '"\(.proc)=\(.blocks)"'
compare 'wakeups' 'tracepoint:sched:sched_wakeup /comm == "WHO"/ { @[args->comm] = count(); }' \
	'use sched; events of wakeups(1000) where waker = WHO' "$bt_map" '"\(.woken)=\(.times)"'
compare 'biosnoop' 'tracepoint:block:block_rq_issue /comm == "WHO"/ { @asked[args->dev, args->sector] = args->bytes + 1; }
	tracepoint:block:block_rq_complete /@asked[args->dev, args->sector]/ {
		printf("%lld %d\n", args->sector, @asked[args->dev, args->sector] - 1); delete(@asked[args->dev, args->sector]); }
	END { clear(@asked); }' \
	'use io; sector, size of biosnoop where proc = WHO' \
	'select(.type == "printf") | .data | rtrimstr("\n")' '"\(.sector) \(.size)"'
compare 'biolatency: how many' \
	'tracepoint:block:block_rq_issue /comm == "WHO"/ { @asked[args->dev, args->sector] = 1; }
	tracepoint:block:block_rq_complete /@asked[args->dev, args->sector]/ { @ = count(); delete(@asked[args->dev, args->sector]); }
	END { clear(@asked); }' \
	'use io; events of biolatency(WHO)' "$bt_map"' | select(startswith("="))' '"=\(.requests)"'
compare 'runqlat: how many, of those woken by the program and what it started' \
	'BEGIN { @in[tid] = 1; @in[cpid] = 1; }
	tracepoint:sched:sched_process_fork /@in[args->parent_pid]/ { @in[args->child_pid] = 1; }
	tracepoint:sched:sched_wakeup /@in[tid] && args->comm == "WHO"/ { @woken[args->pid] = 1; }
	tracepoint:sched:sched_switch /@woken[args->next_pid]/ { @ = count(); delete(@woken[args->next_pid]); } END { clear(@woken); clear(@in); }' \
	'use sched; events of runqlat(WHO)' "$bt_map"' | select(startswith("="))' '"=\(.waits)"'
compare 'tcplife: how many' 'tracepoint:sock:inet_sock_set_state /comm == "WHO" && args->newstate == 1/ { @open[args->skaddr] = 1; }
	tracepoint:sock:inet_sock_set_state /args->newstate == 7 && @open[args->skaddr]/ { @ = count(); delete(@open[args->skaddr]); } END { clear(@open); }' \
	'use net; count of tcplife' "$bt_map"' | select(startswith("="))' '"=\(.count)"'
compare 'held_open: files' 'tracepoint:syscalls:sys_exit_openat /comm == "WHO" && args->ret >= 0/ { @fd[pid, args->ret] = 1; }
	tracepoint:syscalls:sys_enter_close /comm == "WHO" && @fd[pid, args->fd]/ { @ = count(); delete(@fd[pid, args->fd]); } END { clear(@fd); }' \
	'use fs; count of held_open(1ns) where proc = WHO' "$bt_map"' | select(startswith("="))' \
	'"=\(.count)"'
compare 'filetop: bytes' 'tracepoint:syscalls:sys_exit_read, tracepoint:syscalls:sys_exit_pread64, tracepoint:syscalls:sys_exit_write
	/comm == "WHO" && args->ret > 0/ { @ = sum(args->ret); }' \
	'sum(bytes) as n of io where proc = WHO and name in (read, pread64, write)' "$bt_map" \
	'"=\(.n)"'
# A disk of its own, whose pages nobody else writes; the kernel does it in threads of its own.
truncate -s 16M "$tmp/disk"
if ! mkfs.ext4 -q "$tmp/disk" 2>/dev/null || ! mkdir "$tmp/mnt" ||
	! mount -o loop "$tmp/disk" "$tmp/mnt" 2>/dev/null; then
	skip 'writeback: no loop device, or no mkfs.ext4'
else
	at_exit 'umount "$tmp/mnt"'
	sync -f "$tmp/mnt"
	disk=$(stat -c %Hd:%Ld "$tmp/mnt")
	cat >"$tmp/write.sh" <<END
for i in \$(seq $ROUNDS); do
	dd if=/dev/zero of=$tmp/mnt/\$i bs=4096 count=\$i 2>/dev/null
	sync -f $tmp/mnt
done
END
	# Reasons by number, as include/linux/backing-dev-defs.h has them; Runnel gives the name.
	reasons='("background vmscan sync periodic laptop_timer fs_free_space forker_thread foreign_flush"
		| split(" ")) as $names
		| split(" ") | "\($names[.[0] | tonumber]) \(.[1])"'
	mine="/args->name == \"$disk\"/"
	EVERYWHERE=yes PROGRAM="/bin/sh $tmp/write.sh" compare 'writeback: why and how many pages' \
		'tracepoint:writeback:writeback_start '"$mine"' { @left[tid] = args->nr_pages; }
		tracepoint:writeback:writeback_written '"$mine"' {
			$pages = @left[tid] - args->nr_pages;
			if ($pages > 0) { printf("%d %lld\n", args->reason, $pages); }
			delete(@left[tid]); }
		END { clear(@left); }' \
		"use io; reason, pages of writeback where device = \"$disk\" and pages > 0" \
		"select(.type == \"printf\") | .data | rtrimstr(\"\n\") | $reasons" \
		'select(.reason) | "\(.reason) \(.pages)"' $ROUNDS
fi
done_testing
