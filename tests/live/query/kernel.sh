#!/bin/bash
# kernel.sh - functions of the kernel: as often as a program makes the calls that lead there, and as
# often as the kernel's own function tracer sees them; by argument, module and stack; what is not
# there; who may ask.
. tests/live/lib.sh
need_bpf; need jq
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counts() { rows '"\(.func)=\(.count)"'; }
q 'count of kernel "__x64_sys_pwrite64" for 1ms'
if grep -q 'built without probes on its functions' "$tmp/err"; then
	same 'the way out is told' "$(grep -c "runnel list 'tcp:" "$tmp/err")" 1
	skip 'counts: this kernel has no probes on its functions'
	done_testing
	exit
fi
q -c "$CALLS pwrite=77 getppid=5" 'count of kernel "__x64_sys_pwrite*", "__do_sys_getppid"
	where proc = calls by func'
same 'as often as the program calls' "$(counts)" \
	'__do_sys_getppid=5 __x64_sys_pwrite64=77'
q -c "$CALLS pwrite=9" 'count of kernel "__x64_sys_pwrite64", "__x64_sys_getuid" where proc = calls
	by func, module'
same 'of two names' "$(rows '"\(.func)/\(.module)=\(.count)"')" '__x64_sys_pwrite64/kernel=9'
q -c "dd if=/dev/zero of=/dev/null bs=77 count=50" \
	'count of kernel "vfs_write" where proc = dd and arg2 = 77 by arg2'
same 'by argument' "$(rows '"\(.arg2)=\(.count)"')" '77=50'
q -c "$CALLS pwrite=3" 'count of kernel "__x64_sys_pwrite64" where proc = calls by stack'
same 'the stack' "$(rows '.stack | test("do_syscall_64;__x64_sys_pwrite64$|do_syscall_64$")')" true
q -c "$CALLS pwrite=4" 'func, pid > 1 as real of kernel "__x64_sys_pwrite64" where proc = calls'
same 'rows' "$(rows '"\(.func) \(.real)"' | tr ' ' '\n' | sort | uniq -c | xargs)" \
	'4 __x64_sys_pwrite64 4 true'
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
# arguments by name, and members of what they point to
q -c "dd if=/dev/zero of=/dev/null bs=77 count=50" 'count, sum(count) as bytes of kernel "vfs_write"
	where proc = dd and count = 77 by file.f_inode.i_rdev, file.f_path.dentry.d_name.len'
same 'a device, and the length of its name' "$(
	rows '[.count, .bytes, ."file.f_inode.i_rdev", ."file.f_path.dentry.d_name.len"] | tostring')" \
	'[50,3850,1048579,4]'
q -c "dd if=$RN of=/dev/null bs=4096 count=9" 'count of kernel "vfs_read", "vfs_write"
	where proc = dd and count = 4096 and file.f_inode.i_ino > 0 by func, file.f_inode.i_sb.s_id'
same 'alike in two functions' "$(counts)" 'vfs_read=9 vfs_write=9'
q 'count of kernel "vfs_*" by file.f_mode for 1ms'
same 'a glob that has it not everywhere' \
	"$(grep -c 'which is meant too, has no argument `file`' "$tmp/err")" 1
"$RN" 'count of kernel "vfs_red" for 1ms' >"$tmp/out" 2>"$tmp/err"
same 'the nearest name' "$(grep -c 'did you mean `vfs_read`' "$tmp/err")" 1
"$RN" 'count of kernel "*" for 1ms' >"$tmp/out" 2>"$tmp/err"
same 'too many' "$(grep -c 'E-LIMIT-FUNCTIONS' "$tmp/err")" 1
echo "a exec: $RN agent --stdio --policy $tmp/policy" >"$tmp/hosts"
: >"$tmp/policy"
q -H "$tmp/hosts" 'count of kernel "vfs_read" for 50ms'
same 'others may not, if the policy does not say so' "$(grep -c 'E-POLICY' "$tmp/err")" 1
echo 'classes = "kernel vfs_*"' >"$tmp/policy"
q -H "$tmp/hosts" 'count of kernel "vfs_re*" for 50ms'
same 'what it names, they may' "$(grep -c 'E-' "$tmp/err")" 0
q -H "$tmp/hosts" 'count of kernel "tcp_*" for 50ms'
same 'and nothing else' "$(grep -c 'E-POLICY' "$tmp/err")" 1
done_testing
