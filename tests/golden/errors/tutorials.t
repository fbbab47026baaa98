Sixty queries as people of SQL, PromQL, bpftrace, LINQ and KQL write them by habit, twelve each. They are those of
published tutorials, which each case names. The tables, columns and metrics of the tutorials became sources and fields
that play the same part; those of bpftrace stand as they were published. Each works, or the error offers a query.

== SQL 1: w3schools.com/sql/sql_where.asp
-- query
SELECT * FROM read WHERE proc='java';
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT * FROM read WHERE proc='java';
  ^~~~~~
  as a query: * of read where proc = "java"

== SQL 2: postgresql.org/docs/current/tutorial-select.html
-- query
SELECT proc, (vsz-rss)/2 AS half, pid FROM processes;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, (vsz-rss)/2 AS half, pid FROM processes;
  ^~~~~~
  `/` of plain numbers has a fraction, `div(x, y)` has none. As a query: proc, (vsz - rss) / 2 as half, pid of processes

== SQL 3: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc, count(*) FILTER (WHERE bytes < 45), max(bytes)
    FROM read
    GROUP BY proc;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, count(*) FILTER (WHERE bytes < 45), max(bytes)
  ^~~~~~
  as a query: proc, count(where bytes < 45), max(bytes) of read by proc

== SQL 4: postgresql.org/docs/current/tutorial-select.html
-- query
SELECT DISTINCT proc
    FROM open
    ORDER BY proc;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT DISTINCT proc
  ^~~~~~
  as a query: proc of open by proc order by proc

== SQL 5: w3schools.com/sql/sql_orderby.asp and sql_top.asp
-- query
SELECT * FROM processes
ORDER BY rss DESC
LIMIT 3;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT * FROM processes
  ^~~~~~
  as a query: * of processes order by rss desc limit 3

== SQL 6: w3schools.com/sql/sql_groupby.asp
-- query
SELECT COUNT(pid), proc
FROM syscall
GROUP BY proc
ORDER BY COUNT(pid) DESC;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT COUNT(pid), proc
  ^~~~~~
  as a query: count, proc of syscall by proc order by count desc

== SQL 7: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc, count(*), max(latency)
    FROM read
    GROUP BY proc
    HAVING max(latency) < 40;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc, count(*), max(latency)
  ^~~~~~
  A time needs a unit: ms is a guess. As a query: proc, count, max(latency) of read by proc having max(latency) < 40ms

== SQL 8: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT file, count(*), max(bytes)
    FROM write
    WHERE file LIKE '/var/%'
    GROUP BY file;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT file, count(*), max(bytes)
  ^~~~~~
  as a query: file, count, max(bytes) of write where file ~ "/var/*" by file

== SQL 9: w3schools.com/sql/sql_between.asp
-- query
SELECT * FROM read
WHERE latency BETWEEN 10 AND 20
AND fd IN (1,2,3);
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT * FROM read
  ^~~~~~
  A time needs a unit: ms is a guess. As a query: * of read where latency between 10ms and 20ms and fd in (1, 2, 3)

== SQL 10: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc FROM processes
    WHERE rss = (SELECT max(rss) FROM processes);
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT proc FROM processes
  ^~~~~~
  as a query: proc of processes where rss = (max(rss) of processes)

== SQL 11: w3schools.com/sql/sql_ref_inner_join.asp
-- query
SELECT read.file, processes.cmdline
FROM read
INNER JOIN processes ON read.pid = processes.pid;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT read.file, processes.cmdline
  ^~~~~~
  A query has one source: this one asks for the rows whose `pid` is in `processes`, and shows none of its columns. As a query: file of read where pid in (pid of processes)

== SQL 12: w3schools.com/sql/sql_case.asp
-- query
SELECT file, bytes,
CASE
    WHEN bytes > 30 THEN 'The size is greater than 30'
    WHEN bytes = 30 THEN 'The size is 30'
    ELSE 'The size is under 30'
END AS SizeText
FROM write;
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  SELECT file, bytes,
  ^~~~~~
  as a query: file, bytes, if(bytes > 30, "The size is greater than 30", if(bytes = 30, "The size is 30", "The size is under 30")) as SizeText of write

