#!/bin/bash
# deltas.sh - delta of the rows of a table: each is the number less that of the same process in the
# window before, and nested queries add them up.
. tests/live/lib.sh
need jq

bash -c 'while :; do :; done' & busy=$!
at_exit kill $busy
"$RN" -o json "utime, delta(utime) as d of processes where pid = $busy every 1s for 4s" \
	>"$tmp/rows" 2>"$tmp/err"
same 'it ends' $? 0
# d of the first row is null; then utime less the one before
same 'each is the difference' \
	"$(jq -s '[range(1; length) as $i | .[$i].utime - .[$i - 1].utime == .[$i].d] | unique' -c \
		"$tmp/rows")" '[true]'
same 'the first window has none' "$(jq -s '.[0].d' "$tmp/rows")" null
same 'the process ran' "$(jq -s '(map(.d // 0) | add) > 0' "$tmp/rows")" true

one="delta(utime) as d, pid of processes where pid = $busy"
"$RN" -o json "sum(d) as s, count of ($one) every 1s for 3s" >"$tmp/rows" 2>"$tmp/err"
same 'a query around it' \
	"$(jq -s 'length > 1 and (map(.count) | unique) == [1]' -c "$tmp/rows")" true
done_testing
