#!/bin/bash
# Three agents, each about the processes of one shell. Between them and the coordinator are a real
# nats-server, two of them, TLS, keys, or relays. Each of these dies in the middle of a query. The
# same rows as of one local run over the same work.
. tests/live/lib.sh
need_bpf; need jq nats-server openssl
t=$tmp/t; mkdir "$t"
WORK=w$$
cp "$CALLS" "$t/$WORK"
pids=
# Ends only what was started here.
clean() {
	local p
	[ "$BASHPID" = $$ ] || return
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
}
at_exit clean
await() { # WHAT COMMAND...: two minutes at most
	local what=$1 end=$((SECONDS + ${RN_WAIT:-120})); shift
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "waited in vain for: $what"; return 1; }
		sleep 0.1
	done
}

# ---- servers, agents, relays ----
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # some server does
alive() { kill -0 "$1" 2>/dev/null; }
up_or_dead() { said 'Server is ready' "$t/$1.log" || ! alive "$(cat "$t/$1.pid")"; }
serve() { # NAME: with $t/NAME.conf and $t/NAME.port; its pid in $t/NAME.pid
	: >"$t/$1.log"
	nats-server -a 127.0.0.1 -p "$(cat "$t/$1.port")" -c "$t/$1.conf" >>"$t/$1.log" 2>&1 &
	echo $! >"$t/$1.pid"; pids="$pids $!"; disown
	await "the server $1" up_or_dead "$1" && said 'Server is ready' "$t/$1.log"
}
server() { # NAME CONFIGURATION: on a port that nobody has
	local i
	echo "$2" >"$t/$1.conf"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo $((20000 + RANDOM % 12000)) >"$t/$1.port"
		listens "$(cat "$t/$1.port")" || { serve "$1" && return; }
	done
	return 1
}
at() { echo "127.0.0.1:$(cat "$t/$1.port")"; } # NAME
# SIGNAL NAME
end() {
	kill "$1" "$(cat "$t/$2.pid")" 2>/dev/null
	await "the end of $2" gone "$(cat "$t/$2.pid")"
}
gone() { ! alive "$1" || grep -qs '^State:.*Z' "/proc/$1/status"; }
said() { grep -qs -- "$1" "$2"; }
spoke() { said "$1" "$2" || ! alive "$3"; }
# of a server that stood still for as long as is waited for it
late='answers only now: try again\|answers there within'
member() { # NAME agent|relay SERVERS OPTION...
	local n=$1 kind=$2 where=$3 _; shift 3
	for _ in 1 2 3 4 5; do
		: >"$t/$n.err"
		"$RN" "$kind" --nats "$where" "$@" </dev/null >"$t/$n.out" 2>>"$t/$n.err" &
		echo $! >"$t/$n.pid"; pids="$pids $!"; disown
		await "$n" spoke 'listens on NATS' "$t/$n.err" "$(cat "$t/$n.pid")" &&
			said 'listens on NATS' "$t/$n.err" && return
		said "$late" "$t/$n.err" || break
	done
	cat "$t/$n.err"; return 1
}
# Runs what is to be refused: leaves $rc, $t/out and $t/err.
refused() { # ARGUMENT...
	local _
	for _ in 1 2 3 4 5; do
		"$RN" "$@" >"$t/out" 2>"$t/err" </dev/null; rc=$?
		said "$late" "$t/err" || return
	done
}
# NAME SERVERS OPTION...
agent() {
	local n=$1 where=$2
	shift 2
	member "$n" agent "$where" --node "$n" --scope "pid=$(cat "$t/shell.$n")" "$@"
}
relay() { local n=$1 where=$2; shift 2; member "$n" relay "$where" --node "$n" "$@"; }

# ---- work ----
for i in 1 2 3; do
	mkfifo "$t/wake$i"
	bash -c \
		"while read -r list; do '$t/$WORK' \$list; echo x >>'$t/done$i'; done <>'$t/wake$i'" \
		</dev/null >/dev/null 2>&1 &
	echo $! >"$t/shell.n$i"; pids="$pids $!"; disown
	: >"$t/done$i"
done
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }
work() { # each shell makes i times as much
	local i before
	for i in 1 2 3; do
		before[i]=$(wc -l <"$t/done$i")
		echo "pread=$((3 * i))x$((100 * i)) pread=7x5000 getppid=$((10 * i)) pwrite=${i}x4096 enoent=$i" \
			>"$t/wake$i"
	done
	for i in 1 2 3; do
		await "the work of $i" has_lines "$t/done$i" $((before[i] + 1)) || return
	done
}

