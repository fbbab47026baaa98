`every` of rows, of tables, and around nested queries.

== top of each window of groups
-- query
top 2 of (count of read by proc) every 1s for 3s
-- plan
rows of nested query
  out proc: string
  out count: integer
  order count desc
  limit 2
  every 1s
  for 3s
  source:
    groups of read
      key proc
      aggregate count
      out proc: string
      out count: integer
      order count desc, proc
      every 1s
      for 3s
-- split
fragment of nested query
  row (proc, count)
  column proc
  column count
  source:
    fragment of read
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key proc
      aggregate count
      every 1s
-- explain
answer: window, proc, count
  reads the answer of the nested query below, at the coordinator
  in windows of 1s, once those below are complete, each of them by itself
  orders by count descending
  keeps the first 2 of each window
  nested query:
    watches read, live, on each node
    groups by proc, formed in the kernel (every predicate, key and argument is known to the kernel)
      count  a counter, per CPU
    no event leaves the kernel, only partial states do
    in windows of 1s, by the time of the event
    the coordinator merges the partial states of all CPUs and nodes, and finishes them
    orders by count descending, proc
    stops after 3s

== rows in order
-- query
proc, latency of read top 3 by latency every 1s
-- plan
rows of read
  out proc: string
  out latency: duration
  order latency desc
  limit 3
  every 1s
-- explain
answer: window, proc, latency
  watches read, live, on each node
  what passes leaves the kernel as a row of proc, latency
  in windows of 1s, by the time of the event, each of them by itself
  orders by latency descending
  keeps the first 3 of each window

== rows with their windows
-- query
time, proc of read every 1s
-- plan
rows of read
  out time: time
  out proc: string
  every 1s
-- explain
answer: window, time, proc
  watches read, live, on each node
  what passes leaves the kernel as a row of time, proc
  each row with its window of 1s, by the time of the event

== a limit holds in each window, so no node can know it
-- query
time, proc of read limit 5 every 1s
-- plan
rows of read
  out time: time
  out proc: string
  limit 5
  every 1s

== a view of rows is still merged
-- views
view big := proc, bytes of read where bytes > 1MiB;
-- query
events of big top 3 by bytes every 1s
-- plan
rows of read
  merged view big
  where bytes > 1MiB
  out proc: string
  out bytes: size
  order bytes desc
  limit 3
  every 1s

== rows with windows of their own are not merged
-- query
count of (proc, bytes of read every 1s) by window
-- plan
groups of nested query
  key window
  aggregate count
  out window: time
  out count: integer
  order count desc, window
  source:
    rows of read
      out proc: string
      every 1s

== groups of groups
-- query
max(n) of (count as n of read by proc) every 1s
-- plan
groups of nested query
  aggregate max(n)
  out max(n): integer
  every 1s
  source:
    groups of read
      key proc
      aggregate count
      out n = count: integer
      every 1s

== windows of its own inside
-- query
top 3 of (top 2 of (count as n of read by proc every 1s)) every 10s
-- plan
rows of nested query
  out proc: string
  out n: integer
  order n desc
  limit 3
  every 10s
  source:
    rows of nested query
      out proc: string
      out n: integer
      order n desc
      limit 2
      every 10s, of the query around it
      source:
        groups of read
          key proc
          aggregate count
          out proc: string
          out n = count: integer
          order n desc, proc
          every 1s

== a set is asked once
-- query
count of read where pid in (pid of processes where user = root) every 1s
-- plan
groups of read
  where pid in (query 1)
  aggregate count
  out count: integer
  every 1s
  query 1:
    rows of processes
      where user = "root"
      out pid: integer
-- explain
answer: window, count
  watches read, live, on each node
  where pid in (query 1)  in the kernel
  query 1, run first for its values:
    reads the table processes, once, at the node
    where user = "root"  at the node (a table is read in user space)
    each row holds user, pid
  one group, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  in windows of 1s, by the time of the event
  the coordinator merges the partial states of all CPUs and nodes, and finishes them

== a table
-- query
top 3 of (pid, rss of processes where user = root) every 2s
-- plan
rows of processes
  merged nested query
  where user = "root"
  out pid: integer
  out rss: size
  order rss desc
  limit 3
  every 2s
-- explain
answer: window, pid, rss
  reads the table processes, again at the beginning of each window of 2s, at the node
  merged into it: nested query
  where user = "root"  at the node (a table is read in user space)
  each row holds user, pid, rss
  in windows of 2s, by the reading, each of them by itself
  orders by rss descending
  keeps the first 3 of each window

== a flow
-- query
flow of tag fix283 every 10s for 60s
-- explain
answer: window, hop, time, node, proc, pid, name, dir, object, bytes, latency, tags, from, match, link, choices, lag, depth, clock, from_node, from_proc
  watches tag fix283, live, on each node
  reads at most 1MiB of the payload of a call; what is beyond is counted
  pages of files that it has searched and that did not change are not searched again (--no-clean-cache: they are)
  what passes leaves the kernel as a row of time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid
  the coordinator puts the hops in order (sends by their entry, receives by their return)
  in windows of 10s, by the time of the event, each of them by itself
  stops after 1m

== a condition on the window stays
-- query
proc of (proc, bytes of read top 9 by bytes every 1s) where window > "2026-01-01 00:00:00" and proc = cat
-- plan
rows of nested query
  where window > "2026-01-01 00:00:00.000000"
  where proc = "cat"
  out proc: string
  source:
    rows of read
      out proc: string
      hidden bytes: size
      order bytes desc
      limit 9
      every 1s

== of two durations the shorter counts
-- query
count of (count as n of read by proc for 300ms) for 1h
-- plan
groups of nested query
  aggregate count
  out count: integer
  for 300ms
  source:
    groups of read
      key proc
      out proc: string
      for 300ms

== of two durations the shorter counts, the outer one
-- query
count of (count as n of read by proc for 1h) for 300ms
-- plan
groups of nested query
  aggregate count
  out count: integer
  for 300ms
  source:
    groups of read
      key proc
      out proc: string
      for 300ms
