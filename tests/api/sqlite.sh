#!/bin/bash
# sqlite.sh - the loadable extension in a plain sqlite3: the function whose columns follow its
# argument, tables, errors, what is refused.
. tests/api/lib.bash
sql() {
	sqlite3 -batch -cmd ".load $prefix/lib/runnel/runnel_sqlite" -cmd '.headers on' \
		-cmd '.mode csv' :memory: "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	tr -d '\r' <"$tmp/out" >"$tmp/o" && mv "$tmp/o" "$tmp/out"
}
answer() { "$RN" -q -o csv "$1"; }
F="from \"$trace\""

q="count of syscall by proc $F"
sql "SELECT * FROM runnel('$q')"; case_is function 0 "$(answer "$q")" ""
q2="count, p99(latency) as slow, rate / 3 as r of read by name, error $F"
sql "SELECT * FROM runnel('$q') LIMIT 1; SELECT * FROM runnel('$q2')"
same columns-follow "$(sed 1,2d "$tmp/out" | cut -d, -f1-4)" "$(answer "$q2" | cut -d, -f1-4)"
sql "CREATE TABLE t AS SELECT * FROM runnel('$q2'); SELECT name, type FROM pragma_table_info('t')"
same types "$(sed 1d "$tmp/out" | paste -sd' ')" 'name,TEXT error,TEXT count,INT slow,INT r,REAL'
sql "SELECT * FROM runnel('$q') LIMIT 1; SELECT proc, \"count\" * 2 AS twice FROM runnel('$q') ORDER BY proc LIMIT 1"
same names "$(tail -n1 "$tmp/out")" \
	"$(answer "$q" | sed 1d | sort | head -n1 | awk -F, '{print $1 "," 2 * $2}')"
sql "SELECT count, proc FROM runnel('$q') ORDER BY proc LIMIT 1"
same usual-names-at-once "$(tail -n1 "$tmp/out")" \
	"$(answer "$q" | sed 1d | sort | head -n1 | awk -F, '{print $2 "," $1}')"
sql "WITH c AS (SELECT * FROM runnel('$q')) SELECT proc, count FROM c ORDER BY proc LIMIT 1"
same usual-names-of-a-subquery "$(tail -n1 "$tmp/out")" "$(answer "$q" | sed 1d | sort | head -n1)"
sql "SELECT * FROM runnel('$q') LIMIT 1; SELECT max(moved), count(*) FROM (SELECT * FROM runnel('sum(bytes) as moved of io by proc $F')); SELECT * FROM runnel('$q') LIMIT 1"
same guess-comes-back "$(sed -n '1p;3p;5p' "$tmp/out" | paste -sd' ')" \
	'proc,count max(moved),count(*) proc,count'
sql "CREATE VIEW v AS SELECT proc, count FROM runnel('$q'); SELECT * FROM v; SELECT * FROM runnel('count of syscall $F'); SELECT count(*) FROM v WHERE count > 0"
same view "$rc $(tail -n1 "$tmp/out")" "0 $(answer "$q" | sed 1d | wc -l)"
sql "SELECT proc, file FROM runnel('$q')"
same usual-name-that-is-not-there "$rc $(grep -c 'no such column: file' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('count of syscall where proc = \$p and latency > \$t $F', 'p=java', 't=1us')"
case_is parameters 0 \
	"$("$RN" -q -o csv "count of syscall where proc = java and latency > 1us $F")" ""
sql "WITH w(x) AS (VALUES ('java'), ('nginx')) SELECT x, r.* FROM w, runnel('count of syscall where proc = \$p $F', 'p=' || x) r"
same joined "$(sed 1d "$tmp/out" | wc -l)" 2
sql "CREATE VIRTUAL TABLE temp.calls USING runnel('$q'); SELECT proc, sum(\"count\") AS n FROM calls GROUP BY proc ORDER BY n DESC LIMIT 2;
     SELECT * FROM runnel('$q') LIMIT 1; SELECT count(*) FROM calls a JOIN runnel('$q') b USING (proc)"
