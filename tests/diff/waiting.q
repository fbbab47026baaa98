Calls that were waiting when the query began: `latency` and `begin` of one event in sixteen are not known.

== shown
-- query
time, name, latency, begin of syscall where proc = dd
-- sql
select time, name, latency, begin from events where proc='dd'

== all fields
-- query
events of fsync
-- sql
select time,node,proc,thread,pid,tid,ppid,uid,user,cgroup,container,name,ret,error,latency,fd,file,dev,bytes,offset,local,peer,tags,begin from events where name='fsync'

== within expressions
-- query
time, latency / 2 as half, latency > 1ms as slow, not (latency > 1ms) as fast, begin - latency as before of syscall where proc = dd
-- sql
select time, latency / 2, latency > 1000000, not (latency > 1000000), begin - latency from events where proc='dd'

== an expression that uses it is not known, whatever else is in it
-- query
time, latency > 1ms or bytes >= 0 as a, latency > 1ms and bytes < 0 as b, -latency as c, abs(latency) as d, bucket(latency, 1ms) as e, latency * 1.5 as f, latency in (1us, 2us) as g of syscall where proc = dd
-- sql
select time, iif(latency is null, null, 1), iif(latency is null, null, 0), -latency, latency, latency / 1000000 * 1000000, latency * 1.5, iif(latency is null, null, latency in (1000, 2000)) from events where proc='dd'

== what does not use it has all events
-- query
count, sum(bytes) of syscall by proc
-- sql
select proc, count(*), sum(bytes) from events group by 1

== where
-- query
count of syscall where latency > 100us by proc
-- sql
select proc, count(*) from events where latency > 100000 group by 1

== where, the other way round
-- query
count of syscall where not (latency > 100us) by proc
-- sql
select proc, count(*) from events where not (latency > 100000) group by 1

== where, one of two
-- query
count of syscall where latency > 100us or bytes > 0 by proc
-- sql
select proc, count(*) from paired where latency > 100000 or bytes > 0 group by 1

== where, always true
-- query
count of syscall where latency > 100us or true by proc
-- sql
select proc, count(*) from paired group by 1

== where, at the node
-- query
count of syscall where latency * 1.5 > 100us and file =~ "log" by proc
-- sql
select proc, count(*) from paired where latency * 1.5 > 100000 and file like '%log%' group by 1

== where begin
-- query
count of syscall where begin > "2026-11-20 10:00:20" by proc
-- sql
select proc, count(*) from events where begin > 1795168820000000000 group by 1

== by
-- query
count of syscall by bucket(latency, 100us)
-- sql
select latency / 100000 * 100000, count(*) from paired group by 1

== by begin
-- query
count of syscall by bucket(begin, 10s)
-- sql
select begin / 10000000000 * 10000000000, count(*) from paired group by 1

== an aggregate leaves the whole event out
-- query
count, sum(bytes), min(latency), max(begin) of syscall by proc
-- sql
select proc, count(*), sum(bytes), min(latency), max(begin) from paired group by 1

== an aggregate in windows
-- query
count, max(latency) of syscall every 10s
-- sql
select time / 10000000000 * 10000000000, count(*), max(latency) from paired group by 1

== having
-- query
count of syscall by proc having max(latency) > 1ms
-- sql
select proc, count(*) from paired group by 1 having max(latency) > 1000000

== order
-- query
time, latency of syscall where proc = dd order by latency, time
-- sql
select time, latency from paired where proc='dd' order by latency, time

== order by what is not shown
-- query
time, name of syscall where proc = dd order by latency desc, time limit 20
-- sql
select time, name from paired where proc='dd' order by latency desc, time limit 20

== top by
-- query
time, name of syscall top 15 by latency
-- sql
select time, name from paired order by latency desc limit 15

== top by, which takes the last number
-- query
time, name, latency of syscall top 15
-- sql
select time, name, latency from paired order by latency desc limit 15

== order by something else
-- query
time, latency of syscall where proc = dd order by bytes, time limit 40
-- sql
select time, latency from events where proc='dd' order by bytes, time limit 40

== nested, shown
-- query
n, l of (name as n, latency as l, bytes as b of syscall where proc = dd) where b > 0
-- sql
select name, latency from events where proc='dd' and bytes > 0

== nested, used
-- query
count, sum(b) of (name as n, latency as l, bytes as b of syscall) where l > 100us by n
-- sql
select name, count(*), sum(bytes) from events where latency > 100000 group by 1

== nested, an expression of it used
-- query
count of (name as n, latency / 2 as half of syscall) where not (half > 100us) by n
-- sql
select name, count(*) from paired where not (latency / 2 > 100000) group by 1

== nested, a truth of it used
-- query
count of (name as n, bytes > 0 and latency > 1ms as slow of syscall) where not slow by n
-- sql
select name, count(*) from paired where not (bytes > 0 and latency > 1000000) group by 1

== nested, NULL for two reasons
-- query
count, max(x) of (name as n, latency / (bytes / 1B) as x of syscall where proc = nginx) by n
-- sql
select name, count(*), max(round(latency * 1.0 / bytes)) from paired where proc='nginx' group by 1

== nested, ordered and cut
-- query
count, sum(b) of (time as t, latency as l, bytes as b of syscall order by bytes desc, time limit 500) where l > 20us
-- sql
select count(*), sum(b) from (select latency as l, bytes as b from events order by bytes desc, time limit 500) where l > 20000

== nested, ordered by it
-- query
count of (time as t, bytes as b of syscall order by latency) where b > 0
-- sql
select count(*) from paired where bytes > 0

== nested, ordered by it and cut
-- query
count, sum(b) of (bytes as b of syscall order by latency desc, time limit 300)
-- sql
select count(*), sum(b) from (select bytes as b from paired order by latency desc, time limit 300)

== nested groups, of which it is not read
-- query
sum(n) of (count as n, max(latency) as m of syscall by proc)
-- sql
select count(*) from paired

== a set
-- query
count of syscall where latency in (latency of syscall where proc = sshd) by name
-- sql
select name, count(*) from events where latency in (select latency from events where proc='sshd' and latency is not null) group by 1

== distinct of what is shown above it
-- query
count of (time as t, latency as l of syscall where proc = dd)
-- sql
select count(*) from events where proc='dd'

== an end of a pair
-- query
count, min(start) of between (events of openat where latency > 2us) and close on tid by proc
-- sql
with e as (select *, name='openat' as first, lag(name='openat') over k as f, lag(time) over k as t, lag(proc) over k as p from events where (name='openat' and latency > 2000) or name='close' window k as (partition by node, tid order by time))
select p, count(*), min(t) from e where name='close' and f group by 1
