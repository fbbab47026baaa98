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

== a view of events in a list
-- views
view large(least = 100) := events of read where bytes > $least;
-- query
count, sum(bytes) of large, fsync, sendto by name order by name
-- sql
select name, count(*), sum(bytes) from events where (name in ('read', 'pread64', 'readv', 'preadv', 'preadv2') and bytes > 100) or name in ('fsync', 'sendto') group by name order by name

== views that name the same events
-- views
view large := events of io where bytes > 1000;
view nginx := events of read where proc ~ "n*" and bytes > 10;
-- query
count, sum(bytes) of large, nginx where pid % 2 = 0 by name
-- sql
select name, count(*), sum(bytes) from events where (name in ('read', 'pread64', 'readv', 'preadv', 'preadv2', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendto', 'sendmsg', 'sendmmsg', 'recvfrom', 'recvmsg', 'recvmmsg', 'sendfile', 'splice', 'tee', 'vmsplice', 'copy_file_range', 'process_vm_readv', 'process_vm_writev') and bytes > 1000 or name in ('read', 'pread64', 'readv', 'preadv', 'preadv2') and proc glob 'n*' and bytes > 10) and pid % 2 = 0 group by name

== a view of a view, rows, and a regular expression
-- views
view logs := events of write where file =~ "log";
view big := events of logs where bytes > 50;
-- query
time, name, pid, file of big, close where error = 0 order by time, pid limit 50

== all calls and a view of some
-- views
view large := events of io where bytes > 1000;
-- query
count of syscall, large
-- sql
select count(*) from events
