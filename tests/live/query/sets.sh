#!/bin/bash
# sets.sh - `in` with many values, and with those of a query: the kernel looks numbers and names of
# tasks up in a map.
. tests/live/lib.sh
need_bpf; need jq python3

cat >"$tmp/sizes.py" <<END
import ctypes, os, sys
fd = os.open("/dev/zero", os.O_RDONLY)
for size in range(*map(int, sys.argv[1:4])):
    for name in sys.argv[4:]:
        ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
        os.pread(fd, size, 0)
END
sizes() { echo "python3 -S $tmp/sizes.py $*"; }
mine='file = "/dev/zero"'
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
in_kernel() { "$RN" "explain $1" 2>&1 | grep -c "^  \(where\|and  \) .* in the kernel$"; }

q -c "$(sizes 1 300 2 odd)" "bytes of pread64 where $mine into \"$tmp/odd.rnt\""
set="bytes in (bytes of pread64 from \"$tmp/odd.rnt\")"
same 'the set is looked up in the kernel' "$(in_kernel "count of pread64 where $set")" 1
q -c "$(sizes 1 300 1 a b)" "count, sum(bytes) as s of pread64 where $mine and $set"
same 'of a query' "$(rows '"\(.count) \(.s)"')" "300 $((150 * 150 * 2))"
q -c "$(sizes 1 300 1 a b)" "count, min(bytes) as m of pread64 where $mine and not $set by thread"
same 'not of a query' "$(rows '"\(.thread)=\(.count),\(.m)"')" 'a=149,2 b=149,2'
q -c "$(sizes 1 300 1 a b)" "count(where $set) as n, count of pread64 where $mine by thread"
same 'in an aggregate' "$(rows '"\(.thread)=\(.n),\(.count)"')" 'a=150,299 b=150,299'
q -c "$(sizes 1 300 1 a)" "bytes of pread64 where $mine and $set and bytes < 8"
same 'rows' "$(rows .bytes)" '1 3 5 7'

names=$(seq -f 'n%g' -s ', ' 1 99)
query="count of pread64 where $mine and thread in ($names, a_name_that_no_thread_has)"
same 'a long list' "$(in_kernel "$query")" 2
q -c "$(sizes 1 5 1 n7 m7 n99 n100 n1)" "$query by thread"
same 'names' "$(rows '"\(.thread)=\(.count)"')" 'n1=4 n7=4 n99=4'
numbers=$(seq -s ', ' -200 3 900)
q -c "$(sizes 1 300 1 a)" "count of pread64 where $mine and bytes - 100 in ($numbers)"
same 'numbers, computed' "$(rows .count)" 100
files=$(seq -f '"/dev/n%g"' -s ', ' 1 99)
query="count of pread64 where file in ($files, \"/dev/zero\")"
same 'a long list of files' "$(in_kernel "$query")" 1
q -c "$(sizes 1 5 1 a)" "$query"
same 'files' "$(rows .count)" 4

# more lists than there are sets of: short ones are compared one by one then
many=$(seq 20 | sed 's|.*|sum(file in ("/dev/&", "/dev/zero")) as n&|' | paste -sd,)
q -c "$(sizes 1 5 1 a)" "$many of pread64 where $mine"
same 'twenty lists of files' "$(rows '[.[]] | unique | tostring')" '[4]'

# ---- files and words of a query ----
# longer than any text that the kernel compares
deep=$tmp/$(printf 'd%.0s' {1..100})/$(printf 'e%.0s' {1..100})
mkdir -p "$deep"
for f in "$tmp/one" "$tmp/two" "$tmp/three" "$deep/four"; do echo x >"$f"; done
all="cat $tmp/one $tmp/two $tmp/three $deep/four | cat"
short='.file | sub(".*/"; "")'
q -c "$all" "file of read where proc = cat and file ~ \"*/[of]*\" and file ~ \"$tmp/*\"
	into \"$tmp/files.rnt\""
set="file in (file of read from \"$tmp/files.rnt\")"
same 'a set of files is looked up in the kernel' "$(in_kernel "count of read where $set")" 1
q -c "$all" "count of read where $set by file"
same 'files of a query' "$(rows "$short")" 'four one'
q -c "$all" "count of read where not $set and file ~ \"$tmp/*\" by file"
same 'not of it' "$(rows "$short")" 'three two'
q -c "$all" "sum($set) as n of read where file in (\"$tmp/two\", \"$deep/four\") by file"
same 'two long names, and as a value' "$(rows "\"\\($short)=\\(.n > 0)\"")" \
	'four=true two=false'
q -c "$all; cat $tmp/none; true" \
	"count of openat where file in (\"\", \"$tmp/none\") by file, error"
same 'a file that is not there' "$(rows "\"\\($short) \\(.error)\"")" 'none ENOENT'
q -c "$all" "count of syscall where proc = cat and file in (\"$tmp/none\", \"\")
	and name in (uname, brk) by file, name"
same 'no file' "$(rows '"\(.file)-\(.name)"')" '-brk'
q -c "$all" "name of syscall where proc = cat and name ~ \"*a*\" into \"$tmp/names.rnt\""
set="name in (name of syscall from \"$tmp/names.rnt\")"
same 'a set of words is in the kernel' "$(in_kernel "count of syscall where $set")" 1
q -c "$all" "distinct(name) as n, min(name ~ \"*a*\") as all_have
	of syscall where proc = cat and $set"
same 'words of a query' "$(rows '"\(.n > 3) \(.all_have)"')" 'true true'
q "proc of processes where pid = $$ into \"$tmp/me.rnt\""
query="count of tracepoint \"sched:sched_switch\"
	where prev_comm in (proc of processes from \"$tmp/me.rnt\")"
same 'names of tasks in a tracepoint' "$(in_kernel "$query")" 1
q "$query by prev_comm for 500ms" & asked=$!
sleep 0.1; for _ in {1..20}; do sleep 0.05; done; wait $asked
same 'are found' "$(rows .prev_comm)" "$(cat /proc/$$/comm)"
done_testing
