#!/bin/bash
# windows.sh - `every` of any query: around nested ones, of rows in order, of tables that are read
# again, on one node and on two. What the rows are is the business of tests/diff/windows.q; here is
# what a person or a script sees of them.
. tests/cli/lib.bash
from='from "tests/demo/io.rnt"'
best="top 2 of (count as calls of io by proc, name) every 250ms $from"
run -q -o json "count as calls of io by proc, name every 250ms $from"
wanted=$(jq -sc 'group_by(.window)[] | sort_by(-.calls)[:2][] | [.window, .calls]' "$tmp/out")
run -q -o json "$best"; same top-of-each "$rc $(jq -c '[.window, .calls]' "$tmp/out")" "0 $wanted"
run -q -o csv "$best"; same csv "$rc $(head -n1 "$tmp/out")" "0 window,proc,name,calls,partial"
run -q "$best"; same table "$rc $(head -n1 "$tmp/out" | tr -s ' ')" "0 window proc name calls"
run -q "count of io every 500ms $from"
same parts-of-a-second "$(sed 1d "$tmp/out" | sed 's/.*\(:[0-9.]*\) .*/\1/' | paste -sd' ')" \
	":19.500 :20.000"
run -q "count of io every 1s $from"
same whole-seconds "$(sed 1d "$tmp/out" | sed 's/.*\(:[0-9.]*\) .*/\1/' | paste -sd' ')" ":19 :20"
cp tests/demo/io.rnt "$tmp/far.rnt"; last=$(sqlite3 "$tmp/far.rnt" 'select max(rowid) from events')
sqlite3 "$tmp/far.rnt" "update events set time = case when rowid = $last then -6213559680000000000 else 4102444800000000000 end"
run -q -o json "count of io every 1s from \"$tmp/far.rnt\""; same more-than-2^63-apart \
	"$rc $(jq -c '[.window, .count]' "$tmp/out" | paste -sd' ')" \
	'0 [-6213559680000000000,1] [4102444800000000000,189]'
sqlite3 "$tmp/far.rnt" "update events set time = -9223372036854775808 where rowid = $last"
run -q -o json "count of io every 7s from \"$tmp/far.rnt\""
same before-all-windows "$rc $(jq -c '.count' "$tmp/out" | paste -sd' ')" '0 1 189'
run -q -o json "let x := $best; window, calls of x"
same result "$rc $(jq -c '[.window, .calls]' "$tmp/out")" "0 $wanted"
run -q -o json "let x := $best; max(calls) as calls of x by window order by window"
same result-by-window "$rc $(jq -c .calls "$tmp/out")" \
	"0 $(jq -sc 'group_by(.[0])[] | map(.[1]) | max' <<<"$wanted")"
run -q "view best := $best"
run -q -o json watch best
same watched "$rc $(jq -c '[.window, .calls]' "$tmp/out")" "0 $wanted"
run -q -o json "time, proc of io every 250ms $from"
same rows-with-windows \
	"$rc $(jq -sc 'length > 10 and all(.window == .time - .time % 250000000)' "$tmp/out")" \
	"0 true"
run "assert calls > 1000000 of (count as calls of io by proc) every 250ms $from"
same assertion \
	"$rc $(tail -n1 "$tmp/err" | grep -cE '^  window = .*, proc = .*, calls = .* rows fail')" \
	"1 1"
run "let x := pid of processes every 1s"; same endless "$rc $(grep -c 'E-ENDLESS' "$tmp/err")" "1 1"
run -q -o json \
	"let x := pid, proc of processes where pid = $$ every 10ms for 50ms; count as n of x by window"
same table-kept "$rc $(jq -s 'length > 0' "$tmp/out")" "0 true"

# a recording with a gap in a window: the mark says how much of it was covered, not from where to
# where; its copy covers the same, node by node
same partial-is-taken "$(for q in 'count as partial of io every 1s' 'window, n as partial of (count as n of io every 1s)'; do
	run "$q $from"; printf '%s ' "$rc $(grep -c 'E-NAME-DUP' "$tmp/err")"; done)" "1 1 1 1 "
