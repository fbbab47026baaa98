Sixty queries as people of SQL, PromQL, bpftrace, LINQ and KQL write them by habit, twelve each. They are those of
published tutorials, which each case names. The tables, columns and metrics of the tutorials became sources and fields
that play the same part; those of bpftrace stand as they were published. Each works, or the error offers a query.

== SQL 1: w3schools.com/sql/sql_where.asp
-- query
SELECT * FROM read WHERE proc='java';
-- error
query:1:15: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT * FROM read WHERE proc='java';
                ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 2: postgresql.org/docs/current/tutorial-select.html
-- query
SELECT proc, (vsz-rss)/2 AS half, pid FROM processes;
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc, (vsz-rss)/2 AS half, pid FROM processes;
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 3: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc, count(*) FILTER (WHERE bytes < 45), max(bytes)
    FROM read
    GROUP BY proc;
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc, count(*) FILTER (WHERE bytes < 45), max(bytes)
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 4: postgresql.org/docs/current/tutorial-select.html
-- query
SELECT DISTINCT proc
    FROM open
    ORDER BY proc;
-- error
query:1:8: error: found `DISTINCT`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT DISTINCT proc
         ^~~~~~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 5: w3schools.com/sql/sql_orderby.asp and sql_top.asp
-- query
SELECT * FROM processes
ORDER BY rss DESC
LIMIT 3;
-- error
query:1:15: error: found `processes`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT * FROM processes
                ^~~~~~~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 6: w3schools.com/sql/sql_groupby.asp
-- query
SELECT COUNT(pid), proc
FROM syscall
GROUP BY proc
ORDER BY COUNT(pid) DESC;
-- error
query:1:8: error: found `COUNT`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT COUNT(pid), proc
         ^~~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 7: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc, count(*), max(latency)
    FROM read
    GROUP BY proc
    HAVING max(latency) < 40;
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc, count(*), max(latency)
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 8: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT file, count(*), max(bytes)
    FROM write
    WHERE file LIKE '/var/%'
    GROUP BY file;
-- error
query:1:8: error: found `file`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT file, count(*), max(bytes)
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 9: w3schools.com/sql/sql_between.asp
-- query
SELECT * FROM read
WHERE latency BETWEEN 10 AND 20
AND fd IN (1,2,3);
-- error
query:1:15: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT * FROM read
                ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 10: postgresql.org/docs/current/tutorial-agg.html
-- query
SELECT proc FROM processes
    WHERE rss = (SELECT max(rss) FROM processes);
-- error
query:1:8: error: found `proc`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT proc FROM processes
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== SQL 11: w3schools.com/sql/sql_ref_inner_join.asp
-- query
SELECT read.file, processes.cmdline
FROM read
INNER JOIN processes ON read.pid = processes.pid;
-- error
query:1:12: error: `.` has no meaning here [E-LEX-CHAR]
  SELECT read.file, processes.cmdline
             ^
  a name that holds `.` is quoted: "read.file"
query:1:28: error: `.` has no meaning here [E-LEX-CHAR]
  SELECT read.file, processes.cmdline
                             ^
  a name that holds `.` is quoted: "processes.cmdline"
query:3:29: error: `.` has no meaning here [E-LEX-CHAR]
  INNER JOIN processes ON read.pid = processes.pid;
                              ^
  a name that holds `.` is quoted: "read.pid"
query:3:45: error: `.` has no meaning here [E-LEX-CHAR]
  INNER JOIN processes ON read.pid = processes.pid;
                                              ^
  a name that holds `.` is quoted: "processes.pid"

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
query:1:8: error: found `file`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  SELECT file, bytes,
         ^~~~
  there is no `select`: `select pid, rss from processes` is `pid, rss of processes`, and groups are made by `by`: count of syscall by proc

