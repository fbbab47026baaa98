#!/bin/bash
# A known number of reads, exact ten times out of ten, with nothing lost.
. tests/live/lib.sh
need_bpf; need jq dd
for i in 1 2 3 4 5 6 7 8 9 10; do
	q -c 'dd if=/dev/zero of=/dev/null bs=1 count=100000' \
		'count, sum(bytes) of read where proc = dd and bytes = 1'
	same "run $i" "$(field '"\(.count) \(."sum(bytes)")"') lost $(lost)" "100000 100000 lost 0"
done
done_testing
