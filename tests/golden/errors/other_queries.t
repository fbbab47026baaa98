Queries of other languages beside those of tutorials.t: what they are here, and which have no translation, since it
would mean something else.

== SELECT name FROM syscall WHERE error <> 0 LIMIT 10
-- query
SELECT name FROM syscall WHERE error <> 0 LIMIT 10
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT name FROM syscall WHERE error <> 0 LIMIT 10
  ^~~~~~
  as a query: name of syscall where error != 0 limit 10

== SELECT proc, avg(latency) AS a FROM read WHERE NOT proc = 'java' GROUP BY proc ORDER BY a DESC LIMIT 5 OFFSET 10;
-- query
SELECT proc, avg(latency) AS a FROM read WHERE NOT proc = 'java' GROUP BY proc ORDER BY a DESC LIMIT 5 OFFSET 10;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, avg(latency) AS a FROM read WHERE NOT proc = 'java' GROUP BY proc ORDER BY a DESC LIMIT 5 OFFSET 10;
  ^~~~~~
  There is no offset: these are the first rows. As a query: proc, avg(latency) as a of read where not proc = "java" by proc order by a desc limit 5

== select r.proc, r.bytes from read r where r.bytes > 4096 and r.proc like '%sql_'
-- query
select r.proc, r.bytes from read r where r.bytes > 4096 and r.proc like '%sql_'
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select r.proc, r.bytes from read r where r.bytes > 4096 and r.proc like '%sql_'
  ^~~~~~
  as a query: proc, bytes of read where bytes > 4096 and proc ~ "*sql?"

== SELECT a.file FROM open AS a JOIN close AS b ON a.fd = b.fd AND a.pid = b.pid
-- query
SELECT a.file FROM open AS a JOIN close AS b ON a.fd = b.fd AND a.pid = b.pid
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT a.file FROM open AS a JOIN close AS b ON a.fd = b.fd AND a.pid = b.pid
  ^~~~~~
  A pair is an event and the next one of the other class with the same keys. As a query: file of between open and close on fd, pid

== SELECT COUNT(DISTINCT file) FROM open
-- query
SELECT COUNT(DISTINCT file) FROM open
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT COUNT(DISTINCT file) FROM open
  ^~~~~~
  as a query: distinct(file) of open

== SELECT proc FROM read UNION SELECT proc FROM write
-- query
SELECT proc FROM read UNION SELECT proc FROM write
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc FROM read UNION SELECT proc FROM write
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SELECT * FROM read WHERE pid IN (SELECT pid FROM processes WHERE user = 'root')
-- query
SELECT * FROM read WHERE pid IN (SELECT pid FROM processes WHERE user = 'root')
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT * FROM read WHERE pid IN (SELECT pid FROM processes WHERE user = 'root')
  ^~~~~~
  as a query: * of read where pid in (pid of processes where user = "root")

== SELECT proc, sum(bytes) total FROM write GROUP BY 1 ORDER BY 2 DESC
-- query
SELECT proc, sum(bytes) total FROM write GROUP BY 1 ORDER BY 2 DESC
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, sum(bytes) total FROM write GROUP BY 1 ORDER BY 2 DESC
  ^~~~~~
  as a query: proc, sum(bytes) as total of write by proc order by total desc

== SELECT latency FROM open WHERE latency IS NOT NULL
-- query
SELECT latency FROM open WHERE latency IS NOT NULL
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT latency FROM open WHERE latency IS NOT NULL
  ^~~~~~
  as a query: latency of open where latency is not null

== SELECT COUNT(*) FROM read WHERE latency > 5
-- query
SELECT COUNT(*) FROM read WHERE latency > 5
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT COUNT(*) FROM read WHERE latency > 5
  ^~~~~~
  A time needs a unit: ms is a guess. As a query: count of read where latency > 5ms

== select proc, case when bytes > 10 then 'a' end from read
-- query
select proc, case when bytes > 10 then 'a' end from read
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  select proc, case when bytes > 10 then 'a' end from read
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== select top 5 * from read
-- query
select top 5 * from read
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select top 5 * from read
  ^~~~~~
  as a query: * of read limit 5

== read | where latency > 10ms | summarize count() by proc | sort by count_ desc | take 5
-- query
read | where latency > 10ms | summarize count() by proc | sort by count_ desc | take 5
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | where latency > 10ms | summarize count() by proc | sort by count_ desc | take 5
  ^~~~
  as a query: proc, count of read where latency > 10ms by proc order by count desc limit 5

