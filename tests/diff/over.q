# Windows that overlap: every 10s over 30s.

== without keys
-- query
count, sum(bytes), max(bytes) as m, distinct(pid) > 0 as d of syscall every 10s over 30s
-- sql
with e as (select distinct time / 10000000000 * 10000000000 + 10000000000 as e from events)
select e - 30000000000 as w, (select count(*) from events where time >= e - 30000000000 and time < e), (select sum(bytes) from events where time >= e - 30000000000 and time < e), (select max(bytes) from events where time >= e - 30000000000 and time < e), 1 from e order by w

== with keys that come and go
-- query
count, min(bytes) as least, sum(fd where fd > 3) as s of syscall where latency > 1ms by name, pid every 2s over 6s order by name, pid
-- sql
with p as (select distinct time / 2000000000 * 2000000000 as p from events where latency > 1000000),
e as (select distinct p + 2000000000 * n as e from p, (select 1 as n union all select 2 union all select 3) where p + 2000000000 * n <= (select max(time) / 2000000000 * 2000000000 + 2000000000 from events))
select e - 6000000000 as w, name, pid, count(*), min(bytes), sum(case when fd > 3 then fd else 0 end) from e join events on time >= e - 6000000000 and time < e where latency > 1000000 group by 1, 2, 3 order by w, name, pid

== the greatest of each window
-- query
count of syscall by proc top 2 every 20s over 40s
-- sql
with e as (select distinct time / 20000000000 * 20000000000 + 20000000000 as e from events),
g as (select e - 40000000000 as w, proc, count(*) as n from e join events on time >= e - 40000000000 and time < e group by 1, 2),
r as (select *, row_number() over (partition by w order by n desc, proc) as k from g)
select w, proc, n from r where k <= 2 order by w, k

== quantiles and sets merge
-- query
p07(fd) as q, set(name) as s, first(pid) as f, last(pid) as l of syscall where fd >= 0 and fd < 100 and bytes > 0 by proc every 30s over 60s order by proc

== an interval of one part is no other than every
-- query
count of syscall by name every 10s over 10s
-- sql
select time / 10000000000 * 10000000000 as w, name, count(*) from events group by 1, 2 order by w, 3 desc, name

== shares and deltas of windows that overlap
-- query
count, share(count) as s, delta(count) as d of syscall by proc every 20s over 40s order by proc
-- sql
with e as (select distinct time / 20000000000 * 20000000000 + 20000000000 as e from events),
g as (select e - 40000000000 as w, proc, count(*) as n from e join events on time >= e - 40000000000 and time < e group by 1, 2)
select a.w, a.proc, a.n, a.n * 1.0 / sum(a.n) over (partition by a.w), case when a.w = (select min(w) from g) then null else a.n - coalesce(b.n, 0) end from g a left join g b on b.w = a.w - 20000000000 and b.proc = a.proc order by a.w, a.proc

== over a nested query
-- query
max(n), sum(n) as s, count of (count as n of syscall by proc) every 20s over 60s
-- sql
with e as (select distinct time / 20000000000 * 20000000000 + 20000000000 as e from events),
g as (select time / 20000000000 * 20000000000 as p, proc, count(*) as n from events group by 1, 2)
select e - 60000000000 as w, max(n), sum(n), count(*) from e join g on p >= e - 60000000000 and p < e group by e order by w
