Rows, order, limits, windows, nested queries.

== events, few
-- query
events of syscall where pid % 500 = 3 and bytes > 1000

== columns
-- query
proc, pid, bytes, latency of read where bytes > 60000
-- sql
select proc, pid, bytes, latency from events where name in ('read','pread64','readv','preadv','preadv2') and bytes>60000

== computed columns
-- query
proc, bytes / 1024 as kib, basename(file) as f, latency > 1ms as slow of read where bytes > 50000

== order and limit
-- query
time, proc, bytes of io order by bytes desc, time, pid, tid limit 25

== order ascending
-- query
time, pid, latency of syscall where latency > 0 order by latency, time, pid limit 40
-- sql
select time, pid, latency from paired where latency>0 order by 3,1,2 limit 40

== top rows
-- query
time, proc, latency of syscall top 10 by time

== limit 1
-- query
time, proc of syscall order by time limit 1

== top groups
-- query
sum(bytes), count of io by file top 7 by sum(bytes)

== top by default
-- query
count of syscall by file top 5

== top by latency
-- query
p99(latency), count of syscall by proc, name top 9 by max(latency)

== order groups
-- query
count of syscall by proc, name order by count, proc desc, name

== order by key
-- query
count of syscall by proc order by proc
-- sql
select proc, count(*) from events group by 1

== order by alias
-- query
sum(bytes) as b of io by proc order by b desc limit 3

== having
-- query
count, sum(bytes) of syscall by file having count > 100
-- sql
select file, count(*), sum(bytes) from events group by 1 having count(*)>100

== having on another aggregate
-- query
count of syscall by proc having max(latency) > 5ms and min(bytes) = 0
-- sql
select proc, count(*) from paired group by 1 having max(latency)>5000000 and min(bytes)=0

== having on alias
-- query
sum(bytes) as b of io by file having b > 100KB

== having on a key
-- query
count of syscall by proc having proc ~ "*d*"
-- sql
select proc, count(*) from events where proc glob '*d*' group by 1

== windows
-- query
count, sum(bytes) of syscall by proc every 1s
-- sql
select time/1000000000*1000000000, proc, count(*), sum(bytes) from events group by 1,2

== windows without keys
-- query
count, max(latency) of syscall every 500ms
-- sql
select time/500000000*500000000, count(*), max(latency) from paired group by 1

== windows of rate
-- query
rate, rate(bytes) of io by node every 2s

== windows and top
-- query
sum(bytes) of io by file every 5s top 3

== windows and having
-- query
count of syscall by proc every 1s having count > 50

== windows and quantiles
-- query
p99(latency) of io by node, proc every 10s

== windows and limit
-- query
count of syscall by proc every 5s limit 2

== nested top
-- query
top 10 of (sum(bytes) as b of write by file)

== nested with where
-- query
b, file of (sum(bytes) as b of io by file) where b > 10000 order by b desc, file

== nested aggregate
-- query
max(b), count of (sum(bytes) as b of io by file)

== nested by key
-- query
count, sum(n) of (count as n of syscall by proc, name) by proc
-- sql
select proc, count(*), sum(n) from (select proc, name, count(*) n from events group by 1,2) group by 1

== nested push-down on key
-- query
n, proc of (count as n of syscall by proc, name) where proc = java

== nested push-down kept out of top
-- query
b, file of (sum(bytes) as b of io by file top 5) where b > 0

== nested rows
-- query
count, avg(bytes) of (proc, bytes, latency of io where bytes > 1000) by proc

== nested rows with where
-- query
proc, bytes of (proc, bytes, latency of io where bytes > 1000) where latency > 1ms

== nested twice
-- query
max(m) of (max(n) as m of (count as n of syscall by proc, name) by proc)

== nested quantile
-- query
p50(n) of (count as n of syscall by pid)

== in a query
-- query
count of read where pid in (pid of open where error = 0) by proc

== in a grouped query
-- query
count of syscall where proc in (proc of (count as n of syscall by proc) where n > 5000) by proc

== not in a query
-- query
count of syscall where pid not in (pid of write) by proc

== in a query of strings
-- query
count of write where file in (file of read) by file

== in an empty query
-- query
count of syscall where pid in (pid of syscall where proc = nosuch) by proc

== sockets
-- query
count, sum(bytes) of send by local, peer

== receives
-- query
count, sum(bytes), p99(latency) of recv by proc, peer

== opens by error
-- query
count of open by error, proc
-- sql
select error, proc, count(*) from events where name in ('open','openat','openat2','creat') group by 1,2

== closes
-- query
count of close by proc
-- sql
select proc, count(*) from events where name='close' group by 1

== io by name
-- query
count, sum(bytes), max(latency) of io by name

== keys that overlap
-- query
count of syscall by proc, thread, pid, tid, uid

== six keys
-- query
count, sum(bytes) of io by node, proc, name, fd, error, uid

== where on a field not shown
-- query
file of openat where error = ENOENT and latency > 100us

== count with a group of one
-- query
count, min(time), max(time) of syscall
-- sql
select count(*), min(time), max(time) from events

== sum of durations
-- query
sum(latency), avg(latency) of syscall by name, error
-- sql
select name, error, sum(latency), avg(latency) from paired group by 1,2

== min and max of ids
-- query
min(pid), max(pid), min(fd), max(fd) of syscall by node
-- sql
select node, min(pid), max(pid), min(fd), max(fd) from events group by 1

== tags as a key
-- query
count, sum(bytes) of io where tags != "" by tags, node

== an empty window between
-- query
count of syscall where bucket(time, 3s) = bucket(time, 6s) every 3s
