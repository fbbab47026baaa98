# A query as a value: asked once, before the query around it.

== in a condition of events
-- query
count of syscall where bytes > (avg(bytes) of syscall where bytes > 0) by name
-- sql
select name, count(*) from events where bytes > (select avg(bytes) from events where bytes > 0) group by 1

== in a condition of groups
-- query
n, proc of (count as n of syscall by proc) where n >= (avg(n) of (count as n of syscall by proc)) order by proc
-- sql
select n, proc from (select proc, count(*) as n from events group by 1) where n >= (select avg(n) from (select count(*) as n from events group by proc)) order by proc

== in having, and in a column
-- query
sum(bytes) * 1.0 / (sum(bytes) of syscall) as part of syscall by name having count > (count of write)
-- sql
select name, sum(bytes) * 1.0 / (select sum(bytes) from events) from events group by name having count(*) > (select count(*) from events where name in ('write', 'pwrite64', 'writev', 'pwritev', 'pwritev2')) order by 2 desc

== a text
-- query
count of syscall where proc = (proc of (count as c of syscall by proc) top 1 by c) by name
-- sql
select name, count(*) from events where proc = (select proc from events group by proc order by count(*) desc, proc limit 1) group by name

== twice, and in an argument
-- query
sum(if(bytes > (avg(bytes) of syscall), 1, 0)) as above, count(where bytes <= (avg(bytes) of syscall)) as below of syscall by proc
-- sql
select proc, sum(bytes > (select avg(bytes) from events)), sum(bytes <= (select avg(bytes) from events)) from events group by proc

== no row is null
-- query
count, sum(bytes > (bytes of syscall where fd = 777777 limit 1)) as c, sum((bytes of syscall where fd = 777777 limit 1) is null) as n of syscall
-- sql
select count(*), 0, count(*) from events

== inside of one that is asked
-- query
count of syscall where pid = (max(pid) of syscall where pid < (max(pid) of syscall))
-- sql
select count(*) from events where pid = (select max(pid) from events where pid < (select max(pid) from events))

== beside a set
-- query
count of syscall where pid in (pid of syscall where fd = 3) and fd > (min(fd) of syscall where fd > 3) by name
-- sql
select name, count(*) from events where pid in (select pid from events where fd = 3) and fd > (select min(fd) from events where fd > 3) group by name
