#!/bin/bash
# members.sh - arguments of tracepoints by their names, and members of what they point to: equal to
# what the record, or the event's own fields, say of the same.
. tests/live/lib.sh
need_bpf; need jq python3
export RUNNEL_POLICY=$tmp/none # which allows no payload
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }

# ---- the same by two ways ----
q -c 'bash -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done"' 'count, count(where
	p.group_leader.pid = tid
	and p.pid = tid and p.real_parent.tgid = ppid and p.cred.uid.val = uid
	and p.signal.live.counter = 1 and p.nsproxy.net_ns.ns.inum = netns) as same, count(where
	p.comm = thread) as named of tracepoint "sched:sched_process_exec" where p.comm = "true"'
same 'a program that begins' "$(rows '"\(.count) \(.same) \(.named)"')" '9 9 9'
q -c 'bash -c "for i in 1 2 3 4; do /bin/true; done"' 'count(where bprm.argc = 1) as n, count of
	tracepoint "sched:sched_process_exec" by bprm.filename, bprm.file.f_path.dentry.d_name.len'
same 'a text behind a pointer is payload' \
	"$(grep -c 'have payload, the field bprm.filename' "$tmp/err")" 1

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
q -c 'nice -n 7 sleep 0.01' 'count of tracepoint "sched:sched_process_exec" where p.comm = sleep
	by p.static_prio, p.comm'
same 'a number' "$(rows '"\(."p.static_prio") \(."p.comm")"')" '127 sleep'
q -c 'bash -c "/bin/true; /bin/true"' 'sum(p.thread_info.cpu - cpu) as none,
	sum(p.rlim_is_not_there) of tracepoint "sched:sched_process_exec"'
same 'no such member' "$(grep -c 'struct task_struct has no member `rlim_is_not_there`' \
	"$tmp/err")" 1
q -c 'bash -c "/bin/true; /bin/true"' 'p.signal.rlim[7].rlim_cur, p.signal.rlim[7].rlim_max of
	tracepoint "sched:sched_process_exec" where p.comm = "true"'
same 'elements' "$(rows '"\(."p.signal.rlim[7].rlim_cur") \(."p.signal.rlim[7].rlim_max")"')" \
	"$(ulimit -Sn) $(ulimit -Hn) $(ulimit -Sn) $(ulimit -Hn)"

q -c 'timeout 0.5 sh -c "while :; do :; done"' 'count, count(where task.tgid = pid and
	task.pid = tid) as same, max(task.se.cfs_rq.rq.nr_running) >= 1 as runs of sample 199hz'
same 'the thread at work' "$(rows '.count > 9 and .runs and .count == .same')" true

# ---- null pointers, and what cannot be read ----
q 'count(where next.mm = 0) as threads, count(where next.mm = 0 and next.mm.total_vm = 0) as none,
	count(where next.mm != 0 and next.mm.total_vm > 0) as real, count of
	tracepoint "sched:sched_switch" for 300ms'
same 'behind a null pointer is 0' \
	"$(rows '.threads > 0 and .threads == .none and .threads + .real == .count')" true
same 'which is counted' "$(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].faulted > 0')" true
q 'count of tracepoint "sched:sched_switch" where next.mm != 0 and next.mm.total_vm > 0 for 200ms'
same 'nothing, if the condition before it asks' \
	"$(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].faulted')" 0

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
	tracepoint "tcp:tcp_probe" for 1ms' 'memory that each CPU has of its own'
refused 'the record and the arguments' "count of tracepoint \"sched:sched_switch\" by next_comm,
	next.pid for 1ms" '`next_comm` is in the record of the tracepoint, `next.pid` among'
refused 'too many steps' "max(next.parent.parent.parent.parent.parent.parent.parent.parent.pid) of
	$T" 'more than 8 steps'
refused 'a function that is not there' 'max(bio.bi_iter.bi_size) of kernel "no_such_4711" for 1ms' \
	'no function `no_such_4711` whose arguments it tells'
refused 'a class without' 'max(bytes.x) of read for 1ms' '`bytes.x` is not a field of `read`'
refused 'a text with a dot' 'count of read where proc = web1.example for 1ms' 'a text is quoted'
done_testing
