#!/bin/bash
# Several nodes on one kernel: agents in network namespaces, over a cgroup, over a tree of
# processes, and two of these at once. Each tells of its own processes and of no others. (To the
# last call: test_scope_kernel.c.)
. tests/live/lib.sh
need_bpf; need jq; need ip
spaces="rnscope$$a rnscope$$b" pids='' cg=
clean() {
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || { kill $pids; wait $pids; }
	for s in $spaces; do ip netns del "$s"; done
	for _ in $(seq 100); do [ -n "$cg" ] && ! rmdir "$cg" || break; sleep 0.1; done
} 2>/dev/null
at_exit clean
# shellcheck disable=SC2086 # a list
set -- $spaces
for s in $spaces; do
	ip netns add "$s" 2>"$tmp/why" || skip_all "no network namespaces: $(cat "$tmp/why")"
done
for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ -f $root/cgroup.procs ] && mkdir "$root/rnscope$$" 2>/dev/null && cg=$root/rnscope$$ &&
		break
done
work="$CALLS times=100000000 pause=2 getppid=3"
# shellcheck disable=SC2086 # a list
ip netns exec "$1" $work & a=$!
# shellcheck disable=SC2086 # a list
ip netns exec "$2" $work & b=$!
bash -c "$work & echo \$! >$tmp/child; trap 'kill \$!' TERM; wait" & tree=$!
bash -c "ip netns exec $2 $work & echo \$! >$tmp/both; trap 'kill \$!' TERM; wait" & tree2=$!
pids="$a $b $tree $tree2"
if [ -n "$cg" ]; then
	bash -c "echo \$\$ >$cg/cgroup.procs && exec $work" & c=$!; pids="$pids $c"
fi
await test -s "$tmp/child"; await test -s "$tmp/both"
workers="$a $b ${c:-} $(cat "$tmp/child" "$tmp/both")"
for p in $workers; do await is_now "$p" calls; done # each in its place
{
	echo "a exec: ip netns exec $1"
	echo "b exec: ip netns exec $2"
	[ -z "$cg" ] || echo "c exec: $RN agent --stdio --scope cgroup=$cg"
	echo "d exec: $RN agent --stdio --scope pid=$tree"
	echo "e exec: ip netns exec $2 $RN agent --stdio --scope netns,pid=$tree2"
	echo "f exec: ip netns exec $1 $RN agent --stdio --scope netns,pid=$tree2"
} >"$tmp/hosts"
{
	echo "a $a"; echo "b $b"; echo "b $(cat "$tmp/both")"; [ -z "$cg" ] || echo "c $c"
	echo "d $(cat "$tmp/child")"; echo "e $(cat "$tmp/both")"
} | sort >"$tmp/want"
ask() { timeout 200 "$RN" -H "$tmp/hosts" -o json "$@" >"$tmp/out" 2>"$tmp/err"; }
answered() { grep '"ledger"' "$tmp/err" | jq -r '[.ledger.nodes[] | .answered] | all'; }
# shellcheck disable=SC2086 # a list
among=$tmp/hosts during 'count of getppid where proc = calls by node, pid' round $workers
same 'events' "$(field '"\(.node) \(.pid)"' | sort)" "$(cat "$tmp/want")"
same 'all answered' "$(answered)" true
ask 'node, pid of processes where proc = calls'
same 'the table of processes' "$(field '"\(.node) \(.pid)"' | sort)" "$(cat "$tmp/want")"
# The agents and the coordinator see nothing of each other.
ask 'count of syscall where proc = runnel by node, pid for 1s'
same 'who asks and answers is left out' "$(field '"\(.node) \(.pid) \(.count)"')" ''
echo "x exec: $RN agent --stdio --scope cgroup=/nonexistent" >"$tmp/hosts"
ask 'count of getppid for 1s'
same 'a scope that is none' "$(grep -c 'x.*scope `cgroup=/nonexistent`: No such file' "$tmp/err")" 1
done_testing
