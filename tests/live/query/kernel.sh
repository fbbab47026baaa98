#!/bin/bash
# kernel.sh - functions of the kernel: as often as a program makes the calls that lead there, and as
# often as the kernel's own function tracer sees them; by argument, module and stack. Their ends, in
# each way that this kernel has. What is not there; who may ask.
. tests/live/lib.sh
need_bpf; need jq
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counts() { rows '"\(.func)=\(.count)"'; }
q 'count of kernel "__x64_sys_pwrite64" for 1ms'
if grep -q 'built without probes on its functions' "$tmp/err"; then
	same 'the way out is told' "$(grep -c "runnel list 'tcp:" "$tmp/err")" 1
	"$RN" list 'kernel:vfs_*' >"$tmp/out" 2>"$tmp/err"
	same 'so does list' "$? $(grep -c "runnel list 'tcp:" "$tmp/err")" '4 1'
	skip 'counts: this kernel has no probes on its functions'
	done_testing
	exit
fi
"$RN" -o csv list 'kernel:vfs_writ*' >"$tmp/out"
same 'a list of them' "$(grep -cx 'kernel,vfs_write,""' "$tmp/out")" 1
same 'no others' "$(grep -vc '^kernel,vfs_writ' "$tmp/out")" 1
"$RN" list 'kernel:vfs_wrte' 2>"$tmp/err"
same 'the nearest to list' "$(grep -c 'did you mean `vfs_write`?' "$tmp/err")" 1
"$RN" -o json describe 'kernel "vfs_write", "vfs_read"' >"$tmp/out"
same 'described' "$(jq -r 'select(.kind == "module") | "\(.name) \(.doc)"' "$tmp/out")" \
	'kernel 2 functions'
# few functions have a program each, if the kernel takes such programs for its calls, too
for without in none fentry; do
	export RUNNEL_WITHOUT=$without
	q -c "$CALLS pwrite=77 getppid=5" 'count of kernel "__x64_sys_pwrite*", "__do_sys_getppid"
		where proc = calls by func'
	same 'as often as the program calls' "$(counts)" \
		'__do_sys_getppid=5 __x64_sys_pwrite64=77'
	q -c "$CALLS pwrite=9" 'count of kernel "__x64_sys_pwrite64", "__x64_sys_getuid"
		where proc = calls by func, module'
	same 'of two names' "$(rows '"\(.func)/\(.module)=\(.count)"')" \
		'__x64_sys_pwrite64/kernel=9'
	q -c "dd if=/dev/zero of=/dev/null bs=77 count=50" \
		'count of kernel "vfs_write" where proc = dd and arg2 = 77 by arg2'
	same 'by argument' "$(rows '"\(.arg2)=\(.count)"')" '77=50'
	q -c "$CALLS pwrite=4" 'func, pid > 1 as real of kernel "__x64_sys_pwrite64"
		where proc = calls'
	same 'rows' "$(rows '"\(.func) \(.real)"' | tr ' ' '\n' | sort | uniq -c | xargs)" \
		'4 __x64_sys_pwrite64 4 true'
	unset RUNNEL_WITHOUT
done
q 'explain count of getppid'
calls=$(grep -c '^hooks: function ' "$tmp/out")
q 'explain count of kernel "vfs_read", "vfs_write" where arg2 = 1'
same 'few have a program each' "$(grep -c '^hooks: fentry, at the entry of each of 2' "$tmp/out")" \
	"$calls"
q 'explain count of kernel "vfs_read" where arg5 = 1'
same 'an argument that it does not have is what a register holds' \
	"$(grep -c '^hooks: fentry' "$tmp/out")" 0
q -c "$CALLS pwrite=3" 'count of kernel "__x64_sys_pwrite64" where proc = calls by stack'
same 'the stack' "$(rows '.stack | test("do_syscall_64;__x64_sys_pwrite64$|do_syscall_64$")')" true
same 'nothing lost' "$(lost)" 0
# the kernel's own tracer, in an instance of its own, of the same process
cat >"$tmp/traced" <<END
#!/bin/bash
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
cd /sys/kernel/tracing && mkdir -p instances/rn\$\$ && cd instances/rn\$\$ || exit
printf '%s\n' vfs_read vfs_write vfs_open >set_ftrace_filter
echo \$\$ >set_ftrace_pid
echo function >current_tracer
exec 3<"$tmp/traced"
for i in 1 2 3 4 5 6 7; do read -r line <&3; echo x >/dev/null; done
echo 0 >tracing_on
END
cat >>"$tmp/traced" <<END
sed -n 's/.* \(vfs_[a-z]*\) <-.*/\1/p' trace >$tmp/theirs
echo nop >current_tracer; cd ..; rmdir rn\$\$
END
chmod +x "$tmp/traced"
q -c "unshare -m $tmp/traced" 'count of kernel "vfs_read", "vfs_write", "vfs_open"
	where proc = traced by func'
