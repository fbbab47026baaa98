#!/bin/bash
# Globs of tracepoints: known counts, each tracepoint as when it is asked for alone; both ways to
# attach; what cannot be attached; beside bpftrace.
. tests/live/lib.sh
need_bpf; need jq
counts() { field '"\(.name)=\(.count)"' | sort | paste -sd' '; }
work="$CALLS getppid=2000 fork=9"
single() { q -c "$work" "count of tracepoint \"$1\" where proc = calls"; field '.count'; } # NAME
sum() { local n=0 t; for t; do n=$((n + $(single "$t"))); done; echo $n; }
q -c "$work" 'count of tracepoint "syscalls:sys_*_getppid" where proc = calls by name'
same 'system calls' "$(counts)" 'syscalls:sys_enter_getppid=2000 syscalls:sys_exit_getppid=2000'
q -c "$work" 'count of tracepoint "syscalls:sys_*_getppid" where proc = calls'
same 'the sum of both alone' "$(field .count)" \
	"$(sum syscalls:sys_enter_getppid syscalls:sys_exit_getppid)"
# Those of system calls go by numbers in a glob. Each whose name or number is a table's of ours,
# against the same tracepoint asked for alone.
calls=$(sed -n '/ by_tracepoint\[\]/,/^}/p' probes/catalog/syscalls.c | grep -o '{"[a-z0-9_]*", [0-9]*}' | grep -v uretprobe | tr -d '{}",' | tr ' ' '=')
"$RN" -o json list 'syscalls:sys_enter_*' | jq -r .name >"$tmp/list"
told='' wrong=
for c in $calls; do
	t=syscalls:sys_enter_${c%=*}
	grep -qx "$t" "$tmp/list" || continue
	q -c "perl -e 'syscall(${c#*=}, -1, -1, -1, -1, -1) for 1 .. 7'" \
		"sum(1) as count of tracepoint \"$t\" where proc = perl"
	alone=$(field .count)
	q -c "perl -e 'syscall(${c#*=}, -1, -1, -1, -1, -1) for 1 .. 7'" \
		"count of tracepoint \"${t%?}[${t: -1}]\" where proc = perl by name"
	[ "${alone:-0}" -ge 7 ] && [ "$(counts)" = "$t=$alone" ] && told="$told $t" ||
		wrong="$wrong $t=$alone/$(counts)"
done
same 'calls by number, as alone' "${told:+some}$wrong" some
q -c "$work" \
	'count of tracepoint "syscalls:sys_*" where proc = calls and name ~ "*_getppid" by name'
same 'all calls' "$(counts)" 'syscalls:sys_enter_getppid=2000 syscalls:sys_exit_getppid=2000'
q -c "$work" 'count, distinct(name) of tracepoint "syscalls:*" where proc = calls and name in ("syscalls:sys_exit_getppid", "syscalls:sys_enter_getppid")'
same 'their names as values' "$(field '[.count, ."distinct(name)"] | tostring')" '[4000,2]'
q -c "$work" 'count of tracepoint "*:sys_e*" where proc = calls and name ~ "*_getppid" by name, tid = pid as main'
same 'with others' "$(counts)" 'syscalls:sys_enter_getppid=2000 syscalls:sys_exit_getppid=2000'
known='sched:sched_process_exit=10 sched:sched_process_fork=9'
q -c "$work" 'count of tracepoint "sched:sched_process_[ef]*" where proc = calls and name ~ "*[!c]_[ef][xo][ir][tk]" by name'
same 'by name of the kernel' "$(counts)" "$known"
# an event of another process, in an interrupt, may find the CPU busy
same 'nothing lost' \
	"$(tail -1 "$tmp/err" | jq '[.ledger.nodes[] | .lost_ring + .lost_map + .lost_cell] | add')" 0
same 'all attached' "$(tail -1 "$tmp/err" | jq .ledger.unattached)" 0
q -c "$work" 'count of tracepoint "sched:sched_process_[ef]*" where proc = calls and name in ("sched:sched_process_fork", "sched:sched_process_exit") by proc, name every 10s'
same 'names in a list, windows, another key' \
	"$(field '"\(.name)=\(.count)"' | sort | awk -F= '{n[$1] += $2} END {for (k in n) print k "=" n[k]}' | sort | paste -sd' ')" \
	"$known"
RUNNEL_WITHOUT=sched_process_exit q -c "$work" \
	'count of tracepoint "sched:sched_process_[ef]*" where proc = calls and name ~ "*_[ef][xo][ir][tk]" by name'
same 'one of them as a perf event' "$(counts)" "$known"
q -c "$work" 'count, distinct(name), set(name) of tracepoint "sched:sched_process_[ef]*" where proc = calls and name ~ "*_[ef][xo][ir][tk]"'
same 'names as values' "$(field '[.count, ."distinct(name)", ."set(name)"] | tostring')" \
	'[19,2,["sched:sched_process_exit","sched:sched_process_fork"]]'
