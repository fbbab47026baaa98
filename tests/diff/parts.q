# Aggregates of a part of the events, and quantiles by their digits.

== counts of a part
-- query
count, count(where error != 0) as failed, count(where fd > 5 and bytes > 100) as big of syscall by name
-- sql
select name, count(*), sum(error != 0), sum(fd > 5 and bytes > 100) from events group by 1

== sums of a part
-- query
sum(bytes where error = 0) as moved, sum(fd where pid % 3 = 0) as s, count of syscall by proc
-- sql
select proc, sum(case when error = 0 then bytes else 0 end), sum(case when pid % 3 = 0 then fd else 0 end), count(*) from events group by 1

== the least, the greatest and the mean of a part
-- query
min(bytes where error = 0) as a, max(bytes where fd > 3) as b, avg(bytes where fd > 3) as c, max(fd where bytes = 12345) as none of syscall by name
-- sql
select name, min(case when error = 0 then bytes end), max(case when fd > 3 then bytes end), avg(case when fd > 3 then bytes end), null from events group by 1

== without keys
-- query
count(where fd = 3) as c, min(bytes where fd = 3) as a, max(bytes where fd = -7) as b, sum(bytes where fd = -7) as s, stddev(bytes where fd = -7) as d of syscall
-- sql
select sum(fd = 3), min(case when fd = 3 then bytes end), null, 0, null from events

== sets of a part
-- query
set(name where error != 0 and fd = 3) as failed of syscall
-- sql
select '[' || group_concat('"' || name || '"') || ']' from (select distinct name from events where error != 0 and fd = 3 order by name)

== distinct of a part
-- query
distinct(pid where error != 0) > 0 as any of syscall by name
-- sql
select name, count(distinct case when error != 0 then pid end) > 0 from events group by 1

== the first and the last of a part
-- query
first(pid where error = 0 and fd > 3) as a, last(pid where error = 0 and fd > 3) as b of syscall by name
-- sql
select name, (select pid from events e where e.name = o.name and error = 0 and fd > 3 order by time, pid limit 1), (select pid from events e where e.name = o.name and error = 0 and fd > 3 order by time desc, pid desc limit 1) from events o group by name

== quantiles of different parts are different states
-- query
max(bytes where fd > 3) - quantile(bytes, 1 where fd > 3) as d of syscall by name
-- sql
select name, case when max(case when fd > 3 then bytes end) is null then null else 0 end from events group by name

== pNN: quantiles by their digits, exact below 128
-- query
p07(fd) as a, p5000(fd) - p50(fd) as b, p999(fd) - quantile(fd, 0.999) as c of syscall where fd >= 0 and fd < 100 by name
-- sql
select name, (select fd from (select fd, row_number() over (order by fd) as r, count(*) over () as n from events e where e.name = o.name and fd >= 0 and fd < 100) where r = (n * 7 + 99) / 100), 0, 0 from events o where fd >= 0 and fd < 100 group by name
