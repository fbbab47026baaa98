#!/bin/bash
# Redis: a value goes from a client to the primary on node1, to its replica on node2 and to that
# one's replica on node3, and into the append-only file of each.
. tests/systems/systems.bash
need redis-server redis-cli
cluster || set_up_failed 'the lab'
for i in 1 2 3; do
	private $i /srv
	up=; [ $i = 1 ] || up="--replicaof $lab_net.$((i - 1)) 6379"
	# shellcheck disable=SC2086 # a list
	spawn $i redis-server --port 6379 --bind $lab_net.$i 127.0.0.1 --protected-mode no \
		--dir /srv --appendonly yes --appendfsync always \
		--daemonize no --repl-diskless-sync-delay 0 --save '' $up --logfile /srv/log \
		</dev/null >"$tmp/redis$i" 2>&1
done
linked() { [ "$(on 2 redis-cli info replication 2>&1; on 3 redis-cli info replication 2>&1)" != "" \
	] &&
	[ "$( (on 2 redis-cli info replication; on 3 redis-cli info replication) 2>&1 | grep -c 'master_link_status:up')" \
	= 2 ]; }
# What replicas have applied is in their files: these are written before anything else is answered.
offset() { on "$1" redis-cli info replication 2>&1 | tr -d '\r' | sed -n "s/^$2://p"; }
applied() {
	local o
	o=$(offset 1 master_repl_offset)
	[ -n "$o" ] && [ "$(offset 2 slave_repl_offset) $(offset 3 slave_repl_offset)" = "$o $o" ]
}
lab_await 'replication' linked || set_up_failed 'replication is up'
lab_await 'the first replication' applied || set_up_failed 'the replicas follow'
ask "flow of tag $tag"
same 'the primary takes the value' "$(on 3 redis-cli -h node1 set k "hello $tag" 2>&1)" OK
lab_await 'the value on all nodes' applied || failed 'the value arrives'
answer
show
server='.proc == "redis-server"'
aof='.dir == "out" and (.object | test("^/srv/appendonlydir/.*incr.aof$"))'
sent="$server and .dir == \"out\" and" got="$server and .dir == \"in\" and"
chain 'through three servers' ".proc == \"redis-cli\" and .dir == \"out\" and $(ends 3 1)" \
	"$got $(ends 1 3)" "$sent $(ends 1 2)" \
	"$got $(ends 2 1)" "$sent $(ends 2 3)" "$got $(ends 3 2)"
for i in 1 2 3; do
	chain "into the file of node$i" "$got $(ends $i $((i == 1 ? 3 : i - 1)))" \
		"$server and $(at $i) and $aof"
done
same 'no other hops' "$(jq -s length "$tmp/out")" 9
done_testing
