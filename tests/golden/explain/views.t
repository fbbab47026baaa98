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
