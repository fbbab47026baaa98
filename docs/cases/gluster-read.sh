#!/bin/bash
# gluster-read.sh [DIR] - GlusterFS: a file whose data lies on node2 is read on node1. It is figure
# 4 of the paper about LAASER, on nodes of our own. docs/cases/gluster-read.md tells the case.
. docs/cases/lab.bash
. tests/systems/gluster.bash
gluster_up
gluster_mounts '1 spread' '3 spread'
on_node2
record
run_in 1 sha1sum "/mnt/spread/$spread_file" >"$tmp/sum" || failed 'the file is read'
recorded
want=$(sha1sum <"$tmp/lab/node2/srv/spread/$spread_file")
same 'what is read is what lies on node2' "$(cut -d' ' -f1 "$tmp/sum")" "${want%% *}"
done_testing