if [ -s "$tmp/theirs" ]; then
	theirs=$(sort "$tmp/theirs" | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')
	# what the shell does before and behind is seen by us alone
	same 'no fewer than its own tracer sees' "$(for one in $theirs; do
		jq -r "select(.func == \"${one%=*}\") | .count >= ${one#*=}" "$tmp/out"
	done | sort -u)" true
else
	skip "beside the kernel's tracer: it shows nothing here"
fi
# arguments by name, and members of what they point to: by loads, if it has them, and by the helper
for without in none bpf_rdonly_cast; do
	export RUNNEL_WITHOUT=$without
	q -c "dd if=/dev/zero of=/dev/null bs=77 count=50" 'count, sum(count) as bytes,
		max(file.f_path.dentry.d_name.len) as len of kernel "vfs_write"
		where proc = dd and count = 77 by file.f_inode.i_rdev'
	same 'a device, and the length of its name' \
		"$(rows '[.count, .bytes, ."file.f_inode.i_rdev", .len] | tostring')" \
		'[50,3850,1048579,4]'
	q -c "dd if=$RN of=/dev/null bs=4096 count=9" 'count of kernel "vfs_read", "vfs_write"
		where proc = dd and count = 4096 and file.f_inode.i_ino > 0 by func, file.f_inode.i_sb.s_id'
	same 'alike in two functions' "$(counts)" 'vfs_read=9 vfs_write=9'
	unset RUNNEL_WITHOUT
done
q -c "stat $tmp/not-there-4711" 'count, min(ret) as least of kernel "filename_lookup"
	where proc = stat and ret = -2'
same 'a result that is an int' "$(rows '"\(.count > 0) \(.least)"')" 'true -2'
q 'count of kernel "vfs_*" by file.f_mode for 1ms'
same 'a glob that has it not everywhere' \
	"$(grep -c 'which is meant too, has no argument `file`' "$tmp/err")" 1
# ---- the ends of calls ----
cat >"$tmp/nested.py" <<'END'
import select
made = [select.epoll() for _ in range(5)]
for inner, outer in zip(made, made[1:]):
    outer.register(inner.fileno(), select.EPOLLIN)