q -c "$work" 'name, proc, pid, stack of tracepoint "sched:sched_process_fork*" where proc = calls'
same 'rows' "$(field 'select(.stack | test("kernel_clone")) | .name' | sort | uniq -c | xargs)" \
	'9 sched:sched_process_fork'
q -c "$work" \
	"events of tracepoint \"sched:sched_process_[ef]*\" where proc = calls into \"$tmp/t.rnt\""
q "count of tracepoint \"sched:sched_process_[ef]*\" where name ~ \"*_[ef][xo][ir][tk]\" by name from \"$tmp/t.rnt\""
same 'a recording keeps the names' "$(counts)" "$known"
printf 'a exec: env\nb exec: env\n' >"$tmp/hosts"
# shellcheck disable=SC2086 # a list
among=$tmp/hosts during 'count of tracepoint "sched:sched_process_*" where proc = calls and name ~ "*_fork" by node, name' \
	$work
same 'two nodes' "$(field 'select(.count > 0) | .name' | uniq -c | xargs)" \
	'2 sched:sched_process_fork'
# A tracepoint that only sampling perf events are refused: without its name, nothing is left.
if [ "$("$RN" list 'irq_vectors:irq_work_*' -o json 2>"$tmp/e" | wc -l)" = 2 ]; then
	RUNNEL_WITHOUT=irq_work_exit q 'count of tracepoint "irq_vectors:irq_work_*" for 50ms'
	same 'what is not attached is told' "$(tail -1 "$tmp/err" | jq .ledger.unattached)" 1
	RUNNEL_WITHOUT=irq_work_exit "$RN" \
		--strict 'count of tracepoint "irq_vectors:irq_work_*" for 50ms' >"$tmp/out" \
		2>"$tmp/err"
	same 'and makes the answer incomplete' \
		"$(grep -c '1 tracepoint or function that matches and that nothing can be attached to' "$tmp/err")" \
		1
	RUNNEL_WITHOUT=irq_work_exit "$RN" \
		'count of tracepoint "irq_vectors:irq_work_ex*" for 50ms' >"$tmp/out" 2>"$tmp/err"
	same 'with none at all it is an error' "$?/$(grep -c 'cannot attach' "$tmp/err")" 4/1
else
	skip "what is not attached: this kernel has no irq_vectors:irq_work_exit"
fi
# One that a class is made from: which it is, and where to look. The scope of -c needs some of its
# own.
# TRACEPOINT QUERY
without() {
	RUNNEL_WITHOUT=$1 "$RN" -c true "$2" >"$tmp/out" 2>"$tmp/err"
	echo "$? $(cat "$tmp/out" "$tmp/err")"
}
missing() {
	echo "4 error: this kernel has no tracepoint \`$1\`, which the query needs"$'\n'"  \`runnel doctor\` lists what this kernel has, and what cannot be asked without it"
}
same 'a class without its tracepoint' "$(without sched_process_exit 'count of exit')" \
	"$(missing sched_process_exit)"
same 'a scope without one' "$(without sched_process_free 'count of getppid')" \
	"$(missing sched_process_free)"
RUNNEL_WITHOUT=sched_process_exit "$RN" -o json doctor >"$tmp/out" 2>"$tmp/err"
same 'doctor tells it too' \
	"$(jq -r 'select(.check == "events of exit") | .result + ": " + .advice' "$tmp/out")" \
	'no: events of exit cannot be asked for'
"$RN" 'count of tracepoint "*:*"' 2>"$tmp/err"
same 'too many' "$?/$(grep -c 'query:1:21: .*more than the 512.*E-LIMIT-TRACEPOINTS' "$tmp/err")/$(grep -c 'narrow it' "$tmp/err")" \
	1/1/1
"$RN" 'count of between tracepoint "sched:*" and tracepoint "sched:sched_switch" on pid' \
	2>"$tmp/err"
same 'no end of a pair' "$?/$(grep -c 'an end of a pair is one' "$tmp/err")" 1/1
q -c "$CALLS pread=3x10" 'count, sum(1) as n of tracepoint "syscalls:sys_enter_pread64" where proc = calls and count = 10 by count'
same 'a field called count is no aggregate' "$(field '[.count, .n] | tostring')" '[10,3]'
same 'and that is said' "$(grep -c 'is a field of .* here, not the aggregate' "$tmp/err")" 1
# Fields that are pointers, here one of a known value: the kernel looks at none of a write that has
# no file.
high=0xffff888000001234
writes="perl -e 'for (1 .. 5) { syscall(1, -1, $((high)), 0); syscall(1, -1, 0x77, 0) if \$_ < 4 }'"
q -c "$writes" \
	"events of tracepoint \"syscalls:sys_enter_write\" where proc = perl into \"$tmp/p.rnt\""