== read | summarize percentile(latency, 95) by proc
-- query
read | summarize percentile(latency, 95) by proc
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | summarize percentile(latency, 95) by proc
  ^~~~
  as a query: proc, quantile(latency, 0.95) of read by proc

== read | summarize dcount(file) by bin(time, 1h)
-- query
read | summarize dcount(file) by bin(time, 1h)
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | summarize dcount(file) by bin(time, 1h)
  ^~~~
  as a query: bucket(time, 1h), distinct(file) of read by bucket(time, 1h)

== read | extend kb = bytes / 1024 | where kb > 4
-- query
read | extend kb = bytes / 1024 | where kb > 4
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | extend kb = bytes / 1024 | where kb > 4
  ^~~~
  A list names all its columns: add those that you want. `/` of plain numbers has a fraction, `div(x, y)` has none. As a query: * of (time, proc, file, bytes, bytes / 1024 as kb of read) where kb > 4

== read | take 5 | where bytes > 3
-- query
read | take 5 | where bytes > 3
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | take 5 | where bytes > 3
  ^~~~
  as a query: * of (* of read limit 5) where bytes > 3

== read | project proc, b = bytes | where b > 3
-- query
read | project proc, b = bytes | where b > 3
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | project proc, b = bytes | where b > 3
  ^~~~
  as a query: * of (proc, bytes as b of read) where b > 3

== read | where file contains "log" | count
-- query
read | where file contains "log" | count
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | where file contains "log" | count
  ^~~~
  `~` tells small letters from capitals. As a query: count of read where file ~ "*log*"

== read | join kind=leftouter processes on pid
-- query
read | join kind=leftouter processes on pid
-- error
query:1:13: error: found `kind`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  read | join kind=leftouter processes on pid
              ^~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== processes | top 10 by rss | project pid, proc, rss
-- query
processes | top 10 by rss | project pid, proc, rss
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  processes | top 10 by rss | project pid, proc, rss
  ^~~~~~~~~
  as a query: pid, proc, rss of processes top 10 by rss

== read | summarize s = sum(bytes), c = count() by proc | extend avgs = s / c | project proc, avgs
-- query
read | summarize s = sum(bytes), c = count() by proc | extend avgs = s / c | project proc, avgs
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | summarize s = sum(bytes), c = count() by proc | extend avgs = s / c | project proc, avgs
  ^~~~
  `/` of plain numbers has a fraction, `div(x, y)` has none. As a query: proc, avgs of (proc, sum(bytes) as s, count as c, s / c as avgs of read by proc)

== read.Where(r => r.file.StartsWith("/var")).Select(r => new { r.proc, r.bytes }).Take(10).ToList()
-- query
read.Where(r => r.file.StartsWith("/var")).Select(r => new { r.proc, r.bytes }).Take(10).ToList()
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  read.Where(r => r.file.StartsWith("/var")).Select(r => new { r.proc, r.bytes }).Take(10).ToList()
  ^~~~
  as a query: proc, bytes of read where startswith(file, "/var") limit 10

== read.GroupBy(r => r.proc).Select(g => new { g.Key, Total = g.Sum(r => r.bytes) }).OrderByDescending(x => x.Total)
-- query
read.GroupBy(r => r.proc).Select(g => new { g.Key, Total = g.Sum(r => r.bytes) }).OrderByDescending(x => x.Total)
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  read.GroupBy(r => r.proc).Select(g => new { g.Key, Total = g.Sum(r => r.bytes) }).OrderByDescending(x => x.Total)
  ^~~~
  as a query: proc as Key, sum(bytes) as Total of read by proc order by Total desc

== from r in read group r by r.proc
-- query
from r in read group r by r.proc
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read group r by r.proc
  ^~~~
  A group is one row here, with the number of its rows. As a query: proc, count of read by proc

== from r in read select r.bytes
-- query
from r in read select r.bytes
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read select r.bytes
  ^~~~
  as a query: bytes of read

== read.Sum(r => r.bytes)
-- query
read.Sum(r => r.bytes)
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  read.Sum(r => r.bytes)
  ^~~~
  as a query: sum(bytes) of read

== read.Max(r => r.latency)
-- query
read.Max(r => r.latency)
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  read.Max(r => r.latency)
  ^~~~
  as a query: max(latency) of read

