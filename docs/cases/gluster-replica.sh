#!/bin/bash
# gluster-replica.sh [DIR] - GlusterFS: a file is written on node3 into a volume with replicas on
# node1 and node2. docs/cases/gluster-replica.md tells the case.
. docs/cases/lab.bash
. tests/systems/gluster.bash
gluster_up
gluster_mounts '3 twice'
record
run_in 3 sh -c "echo hello $tag >/mnt/twice/f && sync /mnt/twice/f" || failed 'the file is written'
recorded
same 'both replicas have it' "$(cat "$tmp"/lab/node[12]/srv/twice/f)" "hello $tag
hello $tag"
done_testing
