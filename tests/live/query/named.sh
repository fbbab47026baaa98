#!/bin/bash
# named.sh - flags, signals, families, states of TCP and of tasks, reasons of drops by name: in
# conditions in the kernel, as keys, in JSON, in a recording and read from it.
. tests/live/lib.sh
need_bpf; need jq python3

f=$tmp/file
cat >"$tmp/opens.py" <<END
import os
for flags in [os.O_WRONLY | os.O_CREAT | os.O_EXCL] + 5 * [os.O_WRONLY | os.O_TRUNC] + \\
        3 * [os.O_RDONLY] + 2 * [os.O_RDWR | os.O_SYNC | os.O_APPEND]:
    os.close(os.open("$f", flags))
END
python='python3 -S'
ledger() { grep '"ledger"' "$tmp/err" | jq ".ledger.$1"; }
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }

q -c "$python $tmp/opens.py" "count of open where file = \"$f\" by flags"
same 'as a key' "$(rows '"\(.flags)=\(.count)"')" \
	"O_RDONLY|O_CLOEXEC=3 O_RDWR|O_SYNC|O_APPEND|O_CLOEXEC=2 $(
	)O_WRONLY|O_CLOEXEC|O_CREAT|O_EXCL=1 O_WRONLY|O_CLOEXEC|O_TRUNC=5"
rm "$f"
writes='flags & (O_CREAT | O_TRUNC) != 0'
q -c "$python $tmp/opens.py" \
	"count of open where file = \"$f\" and $writes by flags & O_ACCMODE as mode"
same 'in the kernel, and a part of them' "$(rows '"\(.mode)=\(.count)"')" 'O_WRONLY=6'
rm "$f"
q -c "$python $tmp/opens.py" \
	"flags of openat where file = \"$f\" and arg2 & O_SYNC = O_SYNC into \"$tmp/x.rnt\""
some='O_RDWR | O_SYNC | O_APPEND | O_CLOEXEC, O_RDONLY'
q "count of openat where flags in ($some) by flags from \"$tmp/x.rnt\""
same 'recorded' "$(rows '"\(.flags)=\(.count)"')" 'O_RDWR|O_SYNC|O_APPEND|O_CLOEXEC=2'

q -c "bash -c 'kill -CONT \$\$; kill -URG \$\$; kill -0 \$\$'" \
	'count of kill where arg1 in (SIGCONT, SIGURG, 0) by arg1'
same 'signals' "$(rows '"\(.arg1)=\(.count)"')" '0=1 SIGCONT=1 SIGURG=1'

q -c "bash -c 'kill -KILL \$\$'" 'count of exit where signal != 0 by signal'
same 'a signal that ended a process' "$(rows '"\(.signal)=\(.count)"')" 'SIGKILL=1'
q "count of tracepoint \"sched:sched_switch\" for 1ms"
if grep -q E-NAME-SOURCE "$tmp/err"; then
	skip 'fields of tracepoints: this kernel shows none'
else
	q -c "bash -c 'kill -CONT \$\$; kill -URG \$\$'" \
		'count of tracepoint "signal:signal_generate" where sig in (SIGCONT, SIGURG) by sig'
	same 'signals that are sent' "$(rows '"\(.sig)=\(.count)"')" 'SIGCONT=1 SIGURG=1'
	q -c 'sleep 0.1' 'count of tracepoint "sched:sched_switch" where proc = sleep and
		prev_state & TASK_INTERRUPTIBLE != 0 by prev_state'
	same 'states of tasks' "$(rows '"\(.prev_state)=\(.count >= 1)"')" 'TASK_INTERRUPTIBLE=true'
	q -c "$python -c 'import threading
t = threading.Thread(target=print)
t.start(); t.join()'" 'count of tracepoint "task:task_newtask" where clone_flags & CLONE_THREAD != 0'
	same 'a thread' "$(rows .count)" 1
fi

q -c "$python -c 'import socket
for f in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_UNIX):
    socket.socket(f)'" 'count of socket where proc ~ "python3*" and arg0 != AF_NETLINK by arg0'
same 'families' "$(rows '"\(.arg0)=\(.count)"')" 'AF_INET6=1 AF_INET=1 AF_UNIX=2'

cat >"$tmp/tcp.py" <<END
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.socket(); c.connect(s.getsockname())
END
q "count of tracepoint \"sock:inet_sock_set_state\" for 1ms"
if grep -q E-NAME-SOURCE "$tmp/err"; then
	skip 'states of TCP: this kernel shows no tracepoints'
else
	states='tracepoint "sock:inet_sock_set_state" where oldstate = TCP_CLOSE'
	q -c "$python $tmp/tcp.py" \
		"count of $states and proc ~ \"python3*\" by newstate, family, protocol"
	same 'states of TCP' "$(rows '"\(.newstate)/\(.family)/\(.protocol)=\(.count)"')" \
		'TCP_LISTEN/AF_INET/IPPROTO_TCP=1 TCP_SYN_SENT/AF_INET/IPPROTO_TCP=1'
fi

# Flags of this kernel's own: as texts they are what the kernel itself prints of the same events,
# and a mask tells apart what its text does.
kmalloc='tracepoint "kmem:kmalloc"'
q "count of $kmalloc for 1ms"
if grep -q E-NAME-SOURCE "$tmp/err" ||
	! "$RN" describe kmem:kmalloc | grep -q 'gfp_flags.*string'; then
	skip 'flags of allocations: this kernel names none'
