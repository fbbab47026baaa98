# zookeeper.bash - an ensemble of three nodes, for tests and cases: source it after systems.bash.
#
#   zookeeper_up                 a server in each node; $leader, $follower, $other: which is which
#   zookeeper_run N COMMAND...   a client at the server of node N; RUN_IN: runs it instead of `on`
#   zookeeper_logged             the tag is in the transaction logs of all three
zookeeper_jar=/usr/share/java/zookeeper.jar
need java; [ -e $zookeeper_jar ] || skip_all "no $zookeeper_jar on this machine"
zookeeper_jvm="-Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData -Dzookeeper.preAllocSize=256"
zookeeper_start() { # N
	local k d=$tmp/lab/node$1/srv
	private "$1" /srv
	mkdir "$d/data" "$d/conf"
	echo "$1" >"$d/data/myid"
	{
		printf '%s\n' tickTime=1000 initLimit=60 syncLimit=30 dataDir=/srv/data \
			clientPort=2181 "clientPortAddress=$lab_net.$1" admin.enableServer=false \
			'4lw.commands.whitelist=*'
		for k in 1 2 3; do echo "server.$k=$lab_net.$k:2888:3888"; done
	} >"$d/zoo.cfg"
	printf '%s\n' 'log4j.rootLogger=INFO, A' log4j.appender.A=org.apache.log4j.FileAppender \
		log4j.appender.A.File=/srv/zk.log \
		log4j.appender.A.layout=org.apache.log4j.PatternLayout >"$d/conf/log4j.properties"
	# shellcheck disable=SC2086 # a list
	spawn "$1" java $zookeeper_jvm -cp /srv/conf:$zookeeper_jar \
		org.apache.zookeeper.server.quorum.QuorumPeerMain /srv/zoo.cfg \
		</dev/null >"$d/out" 2>&1
}
zookeeper_mode() { # N
	on "$1" timeout 10 bash -c \
		"exec 3<>/dev/tcp/$lab_net.$1/2181; echo srvr >&3; cat <&3" 2>&1 |
		sed -n 's/^Mode: //p'
}
zookeeper_quorum() {
	modes="$(zookeeper_mode 1) $(zookeeper_mode 2) $(zookeeper_mode 3)"
	[ "$(tr ' ' '\n' <<<"$modes" | sort | paste -sd' ')" = 'follower follower leader' ]
}
zookeeper_up() {
	local i mode
	cluster || set_up_failed 'the lab'
	for i in 1 2 3; do zookeeper_start $i; done
	lab_await 'a quorum' zookeeper_quorum || {
		tail -n 20 "$tmp"/lab/node?/srv/out
		set_up_failed 'a quorum of three'
	}
	echo "$modes after $SECONDS s"
	read -ra mode <<<"- $modes"
	for i in 1 2 3; do
		if [ "${mode[i]}" = leader ]; then
			leader=$i
		else
			other=${follower:-} follower=$i
		fi
	done
}
zookeeper_run() { # N COMMAND...
	local n=$1; shift
	# shellcheck disable=SC2086 # a list
	${RUN_IN:-on} "$n" java $zookeeper_jvm -cp /srv/conf:$zookeeper_jar \
		org.apache.zookeeper.ZooKeeperMain -server "$lab_net.$n:2181" "$@"
}
zookeeper_logged() {
	local i
	for i in 1 2 3; do
		grep -qs "$tag" "$tmp/lab/node$i"/srv/data/version-2/log.* || return
	done
}
