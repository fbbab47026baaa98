#!/bin/bash
# One bad agent among two good ones, at a NATS server with the permissions of docs/cluster.md: it
# speaks in their names, in thousands of names, and listens where it may not. The good ones answer,
# and what it claims costs one line and little memory.
. tests/hostile/lib.bash
need nats-server jq python3
t=$tmp; pids=
clean() {
	local p
	[ "$BASHPID" = $$ ] || return
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
}
at_exit clean
said() { grep -qs -- "$1" "$2"; }
alive() { kill -0 "$1" 2>/dev/null; }
spoke() { said "$1" "$2" || ! alive "$3"; } # TEXT FILE PID

# ---- the server, two agents ----
{
	echo 'authorization { users: ['
	for n in n1 n2 rogue; do
		echo "{ user: $n, password: p, permissions: { publish: \"runnel.asks.>\", subscribe: [\"runnel.who\", \"runnel.node.$n.>\"] } },"
	done
	echo '{ user: asker, password: p, permissions: { publish: ["runnel.who", "runnel.node.>", "runnel.relay.>", "runnel.rack.>"], subscribe: "runnel.asks.>" } } ] }'
} >"$t/conf"
for _ in 1 2 3 4 5 6 7 8 9 10; do # on a port that nobody has
	port=$((20000 + RANDOM % 12000)); : >"$t/server"
	nats-server -a 127.0.0.1 -p $port -c "$t/conf" >>"$t/server" 2>&1 &
	server=$!
	pids="$pids $server"
	disown
	await spoke 'Server is ready' "$t/server" $server
	said 'Server is ready' "$t/server" && break
done
alive "$server" || { cat "$t/server"; set_up_failed 'a nats-server'; }
agent() { # NAME: in the file NAME.err what it says
	"$RN" agent --nats "nats://$1:p@127.0.0.1:$port" --node "$1" </dev/null >"$t/$1.out" \
		2>"$t/$1.err" &
	pids="$pids $!"
	disown
	await spoke 'listens on NATS' "$t/$1.err" $! && said 'listens on NATS' "$t/$1.err" || {
		not_ok "the agent $1 starts"
		cat "$t/$1.err"
		exit 1
	}
}
agent n1; agent n2
rogue() { # MODE [N]: replaces the one before
	[ -z "${rogue:-}" ] || kill -9 "$rogue" 2>/dev/null
	: >"$t/rogue" # it may hold what the one before said
	python3 tests/programs/hostile/rogue_agent.py "$port" rogue "$@" \
		>"$t/rogue" 2>&1 </dev/null &
	rogue=$!
	pids="$pids $rogue"
	disown
	await spoke ready "$t/rogue" $rogue && said ready "$t/rogue" || {
		not_ok "the rogue agent starts"
		cat "$t/rogue"
		exit 1
	}
}
at="nats: nats://asker:p@127.0.0.1:$port"
printf '* %s\n' "$at" >"$t/hosts"
# A table has rows without the right to trace. Leaves status, rows, ledger, and which nodes have
# answered, in one line. Asks again if an agent was heard of late, as happens on a busy machine:
# what is not heard of is not in the ledger.
ask() { # QUERY [NODES]
	local _
	for _ in 1 2 3; do
		peak_mib "$RN" -H "$t/hosts" -o json "${1:-count of processes by node}" >"$t/out" \
			2>"$t/err" </dev/null
		nodes=$(jq -r 'select(.node).node' "$t/out" | sort | paste -sd' ')
		[ "$nodes" != "${2-n1 n2}" ] || break
	done
}
lines() {
	grep '"ledger"' "$t/err" |
		jq -r '.ledger.nodes[] | select(.answered == false) | .node + ": " + .why'
}

ask
same 'without it both answer' "$rc $nodes" '0 n1 n2'
same 'and nothing is missing' "$(lines)" ''
least=$peak

# ---- it speaks for others ----
rogue twin; ask
said answered "$t/rogue" && ok 'it was asked who is there' || not_ok 'the rogue agent was not asked'
same 'a twin of both: both answer' "$rc $nodes" '0 n1 n2'
same 'a twin of both: nothing is missing' "$(lines)" ''
rogue echo; ask
said echoed "$t/rogue" && ok 'it was asked as itself' ||
	not_ok 'the rogue agent was not asked as itself'
same 'it answers what it is asked in the name of another: both answer' "$rc $nodes" '0 n1 n2'
same 'it answers in the name of another: one line, about itself' "$(lines)" \
	'*: rogue: this name was announced, but nobody answers under it'
rogue listen; ask
same 'it may not listen to others' \
	"$(grep -c 'Permissions Violation for Subscription' "$t/rogue")" 4
same 'it tried: both answer' "$rc $nodes" '0 n1 n2'
rogue flood 4000; ask
said 'answered 4002' "$t/rogue" && ok 'it was asked, and has claimed 4,002 names' ||
	not_ok 'it has not claimed 4,002 names'
same '4,000 forged names: both answer' "$rc $nodes" '0 n1 n2'
same '4,000 forged names: one line' \
	"$(lines | wc -l) $(lines | grep -c '^\*: .* and 3997 more: these names were announced, but nobody answers under them$')" \
	'1 1'
if [ $((peak - least)) -le 16 ]; then
	ok "4,000 forged names: $((peak - least)) MiB"
else
	not_ok "4,000 forged names: $peak MiB, $least without"
fi
ask 'count of processes by node on n1, n2'
same 'who is asked by name is not told of others' "$rc $nodes $(lines)" '0 n1 n2 '
rogue flood 30000
printf 'n1 %s\nn2 %s\n* %s\n' "$at" "$at" "$at" >"$t/hosts"; ask
same '30,000 forged names: nodes of the hosts file answer' "$rc $nodes" '0 n1 n2'
same '30,000 forged names: one line says that some were not looked at' \
	"$(lines | wc -l) $(lines | grep -c 'more than 10000 names were announced')" '1 1'
if [ $((peak - least)) -le 16 ]; then
	ok "30,000 forged names: $((peak - least)) MiB"
else
	not_ok "30,000 forged names: $peak MiB, $least without"
fi
printf '* %s\n' "$at" >"$t/hosts"

# ---- twins that are what they say, and names ----
kill -9 "$rogue"
cp "$t/n2.err" "$t/first.err"; agent n2
ask 'count of processes by node' n1
same 'two agents that may both be n2: the other one answers' "$rc $nodes" '0 n1'
same 'two agents that may both be n2: the line says so' \
	"$(lines | grep -c '^n2: two agents of NATS are called so: .*process.*, and .*process') $(lines | wc -l)" \
	'1 1'
long=$(printf 'x%.0s' {1..65})
"$RN" agent --nats "nats://n1:p@127.0.0.1:$port" --node "$long" </dev/null >"$t/out" 2>"$t/err"
rc=$?
same 'a name of 65 letters' "$rc $(grep -c "a node's name has 1 to 64 letters" "$t/err")" '4 1'
"$RN" agent --nats "nats://n1:p@127.0.0.1:$port" --node $'n\x9b2' </dev/null >"$t/out" 2>"$t/err"
rc=$?
same 'a name that is not printable' "$rc $(grep -c 'is no name of a node' "$t/err")" '4 1'
printf '%s %s\n' "$long" "$at" >"$t/hosts"; ask 'count of processes by node' ''
same 'a long name in a hosts file' \
	"$rc $(grep -c 'hosts:1: .* is too long: names on NATS have at most 64 letters' "$t/err")" \
	'2 1'
done_testing
