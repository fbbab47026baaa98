# Several classes as one source.

== by name
-- query
count, sum(bytes), max(fd) as m of read, fsync, sendto by name order by name
-- sql
select name, count(*), sum(bytes), max(fd) from events where name in ('read', 'pread64', 'readv', 'preadv', 'preadv2', 'fsync', 'sendto') group by name order by name

== an event that two name is one event
-- query
count of read, pread64, io
-- sql
select count(*) from events where name in ('read', 'pread64', 'readv', 'preadv', 'preadv2', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendto', 'sendmsg', 'sendmmsg', 'recvfrom', 'recvmsg', 'recvmmsg', 'sendfile', 'splice', 'tee', 'vmsplice', 'copy_file_range', 'process_vm_readv', 'process_vm_writev')

== rows, in order
-- query
time, name, pid, file of write, openat where error = 0 order by time, pid limit 50
-- sql
select time, name, pid, file from events where name in ('write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'openat') and error = 0 order by time, pid limit 50

== windows, and a list inside
-- query
max(n) as most, sum(n) as all of (count as n of close, open by pid every 5s) by window order by window
-- sql
select w, max(n), sum(n) from (select time / 5000000000 * 5000000000 as w, pid, count(*) as n from events where name in ('close', 'open', 'openat', 'openat2', 'creat') group by 1, 2) group by w order by w