else
	me=gfps$$
	cp "$B/tests/programs/calls" "$tmp/$me"
	cat >"$tmp/record" <<-END # the kernel's own record of all processes of that name
		#!/bin/bash
		mount -t tracefs none /sys/kernel/tracing && cd /sys/kernel/tracing || exit
		mkdir instances/$me && cd instances/$me || exit
		echo 20000 >buffer_size_kb
		echo 'comm == "$me"' >events/kmem/kmalloc/filter
		echo 1 >events/kmem/kmalloc/enable
		$tmp/$me getpid=1 fork=20 mkdir=20
		echo 0 >events/kmem/kmalloc/enable
		cat trace >$tmp/record.txt
		cd ..; rmdir $me
	END
	chmod +x "$tmp/record"
	printed() { grep -o "gfp_flags=$1" "$tmp/record.txt" | sed 's/.*=//' | sort | uniq -c |
		awk '{ print $2 "=" $1 }' | sort | paste -sd' '; }
	q -c "unshare -m $tmp/record" "count of $kmalloc where proc = $me by gfp_flags"
	same 'flags: as the kernel prints them' "$(rows '"\(.gfp_flags)=\(.count)"')" \
		"$(printed '[^ ]*')"
	# what a program of the query allocates itself, no program sees: only with rows there is any
	q -c "unshare -m $tmp/record" "events of $kmalloc where proc = $me into \"$tmp/gfp.rnt\""
	q "count of $kmalloc where not gfp_flags ~ \"GFP_NOWAIT*\" by gfp_flags
		from \"$tmp/gfp.rnt\""
	same 'flags: recorded' "$(rows '"\(.gfp_flags)=\(.count)"')" \
		"$(printed '[^ ]*' | tr ' ' '\n' | grep -v '^GFP_NOWAIT' | paste -sd' ')"
	q -c "unshare -m $tmp/record" "count of $kmalloc where proc = $me and
		gfp_flags & (__GFP_ZERO | __GFP_NOWARN) = __GFP_ZERO by gfp_flags"
	same 'some of them, in the kernel' "$(rows '"\(.gfp_flags)=\(.count)"')" \
		"$(printed '[^ ]*__GFP_ZERO[^ ]*' | tr ' ' '\n' | grep -v NOWARN | paste -sd' ')"
	q -c "unshare -m $tmp/record" \
		"count of $kmalloc where proc = $me by gfp_flags & __GFP_ZERO as zero"
	same 'a part of them as a key' "$(rows 'select(.zero != "0") | "\(.zero)=\(.count)"')" \
		"__GFP_ZERO=$(grep -c 'gfp_flags=[^ ]*__GFP_ZERO' "$tmp/record.txt")"
fi

# Why packets are dropped: a name of this kernel's own, and as many drops as there are datagrams to
# a port that nobody has.
kfree='tracepoint "skb:kfree_skb"'
q "count of $kfree for 1ms"
if grep -q E-NAME-SOURCE "$tmp/err" ||
	! "$RN" describe skb:kfree_skb | grep -q 'reason.*string'; then
	skip 'reasons of drops: this kernel names none'
else
	# some kernels also tell of packets of bash's own sockets that nobody read
	drops="$kfree where proc = bash and protocol = ETH_P_IP"
	drop="bash -c 'for i in 1 2 3 4 5 6 7; do echo x >/dev/udp/127.0.0.1/9; done'"
	q -c "$drop" "count of $drops by reason, protocol"
	same 'reasons of drops' "$(rows '"\(.reason)/\(.protocol)=\(.count)"')" \
		'NO_SOCKET/ETH_P_IP=7'
	q -c "$drop" "count of $drops and reason = SKB_DROP_REASON_NO_SOCKET"
	same 'as C has it, in the kernel' "$(rows .count)" 7
	q -c "$drop" "count of $drops and reason != NO_SOCKET"
	same 'any other' "$(rows .count)" 0
	q -c "$drop" "count, distinct(reason), set(reason) of $drops and reason ~ \"NO_*\" and
		reason =~ \"T\$\""
	same 'by a glob, at the node' \
		"$(rows '[.count, ."distinct(reason)", ."set(reason)"] | tostring')" \
		'[7,1,["NO_SOCKET"]]'
	q -c "$drop" "count of between $kfree and write on tid
		where proc = bash and reason in (TCP_CSUM, NO_SOCKET) by reason"
	same 'of pairs' "$(rows '"\(.reason)=\(.count)"')" 'NO_SOCKET=7'
	q -c "$drop" "events of $drops into \"$tmp/drops.rnt\""
	q "count of $kfree where reason = SKB_DROP_REASON_NO_SOCKET by reason from \"$tmp/drops.rnt\""
	same 'recorded' "$(rows '"\(.reason)=\(.count)"')" 'NO_SOCKET=7'
	q -c "$drop" "let d := count of $drops by reason;
		count of d where reason = SKB_DROP_REASON_NO_SOCKET"
	same 'in a result' "$(rows .count)" 1
	q -c "$drop" "count of $drops and reason = NO_SOKET"
	same 'a name that it has not' \
		"$(rows .count) $(grep -c N-NEVER "$tmp/err") $(ledger no_name)" '0 1 1'
	for node in one two; do echo "$node exec: $RN agent --stdio"; done >"$tmp/hosts"
	among=$tmp/hosts during "count of $drops and reason in (NO_SOCKET, NO_SOKET) by reason" \
		eval "$drop"
	same 'two nodes, one name' \
		"$(rows '"\(.reason)=\(.count)"') $(grep -c N-NEVER "$tmp/err") $(ledger no_name)" \
		'NO_SOCKET=14 0 2'
fi
done_testing