== PromQL 1: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc="java", file="/var/log/syslog"}
-- error
query:1:5: error: `{` has no meaning here [E-LEX-CHAR]
  read{proc="java", file="/var/log/syslog"}
      ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:41: error: `}` has no meaning here [E-LEX-CHAR]
  read{proc="java", file="/var/log/syslog"}
                                          ^

== PromQL 2: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc="java", file="/var/log/syslog"}[5m]
-- error
query:1:42: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  read{proc="java", file="/var/log/syslog"}[5m]
                                           ^~~~
  as a query: rate of read every 5m

== PromQL 3: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
read{proc=~".*server"}
-- error
query:1:5: error: `{` has no meaning here [E-LEX-CHAR]
  read{proc=~".*server"}
      ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:22: error: `}` has no meaning here [E-LEX-CHAR]
  read{proc=~".*server"}
                       ^

== PromQL 4: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
sum(rate(read[5m])) by (proc)
-- error
query:1:14: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  sum(rate(read[5m])) by (proc)
               ^~~~
  as a query: rate of read by proc every 5m

== PromQL 5: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
topk(3, sum(rate(write[5m])) by (node, proc))
-- error
query:1:23: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  topk(3, sum(rate(write[5m])) by (node, proc))
                        ^~~~
  as a query: rate of write by node, proc every 5m

== PromQL 6: prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
-- query
histogram_quantile(0.9, sum by (proc, le) (rate(read_latency_bucket[10m])))
-- error
query:1:68: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  histogram_quantile(0.9, sum by (proc, le) (rate(read_latency_bucket[10m])))
                                                                     ^~~~~
  as a query: rate of read by proc, le every 10m

== PromQL 7: prometheus.io/docs/prometheus/latest/querying/operators/#one-to-one-vector-matches
-- query
read{error="EIO"} / ignoring(error) read
-- error
query:1:5: error: `{` has no meaning here [E-LEX-CHAR]
  read{error="EIO"} / ignoring(error) read
      ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:17: error: `}` has no meaning here [E-LEX-CHAR]
  read{error="EIO"} / ignoring(error) read
                  ^

== PromQL 8: prometheus.io/docs/prometheus/latest/querying/basics/#offset-modifier
-- query
rate(read[5m] offset 1w)
-- error
query:1:10: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  rate(read[5m] offset 1w)
           ^~~~
  as a query: rate of read every 5m

== PromQL 9: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
count(processes) by (user)
-- error
query:1:18: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count(processes) by (user)
                   ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== PromQL 10: prometheus.io/docs/prometheus/latest/querying/examples/
-- query
sum(
  vsz - rss
) by (user, proc) / 1024 / 1024
-- error
query:3:3: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  ) by (user, proc) / 1024 / 1024
    ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== PromQL 11: prometheus.io/docs/prometheus/latest/querying/functions/#increase
-- query
increase(read{proc="java"}[5m])
-- error
query:1:27: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  increase(read{proc="java"}[5m])
                            ^~~~
  as a query: rate of read every 5m

== PromQL 12: tessl.io/registry/pantheon-ai/promql-toolkit, best_practices.md
-- query
avg_over_time(read_latency{node="prod-1"}[5m])
-- error
query:1:42: error: a range in brackets is PromQL: here windows are a clause [E-SYNTAX]
  avg_over_time(read_latency{node="prod-1"}[5m])
                                           ^~~~
  as a query: rate of read every 5m

== bpftrace 1: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 2
-- query
BEGIN { printf("hello world\n"); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  BEGIN { printf("hello world\n"); }
  ^~~~~
  a query says what it wants of a source: count of open by proc every 1s

== bpftrace 2: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 3
-- query
tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args.filename)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args.filename)); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: events of openat

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
  functions of the kernel are not probed: system calls are, by name, and `latency` is from entry to return: hist(latency) of read

== bpftrace 6: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 7
-- query
kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); }
  ^~~~~~~~~~~~~~~
  functions of the kernel are not probed: tracepoints are, `runnel list 'tcp:*'` shows those of tcp; and system calls by name

