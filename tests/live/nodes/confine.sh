#!/bin/bash
# An agent runs confined: few capabilities, no new privileges, a filter of system calls. Every kind
# of query still works in it, and answers as an agent that keeps all its rights.
. tests/live/lib.sh
need_bpf; need jq
printf 'n1 local:\n' >"$tmp/hosts"
printf 'n1 exec: %s agent --stdio --unconfined\n' "$RN" >"$tmp/free"
load=
# shellcheck disable=SC2086 # a list
tidy_up() { [ -z "$load" ] || { kill $load; wait $load; } 2>/dev/null; }
at_exit tidy_up
ask() { timeout 120 "$RN" -H "$tmp/${hosts:-hosts}" -o json "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; }
good() {
	[ $rc = 0 ] && grep '"ledger"' "$tmp/err" | jq -r '[.ledger.nodes[] | .answered] | all' ||
		cat "$tmp/err"
}

# The agent itself, as /proc shows it: it waits for a coordinator that never says anything.
mkfifo "$tmp/in"
"$RN" agent --stdio <"$tmp/in" >/dev/null 2>"$tmp/agent" & agent=$!
exec 7>"$tmp/in"
await grep -qs '^Seccomp:[[:space:]]*2' /proc/$agent/status
state() { sed -n "s/^$1:[[:space:]]*//p" /proc/$agent/status; }
same 'no new privileges, and a filter' "$(state NoNewPrivs) $(state Seccomp)" '1 2'
# sys_ptrace 19, sys_resource 24, dac_read_search 2, syslog 34, perfmon 38, bpf 39,
# checkpoint_restore 40
allowed=$((1 << 19 | 1 << 24 | 1 << 2 | 1 << 34 | 1 << 38 | 1 << 39 | 1 << 40))
same 'capabilities' \
	"$((0x$(state CapEff) & ~allowed)) $((0x$(state CapPrm) & ~allowed)) $((0x$(state CapAmb)))" \
	'0 0 0'
[ "$(id -u)" != 0 ] || same 'none to be had again' "$((0x$(state CapBnd) & ~allowed))" 0
exec 7>&-
wait $agent

"$CALLS" times=1000000 pause=1 getppid=200 pwrite=5x4096 >/dev/null 2>&1 & load=$!
for q in "count of getppid where pid = $load for 1s" \
	"time, file, user, cgroup, container, exe of pwrite64 where pid = $load limit 20" \
	"count, distinct(name), p99(latency) of syscall where pid = $load by proc every 300ms for 1s" \
	"count of getppid where pid = $load by stack for 1s" \
	"count of tracepoint \"sched:sched_switch\" where pid = $load for 1s" \
	"count of fork for 1s" "count of read by file, proc for 1s" \
	"flow of tag fix283 for 1s" "hits, tags of tag fix283, \"order 17\" limit 1 for 1s"; do
	ask "$q"
	same "${q//$load/PID}" "$(good)" true
done
# Until there is one: it may stand still for a second.
stacks() { ask "count of getppid where pid = $load by stack, proc for 1s"; [ -s "$tmp/out" ]; }
await stacks
confined=$(jq -s -r '[.[].stack] | sort | .[0]' "$tmp/out")
hosts=free await stacks
same 'stacks have the same names' "$confined" "$(jq -s -r '[.[].stack] | sort | .[0]' "$tmp/out")"
row() { field '"\(.pid) \(.exe) \(.cwd) \(.user) \(.netns) \(.cgroup)"'; }
ask "pid, exe, cwd, user, netns, cgroup of processes where pid = $load"
same 'the table of processes' "$(row)" \
	"$load $(readlink /proc/$load/exe) $PWD $(id -un) $(stat -Lc %i /proc/$load/ns/net) $(sed -n 's/^0:://p' /proc/$load/cgroup)"

# Somebody goes on reading a tag and talking through TLS until the query has seen one of it: it ends
# at its first row, long before its time.
repeat() { while :; do "$@"; sleep 0.1; done >/dev/null 2>&1 & load="$load $!"; }
printf 'xx fix%d xx' $$ >"$tmp/tagged"
repeat cat "$tmp/tagged"
ask "file of tag fix$$ where proc = cat and name = read limit 1 for 300s"
same 'a tag in a file' "$(field .file) $(good)" "$tmp/tagged true"
TLS=$PWD/$B/tests/programs/tls
if "$TLS" >/dev/null; [ $? = 77 ] || grep -q 'NO.*user functions' "$tmp/doctor"; then
	skip 'no libssl-dev, or no probes on user functions'
else
	repeat "$TLS" "write=hello-key$$-bye"
	ask "name, bytes of tag key$$ where name = tls_write limit 1 for 300s"
	same 'a tag in plaintext at a function of libssl' \
		"$(field '"\(.name) \(.bytes)"') $(good)" "tls_write $((13 + ${#$})) true"
fi
done_testing