END
cat >"$tmp/sleepers" <<'END'
#!/bin/bash
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.5 & done; wait
END
chmod +x "$tmp/sleepers"
ledger() { grep '"ledger"' "$tmp/err" | jq ".ledger.$1"; }
reads='dd if=/dev/zero of=/dev/null bs=77 count=50'
ends() { # HOW: in RUNNEL_WITHOUT, what this kernel is to lack
	export RUNNEL_WITHOUT=$1
	q -c "$CALLS pwrite=77 getppid=5" 'count, count(where latency > 0 and begin < time) as timed
		of kernel "__x64_sys_pwrite64", "__do_sys_getppid" where proc = calls by func'
	same "ends, without $1" "$(rows '"\(.func)=\(.count)=\(.timed)"')" \
		'__do_sys_getppid=5=5 __x64_sys_pwrite64=77=77'
	q -c "$reads" 'count, sum(ret), max(latency) > 0 as timed
		of kernel "vfs_read" where proc = dd and ret = arg2 and ret = 77'
	same '  results and arguments' "$(rows '"\(.count) \(."sum(ret)") \(.timed)"')" \
		'50 3850 true'
	q -c "$reads" 'count, count(where ret = 77 and end_ret = 77) as all of between
		(events of kernel "vfs_read" where proc = dd and arg2 = 77) and kernel "vfs_read", "vfs_write"
		on tid where end_arg2 = 77 by func, end_func'
	same '  pairs: the ends of two functions' \
		"$(rows '"\(.func)-\(.end_func)=\(.count)=\(.all)"')" 'vfs_read-vfs_write=50=50'
	q -c "$reads" 'count, count(where latency >= 0) as timed
		of kernel "vfs_read" where proc = dd and arg2 = 77 and ret > 0 by arg2'
	same '  conditions of the entry and of the end' \
		"$(rows '"\(.count) \(.timed)"') $(ledger open)" '50 50 0'
	same '  calls that the entry leaves out were seen' "$(ledger 'seen > 50')" true
	q -c "$reads" 'count, count(where latency >= 0) as timed
		of kernel "vfs_read" where arg2 = 78'
	same '  and are not open' "$(rows '"\(.count) \(.timed)"') $(ledger open)" '0 0 0'
	q -c 'sleep 0.2' 'func, latency >= 200ms as slept, latency < 100s as known
		of kernel "hrtimer_nanosleep" where proc = sleep'
	same '  a function that sleeps' "$(rows '"\(.func) \(.slept) \(.known)"')" \
		'hrtimer_nanosleep true true'
	q -c "$tmp/sleepers" 'count of kernel "hrtimer_nanosleep" where latency >= 500ms'
	same '  sleepers at once: each has an end or is open' \
		"$(($(rows .count) + $(ledger open)))" 20
	case $1/$traced/$multi in none/1/* | fentry/*/1)
		same '  with programs of their own, or of one link: all have' "$(rows .count)" 20 ;;
	esac
	q -c 'sleep 0.3' 'count, count(where latency < 100s) as known of kernel "hrtimer_interrupt"'
	same '  in interrupts' "$(rows '.count > 0 and .count == .known')" true
	if command -v python3 >/dev/null; then
		q -c "python3 $tmp/nested.py" 'count of kernel "ep_loop_check_proc"'
		nested=$(rows .count)
		q -c "python3 $tmp/nested.py" 'count, max(latency) > min(latency) as nested
			of kernel "ep_loop_check_proc"'
		same '  recursion: as many ends as entries' \
			"$(rows '"\(.count) \(.nested)"') $(ledger open)" "$nested true 0"
	fi
	unset RUNNEL_WITHOUT
}
"$RN" 'count of kernel "[t-z]*" for 1ms' >"$tmp/out" 2>"$tmp/err"
multi=1
! grep -q E-LIMIT "$tmp/err" || multi=0
q 'explain max(latency) of kernel "vfs_read", "vfs_write" where arg2 = 1'
traced=$(grep -c '^hooks: fentry, fexit, at the entry and at the return of each of 2' "$tmp/out")
same 'few have two programs each at their ends' "$traced" "$calls"
q 'explain max(latency) of kernel "hrtimer_interrupt" where ret > 1'
same 'no result: what a register holds' "$(grep -c '^hooks: fentry' "$tmp/out")" 0
ends none
ends fentry
if [ $multi = 1 ]; then
	ends fentry,kprobe.session
	ends fentry,kprobe.session,kprobe.multi
	q 'count, max(latency) < 100s as known of kernel "[b-d]*" for 1s by func'
	same 'thousands of functions' "$(rows .known | tr ' ' '\n' | sort -u)" true
	same 'of which all were attached to' "$(ledger unattached)" 0
else
	skip 'other ways, and thousands of functions: this kernel attaches to each alone'
