# gluster.bash - a GlusterFS of three nodes, for tests and cases: source it after systems.bash.
#
#   gluster_up             a glusterd in each node; `spread` lies on the bricks of node1 and node2,
#                          `twice` has a replica on each
#   gluster_mounts M...    mounts a volume in a node, each M as '1 spread', at /mnt/VOLUME
#   on_node2               a file of `spread` is made, 100 KiB before the tag, whose data lies on
#                          node2 only; its name is in $spread_file
#
# Each of them ends the script if what it sets up does not come up.
need glusterd gluster glusterfs sha1sum
[ -c /dev/fuse ] || skip_all 'no /dev/fuse on this machine'
quietly() { "$@" >>"$tmp/gluster.log" 2>&1; }
gluster() { local n=$1; shift; quietly on "$n" gluster --mode=script "$@"; }
gluster_peers() { [ "$(on 1 gluster pool list 2>&1 | grep -c Connected)" = 3 ]; }
gluster_online() { # VOLUME
	[ "$(on 1 gluster volume status "$1" 2>&1 | grep -c '^Brick .* Y ')" = 2 ]
}
gluster_mounted() { # N VOLUME
	quietly on "$1" mount -t glusterfs "node$1:/$2" "/mnt/$2" && on "$1" mountpoint -q "/mnt/$2"
}
gluster_up() {
	local i v
	cluster || set_up_failed 'the lab'
	for i in 1 2 3; do
		private $i /var/lib/glusterd /var/log/glusterfs /srv &&
			on $i mount -t tmpfs tmpfs /run &&
			on $i mount -t tmpfs tmpfs /mnt &&
			on $i mkdir /run/gluster /mnt/spread /mnt/twice ||
				set_up_failed 'directories of the nodes'
		on $i glusterd --pid-file /run/glusterd.pid --log-level INFO ||
			set_up_failed 'glusterd starts'
	done
	lab_await 'glusterd on node1' gluster 1 peer status || set_up_failed 'glusterd answers'
	for i in 2 3; do
		lab_await "node$i as a peer" gluster 1 peer probe node$i || set_up_failed 'peers'
	done
	lab_await 'three peers' gluster_peers || set_up_failed 'peers connect'
	lab_await 'a volume' gluster 1 volume create spread node1:/srv/spread node2:/srv/spread \
		force || set_up_failed 'a volume'
	lab_await 'a volume of replicas' gluster 1 volume create twice replica 2 node1:/srv/twice \
		node2:/srv/twice force || set_up_failed 'a volume'
	for v in spread twice; do
		lab_await "$v to start" gluster 1 volume start $v force || set_up_failed "$v starts"
		lab_await "bricks of $v" gluster_online $v || set_up_failed "bricks of $v"
	done
}
gluster_mounts() {
	local m
	for m; do
		# shellcheck disable=SC2086 # two words
		lab_await "mount $m" gluster_mounted $m || {
			cat "$tmp/gluster.log"
			set_up_failed "mount $m"
		}
	done
	echo "up after $SECONDS s"
}
# The name of a file says which brick it lies in. `spread` is mounted on node3.
on_node2() {
	local k
	for k in $(seq 100); do
		spread_file=f$k
		on 3 sh -c \
			"{ head -c 102400 /dev/zero | tr '\\0' x; echo $tag; } >/mnt/spread/f$k" ||
			set_up_failed 'files are written'
		! on 2 test -e "/srv/spread/f$k" || break
	done
}
