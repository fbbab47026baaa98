#!/bin/bash
# zookeeper.sh [DIR] - ZooKeeper: a client at a follower creates a znode in an ensemble of three.
# docs/cases/zookeeper.md tells the case.
. docs/cases/lab.bash
. tests/systems/zookeeper.bash
zookeeper_up
record 'proc = java'
RUN_IN=run_in zookeeper_run "$follower" create /t "hello $tag" >"$tmp/client" 2>&1 || {
	cat "$tmp/client"
	failed 'a znode is created'
}
lab_await 'three logs' zookeeper_logged || failed 'the znode is in three logs'
recorded
done_testing