# ---- questions ----
ask() { # ID HOSTS|- QUERY: begins to ask
	local h=; [ "$2" = - ] || h="-H $2"
	# shellcheck disable=SC2086 # a list
	"$RN" $h -v -o json "$3" >"$t/$1.rows" 2>"$t/$1.said" </dev/null &
	echo $! >"$t/$1.pid"; pids="$pids $!"
}
attached() { # ID: all of it
	await "all of $1 attached" spoke '^attached' "$t/$1.said" "$(cat "$t/$1.pid")" &&
		said '^attached' "$t/$1.said" || { cat "$t/$1.said"; return 1; }
}
# ID: leaves $rc
stop() { kill -INT "$(cat "$t/$1.pid")" 2>/dev/null; wait "$(cat "$t/$1.pid")"; rc=$?; }
ledger() { grep '"ledger"' "$t/$1.said" | jq -r ".ledger.$2"; }
# ID [ORDERED]
rows() {
	jq -cS 'del(.time, .node, .latency)' "$t/$1.rows" | {
		if [ -n "${2:-}" ]; then cat; else sort; fi
	}
}
hosts() { printf '[fleet]\n* nats: %s\n' "$2" >"$t/$1.hosts"; echo "$t/$1.hosts"; } # NAME SERVERS
# Asks until so many are attached: on a busy machine some may be heard of late.
ask_all() { # ID HOSTS QUERY WHAT
	local _
	for _ in 1 2 3 4 5 6 7 8; do
		ask "$1" "$2" "$3"
		attached "$1" && said "^attached: $4 " "$t/$1.said" && return
		stop "$1"
	done
	return 1
}
once() { # ID HOSTS QUERY [WHAT]: asks over one round of work
	ask_all "$1" "$2" "$3" "${4:-3 of 3}" && work && stop "$1"
}
# Rows of the three nodes, one line a node, of a query `count ... by node`.
by_node() { jq -r '"\(.node) \(.count)"' "$t/$1.rows" | sort | paste -sd' '; }
count="count of syscall where proc = $WORK and name = getppid by node"
all='n1 10 n2 20 n3 30'

server one '' || set_up_failed 'a nats-server'
h=$(hosts one "$(at one)")
for i in 1 2 3; do agent n$i "$(at one)" || not_ok "the agent n$i starts"; done

# Found, one by name, some of them; and nobody of that name.
once found "$h" "$count"; same 'agents that are found' "$(by_node found)" "$all"
once some "$h" "$count on n1, n3" '2 of 2'; same 'some of them' "$(by_node some)" 'n1 10 n3 30'
printf 'n2 nats: %s\nn9 nats: %s\n' "$(at one)" "$(at one)" >"$t/named.hosts"
ask named "$t/named.hosts" "$count"
await 'n2 attached' said '^attached: 1 of 2' "$t/named.said" && work && stop named
same 'a node by its name' "$(by_node named)" 'n2 20'
same 'nobody has that name' \
	"$(ledger named 'nodes[] | select(.node == "n9") | .why' | grep -c 'n9 is not there')" 1
refused -H "$h" "$count on n7"
same 'a node that is not found' "$rc $(grep -c 'no node that the query is about' "$t/err")" '4 1'

# The same rows as one local run: directly, through relays that share the nodes, and through a relay
# with nodes of its own.
queries=("name, bytes, ret, fd of io where proc = $WORK and bytes >= 300"
	"count, sum(bytes), avg(bytes), p90(bytes), distinct(pid) of io where proc = $WORK by name"
	"count of syscall where proc = $WORK by name, error order by count desc, name, error limit 5")
same_rows() { # ID HOSTS: all queries at once, beside local ones
	local k
	for k in 0 1 2; do
		ask "local$k" - "${queries[k]}"
		ask_all "$1$k" "$2" "${queries[k]}" '3 of 3' || return
	done
	for k in 0 1 2; do attached "local$k" || return; done
	work || return
	for k in 0 1 2; do
		stop "local$k"; stop "$1$k"
		rows "local$k" >"$t/want"; rows "$1$k" >"$t/got"
		if [ "$rc" = 0 ] && [ -s "$t/want" ] && cmp -s "$t/want" "$t/got"; then
			ok "the same rows as local, $1: $(wc -l <"$t/got")"
		else
			not_ok "the same rows as local, $1: exit $rc"
			diff "$t/want" "$t/got"
			cat "$t/$1$k.said"
		fi
	done
}
same_rows direct "$h" || { not_ok 'asked directly'; tail "$t"/local?.said "$t"/direct?.said; }
relay r1 "$(at one)" && relay r2 "$(at one)" || not_ok 'relays start'
same_rows relays "$h" || { not_ok 'asked through relays'; tail "$t"/relays?.said; }
once shared "$h" "$count"; same 'through relays' "$(by_node shared)" "$all"
end -TERM r1; end -TERM r2
server apart ''
printf 'n1 nats: %s\nn2 nats: %s\nn3 nats: %s\n' "$(at one)" "$(at one)" "$(at one)" \
	>"$t/rack.hosts"
