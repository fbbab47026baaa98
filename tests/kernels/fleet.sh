#!/bin/bash
# A fleet of two kernels that differ in what can be probed: this one, which is made to have no
# probes on its functions, and Linux 6.12 in a virtual machine. The ledger says of each node what it
# cannot do, and the other answers; a query that neither can answer does not start.
. tests/live/lib.sh
. tests/support/lab.bash
. tests/vm/kernel.bash
. tests/kernels/guest.bash
RN_LAB_WAIT=${RN_LAB_WAIT:-240}
need_bpf; need jq
why=$(lab_possible) || skip_all "$why"
why=$(guest_possible) || skip_all "$why"
at_exit 'guest_stop; lab_down'
lab_up 1 >"$tmp/lab.log" || set_up_failed "the lab: $(tail -n 1 "$tmp/lab.log")"
policy='classes = "kernel vfs_*", "kernel do_sys*", "tracepoint sched:*"'
guest_make new linux-image-6.12-cloud-amd64 12 \
	"mkdir -p /etc/runnel; echo '$policy' >/etc/runnel/policy" >"$tmp/make.log" 2>&1 ||
	set_up_failed "Linux 6.12: $(tail -n 1 "$tmp/make.log")"
guest_start new 0 && guest_await new || set_up_failed 'the guest comes up'
echo "$policy" >"$tmp/policy"
echo "exec $(guest_reach new)" >"$tmp/reach"
{
	echo "here exec: env RUNNEL_WITHOUT=kprobe $RN agent --stdio --policy $tmp/policy"
	echo "new exec: sh $tmp/reach agent --stdio"
} >"$tmp/hosts"
head -n 1 "$tmp/hosts" >"$tmp/here.hosts"

rows() { jq -c 'select(.ledger | not) | del(.node) + {node}' "$tmp/out" | paste -sd' '; }
answers() { # of the ledger: NODE=true or false
	grep '^{"ledger"' "$tmp/err" |
		jq -r '.ledger.nodes[] | "\(.node)=\(.answered)"' | paste -sd' '
}
why_not() { # NODE
	grep '^{"ledger"' "$tmp/err" | jq -r ".ledger.nodes[] | select(.node == \"$1\") | .why"
}
ask() { q -H "$tmp/hosts" --lease 60 "$@"; }
dds=0
read_there() { # the guest reads 77 bytes 50 times
	dds=$((dds + 1))
	guest_run new "dd if=/dev/zero of=/dev/null bs=77 count=50 2>/dev/null; echo read $dds"
	lab_await 'the guest to read' grep -qa "^read $dds" "$tmp/guest/new/console"
}
during_reads() { # QUERY
	local pid
	"$RN" -v -o json -H "$tmp/hosts" --lease 60 "$1" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	lab_await 'the query to watch' watching $pid && read_there
	kill -TERM $pid; wait $pid
}

# ---- functions of the kernel, which one of them cannot probe ----
none='this kernel is built without probes on its functions'
during_reads 'count of kernel "vfs_read" where arg2 = 77 by func, node'
same 'the node that can answers' "$(rows)" '{"func":"vfs_read","count":50,"node":"new"}'
same 'the ledger has both' "$(answers)" 'here=false new=true'
same 'and why one does not' "$(why_not here)" "$none"
during_reads 'count, count(where latency > 0) as timed, sum(ret) as bytes of kernel "vfs_read"
	where count = 77 and file.f_inode.i_ino > 0'
same 'members and results there' "$(jq -c 'select(.ledger | not) | [.count, .timed, .bytes]' \
	"$tmp/out")" '[50,50,3850]'
# without an end: it would wait for ever if it started
timeout 100 "$RN" -H "$tmp/here.hosts" 'count of kernel "vfs_read"' >"$tmp/out" 2>"$tmp/err"
same 'no node can: the query fails' "$? $(grep -c "error: node here: $none" "$tmp/err")" '4 1'
ask 'count of kernel "vfs_read_4711"'
same 'neither can, each for a reason of its own' "$? $(grep -c "none of 2 nodes answers; \
node here: $none; node new: this kernel has no function \`vfs_read_4711\`" "$tmp/err")" '4 1'

# ---- a member that the types of one of them lack ----
step='task.mm.exe_file.f_ref.refcnt.counter'
query="count > 0 as any of tracepoint \"sched:sched_switch\" where $step != 4711 by node for 2s"
if "$RN" --stop-after=types "$query" >"$tmp/out" 2>"$tmp/err"; then
	ask "$query"
	same 'the node whose types have a member answers' \
		"$(answers) $(rows)" 'here=true new=false {"any":true,"node":"here"}'
	same 'why the other does not' "$(why_not new)" \
		"the kernel of this node cannot give \`$step\`: struct file has no member \`f_ref\`"
else
	skip "a member that Linux 6.12 lacks: so does this kernel"
fi
done_testing