== bpftrace 7: github.com/bpftrace/bpftrace docs/tutorial_one_liners.md, lesson 8
-- query
tracepoint:sched:sched* { @[probe] = count(); } interval:s:5 { exit(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:sched:sched* { @[probe] = count(); } interval:s:5 { exit(); }
  ^~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of tracepoint "sched:sched*" by name

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
  functions of the kernel are not probed: tracepoints are, `runnel list 'tcp:*'` shows those of tcp; and system calls by name

== bpftrace 12: github.com/bpftrace/bpftrace README.md, One-Liners
-- query
tracepoint:raw_syscalls:sys_enter { @ = count(); } interval:s:1 { print(@); clear(@); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:raw_syscalls:sys_enter { @ = count(); } interval:s:1 { print(@); clear(@); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall

== LINQ 1: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from r in read
where r.bytes > 80
orderby r.bytes descending
select r;
-- error
query:1:6: error: found `r`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from r in read
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:8: error: `.` has no meaning here [E-LEX-CHAR]
  where r.bytes > 80
         ^
  a name that holds `.` is quoted: "r.bytes"
query:3:1: error: found `orderby`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  orderby r.bytes descending
  ^~~~~~~
  did you mean `order`?
query:3:10: error: `.` has no meaning here [E-LEX-CHAR]
  orderby r.bytes descending
           ^
  a name that holds `.` is quoted: "r.bytes"

== LINQ 2: github.com/dotnet/try-samples 101-linq-samples/src/Partitions.cs
-- query
var first3Reads = read.Take(3);
-- error
query:1:5: error: found `first3Reads`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  var first3Reads = read.Take(3);
      ^~~~~~~~~~~
  is `of` missing? var of first3Reads
query:1:23: error: `.` has no meaning here [E-LEX-CHAR]
  var first3Reads = read.Take(3);
                        ^
  a name that holds `.` is quoted: "read.Take"

== LINQ 3: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
var bigReadCount = (
    from r in read
    where r.bytes > 80
    select r
).Count();
-- error
query:1:5: error: found `bigReadCount`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  var bigReadCount = (
      ^~~~~~~~~~~~
  is `of` missing? var of bigReadCount
query:3:12: error: `.` has no meaning here [E-LEX-CHAR]
      where r.bytes > 80
             ^
  a name that holds `.` is quoted: "r.bytes"
query:5:2: error: `.` has no meaning here [E-LEX-CHAR]
  ).Count();
   ^
  a name that holds `.` is quoted: ".Count"

== LINQ 4: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from p in processes
select new
{
    Name = p.proc,
    Memory = p.rss
};
-- error
query:1:6: error: found `p`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from p in processes
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:3:1: error: `{` has no meaning here [E-LEX-CHAR]
  {
  ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:4:13: error: `.` has no meaning here [E-LEX-CHAR]
      Name = p.proc,
              ^
  a name that holds `.` is quoted: "p.proc"
query:5:15: error: `.` has no meaning here [E-LEX-CHAR]
      Memory = p.rss
                ^
  a name that holds `.` is quoted: "p.rss"
query:6:1: error: `}` has no meaning here [E-LEX-CHAR]
  };
  ^

== LINQ 5: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
from r in read
group r by r.proc into g
select (Process: g.Key, ReadCount: g.Count());
-- error
query:1:6: error: found `r`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from r in read
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:13: error: `.` has no meaning here [E-LEX-CHAR]
  group r by r.proc into g
              ^
  a name that holds `.` is quoted: "r.proc"
query:3:1: error: found `select`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  select (Process: g.Key, ReadCount: g.Count());
  ^~~~~~
query:3:16: error: `:` has no meaning here [E-LEX-CHAR]
  select (Process: g.Key, ReadCount: g.Count());
                 ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:3:19: error: `.` has no meaning here [E-LEX-CHAR]
  select (Process: g.Key, ReadCount: g.Count());
                    ^
  a name that holds `.` is quoted: "g.Key"
query:3:34: error: `:` has no meaning here [E-LEX-CHAR]
  select (Process: g.Key, ReadCount: g.Count());
                                   ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:3:37: error: `.` has no meaning here [E-LEX-CHAR]
  select (Process: g.Key, ReadCount: g.Count());
                                      ^
  a name that holds `.` is quoted: "g.Count"

== LINQ 6: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
from r in read
group r by r.file into g
select (File: g.Key, AverageLatency: g.Average(r => r.latency));
-- error
query:1:6: error: found `r`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from r in read
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:13: error: `.` has no meaning here [E-LEX-CHAR]
  group r by r.file into g
              ^
  a name that holds `.` is quoted: "r.file"
query:3:1: error: found `select`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
  ^~~~~~
query:3:13: error: `:` has no meaning here [E-LEX-CHAR]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
              ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:3:16: error: `.` has no meaning here [E-LEX-CHAR]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
                 ^
  a name that holds `.` is quoted: "g.Key"
query:3:36: error: `:` has no meaning here [E-LEX-CHAR]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
                                     ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:3:39: error: `.` has no meaning here [E-LEX-CHAR]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
                                        ^
  a name that holds `.` is quoted: "g.Average"
query:3:54: error: `.` has no meaning here [E-LEX-CHAR]
  select (File: g.Key, AverageLatency: g.Average(r => r.latency));
                                                       ^
  a name that holds `.` is quoted: "r.latency"

== LINQ 7: learn.microsoft.com/dotnet/csharp/linq/get-started/query-expression-basics
-- query
from p in processes
let size = (int)p.rss / 10_000_000
group p by size into g
where g.Key >= 20
orderby g.Key
select g;
-- error
query:1:6: error: found `p`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from p in processes
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:18: error: `.` has no meaning here [E-LEX-CHAR]
  let size = (int)p.rss / 10_000_000
                   ^
  a name that holds `.` is quoted: "p.rss"
query:2:27: error: `_000_000` is not a unit [E-LEX-UNIT]
  let size = (int)p.rss / 10_000_000
                            ^~~~~~~~
  units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %
query:4:8: error: `.` has no meaning here [E-LEX-CHAR]
  where g.Key >= 20
         ^
  a name that holds `.` is quoted: "g.Key"
query:5:1: error: found `orderby`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  orderby g.Key
  ^~~~~~~
  did you mean `order`?
query:5:10: error: `.` has no meaning here [E-LEX-CHAR]
  orderby g.Key
           ^
  a name that holds `.` is quoted: "g.Key"

== LINQ 8: github.com/dotnet/try-samples 101-linq-samples/src/SetOperations.cs
-- query
var fileNames = (from o in open
                 select o.file)
                 .Distinct();
-- error
query:1:5: error: found `fileNames`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  var fileNames = (from o in open
      ^~~~~~~~~
  is `of` missing? var of fileNames
query:2:26: error: `.` has no meaning here [E-LEX-CHAR]
                   select o.file)
                           ^
  a name that holds `.` is quoted: "o.file"
query:3:18: error: `.` has no meaning here [E-LEX-CHAR]
                   .Distinct();
                   ^
  a name that holds `.` is quoted: ".Distinct"

== LINQ 9: github.com/dotnet/try-samples 101-linq-samples/src/AggregateOperators.cs
-- query
int oddReads = read.Count(r => r.bytes % 2 == 1);
-- error
query:1:5: error: found `oddReads`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  int oddReads = read.Count(r => r.bytes % 2 == 1);
      ^~~~~~~~
  is `of` missing? int of oddReads
query:1:20: error: `.` has no meaning here [E-LEX-CHAR]
  int oddReads = read.Count(r => r.bytes % 2 == 1);
                     ^
  a name that holds `.` is quoted: "read.Count"
query:1:33: error: `.` has no meaning here [E-LEX-CHAR]
  int oddReads = read.Count(r => r.bytes % 2 == 1);
                                  ^
  a name that holds `.` is quoted: "r.bytes"
query:1:44: error: `==` is written `=` here [E-LEX-CHAR]
  int oddReads = read.Count(r => r.bytes % 2 == 1);
                                             ^~

== LINQ 10: github.com/dotnet/try-samples 101-linq-samples/src/JoinOperations.cs
-- query
from o in open
join c in close on o.fd equals c.fd
select (File: o.file, c.time);
-- error
query:1:6: error: found `o`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from o in open
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:21: error: `.` has no meaning here [E-LEX-CHAR]
  join c in close on o.fd equals c.fd
                      ^
  a name that holds `.` is quoted: "o.fd"
query:2:33: error: `.` has no meaning here [E-LEX-CHAR]
  join c in close on o.fd equals c.fd
                                  ^
  a name that holds `.` is quoted: "c.fd"
query:3:13: error: `:` has no meaning here [E-LEX-CHAR]
  select (File: o.file, c.time);
              ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:3:16: error: `.` has no meaning here [E-LEX-CHAR]
  select (File: o.file, c.time);
                 ^
  a name that holds `.` is quoted: "o.file"
query:3:24: error: `.` has no meaning here [E-LEX-CHAR]
  select (File: o.file, c.time);
                         ^
  a name that holds `.` is quoted: "c.time"

== LINQ 11: github.com/dotnet/try-samples 101-linq-samples/src/Orderings.cs
-- query
from p in processes
orderby p.user, p.rss descending
select p;
-- error
query:1:6: error: found `p`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  from p in processes
       ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`
query:2:10: error: `.` has no meaning here [E-LEX-CHAR]
  orderby p.user, p.rss descending
           ^
  a name that holds `.` is quoted: "p.user"
query:2:18: error: `.` has no meaning here [E-LEX-CHAR]
  orderby p.user, p.rss descending
                   ^
  a name that holds `.` is quoted: "p.rss"

== LINQ 12: learn.microsoft.com/dotnet/csharp/linq/get-started/write-linq-queries
-- query
read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
-- error
query:1:5: error: `.` has no meaning here [E-LEX-CHAR]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
      ^
  a name that holds `.` is quoted: "read.Where"
query:1:15: error: found `>`, expected an expression [E-SYNTAX]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
                ^
query:1:18: error: `.` has no meaning here [E-LEX-CHAR]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
                   ^
  a name that holds `.` is quoted: "r.bytes"
query:1:29: error: `==` is written `=` here [E-LEX-CHAR]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
                              ^~
query:1:34: error: `.` has no meaning here [E-LEX-CHAR]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
                                   ^
  a name that holds `.` is quoted: ".OrderBy"
query:1:49: error: `.` has no meaning here [E-LEX-CHAR]
  read.Where(r => r.bytes % 2 == 0).OrderBy(r => r.bytes);
                                                  ^
  a name that holds `.` is quoted: "r.bytes"

== KQL 1: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| count
-- error
query:2:8: error: found the end of the query, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | count
         ^
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== KQL 2: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
open
| take 5
| project proc, file, error
-- error
query:2:8: error: found `5`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | take 5
         ^
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== KQL 3: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
syscall
| distinct name
-- error
query:2:12: error: found `name`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | distinct name
             ^~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`

== KQL 4: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| where proc == 'java' and user == 'root'
| sort by bytes
| project time, proc, file, bytes
-- error
query:2:3: error: found `where`, expected an expression [E-SYNTAX]
  | where proc == 'java' and user == 'root'
    ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
query:2:14: error: `==` is written `=` here [E-LEX-CHAR]
  | where proc == 'java' and user == 'root'
               ^~
query:2:33: error: `==` is written `=` here [E-LEX-CHAR]
  | where proc == 'java' and user == 'root'
                                  ^~
query:4:11: error: found `time`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | project time, proc, file, bytes
            ^~~~

== KQL 5: learn.microsoft.com/kusto/query/tutorials/learn-common-operators
-- query
read
| where proc == 'java' and user == 'root'
| top 5 by bytes desc
| extend Began = time - latency
-- error
query:2:3: error: found `where`, expected an expression [E-SYNTAX]
  | where proc == 'java' and user == 'root'
    ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
query:2:14: error: `==` is written `=` here [E-LEX-CHAR]
  | where proc == 'java' and user == 'root'
               ^~
query:2:33: error: `==` is written `=` here [E-LEX-CHAR]
  | where proc == 'java' and user == 'root'
                                  ^~
query:3:18: error: found `desc`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  | top 5 by bytes desc
                   ^~~~
  `desc` follows `order by`: order by count desc

== KQL 6: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
syscall
| summarize TotalCalls = count() by proc
| render barchart
-- error
query:2:13: error: found `TotalCalls`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | summarize TotalCalls = count() by proc
              ^~~~~~~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
query:3:10: error: found `barchart`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | render barchart
           ^~~~~~~~

== KQL 7: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| summarize ReadsWithData = countif(bytes > 0) by proc
| top 5 by ReadsWithData
-- error
query:2:13: error: found `ReadsWithData`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | summarize ReadsWithData = countif(bytes > 0) by proc
              ^~~~~~~~~~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
query:3:7: error: found `5`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | top 5 by ReadsWithData
        ^

== KQL 8: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| where time between (datetime(2026-01-01) .. datetime(2026-12-31))
    and bytes > 0
| summarize EventCount = count() by bin(time, 7d)
-- error
query:2:3: error: found `where`, expected an expression [E-SYNTAX]
  | where time between (datetime(2026-01-01) .. datetime(2026-12-31))
    ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
query:2:44: error: `.` has no meaning here [E-LEX-CHAR]
  | where time between (datetime(2026-01-01) .. datetime(2026-12-31))
                                             ^
  a name that holds `.` is quoted: ".."

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
query:2:3: error: found `where`, expected an expression [E-SYNTAX]
  | where bytes > 0
    ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
query:8:8: error: `by` is given twice [E-CLAUSE-DUP]
  | sort by AvgLatency
  ~~~~~~ ^~~~~~~~~~~~~
  join the two lists with `,`

== KQL 10: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
let TotalCalls = toscalar(syscall | summarize count());
syscall
| summarize EventCount = count() by name
| project name, EventCount, Percentage = todouble(EventCount) / TotalCalls * 100.0
-- error
query:1:16: error: found `=`, expected `:=` [E-SYNTAX]
  let TotalCalls = toscalar(syscall | summarize count());
                 ^
  a result gets its name as in `let slow := count of read by file for 5s`
query:3:13: error: found `EventCount`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | summarize EventCount = count() by name
              ^~~~~~~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
query:4:11: error: found `name`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | project name, EventCount, Percentage = todouble(EventCount) / TotalCalls * 100.0
            ^~~~

== KQL 11: learn.microsoft.com/kusto/query/tutorials/use-aggregation-functions
-- query
read
| where bytes > 0 or latency > 0
| summarize Files = make_set(file) by proc
| project proc, Files
| sort by array_length(Files)
-- error
query:2:3: error: found `where`, expected an expression [E-SYNTAX]
  | where bytes > 0 or latency > 0
    ^~~~~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
query:4:11: error: found `proc`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | project proc, Files
            ^~~~

== KQL 12: learn.microsoft.com/kusto/query/tutorials/join-data-from-multiple-tables
-- query
write
| summarize Written = sum(bytes) by proc
| join kind=innerunique processes on proc
| project proc, WrittenPerMemory = Written / rss
| sort by WrittenPerMemory
-- error
query:2:13: error: found `Written`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  | summarize Written = sum(bytes) by proc
              ^~~~~~~
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
query:3:8: error: found `kind`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  | join kind=innerunique processes on proc
         ^~~~
query:4:1: error: found `|`, expected a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  | project proc, WrittenPerMemory = Written / rss
  ^
  a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source