fi
probed() { unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing
	grep -c "^vfs_s" /sys/kernel/tracing/enabled_functions' 2>"$tmp/why"; }
is_gone() { [ "$(probed)" = 0 ]; }
"$RN" -v 'count of kernel "vfs_s*" where latency > 1s' >"$tmp/out" 2>"$tmp/err" & killed=$!
await watching $killed
same 'the way is told' "$(grep -c '^hooks: [.a-z, ]*, at the entry and at the return of' \
	"$tmp/err")" 1
has=$([ "$(probed)" -gt 0 ] && echo true)
kill -9 $killed; wait $killed 2>/dev/null
same 'while it runs it has some' "$has" true
await is_gone
same 'a query that is killed leaves no probe' "$(probed)" 0
if command -v bpftrace >/dev/null; then
	echo 'kretprobe:vfs_read /comm == "dd"/ { @ = count(); @sum = sum(retval); }' >"$tmp/k.bt"
	cat >"$tmp/both" <<-END
		#!/bin/sh
		mount -t tracefs none /sys/kernel/tracing
		mount -t debugfs none /sys/kernel/debug
		exec bpftrace -q -c '$(command -v dd) if=/dev/zero of=/dev/null bs=99 count=70' \\
			-o $tmp/bt $tmp/k.bt
	END
	chmod +x "$tmp/both"
	q -c "unshare -m $tmp/both" 'count, sum(ret) of kernel "vfs_read" where proc = dd'
	same 'as bpftrace' "$(rows '"\(.count) \(."sum(ret)")"')" \
		"$(sed -n 's/^@: //p' "$tmp/bt") $(sed -n 's/^@sum: //p' "$tmp/bt")"
else
	skip 'beside bpftrace: there is none'
fi
# ---- pairs ----
q -c "$reads" 'count of between (events of kernel "vfs_read" where proc = dd and arg2 = 77) and
	kernel "vfs_read" on tid where end_arg2 = 77'
same 'pairs: one that is both ends' "$(rows .count)" 49
q -c "$reads" 'count of between (events of kernel "vfs_read" where proc = dd and arg2 = 77) and read
	on tid where end_ret = 77'
same 'pairs: a function, then a call' "$(rows .count)" 50
"$RN" 'count of kernel "vfs_red" for 1ms' >"$tmp/out" 2>"$tmp/err"
same 'the nearest name' "$(grep -c 'did you mean `vfs_read`' "$tmp/err")" 1
"$RN" 'count of kernel "*" for 1ms' >"$tmp/out" 2>"$tmp/err"
same 'too many' "$(grep -c 'E-LIMIT-FUNCTIONS' "$tmp/err")" 1
# ---- one by one ----
export RUNNEL_WITHOUT=kprobe.multi
alone='this kernel attaches to each alone, and ends that so slowly that at most 64 are probed'
"$RN" -o csv list 'kernel:tcp_*' | sed 's/^kernel,\([^,]*\),.*/"\1"/p; d' | head -n 65 >"$tmp/65"
"$RN" --max-functions 100000 'count of kernel "*" for 1ms' >"$tmp/out" 2>"$tmp/err"
same 'all, one by one: no' \
	"$(grep -c "[0-9] functions: $alone \[E-LIMIT-FUNCTIONS\]" "$tmp/err")" 1
"$RN" "count of kernel $(paste -sd, "$tmp/65") for 1ms" >"$tmp/out" 2>"$tmp/err"
same '65: no' "$(grep -c "65 functions: $alone \[E-LIMIT-FUNCTIONS\]" "$tmp/err")" 1
if [ $multi = 0 ]; then
	q -v "count of kernel $(head -n 64 "$tmp/65" | paste -sd,) for 1ms"
	same '64: yes' "$(grep -c '^hooks: kprobe, at the entry of each of 64 functions' \
		"$tmp/err")" 1
fi
unset RUNNEL_WITHOUT
# what the kernel's tracer may look at, and kprobes may not
closed=$(unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing
	mount -t debugfs none /sys/kernel/debug
	cut -f 2 /sys/kernel/debug/kprobes/blacklist | sort -u >'"$tmp/black"'
	sort -u /sys/kernel/tracing/available_filter_functions | comm -12 - '"$tmp/black"' |
		head -n 1')
if [ -n "$closed" ]; then
	RUNNEL_WITHOUT=fentry,kprobe.multi q -v -c "$CALLS pwrite=7" \
		"count of kernel \"__x64_sys_pwrite64\", \"$closed\" where proc = calls by func"
	same 'one that the kernel refuses is left out' "$(counts) $(ledger unattached)" \
		'__x64_sys_pwrite64=7 1'
	same 'and named' "$(grep -c "^hooks: .* 2 functions; unattached: $closed$" "$tmp/err")" 1
	RUNNEL_WITHOUT=fentry,kprobe.multi "$RN" "count of kernel \"$closed\"" >"$tmp/out" \
		2>"$tmp/err"
	same 'alone it is an error' "$? $(grep -c "the kernel refuses a probe on \`$closed\`" \
		"$tmp/err")" '4 1'
else
	skip 'a function that the kernel refuses: it has none such'
fi
echo "a exec: $RN agent --stdio --policy $tmp/policy" >"$tmp/hosts"
: >"$tmp/policy"
q -H "$tmp/hosts" 'count of kernel "vfs_read" for 50ms'
same 'others may not, if the policy does not say so' "$(grep -c 'E-POLICY' "$tmp/err")" 1
echo 'classes = "kernel vfs_*"' >"$tmp/policy"
q -H "$tmp/hosts" 'count of kernel "vfs_re*" for 50ms'
same 'what it names, they may' "$(grep -c 'E-' "$tmp/err")" 0
q -H "$tmp/hosts" 'count of kernel "tcp_*" for 50ms'
same 'and nothing else' "$(grep -c 'E-POLICY' "$tmp/err")" 1
q -H "$tmp/hosts" 'count of kernel "vfs_(", "tcp_*" for 50ms'
same 'a bracket hides nothing' "$(grep -c 'E-POLICY\|has no function' "$tmp/err")" 1
done_testing
