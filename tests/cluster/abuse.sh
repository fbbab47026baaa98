#!/bin/bash
# What is wrong in hosts files, at nodes and on the way is said with the node and the reason, and
# the other nodes go on.
. tests/live/lib.sh
need jq
export LC_ALL=C NO_COLOR=1
BAD=$PWD/$B/tests/badagent
cd "$tmp" || exit 1
unset RUNNEL_POLICY
# Exit status in $rc, rows in out, messages in err.
ask() { timeout 120 "$RN" -H "$@" >out 2>err </dev/null; rc=$?; }
is() { # NAME STATUS ERR
	if [ "$rc" = "$2" ] && [ "$(cat err)" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: exit $rc, want $2"
		diff <(echo "$3") err
	fi
}
says() { # NAME TEXT...: each is in err, as a line or a part of one
	local t name=$1 missing=; shift
	for t; do grep -qF -- "$t" err || missing=$t; done
	if [ -z "$missing" ]; then
		ok "$name"
	else
		not_ok "$name: no '$missing' in:"
		cat err
	fi
}
form='  a line is NAME TRANSPORT: ARGUMENTS, for instance: node1 exec: ip netns exec lab1'

# ---- hosts files: every error with file and line, before anything is reached ----
printf '# nodes\na local:\na exec: x\nb\nc ssh:\nd exec:\ne relay:\n[x\nall local:\nn&n local:\n' >h
ask h 'count of write'
is 'errors of a hosts file, five of them in full' 2 \
	"error: h:3: the node \`a\` stands in line 2 already [E-HOSTS]
  h:4: \`b\` is not NAME TRANSPORT: ARGUMENTS
  h:5: \`ssh:\` needs a host, as in: c ssh: admin@c.example.org
  h:6: \`exec:\` needs a command, as in: d exec: ip netns exec d
  h:7: \`relay:\` needs a hosts file, as in: e relay: e.hosts
  and 3 more
$form"
one() { # NAME LINE TEXT
	printf '%s\n' "$2" >h
	ask h 'count of write'
	is "hosts file: $1" 2 "error: h:1: $3 [E-HOSTS]
$form"
}
one 'no transport' 'a locl: x' "there is no transport \`locl\`; did you mean \`local:\`?"
one 'no transport that is near' 'a carrier-pigeon: x' \
	"there is no transport \`carrier-pigeon\`; there are local, exec, ssh, relay and nats"
one 'a star' '* exec: x' "\`*\` stands for all nodes that \`nats:\` finds; \`exec:\` needs a name"
one 'a name' 'n&n local:' "\`n&n\` is no name of a node: letters, digits, \`.\`, \`_\` and \`-\`"
one 'a word of on' 'except local:' \
	"\`except\` has a meaning of its own in \`on\`: name the node otherwise"
one 'a group' '[lab' "\`[lab\` is not [GROUP]"
: >h; ask h 'count of write'; is 'no node' 2 "error: h names no node [E-HOSTS]
$form"
head -c 5000 /dev/zero | tr '\0' x >h
ask h 'count of write'
same 'a long line' "$rc $(head -n 1 err)" '2 error: h:1: a line of more than 4094 bytes [E-HOSTS]'
head -c 5000 /dev/urandom >h
ask h 'count of write'
same 'noise' "$rc $(grep -c 'E-HOSTS' err)" '2 1'
ask nosuch 'count of write'
is 'no file' 2 'error: the hosts file nosuch cannot be read: No such file or directory'
printf 'a exec: false\n' >h; ask h 'count of write on b'
is 'on a node that is not there' 4 "query:1:19: error: there is no node \`b\` [E-SYSTEM]
  count of write on b
                    ^
  h names nodes and groups; patterns are like \`node*\`"
# its end may be seen before its status is
gone='not reachable \((the command to it ended with status 1|the other side has gone)\)$'
ask h 'count of write'
same 'no node is left: one' "$rc $(grep -cE "^error: node a: $gone" err)" '4 1'
printf 'a exec: false\nb exec: false\n' >h
ask h 'count of write'
same 'no node is left: two' \
	"$rc $(grep -cE "^error: none of 2 nodes answers; nodes a, b: $gone" err)" '4 1'

# ---- an agent whose coordinator is none ----
feed() { timeout 120 "$RN" agent --stdio --lease "${1:-60}" 2>err >out; rc=$?; } # SECONDS
printf 'GET / HTTP/1.1\r\n\r\n' | feed
same 'an agent is sent something else' "$rc $(head -n 1 err)" \
	"4 runnel: what came is no chunk of this protocol, but begins with \`GET / HTTP/1.1? ? \`; is something printing to the agent's stdout?"
head -c 100000 /dev/urandom | feed; same 'an agent is sent noise' "$rc" 4
feed </dev/null; same 'an agent is sent nothing' "$rc $(cat err)" '0 '
mkfifo quiet; feed 1 <>quiet
same 'an agent whose coordinator is silent goes' \
	"$(grep -c 'nothing came from the coordinator for 1 s' err)" 1

need_bpf
export RUNNEL_POLICY=$tmp/none
# ---- nodes that are none, or that do not keep to the protocol: the good one answers all the same
printf 'payload = allow\n' >open
printf 'payload = deny\n' >closed
printf 'payload = maybe\n' >slip
cat >nodes <<EOF
good local:
false exec: false
hello exec: echo hello
echo exec: sh -c 'exec cat; : agent --stdio'
nowhere exec: sh -c 'echo no such host >&2; exit 255'
nothing exec: nosuchprogram
killed exec: sh -c 'kill -9 \$\$'
version exec: $BAD version # agent --stdio
kind exec: $BAD kind # agent --stdio
changed exec: $BAD changed # agent --stdio
repeated exec: $BAD repeated # agent --stdio
cut exec: $BAD cut # agent --stdio
escape exec: $BAD escape # agent --stdio
columns exec: $BAD columns # agent --stdio
types exec: $BAD types # agent --stdio
states exec: $BAD states # agent --stdio
garbage exec: $BAD garbage # agent --stdio
unasked exec: $BAD unasked # agent --stdio
commands exec: $BAD commands # agent --stdio
ledgers exec: $BAD ledgers # agent --stdio
error exec: $BAD error # agent --stdio
lost relay: nosuch.hosts
wrong relay: h
loop relay: nodes.loop
EOF
printf 'x locl:\n' >h
echo 'loop relay: nodes.loop' >nodes.loop; grep -v relay: nodes >plain
left() { echo "  node $1 did not answer to the end: $2"; } # it had begun
why() { echo "  node $1: $2"; }
reasons() {
	says "$1" "$(why false 'not reachable (the ')" \
		"$(why hello "what came is no chunk of this protocol, but begins with \`hello ")" \
		"$(why echo "what answers is no agent and no relay, but \`coordinator\`")" \
		"$(why nowhere 'not reachable (no such host)')" \
		"$(why nothing 'not reachable (')" \
		'nosuchprogram: not found' \
		"$(why killed 'not reachable (')" \
		"$(why version 'the peer speaks version 9 of the protocol, this side 1: upgrade the older one')" \
		"$(why kind "what answers is no agent and no relay, but \`teapot\`")" \
		"$(why changed 'what came is no chunk of this protocol: its checksum')" \
		"$(why repeated 'chunk 0 came instead of 1: something was lost or repeated on the way')" \
		"$(why cut 'not reachable (')" \
		"$(why escape "what came is no chunk of this protocol, but begins with \`?[2J?]0;mine? root@coordinator# \`")" \
		"$(left columns 'it sends what is not of the form that was asked for')" \
		"$(left types 'it sends what is not of the form that was asked for')" \
		"node states" "$(left garbage '')" \
		"$(left unasked 'it sends what is not due')" \
		"$(left commands 'it sends what is not due')" \
		"$(left ledgers 'it sends what is not due')" \
		"$(left error 'no \x1b[31mred\x1b[0m text')" \
		"$(why lost 'not reachable (runnel: the hosts file nosuch.hosts cannot be read')" \
		"$(why wrong "not reachable (runnel: h:1: there is no transport \`locl\`; did you mean \`local:\`? [E-HOSTS]")" \
		"$(why loop '')" \
		'more than 4 relays one below another: does a hosts file name itself?'
	same "$1: nothing that a terminal would obey" "$(grep -c $'\033' err)" 0
	same "$1: the good node is not among them" "$(grep -c 'node good' err)" 0
}
ask nodes -o csv 'bytes of write for 1s'
same 'rows: the query ends well' "$rc $(head -n 1 out)" '0 bytes'
reasons 'rows'
ask nodes -o csv 'count of write by bytes every 200ms for 1s'
same 'windows: the query ends well' "$rc $(head -n 1 out)" '0 window,bytes,count,partial'
reasons 'windows'
ask nodes --strict 'count of write for 100ms'
same 'with --strict that is a status of its own' "$rc" 3
reasons 'a count'
ask plain --strict 'count of write on good for 100ms'; same 'who is not asked is not missed' "$rc" 0
ask plain 'count of write on hello, kind, cut for 100ms'
same 'nobody is left' "$rc $(grep -c 'none of 3 nodes answers; node hello:' err)" '4 1'
ask nodes -o json 'count of write for 100ms'
same 'json: answered, and why not' \
	"$(grep '"ledger"' err | jq -r '.ledger.nodes[] | select(.node == "kind" or .node == "good") | "\(.node) \(.answered) \(.why)"' | paste -sd'|')" \
	"good true null|kind false what answers is no agent and no relay, but \`teapot\`"

# One whose agent lives, and does not end the query; again, where the good one stood still for so
# long.
printf 'deadline 2s\ngood local:\nendless exec: %s endless # agent --stdio\n' "$BAD" >endless
ask_endless() {
	ask endless --lease 2 -o csv 'bytes of write for 1s'
	! grep -q 'node good\|node endless.*nothing came' err
}
await ask_endless
same 'a query that one node does not end ends well' "$rc $(head -n 1 out)" '0 bytes'
says 'who did not end it' \
	"$(left endless 'its agent lives, but has not ended the query for')"
{ echo 'deadline 2s'; cat nodes; tail -n 1 endless; } >all
some_begin() { ask all --lease 2 'count of write on all except good for 100ms'; [ "$rc" != 4 ]; }
await some_begin; same 'without the good node some begin, and end badly' "$rc" 0

# ---- what one node's policy forbids ----
printf 'good exec: env RUNNEL_POLICY=%s/open\nclosed exec: env RUNNEL_POLICY=%s/closed\nslip exec: env RUNNEL_POLICY=%s/slip\n' \
	"$tmp" "$tmp" "$tmp" >policies
ask policies -o csv 'data of write where proc = nosuch for 100ms'
same 'a policy forbids: the others go on' "$rc $(cat out)" '0 data'
says 'which, and who can allow it' \
	"$(why closed "the policy of this node does not let a query have payload, the field data: $tmp/closed:1 [E-POLICY]")" \
	"$(why slip "$tmp/slip:1: \`payload\` is allow or deny, not \`maybe\` [E-POLICY]")"
ask policies --strict 'data of write where proc = nosuch for 100ms'; same 'strict' "$rc" 3
ask policies 'data of write where proc = nosuch on closed for 100ms'
same 'only who forbids is asked' \
	"$rc $(grep -c "node closed: the policy of this node does not let a query have payload" err)" \
	'4 1'
done_testing
