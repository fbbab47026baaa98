#!/bin/bash
# lists.sh - several classes as one source: calls, the ends of processes and tracepoints, as groups
# and as rows, in windows, over nodes, recorded and read again.
. tests/live/lib.sh
need_bpf; need jq python3

cat >"$tmp/known.py" <<END
import os, signal, time
signal.signal(signal.SIGUSR1, lambda *_: None)
fd = os.open("$tmp/file", os.O_WRONLY | os.O_CREAT)
for _ in range(3):
    os.fsync(fd)
for _ in range(7):
    os.getppid()
for _ in range(4):
    os.kill(os.getpid(), signal.SIGUSR1)
for _ in range(2):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
END
python="python3 -S $tmp/known.py"
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
list='fsync, exit, tracepoint "task:task_n*", "signal:signal_deliver", getppid'
mine='where proc ~ "python3*"'
# a signal that is generated belongs to the task that an interrupt met, so it is not counted here
want='exit=3 fsync=3 getppid=7 signal:signal_deliver=4 task:task_newtask=2'

q -c "$python" "count of $list $mine by name"
same 'groups of the kernel' "$(rows '"\(.name)=\(.count)"')" "$want"
q -c "$python" "count of $list $mine by lower(name) as name"
same 'groups of the node' "$(rows '"\(.name)=\(.count)"')" "$want"
q -c "$python" "sum(n) as n of (count as n of $list $mine by name every 100ms) by name"
same 'windows' "$(rows '"\(.name)=\(.n)"')" "$want"
q -c "$python" "time, name of $list $mine"
same 'rows' "$(jq -r 'select(.ledger | not) | .name' "$tmp/out" | sort | uniq -c |
	awk '{ print $2 "=" $1 }' | paste -sd' ')" "$want"
same 'rows of all kinds are in order' \
	"$(jq -r 'select(.ledger | not) | .time' "$tmp/out" | sort -nc 2>&1)" ''
same 'first the calls, at last the end' "$(jq -r 'select(.ledger | not) | .name' "$tmp/out" |
	sed -n '1p;$p' | paste -sd' ')" 'fsync exit'

q -c "$python" "events of $list $mine into \"$tmp/x.rnt\""
q "count of $list from \"$tmp/x.rnt\" by name"
same 'recorded' "$(rows '"\(.name)=\(.count)"')" "$want"
q "count of exit from \"$tmp/x.rnt\""
same 'one kind of them' "$(rows '"\(.count)"')" 3
q "count of open from \"$tmp/x.rnt\""
holds 'which is of all of them' 'holds only exit, fsync, getppid, tracepoint' "$tmp/err"
q -c "$python" "events of getppid, fsync into \"$tmp/y.rnt\""
q "count of fsync from \"$tmp/y.rnt\""
same 'one class of a recorded list' "$(rows '"\(.count)"')" 3
q -c "$python" "events of syscall $mine into \"$tmp/z.rnt\""
q "count of fsync, getppid from \"$tmp/z.rnt\" by name"
same 'a list over a recording of more' "$(rows '"\(.name)=\(.count)"')" 'fsync=3 getppid=7'

# fields that all tracepoints of a list have, at another place of each one's record
cat >"$tmp/signals.py" <<END
import os, signal, threading
signal.signal(signal.SIGUSR1, lambda *_: None)
signal.signal(signal.SIGUSR2, lambda *_: None)
for _ in range(3):
    os.kill(os.getpid(), signal.SIGUSR1)
for _ in range(5):
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR2)
for _ in range(2):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
END
python="python3 -S $tmp/signals.py"
sent='tracepoint "syscalls:sys_enter_kill", "syscalls:sys_enter_tgkill"'
want='sys_enter_kill=10x3 sys_enter_tgkill=12x5'
pairs() { rows '"\(.name | sub(".*:"; ""))=\(.sig)x\(.count)"'; }
q -c "$python" "count of $sent by name, sig"
same 'an own field in groups of the kernel' "$(pairs)" "$want"
q -c "$python" "count of $sent where sig > 10 by name, sig"
same 'in a condition' "$(pairs)" 'sys_enter_tgkill=12x5'
q -c "$python" "count, max(sig + 0) as most, sum(sig = 10) as ten of $sent"
same 'in aggregates' "$(rows '"\(.count) \(.most) \(.ten)"')" '8 12 3'
q -c "$python" "events of $sent into \"$tmp/s.rnt\""
q "count of $sent from \"$tmp/s.rnt\" where sig = 12 by name, sig"
same 'recorded' "$(pairs)" 'sys_enter_tgkill=12x5'
q -c "$python" "count of kill, $sent by name, pid"
same 'a name that only some have of their own is that of all events' \
	"$(jq -r 'select(.name) | .pid' "$tmp/out" | sort -u | wc -l)" 1
