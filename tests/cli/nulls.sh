#!/bin/bash
# nulls.sh - values that a division by 0 leaves without a result: the ledger counts them by column,
# and the answer is complete all the same. SQLite counts the zeros of the same recording.
. tests/cli/lib.bash
t=tests/demo/io.rnt
sql() { sqlite3 "$t" "select $1 from events ${2:-}"; }
nulls() { # NAME QUERY WANTED: what the ledger has
	run -o json ${hosts:+-H "$hosts"} "$2"
	same "$1" "$rc $(tail -n 1 "$tmp/err" | jq -c '[.ledger.nulls, .ledger.complete]')" \
		"0 [$3,true]"
}
zero=$(sql 'count(*)' 'where fd = 0') three=$(sql 'count(*)' 'where fd = 3')
same 'there are some' "$((zero > 0)) $((three > 0))" '1 1'
nulls 'arguments of aggregates' \
	"avg(bytes / fd) as a, sum(div(bytes, fd)), sum(bytes % (fd - 3)) as m of io by name
		from \"$t\"" \
	"{\"avg(bytes / fd)\":$zero,\"sum(div(bytes, fd))\":$zero,\"sum(bytes % (fd - 3))\":$three}"
nulls 'an argument that divides twice' "max(bytes / fd / (fd - 3)) as m of io from \"$t\"" \
	"{\"max(bytes / fd / (fd - 3))\":$((zero + three))}"
nulls 'rows' "name, bytes / (fd - 3) as x of io from \"$t\"" "{\"x\":$three}"
nulls 'rows in order' "name, bytes / (fd - 3) as x of io order by x from \"$t\"" "{\"x\":$three}"
nulls 'only those of the answer' \
	"name, bytes / (fd - 3) as x of io where fd != 3 from \"$t\"" null
nulls 'a key' "count of io by div(100, fd) as k from \"$t\"" '{"k":1}'
nulls 'a quotient of aggregates' "count, sum(bytes) / sum(fd) as r of io by name, fd from \"$t\"" \
	"{\"r\":$(sqlite3 "$t" 'select count(*) from (select 1 from events where fd = 0 group by name)')}"
nulls 'a query over a query' "max(x) as m of (bytes / fd as x of io) from \"$t\"" \
	"{\"max(x)\":$zero}"
nulls 'a result' "let a := sum(div(bytes, fd)) as s of io from \"$t\"; s of a" \
	"{\"sum(div(bytes, fd))\":$zero}"
nulls 'windows' "max(bytes / fd) as m of io every 1s from \"$t\"" "{\"max(bytes / fd)\":$zero}"
nulls 'no division by 0' "avg(bytes / 3) as a, sum(bytes) / count as b of io from \"$t\"" null
run "avg(bytes / fd) as a of io from \"$t\""
same 'people see it' "$(grep -c "^  $zero values of avg(bytes / fd) missing: no result, as of a division by 0" \
	"$tmp/err")" 1
hosts=$tmp/hosts; printf 'a local:\nb local:\n' >"$hosts"
nulls 'of both nodes' 'sum(div(rss, pid - 1)) as s of processes where pid <= 2' \
	'{"sum(div(rss, pid - 1))":2}'
done_testing