relay rack "$(at apart)" -H "$t/rack.hosts" || not_ok 'a relay with nodes of its own starts'
same_rows rack "$(hosts apart "$(at apart)")" || {
	not_ok 'asked through a relay with nodes of its own'
	tail "$t"/rack?.said
}
end -TERM rack; end -TERM apart

# ---- who dies ----
# The programs that an agent has attached, by number: others once it has been asked again.
links() {
	cat /proc/"$(cat "$t/$1.pid")"/fdinfo/* 2>/dev/null | sed -n 's/^link_id:[[:space:]]*//p' |
		sort
}
asked_anew() { # NAME: has all its links, none of which it had, and they stay
	local now; now=$(links "$1")
	[ -n "$now" ] && [ "$(wc -l <<<"$now")" = "$whole" ] &&
		[ -z "$(comm -12 <(echo "$now") "$t/$1.links")" ] && sleep 2 &&
		[ "$(links "$1")" = "$now" ]
}
no_links() { [ -z "$(links "$1")" ]; }
# of the same query
note_links() { local n; for n; do links "$n" >"$t/$n.links"; whole=$(wc -l <"$t/$n.links"); done; }

ask_all agent "$h" "$count" '3 of 3'
work; end -9 n2; work; stop agent
same 'an agent is killed: the others are whole' "$rc $(by_node agent)" '0 n1 20 n3 60'
same 'an agent is killed: the ledger names it' \
	"$(ledger agent 'nodes[] | select(.answered == false) | .node')" n2
agent n2 "$(at one)" || not_ok 'the agent starts again'

ask_all back "$h" "$count" '3 of 3'
note_links n1 n2 n3; end -9 n2; agent n2 "$(at one)"
if await 'n2 asked again' asked_anew n2; then
	work; stop back
	same 'an agent that comes back' "$rc $(by_node back)" "0 $all"
	same 'an agent that comes back: the ledger says so' \
		"$(ledger back 'nodes[] | select(.joined != null) | .node' | paste -sd' ')" n2
else not_ok 'an agent that comes back'; stop back; cat "$t/back.said"; fi

end -TERM n3
ask_all late "$h" "$count" '2 of 2'; : >"$t/n3.links"
agent n3 "$(at one)" || not_ok 'an agent starts in mid-course'
if await 'n3 asked' asked_anew n3; then
	work; stop late
	same 'an agent that comes late' "$rc $(by_node late)" "0 $all"
	same 'an agent that comes late: the ledger says so' \
		"$(ledger late 'nodes[] | select(.joined != null) | .node' | paste -sd' ')" n3
else not_ok 'an agent that comes late'; stop late; cat "$t/late.said"; fi

relay r1 "$(at one)" && relay r2 "$(at one)" || not_ok 'relays start again'
ask_all dead "$h" "$count" '3 of 3'
note_links n1 n2 n3; end -9 r1; end -9 r2
if await 'all asked without relays' asked_anew n1 && await 'n2' asked_anew n2 &&
	await 'n3' asked_anew n3; then
	work; stop dead
	same 'relays are killed: their nodes are asked directly' "$rc $(by_node dead)" "0 $all"
	same 'relays are killed: the ledger says so' \
		"$(ledger dead 'nodes[] | select(.joined != null) | .node' | sort | paste -sd' ')" \
		'n1 n2 n3'
else not_ok 'relays are killed'; stop dead; cat "$t/dead.said"; fi

ask_all killed "$h" "$count" '3 of 3'
kill -9 "$(cat "$t/killed.pid")"
wait "$(cat "$t/killed.pid")" 2>/dev/null
for i in 1 2 3; do
	if await "the end of it at n$i" no_links n$i; then
		ok "who asks is killed: n$i has nothing attached"
	else
		not_ok "who asks is killed: n$i"
	fi
done

ask_all server "$h" "$count" '3 of 3'
end -9 one; serve one || not_ok 'the server starts again'
work; stop server
same 'a server is killed: the query ends with an answer' "$rc" 0
for i in 1 2 3; do
	await "n$i has ended it" no_links n$i || not_ok "n$i: a program stays attached"
