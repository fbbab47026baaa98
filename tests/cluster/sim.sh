#!/bin/bash
# Is the answer over simulated nodes, direct ones and through relays, exactly what they were made to
# say?
. tests/support/check.bash
"${B:-build}"/tests/bench_nodes check | results
[ "${PIPESTATUS[0]}" = 0 ] || status=1
done_testing
