#!/bin/bash
# clock.sh - the table clocks of this machine alone; its column `rate` is no aggregate.
. tests/cli/lib.bash
run -q -o csv 'offset, rate, bound, trips, messages, violations of clocks where bound < 1s'
case_is alone 0 $'offset,rate,bound,trips,messages,violations\n0,0,0,0,0,0' ""
run -q -o csv 'max(rate), count of clocks where rate <= 0'
case_is 'rate is a column' 0 $'max(rate),count\n0,1' ""
run -q -o csv 'count of clocks by node'
same 'this node' "$(cat "$tmp/out")" $'node,count\n'"$(hostname),1"
run 'events of clocks on elsewhere'
same 'no other node' "$rc $(head -n1 "$tmp/err")" \
	'4 query:1:21: error: there is no node `elsewhere` [E-SYSTEM]'
done_testing
