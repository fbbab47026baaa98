== a predicate over a view of groups goes into the kernel, an unread column is not made
-- views
view slow_reads(threshold) := count as slow, max(latency) as slowest, p50(latency) as typical of read where latency > $threshold by proc, file order by slowest desc;
-- query
proc, slow of slow_reads(5ms) where proc = java
-- explain
answer: proc, slow
  reads the answer of the view slow_reads, below, at the coordinator
  view slow_reads:
    watches read, live, on each node
    where latency > 5ms  in the kernel
    and   proc = "java"  in the kernel
    groups by proc, file, formed in the kernel (every predicate, key and argument is known to the kernel)
      count         a counter, per CPU
      max(latency)  the greatest, per CPU
    no event leaves the kernel, only partial states do
    the coordinator merges the partial states of all CPUs and nodes, and finishes them
    orders by slowest descending, proc, file

== a view of a view
-- views
view rows := time, proc, file, bytes, latency of read where bytes > 0;
view under(dir) := proc, file, bytes of rows where file ~ $dir;
view big(dir, least = 1MiB) := sum(bytes) as moved of under($dir) by proc, file;
-- query
file, moved of big("/tmp/*") where proc = java and file !~ "*.o"
-- explain
answer: file, moved
  reads the answer of the view big, below, at the coordinator
  view big:
    watches read, live, on each node
    merged into it: view under, view rows
    where bytes > 0        in the kernel
    and   proc = "java"    in the kernel
    and   file ~ "/tmp/*"  in the kernel
    and   file !~ "*.o"    in the kernel
    groups by proc, file, formed in the kernel (every predicate, key and argument is known to the kernel)
      sum(bytes)  a sum, per CPU
    no event leaves the kernel, only partial states do
    the coordinator merges the partial states of all CPUs and nodes, and finishes them
    orders by moved descending, proc, file

== what cannot be moved says why
-- views
view top_files(n = 20) := sum(bytes) as moved, count as calls of write by file top $n by moved;
view slow(threshold) := count as slow of read where latency > $threshold by file;
-- query
file of top_files where file ~ "/tmp/*"
-- explain
answer: file
  reads the answer of the view top_files, below, at the coordinator
  where file ~ "/tmp/*"  at the coordinator (which 20 come first is decided before)
  view top_files:
    watches write, live, on each node
    groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
      sum(bytes)  a sum, per CPU
    no event leaves the kernel, only partial states do
    the coordinator merges the partial states of all CPUs and nodes, and finishes them
    orders by moved descending, file
    keeps the first 20

== an aggregate of a view
-- views
view slow(threshold) := count as slow of read where latency > $threshold by file;
-- query
sum(slow) of slow(5ms) where slow > 3 and file ~ "/tmp/*"
-- explain
answer: sum(slow)
  reads the answer of the view slow, below, at the coordinator
  where slow > 3  at the coordinator (slow is known once its group is complete)
  one group, formed at the coordinator
    sum(slow)  a sum
  view slow:
    watches read, live, on each node
    where latency > 5ms    in the kernel
    and   file ~ "/tmp/*"  in the kernel
    groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
      count  a counter, per CPU
    no event leaves the kernel, only partial states do
    the coordinator merges the partial states of all CPUs and nodes, and finishes them

== a class and views of events as one list
-- views
view late(t) := events of open where latency > $t and proc = java;
view later := events of late(10ms) where error = 0;
-- query
count of getppid, later, late(5ms) where user != alice by name
-- explain
answer: name, count
  watches getppid, open, live, on each node
  where name = "getppid" or name in ("open", "openat", "openat2", "creat") and latency > 10ms and proc = "java" and error = 0 or name in ("open", "openat", "openat2", "creat") and latency > 5ms and proc = "java"  in the kernel
  and   user != "alice"  in the kernel (the node judges each name once)
  groups by name, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  an event leaves the kernel only if it is not judged yet
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, name

== a condition on a field that others of the list lack
-- views
view large := events of read where bytes > 4KiB;
-- query
count of exit, large by name
-- explain
answer: name, count
  watches exit, read, live, on each node
  where name = "exit" or name in ("read", "pread64", "readv", "preadv", "preadv2") and bytes > 4KiB  in the kernel
  groups by name, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, name

== the same, which only the node can test
-- views
view logs := events of read where file =~ "log[0-9]";
-- query
count of exit, logs by name
-- explain
answer: name, count
  watches exit, read, live, on each node
  where name = "exit" or name in ("read", "pread64", "readv", "preadv", "preadv2") and file =~ "log[0-9]"  at the node (regex: not in the kernel)
  what passes leaves the kernel as a row of name, file
  groups by name, formed at the node (a predicate before it runs at the node)
    count  a counter
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, name

== every call, and a view of other events
-- views
view failed := events of tracepoint "sched:sched_*" where proc = java;
-- query
count of failed, syscall
-- explain
answer: count
  watches syscall, tracepoint "sched:sched_*", live, on each node
  where name ~ "sched:sched_*" and proc = "java" or not name ~ "sched:sched_*"  in the kernel
  one group, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them

== a view of a list with a view
-- views
view late := events of open where latency > 1ms;
view slow := events of late, fsync, tracepoint "sched:sched_switch" where pid > 1;
-- query
count of slow, exit
-- explain
answer: count
  watches exit, fsync, open, tracepoint "sched:sched_switch", live, on each node
  where name in ("fsync", "open", "openat", "openat2", "creat", "sched:sched_switch") and (name in ("open", "openat", "openat2", "creat") and latency > 1ms or name = "fsync" or name = "sched:sched_switch") and pid > 1 or name = "exit"  in the kernel
  one group, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