== PromQL 1: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc="java", file="/var/log/syslog"}
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  read{proc="java", file="/var/log/syslog"}
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc = "java" and file = "/var/log/syslog"

== PromQL 2: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc="java", file="/var/log/syslog"}[5m]
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  read{proc="java", file="/var/log/syslog"}[5m]
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc = "java" and file = "/var/log/syslog" every 1s for 5m

== PromQL 3: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc=~".*server"}
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  read{proc=~".*server"}
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc =~ "server$"

== PromQL 4: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
sum(rate(read[5m])) by (proc)
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum(rate(read[5m])) by (proc)
  ^~~
  as a query: rate of read by proc every 5m

== PromQL 5: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
topk(3, sum(rate(write[5m])) by (node, proc))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  topk(3, sum(rate(write[5m])) by (node, proc))
  ^~~~
  as a query: rate of write by node, proc top 3 every 5m

== PromQL 6: prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
-- query
histogram_quantile(0.9, sum by (proc, le) (rate(read_latency_bucket[10m])))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  histogram_quantile(0.9, sum by (proc, le) (rate(read_latency_bucket[10m])))
  ^~~~~~~~~~~~~~~~~~
  as a query: p90(latency) of read by proc every 10m

== PromQL 7: prometheus.io/docs/prometheus/latest/querying/operators/#one-to-one-vector-matches
-- query
read{error="EIO"} / ignoring(error) read
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  read{error="EIO"} / ignoring(error) read
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count(where error = "EIO") / count of read

== PromQL 8: prometheus.io/docs/prometheus/latest/querying/basics/#offset-modifier
-- query
rate(read[5m] offset 1w)
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  rate(read[5m] offset 1w)
  ^~~~
  There is no offset. A query sees what happens while it runs, or a recording: `from "x.rnt"`. It is one number for all series: `by proc` would make one for each process. As a query: rate of read every 5m

== PromQL 9: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
count(processes) by (user)
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  count(processes) by (user)
  ^~~~~
  as a query: count of processes by user

== PromQL 10: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
sum(
  vsz - rss
) by (user, proc) / 1024 / 1024
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum(
  ^~~
  as a query: sum(vsz - rss) / 1024 / 1024 of processes by user, proc

== PromQL 11: prometheus.io/docs/prometheus/latest/querying/functions/#increase
-- query
increase(read{proc="java"}[5m])
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  increase(read{proc="java"}[5m])
  ^~~~~~~~
  It is one number for all series: `by proc` would make one for each process. As a query: count of read where proc = "java" every 5m

== PromQL 12: tessl.io/registry/pantheon-ai/promql-toolkit, best_practices.md
-- query
avg_over_time(read_latency{node="prod-1"}[5m])
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  avg_over_time(read_latency{node="prod-1"}[5m])
  ^~~~~~~~~~~~~
  It is one number for all series: `by proc` would make one for each process. As a query: avg(latency) of read where node = "prod-1" every 5m

== bpftrace 1: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 2
-- query
BEGIN { printf("hello world\n"); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  BEGIN { printf("hello world\n"); }
  ^~~~~
  A query says what it wants of a source. A first query: count of open by proc every 1s

== bpftrace 2: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 3
-- query
tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args.filename)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args.filename)); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: proc, file of openat

== bpftrace 3: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 4
-- query
tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall by proc

