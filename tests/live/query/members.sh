#!/bin/bash
# members.sh - arguments of tracepoints by their names, and members of what they point to: equal to
# what the record, or the event's own fields, say of the same.
. tests/live/lib.sh
need_bpf; need jq python3
export RUNNEL_POLICY=$tmp/none # which allows no payload
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }

# ---- by loads, if this kernel has them, and by its helper ----
cat >"$tmp/seek.py" <<'END'
import os, sys
for line in sys.stdin:
    for address in line.split():
        try: os.lseek(99, int(address), 0)
        except OSError: pass
    print("done", flush=True)
END
coproc seeker { exec python3 "$tmp/seek.py"; }
seek() { echo "$@" >&"${seeker[1]}"; read -r _ <&"${seeker[0]}"; } # it calls lseek(99, each)
echo 'payload = allow' >"$tmp/allow"
faulted() { grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].faulted'; }
S='tracepoint "syscalls:sys_enter_lseek" where fd = 99'
during "max(task.stack) as stack of $S" seek 0
stack=$(sed -n 's/.*"stack": \(-*[0-9]*\).*/\1/p' "$tmp/out") # jq rounds it
end=$((stack + 16384))
# memory of programs, what is no address, holes; then what is beside the stack
nowhere="0 4096 140737488351231 72057594037927936 -1 -4096 -140737488355328 $((stack - 8)) $end"
# a listening socket, one that connects, and each end's states
cat >"$tmp/talk.py" <<'END'
import socket
for i in range(5):
    a = socket.socket(); a.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    a.bind(("127.0.0.1", 0)); a.listen()
    b = socket.socket(); b.connect(a.getsockname())
    print(a.getsockname()[1], flush=True)
    b.close(); a.close()
