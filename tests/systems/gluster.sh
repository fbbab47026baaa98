#!/bin/bash
# GlusterFS. A file whose data lies on node2 is read on node1: out of the brick, over the network,
# through FUSE. Then one is written on node3 into a volume of two replicas: it goes into both
# bricks.
. tests/systems/systems.bash
need glusterd gluster glusterfs sha1sum
[ -c /dev/fuse ] || skip_all 'no /dev/fuse on this machine'
cluster || set_up_failed 'the lab'
quietly() { "$@" >>"$tmp/gluster.log" 2>&1; }
for i in 1 2 3; do
	private $i /var/lib/glusterd /var/log/glusterfs /srv && on $i mount -t tmpfs tmpfs /run &&
		on $i mount -t tmpfs tmpfs /mnt &&
		on $i mkdir /run/gluster /mnt/spread /mnt/twice ||
			set_up_failed 'directories of the nodes'
	on $i glusterd --pid-file /run/glusterd.pid --log-level INFO ||
		set_up_failed 'glusterd starts'
done
gluster() { local n=$1; shift; quietly on "$n" gluster --mode=script "$@"; }
peers() { [ "$(on 1 gluster pool list 2>&1 | grep -c Connected)" = 3 ]; }
online() { [ "$(on 1 gluster volume status "$1" 2>&1 | grep -c '^Brick .* Y ')" = 2 ]; }
mounted() {
	quietly on "$1" mount -t glusterfs "node$1:/$2" "/mnt/$2" && on "$1" mountpoint -q "/mnt/$2"
}
lab_await 'glusterd on node1' gluster 1 peer status || set_up_failed 'glusterd answers'
for i in 2 3; do
	lab_await "node$i as a peer" gluster 1 peer probe node$i || set_up_failed 'peers'
done
lab_await 'three peers' peers || set_up_failed 'peers connect'
lab_await 'a volume' gluster 1 volume create spread node1:/srv/spread node2:/srv/spread force ||
	set_up_failed 'a volume'
lab_await 'a volume of replicas' gluster 1 volume create twice replica 2 node1:/srv/twice \
	node2:/srv/twice force || set_up_failed 'a volume'
for v in spread twice; do
	lab_await "$v to start" gluster 1 volume start $v force || set_up_failed "$v starts"
	lab_await "bricks of $v" online $v || set_up_failed "bricks of $v"
done
for m in '1 spread' '3 spread' '3 twice'; do
	# shellcheck disable=SC2086 # two words
	lab_await "mount $m" mounted $m || { cat "$tmp/gluster.log"; set_up_failed "mount $m"; }
done
echo "up after $SECONDS s"
# The name of a file says which brick it lies in.
for k in $(seq 100); do
	on 3 sh -c "{ head -c 102400 /dev/zero | tr '\\0' x; echo $tag; } >/mnt/spread/f$k" ||
		set_up_failed 'files are written'
	! on 2 test -e "/srv/spread/f$k" || break
done
want=$(sha1sum <"$tmp/lab/node2/srv/spread/f$k")
brick='.proc == "glusterfsd"' client='.proc == "glusterfs"' in='.dir == "in"' out='.dir == "out"'

ask "flow of tag $tag"
same 'what is read is what was written' "$(on 1 sha1sum "/mnt/spread/f$k" | cut -d' ' -f1)" \
	"${want%% *}"
answer
show
fuse='.object == "/dev/fuse" and .match == "exact"'
from_brick="$(at 2) and $brick and $in and (.object | startswith(\"/srv/spread/\"))" \
	reply="$(at 1) and $client and $out and $fuse"
reader="$(at 1) and .proc == \"sha1sum\" and $in and .object == \"/mnt/spread/f$k\""
way=("$from_brick" "$brick and $out and $(ends 2 1)" "$client and $in and $(ends 1 2)"
	"$reply" "$reader")
chain 'from a brick to its reader' "${way[@]}"
no_others "${way[@]}"

ask "flow of tag $tag"
on 3 sh -c "echo hello $tag >/mnt/twice/f && sync /mnt/twice/f" || failed 'the file is written'
answer
show
writer="$(at 3) and .proc == \"sh\" and $out and .object == \"/mnt/twice/f\"" \
	request="$(at 3) and $client and $in and $fuse"
ways=("$writer" "$request")
for i in 1 2; do
	way=("$client and $out and $(ends 3 $i)" "$brick and $in and $(ends $i 3)"
		"$(at $i) and $brick and $out and .object == \"/srv/twice/f\"")
	chain "from the writer into the brick of node$i" "$writer" "$request" "${way[@]}"
	ways+=("${way[@]}")
done
no_others "${ways[@]}"
done_testing
