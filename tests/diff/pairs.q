Pairs of events: the rule said in SQL is that of each B the event before it, among all A and B of its node with its key, is an A.

== pairs of a node
-- query
count, sum(latency), min(latency), max(latency) of between openat and close on pid by node
-- sql
with e as (select *, lag(name) over k as before, time - lag(time) over k as took from events where name in ('openat', 'close')
  window k as (partition by node, pid order by time))
select node, count(*), sum(took), min(took), max(took) from e where name='close' and before='openat' group by 1

== fields of both ends
-- query
start, end, latency, time, node, proc, name, file, bytes, pid, tid of between accept4 and close on pid
-- sql
with e as (select *, lag(name) over k as before, lag(time) over k as t, lag(proc) over k as p, lag(file) over k as f, lag(bytes) over k as b,
  lag(tid) over k as i from events where name in ('accept4', 'close') window k as (partition by node, pid order by time))
select t, time, time-t, time, node, p, before, f, b, pid, i from e where name='close' and before='accept4'

== all fields
-- query
events of between connect and execve on pid

== fields that both ends have
-- query
end, name, end_name, tid, end_tid, file, end_file, bytes of between accept4 and close on pid where end_tid = tid or end_file != file
-- sql
with e as (select *, lag(name) over k as before, lag(file) over k as f, lag(tid) over k as i, lag(bytes) over k as b
  from events where name in ('accept4', 'close') window k as (partition by node, pid order by time))
select time, before, name, i, tid, f, file, b from e where name='close' and before='accept4' and (tid = i or file != f)

== of the second end, by it
-- query
count, max(end_fd) of between read and read on tid by end_name
-- sql
with e as (select *, lag(time) over k as t from events where name in ('read', 'pread64', 'readv', 'preadv', 'preadv2')
  window k as (partition by node, tid order by time))
select name, count(*), max(fd) from e where t is not null group by 1

== from each to the next
-- query
node, tid, fd, start, end, bytes of between read and read on tid, fd where latency > 2s
-- sql
with e as (select *, lag(time) over k as t, lag(bytes) over k as b from events where name in ('read', 'pread64', 'readv', 'preadv', 'preadv2')
  window k as (partition by node, tid, fd order by time))
select node, tid, fd, t, time, b from e where time - t > 2000000000

== one end within the other
-- query
node, pid, latency, ret of between syscall and fsync on pid
-- sql
with e as (select *, time - lag(time) over k as took, lag(ret) over k as r from events window k as (partition by node, pid order by time))
select node, pid, took, r from e where name='fsync' and took is not null

== keys with two names
-- query
count, sum(latency) of between syscall and openat on pid = ppid, uid by proc
-- sql
with e as (select node, pid as k, uid, 1 as first, 0 as second, time, proc from events union all
  select node, ppid, uid, 0, 1, time, proc from events where name='openat'),
o as (select *, lag(first) over k as f, time - lag(time) over k as took, lag(proc) over k as p from e
  window k as (partition by node, k, uid order by time, first))
select p, count(*), sum(took) from o where second and f group by 1

== conditions of the ends, as the kernel has them
-- query
count, sum(bytes) of between (events of write where error = 0 and bytes > 100) and (events of fsync where proc = java) on tid by file
-- sql
with e as (select *, name!='fsync' as first from events where name in ('write', 'pwrite64', 'writev', 'pwritev', 'pwritev2')
  and error=0 and bytes>100 or name='fsync' and proc='java'),
o as (select *, lag(first) over k as f, lag(file) over k as a, lag(bytes) over k as b from e window k as (partition by node, tid order by time))
select a, count(*), sum(b) from o where not first and f group by 1

== conditions that no kernel tests
-- query
file, latency of between (events of openat where file =~ "/www/(img|index)" and lower(user) = "www-data") and (events of close where substr(thread, 0, 2) = ng and file =~ "^socket") on pid
-- sql
with e as (select *, name='openat' as first from events where name='openat' and (file like '%/www/img%' or file like '%/www/index%') and user='www-data'
  or name='close' and thread like 'ng%' and file like 'socket%'),
o as (select *, lag(first) over k as f, time - lag(time) over k as took, lag(file) over k as a from e window k as (partition by node, pid order by time))
select a, took from o where not first and f

== processes of another query
-- query
count of between (events of openat where pid in (pid of syscall where error = EACCES)) and (events of close where pid not in (pid of fsync)) on pid
-- sql
with e as (select *, name='openat' as first from events where name='openat' and pid in (select pid from events where error=13)
  or name='close' and pid not in (select pid from events where name='fsync')),
o as (select *, lag(first) over k as f from e window k as (partition by node, pid order by time))
select count(*) from o where not first and f

== what is about the pair
-- query
count, sum(latency), p99(latency), hist(latency), last(file), first(node) of between write and fsync on pid where file ~ "/var/*" and latency between 1ms and 10s and start < end by proc, bucket(latency, 1s)

== windows
-- query
count, max(latency), distinct(file) of between openat and close on pid by proc every 10s

== order and limit
-- query
node, proc, file, latency of between openat and read on pid order by latency desc, start limit 20

== having and top
-- query
count, avg(latency) of between recv and send on tid by node, proc having count > 10 top 5

== as rows of another query
-- query
max(n), sum(n) of (count as n of between futex and write on pid where latency < 1s by file)

== as a plain source of another query
-- query
count, sum(took) of (latency as took, file of (events of between (events of openat where error = 0) and close on pid where proc != find)) by file

== no such pairs
-- query
count of between (events of openat where pid < 0) and close on pid
