#!/bin/bash
# Is the answer over simulated nodes, direct ones and through relays, exactly what they were made to
# say?
exec "$B"/tests/bench_nodes check
