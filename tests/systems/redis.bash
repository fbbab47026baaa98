# redis.bash - a chain of three Redis servers, for tests and cases: source it after systems.bash.
#
#   redis_up           the primary on node1, its replica on node2, that one's replica on node3; each
#                      syncs its append-only file at every write
#   redis_applied      both replicas have all that the primary has
need redis-server redis-cli
redis_start() { # N [OPTION...]
	local n=$1; shift
	private "$n" /srv
	spawn "$n" redis-server --port 6379 --bind "$lab_net.$n" 127.0.0.1 --protected-mode no \
		--dir /srv --appendonly yes --appendfsync always \
		--daemonize no --repl-diskless-sync-delay 0 --save '' "$@" --logfile /srv/log \
		</dev/null >"$tmp/redis$n" 2>&1
}
redis_info() { on "$1" redis-cli info replication 2>&1 | tr -d '\r'; } # N
redis_linked() {
	[ "$( (redis_info 2; redis_info 3) | grep -c 'master_link_status:up')" = 2 ]
}
# What replicas have applied is in their files: these are written before anything else is answered.
redis_offset() { redis_info "$1" | sed -n "s/^$2://p"; }
redis_applied() {
	local o
	o=$(redis_offset 1 master_repl_offset)
	[ -n "$o" ] && [ "$(redis_offset 2 slave_repl_offset)" = "$o" ] &&
		[ "$(redis_offset 3 slave_repl_offset)" = "$o" ]
}
redis_up() {
	local i
	cluster || set_up_failed 'the lab'
	redis_start 1
	for i in 2 3; do redis_start $i --replicaof "$lab_net.$((i - 1))" 6379; done
	lab_await 'replication' redis_linked || set_up_failed 'replication is up'
	lab_await 'the first replication' redis_applied || set_up_failed 'the replicas follow'
}
