#!/bin/bash
# tools.sh - views of functions of the kernel: each gives a row when what it shows happens. In a
# virtual machine of tests/kernels/functions.bash: here most kernels lack kprobes, XFS or software
# RAID. RN_MODULES: the directory that modprobe finds the modules of this kernel in.
. tests/live/lib.sh
need_bpf; need jq python3
"$RN" 'count of kernel "vfs_read" for 1ms' >"$tmp/out" 2>"$tmp/err" ||
	skip_all 'no functions of the kernel here'
echo 'payload = allow' >"$tmp/policy"
export RUNNEL_POLICY=$tmp/policy
[ -n "${RN_MODULES:-}" ] && for m in xfs raid1; do
	modprobe -d "$RN_MODULES" "$m" 2>/dev/null
done
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort -u | paste -sd' '; }
# NAME VIEW CONDITION COMMAND...: the view has such a row while the command runs
shown() {
	local name=$1 view=$2 condition=$3; shift 3
	during "events of $view" "$@" >"$tmp/said" 2>&1
	same "$name" "$(jq -r "select(.ledger | not) | $condition" "$tmp/out" | grep -c true |
		sed 's/^[1-9][0-9]*$/some/')" some
}
# The modules' functions, if they are there.
module() { grep -q "\[$1\]$" /sys/kernel/tracing/available_filter_functions 2>/dev/null; }
mount -t tracefs none /sys/kernel/tracing 2>/dev/null

shown 'capable' capable '.proc == "chroot" and .cap == 18' chroot / true
shown 'dcsnoop' dcsnoop '.file == "no-such-name-4711" and .times >= 1' \
	cat "$tmp/no-such-name-4711"
cat >"$tmp/talk.py" <<'END'
import socket
a = socket.socket(); a.bind(("127.0.0.1", 0)); a.listen(77)
b = [socket.create_connection(a.getsockname()) for i in range(3)]
u, v = socket.socketpair()
for i in range(3):
    u.send(b"taken out"); v.recv(100)
END
shown 'tcpsynbl' tcpsynbl '.limit == 77 and (.waiting | length) > 0' python3 "$tmp/talk.py"
shown 'undump' undump '.proc == "python3" and .bytes == 9 and .data[0:9] == "taken out"' \
	python3 "$tmp/talk.py"
# more memory than a cgroup has, so that pages go out, and come back
swapped() {
	dd if=/dev/zero of="$tmp/swap" bs=1M count=256 &&
		chmod 600 "$tmp/swap" && mkswap "$tmp/swap" && swapon "$tmp/swap" &&
		echo +memory >/sys/fs/cgroup/cgroup.subtree_control &&
		mkdir -p /sys/fs/cgroup/rn-swap &&
		echo 24M >/sys/fs/cgroup/rn-swap/memory.max
} >/dev/null 2>&1
no_swap() { swapoff "$tmp/swap" 2>/dev/null; }
in_and_out() {
	bash -c 'echo $$ >/sys/fs/cgroup/rn-swap/cgroup.procs
		exec python3 -c "b = bytearray(64 << 20)
for k in range(3):
    for i in range(0, len(b), 4096): b[i] = k"'
}
at_exit no_swap
if swapped; then
	shown 'swapin' swapin '.proc == "python3" and .pages > 0' in_and_out
	no_swap
	rmdir /sys/fs/cgroup/rn-swap
else
	skip 'swapin: no file to swap to, or no cgroup with a limit, can be made here'
fi
if module xfs && truncate -s 400M "$tmp/xfs" && mkfs.xfs -q "$tmp/xfs" &&
	mkdir -p "$tmp/x" && mount -o loop "$tmp/xfs" "$tmp/x"; then
	shown 'xfsdist' xfsdist '.func == "xfs_file_write_iter" and .calls >= 5' \
		dd if=/dev/zero of="$tmp/x/file" bs=4096 count=5
	umount "$tmp/x"
else
	skip 'xfsdist: this kernel has no XFS'
fi
# a mirror of two loops, put together by hand
mirror() {
	local md=/sys/block/md_rn/md loops=() i loop half
	echo md_rn >/sys/module/md_mod/parameters/new_array || return
	for i in 0 1; do
		truncate -s 16M "$tmp/half$i" && loop=$(losetup -f --show "$tmp/half$i") || return
		loops+=("${loop#/dev/}")
	done
	echo none >$md/metadata_version && echo raid1 >$md/level && echo 2 >$md/raid_disks || return
	for i in 0 1; do
		half=$md/dev-${loops[i]}
		cat "/sys/block/${loops[i]}/dev" >$md/new_dev && echo 0 >"$half/offset" &&
			echo 16384 >"$half/size" && echo $i >"$half/slot" || return
	done
	echo active >$md/array_state
}
if module md_mod && mirror 2>"$tmp/why"; then
	shown 'mdflush' mdflush '.proc == "dd" and .disk == "md_rn"' \
		dd if=/dev/zero of=/dev/md_rn bs=4096 count=5 conv=fsync
	echo clear >/sys/block/md_rn/md/array_state
	losetup -D
else
	skip "mdflush: no software RAID here: $(head -1 "$tmp/why")"
fi
done_testing
