Aggregates and keys.

== count by proc
-- query
count of syscall by proc
-- sql
select proc, count(*) from events group by 1

== count by name
-- query
count of syscall by name
-- sql
select name, count(*) from events group by 1

== count by node
-- query
count of syscall by node
-- sql
select node, count(*) from events group by 1

== count by pid
-- query
count of syscall by pid
-- sql
select pid, count(*) from events group by 1

== count by uid
-- query
count of syscall by uid
-- sql
select uid, count(*) from events group by 1

== count by error
-- query
count of syscall by error
-- sql
select error, count(*) from events group by 1

== count by thread
-- query
count of syscall by thread
-- sql
select thread, count(*) from events group by 1

== count by fd
-- query
count of syscall by fd
-- sql
select fd, count(*) from events group by 1

== count by file
-- query
count of syscall by file
-- sql
select file, count(*) from events group by 1

== count by ppid
-- query
count of syscall by ppid
-- sql
select ppid, count(*) from events group by 1

== count by dev
-- query
count of syscall by dev
-- sql
select dev, count(*) from events group by 1

== sum and extremes by proc
-- query
sum(bytes), min(bytes), max(bytes), avg(bytes) of syscall by proc
-- sql
select proc, sum(bytes), min(bytes), max(bytes), avg(bytes) from events group by 1

== sum and extremes by name
-- query
sum(bytes), min(bytes), max(bytes), avg(bytes) of syscall by name
-- sql
select name, sum(bytes), min(bytes), max(bytes), avg(bytes) from events group by 1

== sum and extremes by file
-- query
sum(bytes), min(bytes), max(bytes), avg(bytes) of syscall by file
-- sql
select file, sum(bytes), min(bytes), max(bytes), avg(bytes) from events group by 1

== count, sum by proc, name
-- query
count, sum(bytes) of syscall by proc, name
-- sql
select proc, name, count(*), sum(bytes) from events group by proc, name

== count, sum by node, proc
-- query
count, sum(bytes) of syscall by node, proc
-- sql
select node, proc, count(*), sum(bytes) from events group by node, proc

== count, sum by proc, error
-- query
count, sum(bytes) of syscall by proc, error
-- sql
select proc, error, count(*), sum(bytes) from events group by proc, error

== count, sum by file, proc
-- query
count, sum(bytes) of syscall by file, proc
-- sql
select file, proc, count(*), sum(bytes) from events group by file, proc

== count, sum by node, name, proc
-- query
count, sum(bytes) of syscall by node, name, proc
-- sql
select node, name, proc, count(*), sum(bytes) from events group by node, name, proc

== count, sum by local, name
-- query
count, sum(bytes) of syscall by local, name
-- sql
select local, name, count(*), sum(bytes) from events group by local, name

== count, sum by peer
-- query
count, sum(bytes) of syscall by peer
-- sql
select peer, count(*), sum(bytes) from events group by peer

== count, sum by pid, tid
-- query
count, sum(bytes) of syscall by pid, tid
-- sql
select pid, tid, count(*), sum(bytes) from events group by pid, tid

== count
-- query
count of syscall
-- sql
select count(*) from events

== nothing matches, no keys
-- query
count, sum(bytes), min(bytes), avg(latency) of syscall where proc = nosuch
-- sql
select count(*), coalesce(sum(bytes),0), min(bytes), avg(latency) from paired where proc='nosuch'

== nothing matches, keys
-- query
count of syscall where proc = nosuch by name
-- sql
select name, count(*) from events where proc='nosuch' group by 1

== count of read
-- query
count, sum(bytes) of read by proc
-- sql
select proc, count(*), sum(bytes) from events where name in ('read','pread64','readv','preadv','preadv2') group by 1

== count of write
-- query
count, sum(bytes) of write by proc
-- sql
select proc, count(*), sum(bytes) from events where name in ('write','pwrite64','writev','pwritev','pwritev2') group by 1

== one syscall
-- query
count of openat by proc
-- sql
select proc, count(*) from events where name='openat' group by 1

== distinct agrees on few values
-- query
distinct(proc) of syscall
-- sql
select count(distinct proc) from events

== set of nodes
-- query
set(node) of syscall by proc

== latency quantiles
-- query
p50(latency), p90(latency), p95(latency), p99(latency), p999(latency) of syscall by proc

== quantiles lie between the least and the greatest
-- query
p50(latency) >= min(latency) and p999(latency) <= max(latency) and p90(bytes) <= max(bytes) and p50(0 - bytes) >= min(0 - bytes) and p99(-latency) <= max(-latency) as ok of syscall by proc, name
-- sql
select proc, name, 1 from events group by 1, 2

== of fractions
-- query
quantile(bytes / 7B, 0.3) >= min(bytes / 7B) and p999(bytes / 7B) <= max(bytes / 7B) and p99(latency / 1000s) <= max(latency / 1000s) as ok of syscall by pid
-- sql
select pid, 1 from events group by 1