pointers() {
	q -c "$writes" "$1 of tracepoint \"syscalls:sys_enter_write\" where proc = perl and $2"
}
pointers 'sum(1) as n' 'buf in (0xffff888000001234, 0x77) by buf'
same 'pointers have no sign, as keys' "$(field '"\(.buf)=\(.n)"' | sort | xargs)" \
	'0x0000000000000077=3 0xffff888000001234=5'
pointers 'sum(1) as n, set(buf) as s, distinct(buf) as d' 'buf = "0xffff888000001234" and buf != 0'
same 'and in conditions, of numbers or strings' "$(field '[.n, .s, .d] | tostring')" \
	'[5,["0xffff888000001234"],1]'
q "sum(1) as n of tracepoint \"syscalls:sys_enter_write\" where buf = 0x77 or buf = 0xffff888000001234 by buf from \"$tmp/p.rnt\""
same 'and recorded' "$(field '"\(.buf)=\(.n)"' | sort | xargs)" \
	'0x0000000000000077=3 0xffff888000001234=5'
same 'as an integer' "$(sqlite3 "$tmp/p.rnt" "SELECT count(*) FROM events WHERE printf('0x%016x', buf) = '$high'" 2>&1)" \
	5
"$RN" -o csv -c "$writes" \
	"buf of tracepoint \"syscalls:sys_enter_write\" where proc = perl and buf = $high limit 1" \
	>"$tmp/out" 2>"$tmp/err"
same 'as CSV' "$(xargs <"$tmp/out")" "buf $high"
"$RN" -c "$writes" \
	"buf of tracepoint \"syscalls:sys_enter_write\" where proc = perl and buf = $high limit 1" \
	>"$tmp/out" 2>"$tmp/err"
same 'for people' "$(xargs <"$tmp/out")" "buf $high"
"$RN" 'count of tracepoint "syscalls:sys_enter_write" where buf > 5' >"$tmp/out" 2>"$tmp/err"
same 'they have no order' "$?/$(grep -c 'query:1:54: error: a hex value (a hash, a pointer) has no order.*E-UNIT' "$tmp/err")" \
	1/1
# The answer does not wait until the kernel has given up a tracepoint whose fields are read; what
# happens there meanwhile is in none of it.
"$CALLS" times=1000000 pause=1 getppid=200 >/dev/null 2>&1 & load=$!
matched() { grep '"ledger"' "$tmp/err" | jq .ledger.matched; }
q_seen() { q "$1" && [ "$(matched)" != 0 ]; } # the load may stand still for that long
for _ in 1 2 3; do
	await q_seen 'sum(1) as n of tracepoint "syscalls:sys_enter_getppid" where __syscall_nr >= 0 for 100ms'
	n=$(field .n)
	same 'what happens after the end is not counted' \
		"$((n > 0)) $(grep '"ledger"' "$tmp/err" | jq '[.ledger.seen, .ledger.matched] | tostring')" \
		"1 \"[$n,$n]\""
done
await q_seen 'count of tracepoint "syscalls:sys_enter_getppid" where __syscall_nr >= 0 by tid every 100ms for 300ms'
same 'nor with windows' "$(jq -s 'map(.count) | add' "$tmp/out")" "$(matched)"
await q_seen '__syscall_nr, tid of tracepoint "syscalls:sys_enter_getppid" where __syscall_nr >= 0 for 100ms'
same 'nor are there rows of it' "$(($(wc -l <"$tmp/out") + $(lost)))" "$(matched)"
kill $load; wait $load 2>/dev/null
if command -v bpftrace >/dev/null; then
	me=calls$$ # it looks at all processes of that name
	cp "$CALLS" "$tmp/$me"
	cat >"$tmp/tp.bt" <<-END
		tracepoint:sched:sched_process_* /comm == "$me"/ { @[probe] = count(); }
		tracepoint:syscalls:sys_*_getppid /comm == "$me"/ { @[probe] = count(); }
	END
	cat >"$tmp/theirs" <<-END # which wants the tracing file system at one of its places
		#!/bin/sh
		mount -t tracefs none /sys/kernel/tracing
		mount -t debugfs none /sys/kernel/debug
		exec bpftrace -q -c '$tmp/$me getppid=2000 fork=9' $tmp/tp.bt -o $tmp/bt
	END
	chmod +x "$tmp/theirs"
	for glob in 'sched:sched_process_*' 'syscalls:sys_*_getppid'; do
		q -c "unshare -m $tmp/theirs" \
			"count of tracepoint \"$glob\" where thread = $me by name"
		theirs=$(sed -n "s/^@\[tracepoint:\(${glob%%:*}:.*\)\]: /\1=/p" "$tmp/bt" | sort | paste -sd' ')
		same "as bpftrace: $glob" "$(counts)" \
			"${theirs:-nothing of bpftrace: $(head -c 300 "$tmp/bt")}"
	done
else
	skip "beside bpftrace: there is none"
fi
done_testing