# text of different forms, and a name that all have of their own
q 'count of tracepoint "task:task_newtask", "sched:sched_process_exit" where comm ~ "python3*" by name, comm' \
	-c "$python"
same 'text' "$(rows '"\(.name | sub(".*:"; ""))=\(.count)"')" 'sched_process_exit=3 task_newtask=2'
q -c "$python" 'count of tracepoint "task:task_newtask", "sched:sched_process_exit" where comm ~ "python3*" by comm, pid'
same 'it is what each of them says' "$(rows '"\(.count)"')" '1 2 2'

# views of events: each kind of event has the condition of its view alone
cat >"$tmp/views.py" <<END
import os
fd = os.open("$tmp/file", os.O_RDWR | os.O_CREAT)
os.write(fd, b"x" * 9000); os.lseek(fd, 0, 0)
for size in 10, 20, 2000, 3000:
    os.readv(fd, [bytearray(size)])
for _ in range(7):
    os.getppid()
for status in 0, 3, 3:
    pid = os.fork()
    if not pid:
        os._exit(status)
    os.waitpid(pid, 0)
END
python="python3 -S $tmp/views.py"
views="view large(least = 1000) := events of readv where bytes > \$least;
view failed := events of exit where ret != 0;
view born := events of tracepoint \"task:task_newtask\" where comm ~ \"python3*\";
view texts := events of readv where file =~ \"fil.$\";"
q "$views"
q -c "$python" "count of large, failed, getppid, born $mine by name"
want='exit=2 getppid=7 readv=2 task:task_newtask=3'
same 'views of events' "$(rows '"\(.name)=\(.count)"')" "$want"
q -c "$python" "count of large(15), failed, getppid $mine by name"
same 'the value of a view' "$(rows '"\(.name)=\(.count)"')" 'exit=2 getppid=7 readv=3'
q -c "$python" "name, pid of large, failed, getppid, born $mine"
same 'as rows' "$(jq -r 'select(.ledger | not) | .name' "$tmp/out" | sort | uniq -c |
	awk '{ print $2 "=" $1 }' | paste -sd' ')" "$want"
q -c "$python" "count of texts, failed, born $mine by name"
same 'a field that others lack, tested at the node' "$(rows '"\(.name)=\(.count)"')" \
	'exit=2 readv=4 task:task_newtask=3'
q -c "$python" "count of large, texts, readv, exit $mine by name"
same 'an event of several members is one event' "$(rows '"\(.name)=\(.count)"')" 'exit=4 readv=4'
q -c "$python" "count of syscall, large $mine and name in (getppid, readv) by name"
same 'all calls, and some of them again' "$(rows '"\(.name)=\(.count)"')" 'getppid=7 readv=4'
q -c "$python" "events of syscall $mine into \"$tmp/v.rnt\""
q "count of large, getppid from \"$tmp/v.rnt\" by name"
same 'over a recording' "$(rows '"\(.name)=\(.count)"')" 'getppid=7 readv=2'
q -c "$python" "events of large, failed, born $mine into \"$tmp/w.rnt\""
q "count of exit, tracepoint \"task:task_newtask\" from \"$tmp/w.rnt\" by name"
same 'a recording of a list has each of its classes' "$(rows '"\(.name)=\(.count)"')" \
	'exit=2 task:task_newtask=3'
q -c "$python" "count of syscall, failed"
holds 'no name tells them apart' '`exit` is a call, too' "$tmp/err"
printf 'a local:\nb local:\n' >"$tmp/hosts"
# shellcheck disable=SC2086 # a program and its arguments
among=$tmp/hosts during "count of large, failed, getppid $mine by node, name" $python
same 'over nodes' "$(rows '"\(.node)=\(.name)=\(.count)"')" \
	"$(printf '%s\n' {a,b}={exit=2,getppid=7,readv=2} | paste -sd' ')"
q -c "$CALLS getppid=7" "count of getppid, getpgid where proc = calls and
	name in (getpgid, \"getpgid\", getpgrp)"
same 'a name twice in a list' "$(field .count)" 0
"$RN" "explain count of tracepoint \"sched:sched_process_e*\" by comm" 2>"$tmp/err"
same 'a name of other tools that some tracepoints have' "$(grep -o 'has no `comm`' "$tmp/err")" \
	'has no `comm`'
done_testing