== in windows
-- query
p50(latency) >= min(latency) and p99(latency) <= max(latency) as ok, count of syscall by proc every 10s having not ok

== the quantiles of 0 and 1
-- query
quantile(latency, 0), quantile(latency, 1), quantile(-bytes, 0), quantile(-bytes, 1) of syscall by proc
-- sql
select proc, min(latency), max(latency), min(-bytes), max(-bytes) from events where latency is not null group by 1

== quantiles of one value, and of another
-- query
p50(latency), p99(latency), p99(bytes), quantile(latency, 1), p50(bytes) of io by proc, name

== a quantile by number
-- query
quantile(latency, 0.25), quantile(bytes, 0.75) of read by node

== histograms
-- query
hist(latency) of syscall by name

== linear histogram
-- query
lhist(bytes, 0, 65536, 4096) of read by proc

== linear histogram of fractions
-- query
lhist(bytes / 10000B, 0, 1, 0.2) of io by proc

== hist of bytes
-- query
hist(bytes) of write

== distinct of many
-- query
distinct(file), distinct(pid), distinct(peer) of syscall by node

== distinct latency
-- query
distinct(latency) of syscall

== stddev
-- query
stddev(latency), stddev(bytes) of syscall by proc

== first and last numbers
-- query
first(bytes), last(bytes), first(pid) of syscall by proc

== first and last strings
-- query
first(file), last(name) of syscall by proc

== top k
-- query
top(file, 3) of syscall by proc

== top k of names
-- query
top(name, 5) of syscall by node

== rate
-- query
rate of syscall by proc

== rate of bytes
-- query
rate(bytes) of write by node

== all aggregates at once
-- query
count, sum(bytes), avg(latency), min(latency), max(latency), stddev(latency), p99(latency), distinct(pid), hist(bytes), first(pid), last(pid), rate of io by proc, name

== the same aggregate twice
-- query
sum(bytes), sum(bytes) as b, sum(bytes) / count as each of io by proc

== arithmetic over aggregates
-- query
sum(bytes) / count as mean, max(latency) - min(latency) as spread of io by proc

== aggregate of an expression
-- query
sum(bytes * 2 + 1), max(bytes - 100), min(-bytes) of io by name
-- sql
select name, sum(bytes*2+1), max(bytes-100), min(-bytes) from events where name in (select name from events) and bytes>=0 and (name in ('read','pread64','readv','preadv','preadv2') or name in ('write','pwrite64','writev','pwritev','pwritev2') or name in ('sendto','recvfrom','sendmsg','recvmsg','sendmmsg','recvmmsg','sendfile','splice','tee','vmsplice','copy_file_range','process_vm_readv','process_vm_writev')) group by 1

== a key by two names
-- query
count of syscall by pid as a, pid as b having b > 5000
-- sql
select pid, pid, count(*) from events where pid > 5000 group by 1

== aggregates of a condition
-- query
min(bytes > 100), max(error != 0), sum(bytes > 100), count of io by proc having max(bytes > 100)
-- sql
select proc, min(bytes>100), max(error!=0), sum(bytes>100), count(*) from events where bytes>=0 and (name in ('read','pread64','readv','preadv','preadv2') or name in ('write','pwrite64','writev','pwritev','pwritev2') or name in ('sendto','recvfrom','sendmsg','recvmsg','sendmmsg','recvmmsg','sendfile','splice','tee','vmsplice','copy_file_range','process_vm_readv','process_vm_writev')) group by 1 having max(bytes>100)

== first and last of a condition
-- query
first(bytes > 100), last(error != 0) of syscall by proc

== float argument
-- query
sum(bytes * 0.5), avg(bytes * 1.25), max(bytes * 0.1) of read by proc

== modulo and division keys
-- query
count of read by bytes % 7, bytes / 1000
-- sql
select bytes%7, bytes/1000, count(*) from events where name in ('read','pread64','readv','preadv','preadv2') group by 1,2

== bucket key
-- query
count, sum(bytes) of read by bucket(bytes, 4096)
-- sql
select bytes/4096*4096, count(*), sum(bytes) from events where name in ('read','pread64','readv','preadv','preadv2') group by 1

== boolean key
-- query
count of syscall by error = 0
-- sql
select error=0, count(*) from events group by 1

== alias of a key
-- query
bucket(bytes, 1KiB) as kb, count of write by kb

== string function keys
-- query
count of openat by basename(file)

== dirname and ext
-- query
count of io by dirname(file), ext(file)

== upper, lower, substr, len
-- query
count of syscall by upper(proc), lower(name), substr(proc, 1, 2), len(proc)

== keys before the list
-- query
count, proc of syscall by proc
