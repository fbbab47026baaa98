#!/bin/bash
# ZooKeeper: a znode is created through a follower. It goes to the leader, from there to both
# followers, and into the log of each, in threads of which none is called java.
. tests/systems/systems.bash
. tests/systems/zookeeper.bash
zookeeper_up
ask "flow of tag $tag where proc = java" "thread, proc, name, file of tag $tag where proc = java"
zookeeper_run "$follower" create /t "hello $tag" >"$tmp/client" 2>&1 || {
	cat "$tmp/client"
	failed 'a znode is created'
}
lab_await 'three logs' zookeeper_logged || failed 'the znode is in three logs'
answer
echo "leader node$leader, follower of the client node$follower, other node$other"
show
in='.dir == "in"' out='.dir == "out"' \
	log='.dir == "out" and (.object | test("^/srv/data/version-2/log[.]"))'
chain 'to the leader' "$out and $(ends "$follower" "$follower")" \
	"$in and $(ends "$follower" "$follower")" \
	"$out and $(ends "$follower" "$leader")" \
	"$in and $(ends "$leader" "$follower")"
proposed="$in and $(ends "$leader" "$follower")"
for i in $follower $other; do
	chain "to node$i" "$proposed" "$out and $(ends "$leader" "$i")" \
		"$in and $(ends "$i" "$leader")"
done
for i in 1 2 3; do
	got="$in and $(ends $i "$leader")"; [ $i != "$leader" ] || got=$proposed
	chain "into the log of node$i" "$got" "$(at $i) and $log"
done
no_others "$log" "(.object | startswith(\"$lab_net.\"))"
jq -r '[.thread, .proc, .name, .file] | join("  ")' "$tmp/out1"
same 'as many calls as hops' "$(jq -s length "$tmp/out1")" "$(jq -s length "$tmp/out")"
same 'processes are java' "$(jq -r .proc "$tmp/out1" | sort -u)" java
same 'threads are not' "$(jq -r 'select(.thread == "java")' "$tmp/out1")" ''
done_testing
