#!/bin/bash
# judge.sh - conditions on names for which the kernel has a number: users, cgroups, containers. It
# tests them by what the node has judged; no event is missed or counted twice, and few are rows.
. tests/live/lib.sh
need_bpf; need jq python3
[ "$(id -u)" = 0 ] || skip_all 'only root can be other users'

# Each user makes so many calls, some of them before and some after the others' first one.
cat >"$tmp/users.py" <<END
import os, pwd, sys
out = [os.open("/dev/zero", os.O_RDONLY)]
for round in range(3):
    for name, calls in ("root", 50), ("nobody", 30), ("daemon", 20), (4711, 10):
        pid = os.fork()
        if not pid:
            os.setuid(name if isinstance(name, int) else pwd.getpwnam(name).pw_uid)
            for i in range(calls):
                os.pread(out[0], 10 * round + 1, 0)
            os._exit(0)
        os.waitpid(pid, 0)
END
python="python3 -S $tmp/users.py"
mine='file = "/dev/zero" and'
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counted() { # CONDITION WANT
	q -c "$python" "count, sum(bytes) as s of pread64 where $mine $1 by uid % 10000 as u"
	same "$1" "$(rows '"\(.u)=\(.count),\(.s)"')" "$2"
}
root=0=150,1650 nobody=5534=90,990 daemon=1=60,660 other=4711=30,330
[ "$(id -u nobody) $(id -u daemon)" = '65534 1' ] ||
	skip_all 'nobody and daemon have other ids here'
counted 'user = root' "$root"
counted 'user != root' "$daemon $other $nobody"
counted 'user in (daemon, nobody, games)' "$daemon $nobody"
counted 'user ~ "*o*" and not user ~ "r*"' "$daemon $nobody"
counted 'user = "4711"' "$other"
counted '(user = root or user !~ "*o*")' "$root $other"
counted 'user = games' ''
counted 'user ~ "*" and user != daemon and bytes > 20' \
	'0=50,1050 4711=10,210 5534=30,630'
same 'tested in the kernel' "$("$RN" "explain count of pread64 where user = root" |
	grep -c 'in the kernel (the node judges')" 1

q -c "$python" "count of pread64 where $mine user != root by user"
same 'groups of derived keys' "$(rows '"\(.user)=\(.count)"')" '4711=30 daemon=60 nobody=90'
q -c "$python" "sum(n) as n of (count as n of pread64 where $mine user != root by proc every 50ms)"
same 'windows' "$(rows .n)" 180
q -c "$python" "uid, bytes of pread64 where $mine user = daemon"
same 'rows' "$(rows '"\(.uid),\(.bytes)"' | tr ' ' '\n' | uniq -c | awk '{ print $1 "x" $2 }' |
	paste -sd' ')" '20x1,1 20x1,11 20x1,21'
same 'what matched' "$(grep '"ledger"' "$tmp/err" | jq '.ledger.matched')" 60
q -c "$python" "count of pread64 where $mine user = daemon"
same 'what matched, counted in the kernel' "$(grep '"ledger"' "$tmp/err" |
	jq '.ledger.matched')" 60

for at in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T $at 2>/dev/null)" = cgroup2fs ] && break
done
at=$at/runnel-test-$$
if mkdir "$at" 2>/dev/null; then
	cat >"$tmp/born" <<-END
		mkdir $at/born; echo 0 >$at/born/cgroup.procs
		for i in 1 2 3 4 5; do echo x >>$tmp/x; done
		echo 0 >$at/cgroup.procs; for i in 1 2; do echo x >>$tmp/x; done
	END
	where="file = \"$tmp/x\" and cgroup"
	q -c "bash $tmp/born" "count of write where $where ~ \"*/born\""
	same 'a cgroup that is made meanwhile' "$(rows .count)" 5
	rmdir "$at/born"
	q -c "bash $tmp/born" "count of write where $where !~ \"*/born\" by basename(cgroup) as c"
	same 'and another one' "$(rows '"\(.c)=\(.count)"')" "${at##*/}=2"
	rmdir "$at/born" "$at"
else
	skip 'no cgroup v2 here'
fi
done_testing