done
once after "$h" "$count"; same 'a server that comes back' "$rc $(by_node after)" "0 $all"

# ---- two servers ----
for i in 1 2 3; do end -TERM n$i; done
end -9 one
refused -H "$h" "$count"
same 'no server' "$rc $(grep -c "$(at one): Connection refused" "$t/err")" '4 1'
server two ''
both=$(at one),$(at two)
for i in 1 2 3; do agent n$i "$both"; done
once second "$(hosts both "$both")" "$count"
same 'the first of two servers is dead' "$rc $(by_node second)" "0 $all"
for i in 1 2 3; do end -TERM n$i; done
end -TERM two

# ---- who is let in ----
refused agent --nats "$(at two)" --node n1
same 'an agent without a server' "$rc $(grep -c 'Connection refused' "$t/err")" '4 1'
server three 'authorization { user: u, password: right }'
agent n1 "nats://u:right@$(at three)" || not_ok 'an agent with a password starts'
refused agent --nats "nats://u:wrong@$(at three)" --node n2
same 'an agent with a wrong password' \
	"$rc $(grep -c 'does not let this user with this password in' "$t/err") $(grep -c wrong "$t/err")" \
	'4 1 0'
printf 'here local: --scope pid=%s\nn1 nats: nats://u:right@%s\nbad nats: nats://u:wrong@%s\n' \
	"$(cat "$t/shell.n3")" "$(at three)" "$(at three)" >"$t/bad.hosts"
ask bad "$t/bad.hosts" "$count"
await 'two attached' said '^attached: 2 of 3' "$t/bad.said" && work
stop bad
same 'wrong credentials: the other nodes go on' "$rc $(by_node bad)" '0 here 30 n1 10'
same 'wrong credentials: the ledger says which' \
	"$(ledger bad 'nodes[] | select(.answered == false) | .node + " " + .why' | grep -c '^bad .*does not let this user')" \
	1
agent n2 "nats://u:right@$(at three)"
"$RN" agent --nats "nats://u:right@$(at three)" --node n2 >"$t/out" 2>"$t/twin.err" </dev/null &
twin=$!
pids="$pids $twin"
disown
await 'a second n2' said 'listens on NATS' "$t/twin.err"
once twins "$(hosts three "nats://u:right@$(at three)")" "$count" '1 of 2'
same 'two agents of one name: the others go on' "$rc $(by_node twins)" '0 n1 10'
same 'two agents of one name: the ledger says so' \
	"$(ledger twins 'nodes[] | select(.answered == false) | .node + " " + .why' | grep -c '^n2 two agents .*process.*, and .*process')" \
	1
kill -9 $twin; end -TERM n1; end -TERM n2; end -TERM three

# A key, and TLS by a CA of its own.
(
	cd "$t" &&
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
			-keyout ca.key -out ca.pem -subj /CN=ca &&
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key \
		-out server.csr -subj /CN=server &&
		echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' >ext &&
		openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
		-extfile ext -out server.pem
) >"$t/openssl" 2>&1 || { not_ok 'certificates'; cat "$t/openssl"; }
echo SUAIYL6SQZQUBKAWGMD63ZGMY37Q5KV2SQWMFZLE7MVMDXJDGWZDUHWMNM >"$t/seed"
server four "tls { cert_file: \"$t/server.pem\", key_file: \"$t/server.key\" }
authorization { users: [ { nkey: UBD2J6CXQVKF6FRTD2SHKKK2XMSOOFO3HECUNW2WMXVDENH7Y2WX2A3Z } ] }"
safe="tls://$(at four) ca=$t/ca.pem nkey=$t/seed"
for i in 1 2 3; do agent n$i "$safe" || not_ok "n$i starts with TLS and a key"; done
relay r1 "$safe" || not_ok 'a relay starts with TLS and a key'
once tls "$(hosts tls "$safe")" "$count"; same 'TLS and keys' "$rc $(by_node tls)" "0 $all"
refused -H "$(hosts tls1 "tls://$(at four) nkey=$t/seed")" "$count"
same 'TLS by a CA that is not known' "$rc $(grep -c "$(at four): TLS fails" "$t/err")" '4 1'
refused -H "$(hosts tls2 "tls://$(at four) ca=$t/ca.pem")" "$count"
same 'TLS without the key' "$rc $(grep -c 'does not let' "$t/err")" '4 1'
for i in n1 n2 n3 r1; do end -TERM $i; done
left=$(for i in n1 n2 n3 r1; do links $i; done | wc -l)
same 'nothing stays attached' "$left" 0
done_testing
