#!/bin/bash
# GlusterFS. A file whose data lies on node2 is read on node1: out of the brick, over the network, through FUSE. Then one is written
# on node3 into a volume of two replicas: it goes into both bricks.
. tests/systems/systems.bash
need glusterd gluster glusterfs sha1sum
lab_up 3 || failed 'the lab is up'
quietly() { "$@" >>"$tmp/gluster.log" 2>&1; }
for i in 1 2 3; do
	private $i /var/lib/glusterd /var/log/glusterfs /srv && on $i mount -t tmpfs tmpfs /run && on $i mount -t tmpfs tmpfs /mnt &&
		on $i mkdir /run/gluster /mnt/spread /mnt/twice || failed 'directories of the nodes'
	on $i glusterd --pid-file /run/glusterd.pid --log-level INFO || failed 'glusterd starts'
done
gluster() { local n=$1; shift; quietly on $n gluster --mode=script "$@"; }
peers() { [ "$(on 1 gluster pool list 2>&1 | grep -c Connected)" = 3 ]; }
online() { [ "$(on 1 gluster volume status "$1" 2>&1 | grep -c '^Brick .* Y ')" = 2 ]; }
mounted() { quietly on "$1" mount -t glusterfs "node$1:/$2" "/mnt/$2" && on "$1" mountpoint -q "/mnt/$2"; }
lab_await 'glusterd on node1' gluster 1 peer status || failed 'glusterd answers'
for i in 2 3; do lab_await "node$i as a peer" gluster 1 peer probe node$i || failed 'peers'; done
lab_await 'three peers' peers || failed 'peers connect'
lab_await 'a volume' gluster 1 volume create spread node1:/srv/spread node2:/srv/spread force || failed 'a volume'
lab_await 'a volume of replicas' gluster 1 volume create twice replica 2 node1:/srv/twice node2:/srv/twice force || failed 'a volume'
for v in spread twice; do
	lab_await "$v to start" gluster 1 volume start $v force || failed "$v starts"
	lab_await "bricks of $v" online $v || failed "bricks of $v"
done
for m in '1 spread' '3 spread' '3 twice'; do lab_await "mount $m" mounted $m || { cat "$tmp/gluster.log"; failed "mount $m"; }; done
echo "up after $SECONDS s"
# The name of a file says which brick it lies in.
for k in $(seq 100); do
	on 3 sh -c "{ head -c 102400 /dev/zero | tr '\\0' x; echo $tag; } >/mnt/spread/f$k" || failed 'files are written'
	! on 2 test -e "/srv/spread/f$k" || break
done
want=$(sha1sum <"$tmp/lab/node2/srv/spread/f$k")
brick='.proc == "glusterfsd"' client='.proc == "glusterfs"' in='.dir == "in"' out='.dir == "out"'

ask "flow of tag $tag"
same 'what is read is what was written' "$(on 1 sha1sum "/mnt/spread/f$k" | cut -d' ' -f1)" "${want%% *}"
answer
show
read_brick="$brick and $in and (.object | startswith(\"/srv/spread/\"))" reply="$client and $out and .object == \"/dev/fuse\""
sha1sum=".proc == \"sha1sum\" and $in and .object == \"/mnt/spread/f$k\""
chain 'out of the brick' "$read_brick" "$brick and $out and $(ends 2 1)" "$client and $in and $(ends 1 2)" "$reply"
hops_of 'through FUSE' "$reply" "$sha1sum"
no_others "$read_brick" "$brick and $out and $(ends 2 1)" "$client and $in and $(ends 1 2)" "$reply" "$sha1sum"

ask "flow of tag $tag"
on 3 sh -c "echo hello $tag >/mnt/twice/f && sync /mnt/twice/f" || failed 'the file is written'
answer
show
write=".proc == \"sh\" and $out and .object == \"/mnt/twice/f\"" request="$client and $in and .object == \"/dev/fuse\""
into="$brick and $out and .object == \"/srv/twice/f\""
hops_of 'into FUSE' "$write" "$request"
for i in 1 2; do
	pid=$(jq -rs "[.[] | select($brick and $in and $(ends $i 3)) | .pid][0]" "$tmp/out")
	chain "into the brick of node$i" "$request" "$client and $out and $(ends 3 $i)" "$brick and $in and $(ends $i 3)" "$into and .pid == $pid"
done
no_others "$write" "$request" "$client and $out" "$brick and $in" "$into"
exit $status