END
ports() { grep -hox '[0-9]*' "$tmp/out" "$tmp/err" | sort -n | paste -sd' '; } # as it says
told() { rows "$1" | tr ' ' '\n' | sort -n | paste -sd' '; }
read_by() { # HOW: in RUNNEL_WITHOUT, what this kernel is to lack
	[ -z "$1" ] || export RUNNEL_WITHOUT=$1
	q -c 'bash -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done"' 'count, count(where
		p.group_leader.pid = tid
		and p.pid = tid and p.real_parent.tgid = ppid and p.cred.uid.val = uid
		and p.signal.live.counter = 1 and p.nsproxy.net_ns.ns.inum = netns) as same, count(where
		p.comm = thread) as named of tracepoint "sched:sched_process_exec" where p.comm = "true"'
	same 'a program that begins' "$(rows '"\(.count) \(.same) \(.named)"')" '9 9 9'
	q -c "python3 $tmp/talk.py" 'count of tracepoint "sock:inet_sock_set_state"
		where sk.__sk_common.skc_num > 0 and sk.__sk_common.skc_reuse = 1
		by sk.__sk_common.skc_num'
	same 'five ports' "$(ports | wc -w)" 5
	same 'those with a bit field' "$(told '."sk.__sk_common.skc_num"')" "$(ports)"
	q -c "python3 $tmp/talk.py" 'count of tracepoint "sock:inet_sock_set_state"
		where sk.__sk_common.skc_state = 7 and sk.__sk_common.skc_dport > 0
		by sk.__sk_common.skc_dport'
	same 'five ports again' "$(ports | wc -w)" 5
	same 'in the order of the network' "$(told '."sk.__sk_common.skc_dport"')" "$(ports)"
	q -c "python3 $tmp/talk.py" 'count of tracepoint "sock:inet_sock_set_state"
		where cast(skaddr, "struct sock").sk_protocol = 6 and
		container(skaddr, "struct tcp_sock", "inet_conn").inet_conn.icsk_inet.sk.sk_type = 1
		by cast(skaddr, "struct sock").__sk_common.skc_reuse'
	same 'cast and container, of a field of the record' "$(rows '.count > 9')" 'true true'
	# enumerations have names, arrays elements, numbers a sign
	q -c "python3 $tmp/talk.py" 'count of tracepoint "sock:inet_sock_set_state"
		where sk.sk_socket.state = SS_UNCONNECTED by sk.sk_socket.state'
	same 'a name of an enumeration' "$(rows '."sk.sk_socket.state"')" SS_UNCONNECTED
	q -c 'nice -n 7 sleep 0.01' 'count of tracepoint "sched:sched_process_exec"
		where p.comm = sleep by p.static_prio, p.comm'
	same 'a number' "$(rows '"\(."p.static_prio") \(."p.comm")"')" '127 sleep'
	q -c 'bash -c "/bin/true; /bin/true"' 'p.signal.rlim[7].rlim_cur as cur,
		p.signal.rlim[7].rlim_max as max of tracepoint "sched:sched_process_exec" where p.comm = "true"'
	same 'elements' "$(rows '"\(.cur) \(.max)"')" \
		"$(ulimit -Sn) $(ulimit -Hn) $(ulimit -Sn) $(ulimit -Hn)"
	q -c 'timeout 0.5 sh -c "while :; do :; done"' 'count, count(where task.tgid = pid and
		task.pid = tid) as same, max(task.se.cfs_rq.rq.nr_running) >= 1 as runs of sample 199hz'
	same 'the thread at work' "$(rows '.count > 9 and .runs and .count == .same')" true
	# null pointers, and what cannot be read
	q -c 'bash -c "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02; done"' 'count,
		count(where next.mm = 0) as threads, count(where next.mm = 0 and next.mm.total_vm = 0) as
		none, count(where next.mm.total_vm > 0) as real of tracepoint "sched:sched_switch"'
	same 'behind a null pointer is 0' \
		"$(rows '.threads > 0 and .threads == .none and .threads + .real == .count')" true
	same 'which is counted, each time' "$(rows .threads)" "$(faulted)"
	q 'count of tracepoint "sched:sched_switch" where next.mm != 0 and next.mm.total_vm > 0 for 200ms'
	same 'nothing, if the condition before it asks' \
		"$(faulted)" 0
	# numbers that are there and are 0, amid others and amid zeros; across lines and pages
	# shellcheck disable=SC2086 # several addresses
	during "count, max(cast(offset, \"struct list_head\").next) as whole,
		max(cast(offset, \"struct qstr\").hash) as half,
		max(cast(offset, \"struct sockaddr\").sa_family) as quarter,
		max(cast(offset, \"struct list_head\").next.next) as behind of $S by offset" \
		seek $nowhere $stack $((stack + 8)) $((stack + 128)) $((stack + 188)) \
		$((end - 16)) $((end - 8)) $((end - 4)) $((end - 2))
	# the four of each of 9 addresses; one of the others; three that end behind the stack
	same 'each that cannot be read is counted' "$(faulted)" $((4 * 9 + 8 + 3))
	same 'the end of the stack' \
		"$(grep -c "\"offset\": $stack,.*\"half\": $((0x57ac6e9d))," "$tmp/out")" 1
	grep '"offset"' "$tmp/out" | sort >"$tmp/read$1"
	q -c 'bash -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done"' 'count,
		sum(p.static_prio), sum(p.exit_code), sum(p.pdeath_signal), sum(p.cred.uid.val),
		sum(p.io_uring.cached_refs), sum(p.sched_reset_on_fork), sum(p.in_execve),
		sum(p.files.fdt.max_fds), sum(p.signal.rlim[7].rlim_cur),
		sum(p.real_parent.nsproxy.net_ns.ns.inum), sum(task.signal.group_exit_code)
		of tracepoint "sched:sched_process_exec" where p.comm = "true"
		by p.comm, p.real_parent.comm'
	same 'null, nine times' "$(rows .count) $(faulted)" '9 9'
	rows tostring >>"$tmp/read$1"
	RUNNEL_POLICY=$tmp/allow q -c 'bash -c "/bin/true; /bin/true"' 'count of
		tracepoint "sched:sched_process_exec" by bprm.filename, p.io_uring.cached_refs'
	same 'a text that a pointer leads to' \
		"$(rows '."bprm.filename"' | grep -o /bin/true)" /bin/true
	rows tostring >>"$tmp/read$1"
	unset RUNNEL_WITHOUT
}
told_way() { "$RN" 'explain max(next.mm.total_vm) of tracepoint "sched:sched_switch"' | tail -n 1; }
if grep -qw bpf_rdonly_cast /proc/kallsyms &&
	! grep -qx 0 /proc/sys/net/core/bpf_jit_enable; then
	same 'the way is told' "$(told_way)" 'members: by loads'
else
	skip 'loads: this kernel has no cast, or no compiler'
fi
read_by ''
same 'the other way is told' "$(RUNNEL_WITHOUT=bpf_rdonly_cast told_way)" \
	'members: by calls of bpf_probe_read_kernel'
read_by bpf_rdonly_cast
same 'both ways read the same' "$(cat "$tmp/read")" "$(cat "$tmp/readbpf_rdonly_cast")"
kill %%

q -c 'bash -c "for i in 1 2 3 4; do /bin/true; done"' 'count(where bprm.argc = 1) as n, count of
	tracepoint "sched:sched_process_exec" by bprm.filename, bprm.file.f_path.dentry.d_name.len'
same 'a text behind a pointer is payload' \
	"$(grep -c 'have payload, the field bprm.filename' "$tmp/err")" 1

q -c 'bash -c "/bin/true; /bin/true"' 'sum(p.thread_info.cpu - cpu) as none,
	sum(p.rlim_is_not_there) of tracepoint "sched:sched_process_exec"'
same 'no such member' "$(grep -c 'struct task_struct has no member `rlim_is_not_there`' \
	"$tmp/err")" 1

# ---- refused, with the place and the way out ----
refused() { # NAME QUERY TEXT
	q "$2"
	same "$1" "$(grep -cF -- "$3" "$tmp/err")" 1
}
T='tracepoint "sched:sched_switch" for 1ms'
refused 'a struct' "count(where next.se > 1) of $T" 'it is a struct sched_entity, not a number'
refused 'an array' "count(where next.cpus_mask.bits > 1) of $T" 'name one of its elements: [0]'
refused 'an element too far' "max(next.rt.run_list[3].x) of $T" 'has no elements'
refused 'beyond the end' "max(next.comm[16]) of $T" 'it has 16 elements, from [0] on'
refused 'the arguments are told' "max(nxt.pid) of $T" 'it has `preempt` (bool), `prev` (struct'
refused 'the nearest member' "max(next.pidd) of $T" 'did you mean `pid`?'
refused 'no pointer' "max(next.pid.x) of $T" 'pid_t has no members'
refused 'no struct of that name' "max(cast(next, \"struct tsk\").pid) of $T" \
	'this kernel has no struct tsk'
refused 'the word struct' "max(cast(next, \"task_struct\").pid) of $T" 'write "struct task_struct"'
refused 'memory of each CPU' 'max(cast(skaddr, "struct net_device").pcpu_refcnt[0]) of
	tracepoint "sock:inet_sock_set_state" for 1ms' 'memory that each CPU has of its own'
refused 'the record and the arguments' "count of tracepoint \"sched:sched_switch\" by next_comm,
	next.pid for 1ms" '`next_comm` is in the record of the tracepoint, `next.pid` among'
refused 'too many steps' "max(next.parent.parent.parent.parent.parent.parent.parent.parent.pid) of
	$T" 'more than 8 steps'
refused 'a function that is not there' 'max(bio.bi_iter.bi_size) of kernel "no_such_4711" for 1ms' \
	'no function `no_such_4711` whose arguments it tells'
refused 'a class without' 'max(bytes.x) of read for 1ms' '`bytes.x` is not a field of `read`'
refused 'a text with a dot' 'count of read where proc = web1.example for 1ms' 'a text is quoted'
done_testing
