#!/bin/bash
# threads_nodes.sh - coordinator, agents and a relay, each built with ThreadSanitizer, over streams
# and through NATS, with a policy whose limits are watched: no report, and the answer of the nodes.
# Nothing is suppressed, but that an agent ends without waiting for the threads of queries: they end
# with the process (repl/node/node.c).
. tests/cli/lib.bash
T=${TSAN_BUILD:-build/tsan}/runnel
[ -x "$T" ] || skip_all "no $T, run make test-tsan-build first"
need_bpf; need nats-server
T=$(realpath "$T")
export TSAN_OPTIONS="exitcode=66 report_thread_leaks=0 log_path=$tmp/report"
pids=
at_exit '{ kill -9 $pids; wait; } 2>/dev/null'
printf 'max_queries = 10\nmax_memory = 500\nmax_cpu = 1000\nmax_seconds = 600\n' >"$tmp/policy"
port=$((20000 + RANDOM % 12000))
nats-server -a 127.0.0.1 -p $port >"$tmp/nats.log" 2>&1 & pids+=" $!"
await grep -q 'Server is ready' "$tmp/nats.log" || {
	cat "$tmp/nats.log"
	set_up_failed 'the NATS server'
}
for n in far1 far2; do
	: >"$tmp/$n.err"
	"$T" agent --nats "127.0.0.1:$port" --node $n --policy "$tmp/policy" </dev/null \
		2>"$tmp/$n.err" &
	pids+=" $!"
	await grep -q 'listens on NATS' "$tmp/$n.err" || {
		not_ok "agent $n"
		cat "$tmp/$n.err"
		exit 1
	}
done
printf \
	'a exec: %s agent --stdio --policy %s/policy\nb exec: %s agent --stdio --policy %s/policy\n' \
	"$T" "$tmp" "$T" "$tmp" >"$tmp/below"
printf 'here local:\nc exec: %s agent --stdio --policy %s/policy\nr relay: %s/below\n* nats: 127.0.0.1:%s\n' \
	"$T" "$tmp" "$tmp" $port >"$tmp/hosts"
ask() { # NAME NODES QUERY
	timeout 300 "$T" -H "$tmp/hosts" -o json "$3" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
	if [ $rc = 0 ]; then
		ok "$1: status 0"
	else
		not_ok "$1: status $rc"
		head -n 40 "$tmp/err"
	fi
	[ "$2" = 0 ] ||
		same "$1: nodes" "$(sed -n 's/.*"node": "\([a-z0-9]*\)".*/\1/p' "$tmp/out" | sort -u | tr '\n' ' ')" \
			'a b c far1 far2 here '
}
ask groups 6 'count, p99(latency), set(proc) of syscall by node for 2s'
ask windows 0 'count of syscall by name every 500ms for 2s'
ask rows 0 'time, node, proc of openat limit 50 for 2s'
ask 'rows in order' 0 'node, proc, latency of read order by latency desc limit 5 for 2s'
ask table 0 'count of processes by node'
# shellcheck disable=SC2086 # a list
kill $pids 2>/dev/null
# shellcheck disable=SC2086 # a list
wait $pids 2>/dev/null
same 'reports' "$(cat "$tmp"/report* 2>/dev/null | grep -c 'WARNING: ThreadSanitizer')" 0
cat "$tmp"/report* 2>/dev/null | head -n 60
done_testing
