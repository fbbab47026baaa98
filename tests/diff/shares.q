# share and delta: a group beside the others of its window, and beside itself in the window before.

== shares of counts and of sums
-- query
count, share(count) as a, share(sum(bytes)) as b of syscall by proc
-- sql
select proc, count(*), count(*) * 1.0 / (select count(*) from events), sum(bytes) * 1.0 / (select sum(bytes) from events) from events group by 1

== a share is of all groups: before having, top and limit
-- query
count as n, share(count) as part of syscall by name, proc having n > 20 and proc != "dd" top 5
-- sql
select name, proc, count(*), count(*) * 1.0 / (select count(*) from events) from events group by 1, 2 having count(*) > 20 and proc != 'dd' order by 3 desc, name, proc limit 5

== shares of a part
-- query
share(count(where error != 0)) as failed, share(sum(bytes where fd > 3)) as b of syscall by name
-- sql
select name, sum(error != 0) * 1.0 / (select sum(error != 0) from events), sum(case when fd > 3 then bytes else 0 end) * 1.0 / (select sum(bytes) from events where fd > 3) from events group by 1

== shares in windows
-- query
count, share(count) as a of syscall by proc every 20s
-- sql
select time / 20000000000 * 20000000000 as w, proc, count(*), count(*) * 1.0 / sum(count(*)) over (partition by time / 20000000000) from events group by time / 20000000000, proc order by w, 3 desc, proc

== computing with shares
-- query
round(share(count) * 1000) as permille of syscall by name having share(count) > 0.01 order by name
-- sql
select name, round(count(*) * 1000.0 / (select count(*) from events)) as permille from events group by name having count(*) * 1.0 / (select count(*) from events) > 0.01 order by name

== a share of nothing has no value
-- query
share(sum(bytes where fd = -77)) as s of syscall by name
-- sql
select name, null from events group by name

== shares of an outer query are its own
-- query
proc, s of (count as n, share(count) as s of syscall by proc) where proc in (java, dd) order by proc
-- sql
select proc, s from (select proc, count(*) * 1.0 / (select count(*) from events) as s from events group by proc) where proc in ('java', 'dd') order by proc

== deltas of counts
-- query
count, delta(count) as d of syscall by proc every 20s
-- sql
with g as (select time / 20000000000 * 20000000000 as w, proc, count(*) as n from events group by 1, 2)
select a.w, a.proc, a.n, case when a.w = (select min(w) from g) then null else a.n - coalesce(b.n, 0) end from g a left join g b on b.w = a.w - 20000000000 and b.proc = a.proc order by a.w, a.n desc, a.proc

== deltas with keys that come and go
-- query
delta(sum(bytes)) as d, delta(max(latency)) as m of syscall where latency > 1ms by name, pid every 5s order by name, pid
-- sql
with g as (select time / 5000000000 * 5000000000 as w, name, pid, sum(bytes) as n, max(latency) as m from events where latency > 1000000 group by 1, 2, 3)
select a.w, a.name, a.pid, case when a.w = (select min(w) from g) then null else a.n - coalesce(b.n, 0) end, case when a.w = (select min(w) from g) then null else a.m - coalesce(b.m, 0) end from g a left join g b on b.w = a.w - 5000000000 and b.name = a.name and b.pid = a.pid order by a.w, a.name, a.pid

== deltas without keys, and of what is computed
-- query
delta(count) as d, delta(avg(bytes)) as a, delta(sum(bytes) / count) + 1B as c of syscall every 10s
-- sql
with g as (select time / 10000000000 * 10000000000 as w, count(*) as n, avg(bytes) as m, sum(bytes) / count(*) as c from events group by 1)
select a.w, case when b.w is not null then a.n - b.n end, case when b.w is not null then a.m - b.m end, case when b.w is not null then a.c - b.c + 1 end from g a left join g b on b.w = a.w - 10000000000 order by a.w

== deltas of shares, chosen and ordered by them
-- query
delta(share(count)) as d of syscall by proc having delta(count) > 0 top 2 by delta(count) every 20s
-- sql
with g as (select time / 20000000000 * 20000000000 as w, proc, count(*) as n, count(*) * 1.0 / sum(count(*)) over (partition by time / 20000000000) as s from events group by time / 20000000000, proc),
d as (select a.w, a.proc, a.n - coalesce(b.n, 0) as n, a.s - coalesce(b.s, 0) as s from g a left join g b on b.w = a.w - 20000000000 and b.proc = a.proc where a.w > (select min(w) from g)),
r as (select *, row_number() over (partition by w order by n desc, proc) as k from d where n > 0)
select w, proc, s from r where k <= 2 order by w, k
