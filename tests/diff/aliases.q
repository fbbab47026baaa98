# Names of columns in later columns and in `by`, and the order of columns.

== of aggregates
-- query
sum(bytes) as moved, count as calls, moved / calls as mean, div(calls, 2) as half of syscall by name
-- sql
select name, sum(bytes), count(*), sum(bytes) / count(*), count(*) / 2 from events group by 1

== of keys, made of each other
-- query
div(pid, 4) as a, a * 2 as b, count of syscall by a, b
-- sql
select pid / 4, pid / 4 * 2, count(*) from events group by 1, 2

== of keys, in an aggregate
-- query
div(pid, 4) as a, max(a + fd) as most, sum(a) as all_of_a of syscall by pid
-- sql
select pid, pid / 4, max(pid / 4 + fd), sum(pid / 4) from events group by 1, 2

== of rows
-- query
pid, bytes + 1 as more, more * 2 as twice of write where bytes < 100
-- sql
select pid, bytes + 1, (bytes + 1) * 2 from events where name in ('write', 'pwrite64', 'writev', 'pwritev', 'pwritev2') and bytes < 100

== a field goes first
-- query
div(pid, 4) as fd, max(fd) as most of syscall by pid
-- sql
select pid, pid / 4, max(fd) from events group by 1, 2

== columns as written, with having and order
-- query
count as n, name, n * 2 as twice of syscall by pid, name having twice > 6 order by twice desc, pid, name limit 20
-- sql
select pid, count(*), name, count(*) * 2 from events group by pid, name having count(*) * 2 > 6 order by 4 desc, 1, 3 limit 20