same table "$(sed -n 2,3p "$tmp/out")" "$(answer "$q" | sed -n 2,3p)"
same table-and-function "$(tail -n1 "$tmp/out")" "$(answer "$q" | sed 1d | wc -l)"
w="count as n of syscall every 1s $F"
sql "SELECT * FROM runnel('$w')"; case_is partial-windows 0 "$(answer "$w")" ""
sql "SELECT * FROM runnel('$w') LIMIT 1; SELECT partial IS NULL AS whole, count(*) AS n FROM runnel('$w') GROUP BY 1 ORDER BY 1"
same partial-or-null "$(tail -n2 "$tmp/out" | cut -d, -f1 | paste -sd,)" 0,1
sql "SELECT * FROM runnel('count of sycall')"
same wrong "$rc $(grep -c 'E-NAME-SOURCE' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel"; same no-query "$rc $(grep -c 'say which query' "$tmp/err")" "1 1"
sql "CREATE VIRTUAL TABLE temp.x USING runnel"
same no-query-table "$rc $(grep -c 'say which query' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('$q', 'p')"; same no-value "$rc $(grep -c 'NAME=VALUE' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('$q' || char(0) || ' where pid = 1')"
same nul-inside "$rc $(grep -c 'NUL inside' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('count of syscall where proc = \$p $F', 'p=java' || char(0) || 'x')"
same nul-inside-a-value "$rc $(grep -c 'NUL inside' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('$q') UNION ALL SELECT * FROM runnel('count of syscall by name $F')"
same two-queries "$rc $(grep -c 'two queries' "$tmp/err")" "1 1"
sql "SELECT * FROM runnel('$q') a, runnel('$q') b"
same one-query-twice "$(sed 1d "$tmp/out" | wc -l)" 64
sql "SELECT * FROM runnel('count of syscall by name, proc, error $F') LIMIT 2"
same ends-early "$(wc -l <"$tmp/out")" 3
sql "SELECT * FROM runnel('events of read $F limit 2')"; same events "$(wc -l <"$tmp/out")" 3
cat >"$tmp/x.py" <<-X
	import sqlite3
	db = sqlite3.connect(":memory:")
	db.enable_load_extension(True)
	db.load_extension("$prefix/lib/runnel/runnel_sqlite")
	for query, columns in (('$q', ["proc", "count"]), ('$q2', ["name", "error", "count", "slow", "r"])):
	    rows = db.execute("SELECT * FROM runnel(?)", (query,))
	    assert [c[0] for c in rows.description] == columns, rows.description
	    assert len(rows.fetchall()) > 1
	print("ok")
	X
if /usr/bin/python3 -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' \
	2>/dev/null; then
	same bound-in-python "$(/usr/bin/python3 "$tmp/x.py" 2>&1)" ok
else
	skip "it loads no extensions here"
fi
if can_trace; then
	probe=rn_p$$
	noise_begins $probe
	# a machine under load may not get to the noise within a second
	for ((i = 0; i < 60; i++)); do
		sql "SELECT * FROM runnel('count of openat where proc = $probe by proc for 1s')"
		{ [ "$rc" = 0 ] && [ ! -s "$tmp/out" ]; } || break
	done
	noise_ends
	same live "$rc $(sed 's/[0-9][0-9]*$/N/' "$tmp/out" | paste -sd' ')" "0 proc,count $probe,N"
	(cd "$tmp" && sqlite3 -batch -cmd ".load $prefix/lib/runnel/runnel_sqlite" report.db \
		<"$prefix/share/doc/runnel/examples/sqlite/report.sql" >"$tmp/out" 2>"$tmp/err")
	rc=$?
	same example "$rc $(cat "$tmp/err")" "0 "
	# Ctrl-C in the shell ends the query.
	sqlite3 -batch -cmd ".load $prefix/lib/runnel/runnel_sqlite" :memory: \
		"SELECT * FROM runnel('count of syscall for 1h')" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		grep -qs runnel "/proc/$pid/maps" &&
			[ "$(ls "/proc/$pid/task" 2>/dev/null | wc -l)" -gt 1 ] && break
		sleep 0.1
	done
	for ((i = 0; i < 600; i++)); do kill -INT $pid 2>/dev/null || break; sleep 0.1; done
	wait $pid; same interrupt "$((i < 600))" 1
else
	skip "this user may not trace here"
fi
done_testing
