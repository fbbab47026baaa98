== a result is a source
-- query
let slow := count, p99(latency) as worst of read where latency > 10ms by file for 5s;
file, worst of slow where count > 3 order by worst desc
-- types
query list
  items
    column file : string
    column worst : duration
  source result slow
  where
    > : boolean
      column count : integer
      literal 3 : integer
  order
    desc
      column worst : duration
-- plan
rows of result slow
  where count > 3
  out file: string
  out worst: duration
  order worst desc
-- split
fragment of result slow
  where count > 3 -- node: the rows of a result are at the coordinator
  row (count, file, worst)
  column file
  column worst
-- explain
answer: file, worst
  reads the result `slow` (of line 1), at the coordinator
  where count > 3  at the coordinator
  orders by worst descending

== nothing of what made it is merged, pushed or pruned
-- query
let rows := file, bytes, latency of read where bytes > 0 for 5s;
sum(bytes) of rows where file ~ "*.log" by file having file != "x"
-- plan
groups of result rows
  where file != "x"
  where file ~ "*.log"
  key file
  aggregate sum(bytes)
  out file: string
  out sum(bytes): size
  order sum(bytes) desc, file
-- explain
answer: file, sum(bytes)
  reads the result `rows` (of line 1), at the coordinator
  where file != "x"     at the coordinator
  and   file ~ "*.log"  at the coordinator
  groups by file, formed at the coordinator
    sum(bytes)  a sum
  orders by sum(bytes) descending, file

== windows
-- query
let w := count of read by proc every 1s for 5s;
max(count) of w by bucket(window, 10s) as t
-- plan
groups of result w
  key bucket(window, 10s)
  aggregate max(count)
  out t = bucket(window, 10s): time
  out max(count): integer
  order max(count) desc, t

== windows of windows
-- query
let w := count of read by proc every 1s for 5s;
max(count) of w by proc every 2s
-- plan
groups of result w
  key proc
  aggregate max(count)
  out proc: string
  out max(count): integer
  order max(count) desc, proc
  every 2s

== a set of constants
-- query
let slow := count of read by pid for 5s;
count of write where pid in (pid of slow where count > 5) by file
-- plan
groups of write
  where pid in (query 1)
  key file
  aggregate count
  out file: string
  out count: integer
  order count desc, file
  query 1:
    rows of result slow
      where count > 5
      out pid: integer
-- explain
answer: file, count
  watches write, live, on each node
  where pid in (query 1)  in the kernel
  query 1, run first for its values:
    reads the result `slow` (of line 1), at the coordinator
    where count > 5  at the coordinator
  groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, file

== the greatest by what was an aggregate
-- query
let slow := count, max(pid) as p of read by proc, fd for 5s;
top 3 of slow
-- plan
rows of result slow
  out proc: string
  out fd: integer
  out count: integer
  out p: integer
  order count desc
  limit 3

== all of its columns
-- query
let slow := top 5 of (count of read by proc for 5s);
events of slow
-- plan
rows of result slow
  out proc: string
  out count: integer

== the latest of a name, and a result of a result
-- query
let a := count as n of read by proc for 1s;
let a := proc, n * 2 as twice of a where n > 1;
twice of a
-- plan
rows of result a
  out twice: integer
-- explain
answer: twice
  reads the result `a` (of line 2), at the coordinator

== a result hides a class
-- query
let read := count as n of write for 5s;
n of read
-- plan
rows of result read
  out n: integer

== an assertion about groups
-- query
assert p99(latency) < 10ms and count > 0, max(bytes) in (1B, 2B) of write by file for 5s
-- types
query list grouped
  items
    field file : string
    and : boolean
      < : boolean
        aggregate p99 : duration
          field latency : duration
        literal 10ms : duration
      > : boolean
        aggregate count : integer
        literal 0 : integer
    in : boolean
      aggregate max : size
        field bytes : size
      literal 1B : size
      literal 2B : size
    aggregate p99 : duration
      field latency : duration
    aggregate count : integer
    aggregate max : size
      field bytes : size
  source write
  by
    field file : string
  for 5s
-- plan
groups of write
  key file
  aggregate p99(latency)
  aggregate count
  aggregate max(bytes)
  out file: string
  out p99(latency) < 10ms and count > 0: boolean
  out max(bytes) in (1B, 2B): boolean
  out p99(latency): duration
  out count: integer
  out max(bytes): size
  order file
  for 5s

== an assertion about rows
-- query
assert latency < 10ms or not error = 0, proc = java of write where bytes between 1B and 2B for 5s
-- plan
rows of write
  where bytes >= 1B
  where bytes <= 2B
  out latency < 10ms or not error = 0: boolean
  out proc = java = proc = "java": boolean
  out latency: duration
  out error: error
  out proc: string
  for 5s

== an assertion about a result
-- query
let slow := count as n of read by proc for 5s;
assert count = 0 of slow else "some reads are slow"
-- plan
groups of result slow
  aggregate count
  out count = 0: boolean
  out count: integer

== a query in between is merged, the result is not
-- query
let rows := file, bytes of read for 5s;
sum(n) of (file, bytes * 2 as n of rows where bytes > 1B) where n < 5KiB by file
-- plan
groups of result rows
  merged nested query
  where bytes > 1B
  where bytes * 2 < 5KiB
  key file
  aggregate sum(n) of bytes * 2
  out file: string
  out sum(n): size
  order sum(n) desc, file
-- explain
answer: file, sum(n)
  reads the result `rows` (of line 1), at the coordinator
  merged into it: nested query
  where bytes > 1B        at the coordinator
  and   bytes * 2 < 5KiB  at the coordinator
  groups by file, formed at the coordinator
    sum(n) of bytes * 2  a sum
  orders by sum(n) descending, file
