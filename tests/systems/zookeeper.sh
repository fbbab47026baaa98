#!/bin/bash
# ZooKeeper: a znode is created through a follower. It goes to the leader, from there to both
# followers, and into the log of each, in threads of which none is called java.
. tests/systems/systems.bash
jar=/usr/share/java/zookeeper.jar
need java; [ -e $jar ] || skip_all "no $jar on this machine"
cluster || set_up_failed 'the lab'
jvm="-Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData -Dzookeeper.preAllocSize=256"
for i in 1 2 3; do
	private $i /srv
	d=$tmp/lab/node$i/srv; mkdir "$d/data" "$d/conf"; echo $i >"$d/data/myid"
	{ printf '%s\n' tickTime=1000 initLimit=60 syncLimit=30 dataDir=/srv/data clientPort=2181 \
		"clientPortAddress=$lab_net.$i" \
		admin.enableServer=false '4lw.commands.whitelist=*'
	for k in 1 2 3; do echo "server.$k=$lab_net.$k:2888:3888"; done; } >"$d/zoo.cfg"
	printf '%s\n' 'log4j.rootLogger=INFO, A' log4j.appender.A=org.apache.log4j.FileAppender \
		log4j.appender.A.File=/srv/zk.log \
		log4j.appender.A.layout=org.apache.log4j.PatternLayout >"$d/conf/log4j.properties"
	# shellcheck disable=SC2086 # a list
	spawn $i java $jvm -cp /srv/conf:$jar org.apache.zookeeper.server.quorum.QuorumPeerMain \
		/srv/zoo.cfg </dev/null >"$d/out" 2>&1
done
mode() { on "$1" timeout 10 bash -c "exec 3<>/dev/tcp/$lab_net.$1/2181; echo srvr >&3; cat <&3" \
	2>&1 | sed -n 's/^Mode: //p'; }
quorum() {
	modes="$(mode 1) $(mode 2) $(mode 3)"
	[ "$(tr ' ' '\n' <<<"$modes" | sort | paste -sd' ')" = 'follower follower leader' ]
}
lab_await 'a quorum' quorum || {
	tail -n 20 "$tmp"/lab/node?/srv/out
	set_up_failed 'a quorum of three'
}
echo "$modes after $SECONDS s"
read -ra mode <<<"- $modes"
for i in 1 2 3; do
	if [ "${mode[i]}" = leader ]; then leader=$i; else other=${follower:-} follower=$i; fi
done
logged() {
	for i in 1 2 3; do
		grep -qs "$tag" "$tmp/lab/node$i"/srv/data/version-2/log.* || return
	done
}
ask "flow of tag $tag where proc = java" "thread, proc, name, file of tag $tag where proc = java"
# shellcheck disable=SC2086 # a list
on "$follower" java $jvm -cp /srv/conf:$jar org.apache.zookeeper.ZooKeeperMain \
	-server "$lab_net.$follower:2181" create /t "hello $tag" \
	>"$tmp/client" 2>&1 || { cat "$tmp/client"; failed 'a znode is created'; }
lab_await 'three logs' logged || failed 'the znode is in three logs'
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