== bpftrace 4: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 5
-- query
tracepoint:syscalls:sys_exit_read /pid == 18644/ { @bytes = hist(args.ret); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_exit_read /pid == 18644/ { @bytes = hist(args.ret); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: hist(bytes) of read where pid = 18644

== bpftrace 5: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 6
-- query
kretprobe:vfs_read { @bytes = lhist(retval, 0, 2000, 200); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kretprobe:vfs_read { @bytes = lhist(retval, 0, 2000, 200); }
  ^~~~~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_read` is `read`. As a query: lhist(bytes, 0, 2000, 200) of read

== bpftrace 6: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 7
-- query
kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); }
  ^~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_read` is `read`. As a query: hist(latency) of read by proc

== bpftrace 7: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 8
-- query
tracepoint:sched:sched* { @[probe] = count(); } interval:s:5 { exit(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:sched:sched* { @[probe] = count(); } interval:s:5 { exit(); }
  ^~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of tracepoint "sched:sched*" by name for 5s

== bpftrace 8: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 9
-- query
profile:hz:99 { @[kstack] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  profile:hz:99 { @[kstack] = count(); }
  ^~~~~~~~~~~~~
  as a query: count of sample 99hz by stack

== bpftrace 9: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 10
-- query
tracepoint:sched:sched_switch { @[kstack] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:sched:sched_switch { @[kstack] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of tracepoint "sched:sched_switch" by stack

== bpftrace 10: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 11
-- query
tracepoint:block:block_rq_issue { @ = hist(args.bytes); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:block:block_rq_issue { @ = hist(args.bytes); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: hist(bytes) of tracepoint "block:block_rq_issue"

== bpftrace 11: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 12
-- query
kprobe:vfs_open
{
	printf("open path: %s\n", str(((struct path *)arg0)->dentry->d_name.name));
}
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:vfs_open
  ^~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_open` is `open`. Not all that it prints has a name here: `events` shows the fields that there are. As a query: events of open

== bpftrace 12: github.com/bpftrace/bpftrace README.md, One-Liners
-- query
tracepoint:raw_syscalls:sys_enter { @ = count(); } interval:s:1 { print(@); clear(@); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:raw_syscalls:sys_enter { @ = count(); } interval:s:1 { print(@); clear(@); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall every 1s

== LINQ 1: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from r in read
where r.bytes > 80
orderby r.bytes descending
select r;
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read
  ^~~~
  as a query: * of read where bytes > 80 order by bytes desc

== LINQ 2: github.com/dotnet/try-samples 101-linq-samples/src/Partitions.cs
-- query
var first3Reads = read.Take(3);
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  var first3Reads = read.Take(3);
  ^~~
  as a query: * of read limit 3

== LINQ 3: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
var bigReadCount = (
    from r in read
    where r.bytes > 80
    select r
).Count();
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  var bigReadCount = (
  ^~~
  as a query: count of read where bytes > 80

== LINQ 4: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from p in processes
select new
{
    Name = p.proc,
    Memory = p.rss
};
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from p in processes
  ^~~~
  as a query: proc as Name, rss as Memory of processes

== LINQ 5: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
from r in read
group r by r.proc into g
select (Process: g.Key, ReadCount: g.Count());
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read
  ^~~~
  as a query: proc as Process, count as ReadCount of read by proc

== LINQ 6: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
from r in read
group r by r.file into g
select (File: g.Key, AverageLatency: g.Average(r => r.latency));
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from r in read
  ^~~~
  as a query: file as File, avg(latency) as AverageLatency of read by file

== LINQ 7: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from p in processes
let size = (int)p.rss / 10_000_000
group p by size into g
where g.Key >= 20
orderby g.Key
select g;
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from p in processes
  ^~~~
  A group is one row here, with the number of its rows. `/` of plain numbers has a fraction, `div(x, y)` has none. As a query: rss / 10000000 as size, count of processes by size having size >= 20 order by size

== LINQ 8: github.com/dotnet/try-samples 101-linq-samples/src/SetOperations.cs
-- query
var fileNames = (from o in open
                 select o.file)
                 .Distinct();
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  var fileNames = (from o in open
  ^~~
  as a query: file of open by file

== LINQ 9: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
int oddReads = read.Count(r => r.bytes % 2 == 1);
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  int oddReads = read.Count(r => r.bytes % 2 == 1);
  ^~~
  as a query: count of read where bytes % 2 = 1

== LINQ 10: github.com/dotnet/try-samples 101-linq-samples/src/JoinOperations.cs
-- query
from o in open
join c in close on o.fd equals c.fd
select (File: o.file, c.time);
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from o in open
  ^~~~
  A pair is an event and the next one of the other class with the same keys. `on pid, fd` would tell processes apart. As a query: file as File, end of between open and close on fd

== LINQ 11: github.com/dotnet/try-samples 101-linq-samples/src/Orderings.cs
-- query
from p in processes
orderby p.user, p.rss descending
select p;
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  from p in processes
  ^~~~
  as a query: * of processes order by user, rss desc

== LINQ 12: learn.microsoft.com/dotnet/csharp/linq/get-started/write-linq-queries
-- query
read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
-- error
query:1:1: error: this is LINQ [E-SYNTAX]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
  ^~~~
  as a query: * of read where bytes % 2 = 0 order by bytes

== KQL 1: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| count
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  as a query: count of read

== KQL 2: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
open
| take 5
| project proc, file, error
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  open
  ^~~~
  as a query: proc, file, error of open limit 5

== KQL 3: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
syscall
| distinct name
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  syscall
  ^~~~~~~
  as a query: name of syscall by name

== KQL 4: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| where proc == 'java' and user == 'root'
| sort by bytes
| project time, proc, file, bytes
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  as a query: time, proc, file, bytes of read where proc = "java" and user = "root" order by bytes desc

== KQL 5: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| where proc == 'java' and user == 'root'
| top 5 by bytes desc
| extend Began = time - latency
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  A list names all its columns: add those that you want. As a query: time, proc, file, bytes, time - latency as Began of read where proc = "java" and user = "root" top 5 by bytes

== KQL 6: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
syscall
| summarize TotalCalls = count() by proc
| render barchart
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  syscall
  ^~~~~~~
  An answer is a table: `--format csv` and `json` are for programs that draw charts. As a query: proc, count as TotalCalls of syscall by proc

== KQL 7: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| summarize ReadsWithData = countif(bytes > 0) by proc
| top 5 by ReadsWithData
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  as a query: proc, count(where bytes > 0) as ReadsWithData of read by proc top 5 by ReadsWithData

== KQL 8: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| where time between (datetime(2026-01-01) .. datetime(2026-12-31))
    and bytes > 0
| summarize EventCount = count() by bin(time, 7d)
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  A query sees what happens while it runs, or a recording: `from "x.rnt"`. As a query: bucket(time, 7d), count as EventCount of read where time between "2026-01-01 00:00:00Z" and "2026-12-31 00:00:00Z" and bytes > 0 by bucket(time, 7d)

== KQL 9: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
write
| where bytes > 0
| summarize
    MaxLatency=max(latency),
    MinLatency=min(latency),
    AvgLatency=avg(latency)
    by file
| sort by AvgLatency
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  write
  ^~~~~
  as a query: file, max(latency) as MaxLatency, min(latency) as MinLatency, avg(latency) as AvgLatency of write where bytes > 0 by file order by AvgLatency desc

== KQL 10: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
let TotalCalls = toscalar(syscall | summarize count());
syscall
| summarize EventCount = count() by name
| project name, EventCount, Percentage = todouble(EventCount) / TotalCalls * 100.0
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  let TotalCalls = toscalar(syscall | summarize count());
  ^~~
  as a query: name, count as EventCount, share(count) * 100.0 as Percentage of syscall by name

== KQL 11: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| where bytes > 0 or latency > 0
| summarize Files = make_set(file) by proc
| project proc, Files
| sort by array_length(Files)
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  read
  ^~~~
  as a query: proc, set(file) as Files of read where bytes > 0 or latency > 0 by proc order by distinct(file) desc

== KQL 12: learn.microsoft.com/kusto/query/tutorials/join-data-from-multiple-tables
-- query
write
| summarize Written = sum(bytes) by proc
| join kind=innerunique processes on proc
| project proc, WrittenPerMemory = Written / rss
| sort by WrittenPerMemory
-- error
query:1:1: error: this is KQL [E-SYNTAX]
  write
  ^~~~~
  A query has one source: this one asks for the rows whose `proc` is in `processes`, and shows none of its columns. What follows `join` is left out. As a query: proc, sum(bytes) as Written of write by proc having proc in (proc of processes)
