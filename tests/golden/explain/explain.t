== simple
-- query
count of syscall by proc
-- explain
answer: proc, count
  watches syscall, live, on each node
  groups by proc, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, proc

== rows with a limit
-- query
time, proc, file of open where error = ENOENT limit 20
-- explain
answer: time, proc, file
  watches open, live, on each node
  where error = ENOENT  in the kernel
  what passes leaves the kernel as a row of time, proc, file
  each node stops after 20 rows
  keeps the first 20

== regex, view, nested query and three aggregates
-- views
view slow_reads(threshold) := file, proc, bytes, latency of read where latency > $threshold;
-- query
count, avg(b), max(p) of (sum(bytes) as b, p99(latency) as p of slow_reads(1ms) where file =~ "^/var/(log|lib)" by file, proc) where proc != cat by proc
-- explain
answer: proc, count, avg(b), max(p)
  reads the answer of the nested query below, at the coordinator
  groups by proc, formed at the coordinator
    count   a counter
    avg(b)  a counter, a sum
    max(p)  the greatest
  orders by count descending, proc
  nested query:
    watches read, live, on each node
    merged into it: view slow_reads
    where latency > 1ms              in the kernel
    and   proc != "cat"              in the kernel
    and   file =~ "^/var/(log|lib)"  at the node (regex: not in the kernel)
    what passes leaves the kernel as a row of file, proc, bytes, latency
    groups by file, proc, formed at the node (a predicate before it runs at the node)
      sum(bytes)    a sum
      p99(latency)  a log-linear histogram with the least and the greatest, error <= 1 %
    the coordinator merges the partial states of all CPUs and nodes, and finishes them

== set
-- query
count, set(name) of syscall where user = root by proc every 1s for 5s top 3
-- explain
answer: window, proc, count, set(name)
  watches syscall, live, on each node
  where user = "root"  in the kernel (the node judges each name once)
  what passes leaves the kernel as a row of user, proc, name
  groups by proc, formed at the node (set: the kernel keeps numbers only)
    count      a counter
    set(name)  the values themselves (set: the kernel keeps numbers only)
  in windows of 1s, by the time of the event
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, proc
  keeps the first 3 of each window
  stops after 5s

== in a query
-- query
count of read where pid in (pid of processes where user = postgres) by file
-- explain
answer: file, count
  watches read, live, on each node
  where pid in (query 1)  in the kernel
  query 1, run first for its values:
    reads the table processes, once, at the node
    where user = "postgres"  at the node (a table is read in user space)
    each row holds user, pid
  groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, file

== flow
-- query
flow of tag fix283
-- explain
answer: hop, time, node, proc, pid, name, dir, object, bytes, latency, tags, from, match, link, choices, lag, depth, clock, from_node, from_proc
  watches tag fix283, live, on each node
  reads at most 1MiB of the payload of a call; what is beyond is counted
  pages of files that it has searched and that did not change are not searched again (--no-clean-cache: they are)
  what passes leaves the kernel as a row of time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid
  the coordinator puts the hops in order (sends by their entry, receives by their return)

== view of groups
-- views
view slow(threshold) := p99(latency) of read where latency > $threshold by file;
-- query
top 3 of slow(1ms)
-- explain
answer: file, p99(latency)
  reads the answer of the view slow, below, at the coordinator
  orders by p99(latency) descending
  keeps the first 3
  view slow:
    watches read, live, on each node
    where latency > 1ms  in the kernel
    groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
      p99(latency)  a log-linear histogram with the least and the greatest, error <= 1 %, per CPU
    no event leaves the kernel, only partial states do
    the coordinator merges the partial states of all CPUs and nodes, and finishes them
    orders by p99(latency) descending, file

== everything at the node
-- query
hist(latency), stddev(latency), distinct(pid), first(bytes) of read where file =~ "x"
-- explain
answer: hist(latency), stddev(latency), distinct(pid), first(bytes)
  watches read, live, on each node
  where file =~ "x"  at the node (regex: not in the kernel)
  what passes leaves the kernel as a row of file, latency, pid, bytes
  one group, formed at the node (a predicate before it runs at the node)
    hist(latency)    a power-of-two histogram
    stddev(latency)  a counter, a sum, a sum of squares
    distinct(pid)    HyperLogLog registers, standard error 0.81 %
    first(bytes)     the first with its time
  the coordinator merges the partial states of all CPUs and nodes, and finishes them

== recording
-- query
time, proc, file of open into "x.rnt"
-- explain
answer: node, name, time, proc, file
  watches open, live, on each node
  what passes leaves the kernel as a row of node, name, time, proc, file
  writes the rows to "x.rnt"

== limits of the search
-- query
count of tag fix283, "a b c" scan 500MiB/s by proc
-- explain
answer: proc, count
  watches tag fix283, a b c, live, on each node
  reads at most 1MiB of the payload of a call, and 500MiB a second; what is beyond is counted
  pages of files that it has searched and that did not change are not searched again (--no-clean-cache: they are)
  groups by proc, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, proc

== payload, and what needs none
-- query
time, data, similar(data, "some text") as s of write where bytes > 8B
-- explain
answer: time, data, s
  watches write, live, on each node
  where bytes > 8B  in the kernel
  what passes leaves the kernel as a row of time, data, sketch
  data is payload: each node's policy must allow it