== (from r in read select r.bytes).Max()
-- query
(from r in read select r.bytes).Max()
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  (from r in read select r.bytes).Max()
  ^
  as a query: max(bytes) of read

== from r in read where r.latency > 5 && r.proc == "java" select r
-- query
from r in read where r.latency > 5 && r.proc == "java" select r
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read where r.latency > 5 && r.proc == "java" select r
  ^~~~
  A time needs a unit: ms is a guess. As a query: * of read where latency > 5ms and proc = "java"

== from r in read group r by r.proc into g where g.Count() > 5 orderby g.Count() descending select new { g.Key, N = g.Count() }
-- query
from r in read group r by r.proc into g where g.Count() > 5 orderby g.Count() descending select new { g.Key, N = g.Count() }
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read group r by r.proc into g where g.Count() > 5 orderby g.Count() descending select new { g.Key, N = g.Count() }
  ^~~~
  as a query: proc as Key, count as N of read by proc having count > 5 order by count desc

== sum(rate(read_bytes_total{proc!="java"}[1m])) by (proc) > 100
-- query
sum(rate(read_bytes_total{proc!="java"}[1m])) by (proc) > 100
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum(rate(read_bytes_total{proc!="java"}[1m])) by (proc) > 100
  ^~~
  as a query: rate(bytes) of read where proc != "java" by proc having rate(bytes) > 100 every 1m

== 100 * sum(rate(read[5m]))
-- query
100 * sum(rate(read[5m]))
-- error
query:1:20: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  100 * sum(rate(read[5m]))
                     ^~~~
  a first query: rate of read by proc every 5m

== histogram_quantile(0.999, sum(rate(read_latency_bucket[5m])) by (le))
-- query
histogram_quantile(0.999, sum(rate(read_latency_bucket[5m])) by (le))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  histogram_quantile(0.999, sum(rate(read_latency_bucket[5m])) by (le))
  ^~~~~~~~~~~~~~~~~~
  as a query: quantile(latency, 0.999) of read every 5m

== http_requests_total{job="x"}
-- query
http_requests_total{job="x"}
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  http_requests_total{job="x"}
  ^~~~~~~~~~~~~~~~~~~
  A metric is a source here: `read` is put for `http_requests_total`. It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc = "x"

== max by (proc) (rss)
-- query
max by (proc) (rss)
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  max by (proc) (rss)
  ^~~
  as a query: max(rss) of processes by proc

== rss{proc="java"}
-- query
rss{proc="java"}
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  rss{proc="java"}
  ^~~
  as a query: rss of processes where proc = "java"

== sum without (node) (rate(read[5m]))
-- query
sum without (node) (rate(read[5m]))
-- error
query:1:30: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  sum without (node) (rate(read[5m]))
                               ^~~~
  a first query: rate of read by proc every 5m

== rate(read[5m]) / rate(write[5m])
-- query
rate(read[5m]) / rate(write[5m])
-- error
query:1:10: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  rate(read[5m]) / rate(write[5m])
           ^~~~
  a first query: rate of read by proc every 5m

== bottomk(3, sum(rate(read[5m])) by (proc))
-- query
bottomk(3, sum(rate(read[5m])) by (proc))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  bottomk(3, sum(rate(read[5m])) by (proc))
  ^~~~~~~
  as a query: rate of read by proc order by rate limit 3 every 5m

== irate(read[5m])
-- query
irate(read[5m])
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  irate(read[5m])
  ^~~~~
  It is one number for all series: `by proc` would make one for each process. As a query: rate of read every 5m

== predict_linear(read[1h], 3600)
-- query
predict_linear(read[1h], 3600)
-- error
query:1:20: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  predict_linear(read[1h], 3600)
                     ^~~~
  a first query: rate of read by proc every 1h

== avg(rate(read[5m])) by (proc)
-- query
avg(rate(read[5m])) by (proc)
-- error
query:1:14: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  avg(rate(read[5m])) by (proc)
               ^~~~
  a first query: rate of read by proc every 5m

