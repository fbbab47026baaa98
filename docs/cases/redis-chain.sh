#!/bin/bash
# redis-chain.sh [DIR] - Redis: a value is set at the primary on node1. Its replica is on node2, and
# that one's replica on node3. docs/cases/redis-chain.md tells the case.
. docs/cases/lab.bash
. tests/systems/redis.bash
redis_up
record
run_in 1 redis-cli -h node1 set order "$tag" >"$tmp/client" || failed 'the value is set'
lab_await 'the value on all nodes' redis_applied || failed 'the value arrives'
recorded
same 'the primary answers' "$(cat "$tmp/client")" OK
done_testing