run -q "events of io $from into \"$tmp/gap.rnt\""
read -r first last \
	<<<"$(sqlite3 -separator ' ' "$tmp/gap.rnt" 'select min(begin), max("end") from coverage')"
start=$((first / 30000000000 * 30000000000)); gap=$((start + 30000000000))
[ $((last / 30000000000)) = $((first / 30000000000)) ] || start=""
same one-window-of-30-s "${start:+yes}" yes
sqlite3 "$tmp/gap.rnt" "delete from coverage; insert into coverage select node, $start, $start + 22000000000 from nodes union all
	select node, $gap - 3000000000, $gap from nodes"
for file in gap copy; do
	run -q -o json "count, rate of io every 30s from \"$tmp/$file.rnt\""
	same $file-json "$(jq -c --argjson s "$start" '[.partial.from - $s, .partial.until - $s, .partial.covered, (.rate * 25 - .count | fabs < 1e-6)]' "$tmp/out")" \
		"[0,30000000000,25000000000,true]"
	run -q -o csv "count of io every 30s from \"$tmp/$file.rnt\""
	same $file-csv "$(sed 1d "$tmp/out" | cut -d, -f3)" "$start/$gap/25000000000"
	run -q "count of io every 30s from \"$tmp/$file.rnt\""
	same $file-table "$(grep -c ' (25.0 of 30 s) ' "$tmp/out")" 1
	[ $file = gap ] && run -q "events of io from \"$tmp/gap.rnt\" into \"$tmp/copy.rnt\""
done
spans() { sqlite3 "$1" 'select * from coverage order by 1, 2'; }
same copy-covers-the-same "$(spans "$tmp/copy.rnt")" "$(spans "$tmp/gap.rnt")"

# a table, read again: what comes is there, what goes is gone
cp "$(command -v sleep)" "$tmp/wstay$$"; cp "$tmp/wstay$$" "$tmp/wgone$$"
"$tmp/wstay$$" 1000 & stay=$!
"$tmp/wgone$$" 1000 & gone=$!
begin -q -o json \
	"pid, proc, rss of processes where proc in (wstay$$, wgone$$) order by proc limit 5 every 100ms"
rows() { [ "$(jq -c "select(.pid == $1)" "$tmp/out" 2>/dev/null | wc -l)" -ge "$2" ]; }
await rows $gone 2; same table-there $? 0
kill $gone; wait $gone 2>/dev/null
n=$(grep -c . "$tmp/out")
later() { [ "$(jq -c "select(.pid == $stay)" "$tmp/out" 2>/dev/null | wc -l)" -ge $((n + 4)) ]; }
await later; same table-goes-on $? 0
end INT; same table-ended $rc 0
same table-gone "$(tail -n2 "$tmp/out" | jq -c .proc | sort -u)" "\"wstay$$\""
same table-once-a-window "$(jq -c '[.window, .pid]' "$tmp/out" | sort | uniq -d | wc -l)" 0

# of two nodes: a window has the table of both
"$RN" doctor >"$tmp/doctor" 2>&1 || {
	kill $stay
	skip "this machine does not permit tracing: $(tail -n1 "$tmp/doctor")"
	done_testing
}
printf 'one local:\ntwo exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
begin -q -o json -H "$tmp/hosts" \
	"top 4 of (count as n of processes where proc = wstay$$ by node) every 100ms"
both() {
	[ "$(jq -sc "group_by(.window) | map(select(map([.node, .n]) | sort == [[\"one\", 1], [\"two\", 1]])) | length" "$tmp/out" 2>/dev/null)" \
		-ge "$1" ]
}
await both 3; same nodes $? 0
end INT; same nodes-ended $rc 0
begin -q -o json -H "$tmp/hosts" "node, pid of processes where proc = wstay$$ every 100ms"
pairs() {
	[ "$(jq -sc 'group_by(.window) | map(select(map(.node) | sort == ["one", "two"])) | length' "$tmp/out" 2>/dev/null)" \
		-ge "$1" ]
}
await pairs 3; same nodes-of-rows $? 0
end INT
kill $stay; wait $stay 2>/dev/null
done_testing
