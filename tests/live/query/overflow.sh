#!/bin/bash
# Numbers near the limit, through the kernel: sums of any 64-bit arguments are exact however the
# events come; what does not fit 64 bits is NULL, and in the ledger.
. tests/live/lib.sh
need_bpf; need jq
MAX=9223372036854775807 MIN=-9223372036854775808
Q="of getppid where proc = calls"
overflow() { grep '"ledger"' "$tmp/err" | jq '[.ledger.nodes[].overflow] | add'; }
# WHAT CALLS QUERY ROW OVERFLOW
case_of() {
	q -c "$CALLS $2" "$3"
	same "$1" "$(jq -c 'map_values(if type == "number" then . * 4 | round / 4 else . end)' "$tmp/out")" \
		"$4"
	same "$1: the ledger" "$(overflow)" "$5"
}
case_of 'a sum beyond 64 bits' "getppid=3x$MAX" "sum(arg0) as s, count $Q" '{"s":null,"count":3}' 1
case_of 'and one below' "getppid=3x$MIN" "sum(arg0) as s, count $Q" '{"s":null,"count":3}' 1
case_of 'what comes back into 64 bits' "getppid=3x$MAX getppid=3x$MIN getppid=1x5" \
	"sum(arg0) as s, avg(arg0) * 7 as a $Q" '{"s":2,"a":2}' 0
case_of 'in groups' "getppid=3x$MAX getppid=2x$MIN getppid=7x1" \
	"sum(arg0 = 1) as n, sum(arg0) as s, max(arg0) as m $Q by arg0 > 1 as great order by great" \
	"$(printf '{"great":false,"n":7,"s":null,"m":1}\n{"great":true,"n":0,"s":null,"m":9223372036854776000}')" \
	2
case_of 'on all CPUs at once' "threads=8 getppid=2000x$MAX getppid=2000x$MIN getppid=1000x3" \
	"sum(arg0) as s, count $Q" '{"s":8000,"count":40000}' 0
case_of 'averages know no limit' "getppid=3x$MAX getppid=1x$MIN" \
	"avg(arg0) > 4611686018427387000.0 as a, stddev(arg0) / 4611686018427387904.0 as d $Q" \
	'{"a":true,"d":1.75}' 0
case_of 'a product that is too great' "getppid=3x$MAX getppid=2x5" "count $Q and arg0 * 2 > 0" \
	'{"count":2}' 3
case_of 'a sum of products' "getppid=3x$MAX getppid=2x5" "sum(arg0 * 2) as s, count $Q" \
	'{"s":20,"count":5}' 3
case_of 'fractions of hours' "getppid=4x36000000000000" \
	"avg(arg0 * 1.5) as a, max(arg0 * 1.5) as m $Q" '{"a":54000000000000,"m":54000000000000}' \
	0
"$RN" -q --strict -c "$CALLS getppid=3x$MAX" "sum(arg0) $Q" >"$tmp/out" 2>"$tmp/err"
same '--strict' $? 3
"$RN" -c "$CALLS getppid=3x$MAX" "sum(arg0) $Q" >"$tmp/out" 2>"$tmp/err"
same 'people are told' "$(grep 'too great' "$tmp/err")" \
	'  1 result or value too great for 64 bits: null, or left out of an aggregate; divide before you multiply or add up, or calculate with fractions: `x * 1.0`'
"$RN" "explain sum(arg0), sum(bytes * 2) of io where arg0 > 1" >"$tmp/out"
same 'sums are formed in the kernel' \
	"$(grep -c 'in the kernel' "$tmp/out" | sed 's/^[1-9].*/some/')" some
same 'products that may be too great are not' \
	"$("$RN" 'explain sum(arg0 * 2) of io' | grep -c 'arithmetic that may exceed 64 bits: not in the kernel' | sed 's/^[1-9].*/some/')" \
	some
done_testing
