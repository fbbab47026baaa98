# Values that are missing: is null, is not null.

== a beginning that was not seen
-- query
count of syscall where latency is null by name
-- sql
select name, count(*) from events where latency is null group by 1

== the rest
-- query
count, max(latency) of syscall where latency is not null by name
-- sql
select name, count(*), max(latency) from events where latency is not null group by 1

== as a column and as a key
-- query
count of (latency is null as running, name of syscall) by running, name
-- sql
select latency is null, name, count(*) from events group by 1, 2

== an aggregate of it
-- query
sum(latency is null) as open, count of syscall by name
-- sql
select name, sum(latency is null), count(*) from events group by 1

== what arithmetic makes
-- query
bytes / (fd % 3) is null as bad, 1 / (fd % 3) is null or fd > 5 as odd, time, pid of syscall
-- sql
select fd % 3 = 0, fd % 3 = 0 or fd > 5, time, pid from events

== of groups
-- query
sum(bytes) / sum(fd * 0) is null as none, count of syscall by name having not (count / 0 is not null)
-- sql
select name, 1, count(*) from events group by 1

== either
-- query
count of syscall where latency is null or bytes > 1000 by name
-- sql
select name, count(*) from events where latency is null or bytes > 1000 group by 1
