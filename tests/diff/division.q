# Division: with a fraction, whole, by what is nothing; and the units that come of it.

== plain numbers have a fraction
-- query
6 / 3 as two, 7 / 2 as half, -7 / 2 as minus, sum(error != 0) / count as failed, sum(fd) / count as mean of syscall by name
-- sql
select name, 2.0, 3.5, -3.5, sum(error != 0) * 1.0 / count(*), sum(fd) * 1.0 / count(*) from events group by 1

== whole, towards zero
-- query
div(7, 2) as a, div(-7, 2) as b, div(7, -2) as c, sum(div(pid - 4000, 7)) as d, sum((pid - 4000) % 7) as e of syscall by name
-- sql
select name, 3, -3, -3, sum((pid - 4000) / 7), sum((pid - 4000) % 7) from events group by 1

== whole, of fractions and of units
-- query
div(7.9, 2) as a, div(-7.9, 2.0) as b, div(10ms, 3) as c, div(10ms, 3ms) as d, div(1KiB, 3) as e, sum(div(bytes, 1KiB)) as kib of syscall by name
-- sql
select name, 3, -3, 3333333, 3, 341, sum(bytes / 1024) from events group by 1

== a key
-- query
count of syscall by div(bytes, 4096B) as pages, div(latency, 1ms) as ms
-- sql
select bytes / 4096, latency / 1000000, count(*) from paired group by 1, 2

== a part of a duration or of a size is whole
-- query
sum(latency / 3) as a, sum(bytes / 3) as b, sum(latency / 2.5) as c, max(bytes / 0.3) as d of syscall by name
-- sql
select name, sum(latency / 3), sum(bytes / 3), sum(round(latency / 2.5)), max(round(bytes / 0.3)) from paired group by 1

== ratios of durations and of sizes
-- query
latency / 1ms as ms, bytes / 1KiB as kib, latency % 1ms as rest, bytes % 1KiB as left, time, pid of syscall where latency > 0ns
-- sql
select latency / 1e6, bytes / 1024.0, latency % 1000000, bytes % 1024, time, pid from paired where latency > 0

== compared with a number
-- query
count of syscall where bytes / 1KiB > 4 and pid / 7 != 500 and fd / 3 <= 2.5 by name
-- sql
select name, count(*) from events where bytes / 1024.0 > 4 and pid / 7.0 <> 500 and fd / 3.0 <= 2.5 group by 1

== as the evaluator compares, to the bit
-- query
count of syscall where fd / 10 = 0.1 or fd / 3 = 1 or fd / 7 >= 0.7142857142857143 and fd / 1000 < 0.3 or -2.5 > (fd - 9) / 2 by fd
-- sql
select fd, count(*) from events where fd / 10.0 = 0.1 or fd / 3.0 = 1 or fd / 7.0 >= 0.7142857142857143 and fd / 1000.0 < 0.3 or -2.5 > (fd - 9) / 2.0 group by 1

== beyond all numbers
-- query
count of syscall where fd / 3 < 1e30 and fd / 3 > -1e30 and not (pid / 3 > 1e300) by name
-- sql
select name, count(*) from events group by 1

== a duration that is not known
-- query
count of syscall where latency / 1ms < 5 or latency / 1ms >= 5 by name
-- sql
select name, count(*) from paired where latency is not null group by 1

== a throughput
-- query
sum(bytes) / sum(latency) as all, max(bytes / latency) as best, min(bytes / latency) as worst, avg(bytes / latency) as mean, count of syscall where latency > 0ns by name
-- sql
select name, sum(bytes) * 1e9 / sum(latency), max(bytes * 1e9 / latency), min(bytes * 1e9 / latency), avg(bytes * 1e9 / latency), count(*) from paired where latency > 0 group by 1

== and back
-- query
bytes / latency * latency as b, bytes / (bytes / latency) as l, pid / 4s as each, 10 / latency * latency = 10 or latency > 0ns as ten, time, pid of syscall where latency > 0ns and bytes > 0
-- sql
select bytes, latency, pid / 4.0, 1, time, pid from paired where latency > 0 and bytes > 0

== compared with a throughput
-- query
count of syscall where bytes / latency > 10MiB/s and latency > 0ns by name
-- sql
select name, count(*) from paired where latency > 0 and bytes * 1e9 / latency > 10485760 group by 1

== compared with a rate
-- query
count of syscall where 1 / latency > 2000/s by name
-- sql
select name, count(*) from paired where latency > 0 and 1e9 / latency > 2000 group by 1

== compared with fractions of rates
-- query
count of syscall where 1 / latency > 1999.5/s and bytes / latency < 2.5MiB/s or 1 / latency > 1e6/s by name
-- sql
select name, count(*) from paired where latency > 0 and (1e9 / latency > 1999.5 and bytes * 1e9 / latency < 2621440 or 1e9 / latency > 1e6) group by 1

== by nothing
-- query
1 / 0 as a, div(1, 0) as b, 1 % 0 as c, bytes / (latency - latency) as d, div(bytes, fd - fd) as e, bytes % (fd - fd) as f, time, pid of syscall where latency > 0ns
-- sql
select null, null, null, null, null, null, time, pid from paired where latency > 0