== pairs of events
-- query
hist(latency) of between block_rq_issue and (events of block_rq_complete where bytes > 0) on dev, sector where latency > 1ms by dev
-- explain
answer: dev, hist(latency)
  watches between tracepoint "block:block_rq_issue" and (events of tracepoint "block:block_rq_complete" where bytes > 0) on dev, sector, live, on each node
  the first event is kept in the kernel until the second one with the same key comes
  where latency > 1ms  in the kernel
  groups by dev, formed in the kernel (every predicate, key and argument is known to the kernel)
    hist(latency)  a power-of-two histogram, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by dev

== a recording that is replaced
-- query
pid of io for 1s into "x.rnt" replace
-- explain
answer: time, node, name, pid
  watches io, live, on each node
  what passes leaves the kernel as a row of time, node, name, pid
  stops after 1s
  writes the rows to "x.rnt", which it replaces if it is there

== a recording that is added to
-- query
pid of io for 1s into "x.rnt" append
-- explain
answer: time, node, name, pid
  watches io, live, on each node
  what passes leaves the kernel as a row of time, node, name, pid
  stops after 1s
  adds the rows to "x.rnt"
-- plan
rows of io
  out time: time
  out node: string
  out name: string
  out pid: integer
  for 1s
  into "x.rnt" append

== whole flows
-- query
flow of tag fix283 through proc = java and bytes > 3
-- explain
answer: hop, time, node, proc, pid, name, dir, object, bytes, latency, tags, from, match, link, choices, lag, depth, clock, from_node, from_proc
  watches tag fix283, live, on each node
  reads at most 1MiB of the payload of a call; what is beyond is counted
  pages of files that it has searched and that did not change are not searched again (--no-clean-cache: they are)
  what passes leaves the kernel as a row of time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid
  the coordinator puts the hops in order (sends by their entry, receives by their return)
  keeps whole flows that have a hop with proc = "java" and bytes > 3

== paths
-- query
flow of tag fix283 starting where proc = curl ending where proc = postgres
-- explain
answer: hop, time, node, proc, pid, name, dir, object, bytes, latency, tags, from, match, link, choices, lag, depth, clock, from_node, from_proc
  watches tag fix283, live, on each node
  reads at most 1MiB of the payload of a call; what is beyond is counted
  pages of files that it has searched and that did not change are not searched again (--no-clean-cache: they are)
  what passes leaves the kernel as a row of time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid
  the coordinator puts the hops in order (sends by their entry, receives by their return)
  keeps what lies behind a hop with proc = "curl", and that hop
  keeps what leads to a hop with proc = "postgres", and that hop

== several classes
-- query
count, max(ret) of read, exit, fork where ret < 5 by name
-- explain
answer: name, count, max(ret)
  watches exit, fork, read, live, on each node
  where ret < 5  in the kernel
  groups by name, formed in the kernel (every predicate, key and argument is known to the kernel)
    count     a counter, per CPU
    max(ret)  the greatest, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, name

== a live set
-- query
count of read where pid in live (pid of processes where proc = java) and bytes > 10 by file
-- explain
answer: file, count
  watches read, live, on each node
  where bytes > 10                                        in the kernel
  and   pid in live (pid of processes where proc = java)  in the kernel
  the kernel keeps the set live (pid of processes where proc = java): processes that begin a program, and their children, and those that run already
  groups by file, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, file

== the end of a call: some conditions are tested when it begins
-- query
count, p99(latency) of kernel "vfs_*" where proc = dd and arg2 > 9 and latency > 1ms and ret != arg2 by func, user = root every 1s
-- explain
answer: window, func, user = root, count, p99(latency)
  watches kernel "vfs_*", live, on each node
  the event is the end of a call, which the kernel notes when it begins
  where ret != arg2    in the kernel, when it ends
  and   arg2 > 9       in the kernel, when the call begins
  and   latency > 1ms  in the kernel, when it ends
  and   proc = "dd"    in the kernel, when the call begins
  groups by func, user = "root", formed in the kernel (every predicate and argument is known to the kernel, and what the keys are computed from)
    count         a counter, per CPU
    p99(latency)  a log-linear histogram with the least and the greatest, error <= 1 %, per CPU
  the kernel groups by func, user; the node computes the keys, and merges groups
  an event leaves the kernel only if its group finds no room there
  in windows of 1s, by the time of the event
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, func, user = root

== the end of a call of a program
-- query
count of user "libc:malloc" where ret != 0 and arg0 > 9 and func ~ "m*" by proc
-- explain
answer: proc, count
  watches user "libc:malloc", live, on each node
  the event is the end of a call, which the kernel notes when it begins
  where ret != 0     in the kernel, when it ends
  and   arg0 > 9     in the kernel, when the call begins
  and   func ~ "m*"  in the kernel, when it ends (the node judges each name once)
  groups by proc, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  an event leaves the kernel only if it is not judged yet
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, proc

== the entry of a call
-- query
count of user "libc:malloc" where arg0 > 9 by proc
-- explain
answer: proc, count
  watches user "libc:malloc", live, on each node
  where arg0 > 9  in the kernel
  groups by proc, formed in the kernel (every predicate, key and argument is known to the kernel)
    count  a counter, per CPU
  no event leaves the kernel, only partial states do
  the coordinator merges the partial states of all CPUs and nodes, and finishes them
  orders by count descending, proc
