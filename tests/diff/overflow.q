Integers of more than 64 bits are NULL, wherever the calculation is done; sums are exact in any order, and fractions are not cut. The
recorded latencies are up to some 10^9 ns.

== a sum beyond 64 bits
-- query
sum(latency * 1000000000) of syscall where latency < 9s
-- sql
select case when sum(latency * 1.0) > 9223372036 then null else sum(latency) * 1000000000 end from paired where latency < 9000000000

== sums that come back into 64 bits
-- query
sum((pid % 2 * 2 - 1) * (9223372036854775807 - div(latency, 1ns) % 1000)) of syscall by node
-- sql
select node, case when abs(n) > 1 then null when n = 1 then 9223372036854775807 - s when n = -1 then -9223372036854775807 - s else -s end
from (select node, sum(pid % 2 * 2 - 1) as n, sum((pid % 2 * 2 - 1) * (latency % 1000)) as s from paired group by 1)

== avg beyond 64 bits
-- query
avg(latency * 1000000000) as x, stddev(div(latency, 1ns) % 1000 + 9223372036854770000) as d, count of syscall where latency < 9s by name
-- sql
select name, avg(latency * 1e9), sqrt(max(0, avg((latency % 1000) * (latency % 1000)) - avg(latency % 1000) * avg(latency % 1000))), count(*)
from paired where latency < 9000000000 group by 1

== rate beyond 64 bits
-- query
rate(div(latency, 1ns) * 1000000000) > 1 as x of syscall where latency < 9s by name
-- sql
select name, sum(latency * 1e9) > 0 from paired where latency < 9000000000 group by 1

== fractions of hours
-- query
sum(latency * 1500000.5) as s, avg(latency * 1500000.5) as a, max(latency * 1500000.5) as m, min(latency / 3ns) as l of syscall by name
-- sql
select name, sum(latency * 1500000.5), avg(latency * 1500000.5), max(latency * 1500000.5), min(latency / 3.0) from paired group by 1

== quantiles and histograms of great fractions
-- query
p99(div(latency, 1ns) * 1e7), hist(div(latency, 1ns) * 1e7), lhist(div(latency, 1ns) * 1e7, 0, 1e17, 1e15), distinct(div(latency, 1ns) * 1e7) of syscall

== fractions beyond all bounds are left out
-- query
count, sum(latency * 1e12) as s, avg(latency * 1e12) as a of syscall
-- sql
select count(*), sum(latency * 1e12) filter (where latency * 1e12 < 4611686018427387904.0),
avg(latency * 1e12) filter (where latency * 1e12 < 4611686018427387904.0) from paired

== what is NULL is not true
-- query
count of syscall where latency * 10000000000000000 > 0s by name
-- sql
select name, count(*) from paired where latency between 1 and 922 group by 1

== nor is its negation false
-- query
count of syscall where not (latency * 10000000000000000 > 0s) by name
-- sql
select name, count(*) from paired where not (latency between 1 and 922) group by 1

== a key that is NULL
-- query
count of syscall by latency * 10000000000000000 > 0s as fits, (pid - 9223372036854775807 - 100000) % 2 as odd

== a difference and a negation
-- query
count, max(pid - 9223372036854775807 - 100) as m of syscall where -(-9223372036854775807 - pid) = 0 or pid > 0
-- sql
select count(*), max(case when pid < 99 then null else pid - 100 - 9223372036854775807 end) from events where pid > 0

== behind the groups
-- query
name, sum(latency) * 1000000000000 as x, div(count * 4611686018427387904, 2) as y, -(count - 9223372036854775807 - 2) as z of syscall by name
-- sql
select name, case when sum(latency) > 9223372 then null else sum(latency) * 1000000000000 end, case when count(*) > 1 then null else 2305843009213693952 end,
case when count(*) = 0 then null else 9223372036854775807 - count(*) + 2 end from paired group by 1

== having and order
-- query
count of syscall by name having not count * 1000000000000000000 > 0 order by count * 1000000000000000000, name
-- sql
select name, count(*) from events group by 1 having count(*) > 9 order by 1

== around a nested query
-- query
sum(s) as t, max(s * 3) as m of (sum(latency * 100000000) as s of syscall by name)

== a multiple below all numbers
-- query
count of syscall by bucket(-9223372036854775807 - 1 + pid % 3, 1000) as b
-- sql
select -9223372036854775807 - 1, count(*) from events

== the end of a string
-- query
count of syscall by substr(name, -3) as last, substr(proc, -2, 1) as x, substr(name, -100, 2) as y
-- sql
select substr(name, -3), case when length(proc) < 2 then substr(proc, 1, 1) else substr(proc, -2, 1) end, substr(name, 1, 2), count(*) from events group by 1, 2, 3
