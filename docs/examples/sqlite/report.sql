-- report.sql - queries as tables of SQLite: sqlite3 -cmd '.load ./runnel_sqlite' report.db <docs/examples/sqlite/report.sql
--
-- The first form is a function: its columns are those of the query. The second one is a table, whose columns may be named anywhere.
SELECT * FROM runnel('count, sum(bytes) of io by proc for 1s') LIMIT 5;

CREATE VIRTUAL TABLE temp.errors USING runnel('count of syscall where error != 0 by proc, error for $time', 'time=1s');
CREATE TABLE IF NOT EXISTS history(at TEXT, proc TEXT, error TEXT, n INTEGER);
INSERT INTO history SELECT datetime('now'), proc, error, "count" FROM errors;
SELECT proc, count(*) AS kinds, sum(n) AS calls FROM history GROUP BY proc ORDER BY calls DESC LIMIT 5;
