`every` of a query over other queries: each window is answered by itself, with all that is nested in it.

== top of groups
-- query
top 3 of (count of syscall by proc) every 1s
-- sql
select w, proc, n from (select *, row_number() over (partition by w order by n desc, proc) as r from
  (select time / 1000000000 * 1000000000 as w, proc, count(*) as n from events group by 1, 2)) where r <= 3 order by w, r

== a filter and a projection of groups
-- query
proc, calls of (count as calls, sum(bytes) as moved of syscall by proc) where calls > 20 every 2s order by proc desc

== groups of groups
-- query
max(calls), count of (count as calls of syscall by proc) every 1s
-- sql
select w, max(n), count(*) from
  (select time / 1000000000 * 1000000000 as w, proc, count(*) as n from events group by 1, 2) group by w order by w

== groups of groups by a key
-- query
sum(n) as s, count of (count as n of syscall by proc, name) by proc every 3s

== top of top
-- query
events of (top 3 of (count as n, sum(bytes) as b of syscall by proc)) top 1 by b every 500ms

== top of groups of groups
-- query
top 2 of (sum(n) as s of (count as n of syscall by proc, name) by proc) every 1s

== in order, without a limit
-- query
events of (count, max(latency) of syscall by proc order by proc) every 2s

== the first of each window
-- query
proc, n of (count as n of syscall by proc order by n desc) limit 2 every 1s

== rows, the greatest of each window
-- query
time, proc, bytes of syscall order by bytes desc, time, proc limit 3 every 2s
-- sql
select w, time, proc, bytes from (select time / 2000000000 * 2000000000 as w, *, row_number() over
  (partition by time / 2000000000 order by bytes desc, time, proc) as r from events) where r <= 3 order by w, r

== rows with their windows
-- query
time, proc of syscall where bytes > 10000 every 1s
-- sql
select time / 1000000000 * 1000000000, time, proc from events where bytes > 10000

== rows of rows
-- query
proc, bytes of (proc, bytes of (events of syscall where error = 0) where bytes > 0) where proc != java every 1s order by bytes desc, proc limit 4

== the slowest are counted
-- query
count of (proc, latency, time, tid of syscall order by latency desc, time, tid limit 20) by proc every 5s

== windows within windows
-- query
top 2 of (count as n of syscall by proc every 1s) every 5s

== windows within windows, the inner one shown
-- query
window as second, proc, n of (count as n of syscall by proc every 1s) every 5s top 2 by n

== windows between
-- query
max(s) of (sum(n) as s of (count as n of syscall by proc, name) by proc every 1s) every 4s

== one answer, of rows that had windows
-- query
window, proc, s of (proc, n as s of (count as n of syscall by proc) every 1s) where s > 10 order by s desc, proc, window limit 9

== rows with windows as a source
-- query
window, count of (proc, bytes of syscall where bytes > 0 every 1s) by window

== a window is chosen
-- query
proc, bytes of (proc, bytes of syscall where bytes > 1000 every 2s) where window > "2026-01-01 00:00:00" order by bytes desc, proc limit 5

== a condition goes below the windows
-- query
proc, n of (top 4 of (count as n of syscall by proc) every 2s) where proc ~ "*a*"

== pairs
-- query
top 3 of (count as n, max(latency) as worst of between openat and close on pid by proc) every 10s

== a rate is of what its node has covered
-- query
rate, rate(bytes) as b, count of syscall by node every 2s
-- sql
select w, node, n * 1e9 / covered, b * 1e9 / covered, n from (select *, case when t > f then t - f else 2000000000 end as covered from
  (select w, e.node, n, b, max(w, begin) as f, min(w + 2000000000, "end") as t from coverage as c join
    (select time / 2000000000 * 2000000000 as w, node, count(*) as n, sum(bytes) as b from events group by 1, 2) as e on c.node = e.node))

== rates of nodes are added, window by window
-- query
rate as r of syscall by proc every 1s
-- sql
select w, proc, sum(n * 1e9 / covered) from (select *, case when t > f then t - f else 1000000000 end as covered from
  (select w, proc, n, max(w, begin) as f, min(w + 1000000000, "end") as t from coverage as c join
    (select time / 1000000000 * 1000000000 as w, node, proc, count(*) as n from events group by 1, 2, 3) as e on c.node = e.node)) group by 1, 2

== rates of nodes are added, without windows
-- query
rate as r, rate(bytes) as b, count of syscall
-- sql
select sum(n * 1e9 / ("end" - begin)), sum(b * 1e9 / ("end" - begin)), sum(n) from coverage as c join
  (select node, count(*) as n, sum(bytes) as b from events group by 1) as e on c.node = e.node

== a rate of groups is of what the recording covers
-- query
rate(n) as r of (count as n of syscall by proc, node every 1s)
-- sql
select count(*) * 1e9 / (select max("end") - min(begin) from coverage) from events

== a condition on a rate that is added up
-- query
rate as r, count of syscall by name having r > 3 every 5s
