#!/bin/bash
# GlusterFS. A file whose data lies on node2 is read on node1: out of the brick, over the network,
# through FUSE. Then one is written on node3 into a volume of two replicas: it goes into both
# bricks.
. tests/systems/systems.bash
. tests/systems/gluster.bash
gluster_up
gluster_mounts '1 spread' '3 spread' '3 twice'
on_node2
want=$(sha1sum <"$tmp/lab/node2/srv/spread/$spread_file")
brick='.proc == "glusterfsd"' client='.proc == "glusterfs"' in='.dir == "in"' out='.dir == "out"'

ask "flow of tag $tag"
same 'what is read is what was written' \
	"$(on 1 sha1sum "/mnt/spread/$spread_file" | cut -d' ' -f1)" "${want%% *}"
answer
show
fuse='.object == "/dev/fuse" and .match == "exact"'
from_brick="$(at 2) and $brick and $in and (.object | startswith(\"/srv/spread/\"))" \
	reply="$(at 1) and $client and $out and $fuse"
reader="$(at 1) and .proc == \"sha1sum\" and $in and .object == \"/mnt/spread/$spread_file\""
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
