#!/bin/bash
# Redis: a value goes from a client to the primary on node1, to its replica on node2 and to that
# one's replica on node3, and into the append-only file of each.
. tests/systems/systems.bash
. tests/systems/redis.bash
redis_up
ask "flow of tag $tag"
same 'the primary takes the value' "$(on 3 redis-cli -h node1 set k "hello $tag" 2>&1)" OK
lab_await 'the value on all nodes' redis_applied || failed 'the value arrives'
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
