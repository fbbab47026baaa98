#!/bin/bash
# regroup.sh - keys that are computed from what the kernel groups by: it makes the groups, and the
# node merges those of equal keys. Groups that find no room there are rows; the answer is the same.
. tests/live/lib.sh
need_bpf; need jq python3

d=$tmp/d; mkdir "$d"
cat >"$tmp/reads.py" <<END
import os, socket, sys
for end in "log", "txt", "c":
    for name in "one", "two":
        fd = os.open("$d/%s.%s" % (name, end), os.O_RDWR | os.O_CREAT)
        for _ in range({"log": 40, "txt": 20, "c": 10}[end]):
            os.write(fd, b"abc")
        os.close(fd)
END
# more files than the kernel has room for groups
cat >"$tmp/many.py" <<END
import os
for i in range(24000):
    fd = os.open("$d/%d.%s" % (i, "abc"[i % 3]), os.O_WRONLY | os.O_CREAT)
    os.write(fd, b"x" * (i % 7))
    os.close(fd)
    os.unlink("$d/%d.%s" % (i, "abc"[i % 3]))
END
python='python3 -S'
mine="where file ~ \"$d/*\""
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
formed() { "$RN" "explain $1" 2>&1 | grep -c 'formed in the kernel'; }

list='count, sum(bytes), max(bytes), p50(bytes), distinct(file)'
query="$list of write $mine by ext(file) as e, user"
same 'in the kernel' "$(formed "$query")" 1
q -c "$python $tmp/reads.py" "$query"
all='"\(.e),\(.user),\(.count),\(."sum(bytes)"),\(."max(bytes)"),\(."p50(bytes)"),\(."distinct(file)")"'
me=$(id -un)
same 'ends of files' "$(rows "$all")" "c,$me,20,60,3,3,2 log,$me,80,240,3,3,2 txt,$me,40,120,3,3,2"
q -c "$python $tmp/reads.py" "$query every 100ms"
jq -r 'select(.ledger | not) | "\(.e) \(.count)"' "$tmp/out" |
	awk '{ n[$1] += $2 } END { for (k in n) print k "=" n[k] }' | sort >"$tmp/sums"
same 'windows' "$(paste -sd' ' "$tmp/sums")" 'c=20 log=80 txt=40'
q -c "$python $tmp/reads.py" "count of write $mine by
	if(file ~ \"*.log\", \"log\", \"no log\") as e, bytes > 2, upper(basename(dirname(file))) as b"
same 'beside keys that the kernel computes' "$(rows '"\(.e),\(."bytes > 2"),\(.b),\(.count)"')" \
	'log,true,D,80 no log,true,D,60'

query="count, sum(bytes) as s of write $mine by ext(file) as e"
q -c "$python $tmp/many.py" "$query"
same 'more groups than the kernel has room for' "$(rows '"\(.e)=\(.count)=\(.s)"')" \
	'a=8000=23999 b=8000=23998 c=8000=23997'
same 'nothing in (other)' \
	"$(grep '"ledger"' "$tmp/err" | jq -c '.ledger | [.lost_map, .lost_ring, .matched]')" \
	'[0,0,24000]'
q -c "$python $tmp/many.py" "sum(n) as n, sum(s) as s of (count as n, sum(bytes) as s
	of write $mine by ext(file) as e every 200ms) by e"
same 'in windows' "$(rows '"\(.e)=\(.n)=\(.s)"')" 'a=8000=23999 b=8000=23998 c=8000=23997'

# a cgroup that has ended when the answer is made
for at in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T $at 2>/dev/null)" = cgroup2fs ] && break
done
at=$at/runnel-test-$$
if mkdir "$at" 2>/dev/null; then
	cat >"$tmp/in" <<-END
		echo 0 >$at/cgroup.procs
		for i in 1 2 3 4 5; do echo x >>$d/out; done
	END
	q -c "bash -c 'bash $tmp/in; sleep 0.3; rmdir $at; sleep 0.1'" \
		"count of write where file = \"$d/out\" by cgroup"
	same 'a cgroup that is gone' "$(rows '"\(.cgroup)=\(.count)"')" "/${at##*/}=5"
else
	skip 'no cgroup v2 here'
fi
done_testing