== kprobe:tcp_sendmsg { @[comm] = sum(arg2); }
-- query
kprobe:tcp_sendmsg { @[comm] = sum(arg2); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:tcp_sendmsg { @[comm] = sum(arg2); }
  ^~~~~~~~~~~~~~~~~~
  functions of the kernel are written kernel "vfs_read": count of kernel "vfs_*" by func; if it has no kprobes, tracepoints are there: `runnel list 'tcp:*'`

== tracepoint:syscalls:sys_enter_* { @[probe] = count(); }
-- query
tracepoint:syscalls:sys_enter_* { @[probe] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_enter_* { @[probe] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall by name

== software:faults:1 { @[comm] = count(); }
-- query
software:faults:1 { @[comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  software:faults:1 { @[comm] = count(); }
  ^~~~~~~~~~~~~~~~~
  such events are tracepoints: count of tracepoint "exceptions:page_fault_user" by proc

== tracepoint:block:block_rq_issue { printf("%d %s %d\n", pid, comm, args->bytes); }
-- query
tracepoint:block:block_rq_issue { printf("%d %s %d\n", pid, comm, args->bytes); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:block:block_rq_issue { printf("%d %s %d\n", pid, comm, args->bytes); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: pid, proc, bytes of tracepoint "block:block_rq_issue"

== tracepoint:syscalls:sys_exit_read /args->ret/ { @[comm] = sum(args->ret); }
-- query
tracepoint:syscalls:sys_exit_read /args->ret/ { @[comm] = sum(args->ret); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_exit_read /args->ret/ { @[comm] = sum(args->ret); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: sum(bytes) of read where ret != 0 by proc

== profile:hz:99 /pid == 189/ { @[ustack] = count(); }
-- query
profile:hz:99 /pid == 189/ { @[ustack] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  profile:hz:99 /pid == 189/ { @[ustack] = count(); }
  ^~~~~~~~~~~~~
  as a query: count of sample 99hz where pid = 189 by ustack

== tracepoint:raw_syscalls:sys_enter { @[pid, comm] = count(); }
-- query
tracepoint:raw_syscalls:sys_enter { @[pid, comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:raw_syscalls:sys_enter { @[pid, comm] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall by pid, proc

== t:syscalls:sys_enter_openat /cgroup == cgroupid("/sys/fs/cgroup/x")/ { printf("%s\n", str(args->filename)); }
-- query
t:syscalls:sys_enter_openat /cgroup == cgroupid("/sys/fs/cgroup/x")/ { printf("%s\n", str(args->filename)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  t:syscalls:sys_enter_openat /cgroup == cgroupid("/sys/fs/cgroup/x")/ { printf("%s\n", str(args->filename)); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  A part of its condition is left out. As a query: file of openat

== SELECT "proc" FROM read
-- query
SELECT "proc" FROM read
-- error
query:1:8: error: found a quoted string, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT "proc" FROM read
         ^~~~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SELECT proc || 'x' FROM read
-- query
SELECT proc || 'x' FROM read
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc || 'x' FROM read
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc
query:1:13: error: `||` is written `or` here [E-LEX-CHAR]
  SELECT proc || 'x' FROM read
              ^~

== SELECT proc FROM read WHERE file LIKE '50\%'
-- query
SELECT proc FROM read WHERE file LIKE '50\%'
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc FROM read WHERE file LIKE '50\%'
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc
query:1:42: error: this escape is not known in a string [E-LEX-ESCAPE]
  SELECT proc FROM read WHERE file LIKE '50\%'
                                           ^~
  known are \n \r \t \\ \" \' and \xHH; a backslash itself is written \\

== read | where proc =~ "JAVA"
-- query
read | where proc =~ "JAVA"
-- error
query:1:8: error: found `where`, expected an expression [E-SYNTAX]
  read | where proc =~ "JAVA"
         ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source

== read | where time > ago(1h) | summarize count() by proc
-- query
read | where time > ago(1h) | summarize count() by proc
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read | where time > ago(1h) | summarize count() by proc
  ^~~~
  A query sees what happens while it runs, or a recording: `from "x.rnt"`. As a query: proc, count of read where time > now() - 1h by proc

== read | project-away bytes
-- query
read | project-away bytes
-- error
query:1:21: error: found `bytes`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  read | project-away bytes
                      ^~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== sum(read_errors_total) by (proc)
-- query
sum(read_errors_total) by (proc)
-- error
query:1:24: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  sum(read_errors_total) by (proc)
                         ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== sum by (node) (sum by (node, proc) (rate(read[5m])))
-- query
sum by (node) (sum by (node, proc) (rate(read[5m])))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum by (node) (sum by (node, proc) (rate(read[5m])))
  ^~~
  as a query: rate of read by node every 5m

== sum(sum by (proc) (rate(read[5m])))
-- query
sum(sum by (proc) (rate(read[5m])))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum(sum by (proc) (rate(read[5m])))
  ^~~
  as a query: rate of read every 5m

== topk by (node) (3, rate(read[5m]))
-- query
topk by (node) (3, rate(read[5m]))
-- error
query:1:29: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  topk by (node) (3, rate(read[5m]))
                              ^~~~
  a first query: rate of read by proc every 5m

== sum(topk(3, rate(read[5m])))
-- query
sum(topk(3, rate(read[5m])))
-- error
query:1:22: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  sum(topk(3, rate(read[5m])))
                       ^~~~
  a first query: rate of read by proc every 5m

== rate(read[5m]) + rate(read[5m]) * 2
-- query
rate(read[5m]) + rate(read[5m]) * 2
-- error
query:1:10: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  rate(read[5m]) + rate(read[5m]) * 2
           ^~~~
  a first query: rate of read by proc every 5m

== rate(read[5m]) * 2 + 1
-- query
rate(read[5m]) * 2 + 1
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  rate(read[5m]) * 2 + 1
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: rate * 2 + 1 of read every 5m

== read{le="0.5"}
-- query
read{le="0.5"}
-- error
query:1:5: error: `{` has no meaning here [E-LEX-CHAR]
  read{le="0.5"}
      ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:14: error: `}` has no meaning here [E-LEX-CHAR]
  read{le="0.5"}
               ^

== tracepoint:syscalls:sys_exit_read { @a[comm] = count(); @b = hist(args.ret); }
-- query
tracepoint:syscalls:sys_exit_read { @a[comm] = count(); @b = hist(args.ret); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_exit_read { @a[comm] = count(); @b = hist(args.ret); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  It is about the first of its maps. As a query: count of read by proc

== kprobe:vfs_read,kprobe:vfs_write { @[comm] = count(); }
-- query
kprobe:vfs_read,kprobe:vfs_write { @[comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:vfs_read,kprobe:vfs_write { @[comm] = count(); }
  ^~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_read` is `read`. It is about the first of its probes. As a query: count of read by proc

== SELECT proc, COUNT(*) FROM read WHERE bytes > 0 OR latency > 1 AND bytes < 3 GROUP BY proc
-- query
SELECT proc, COUNT(*) FROM read WHERE bytes > 0 OR latency > 1 AND bytes < 3 GROUP BY proc
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, COUNT(*) FROM read WHERE bytes > 0 OR latency > 1 AND bytes < 3 GROUP BY proc
  ^~~~~~
  A time needs a unit: ms is a guess. As a query: proc, count of read where bytes > 0 or latency > 1ms and bytes < 3 by proc

== SELECT avg(latency) FROM read HAVING avg(latency) > 3
-- query
SELECT avg(latency) FROM read HAVING avg(latency) > 3
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT avg(latency) FROM read HAVING avg(latency) > 3
  ^~~~~~
  A time needs a unit: ms is a guess. As a query: avg(latency) of read having avg(latency) > 3ms

== read | summarize arg_max(bytes, *) by proc
-- query
read | summarize arg_max(bytes, *) by proc
-- error
query:1:18: error: found `arg_max`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  read | summarize arg_max(bytes, *) by proc
                   ^~~~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== SELECT * FROM read WHERE time > '2026-01-01' ORDER BY time DESC FETCH FIRST 5 ROWS ONLY
-- query
SELECT * FROM read WHERE time > '2026-01-01' ORDER BY time DESC FETCH FIRST 5 ROWS ONLY
-- error
query:1:15: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT * FROM read WHERE time > '2026-01-01' ORDER BY time DESC FETCH FIRST 5 ROWS ONLY
                ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== from r in read select new { r.proc, Slow = r.latency > 5 }
-- query
from r in read select new { r.proc, Slow = r.latency > 5 }
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read select new { r.proc, Slow = r.latency > 5 }
  ^~~~
  A time needs a unit: ms is a guess. As a query: proc, latency > 5ms as Slow of read

== read.Where(r => r.latency > 5).Any()
-- query
read.Where(r => r.latency > 5).Any()
-- error
query:1:11: error: found `(`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  read.Where(r => r.latency > 5).Any()
            ^
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== read{proc=~"java|node", file!~"/tmp/.*"}
-- query
read{proc=~"java|node", file!~"/tmp/.*"}
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  read{proc=~"java|node", file!~"/tmp/.*"}
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc =~ "^(java|node)$" and not file =~ "^/tmp/"
