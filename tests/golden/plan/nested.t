== top of a nested query
-- query
top 10 of (sum(bytes) as b of write by file)
-- plan
rows of nested query
  out file: string
  out b: size
  order b desc
  limit 10
  source:
    groups of write
      key file
      aggregate sum(bytes)
      out file: string
      out b = sum(bytes): size
      order b desc, file
-- split
fragment of nested query
  row (file, b)
  column file
  column b
  source:
    fragment of write
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key file
      aggregate sum(bytes)

== rows are merged
-- query
count of (proc, bytes of read where bytes > 0B) where proc ~ "c*" by proc
-- plan
groups of read
  merged nested query
  where bytes > 0B
  where proc ~ "c*"
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
-- split
fragment of read
  where bytes > 0B -- kernel
  where proc ~ "c*" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key proc
  aggregate count

== merged twice
-- query
sum(b) of (bytes as b, proc of (bytes, proc of read where proc = cat) where bytes > 1B)
-- plan
groups of read
  merged nested query, nested query
  where bytes > 1B
  where proc = "cat"
  aggregate sum(b) of bytes
  out sum(b): size

== a computed column is put in its place
-- query
max(kib) of (bytes / 1024 as kib of read) where kib > 4B
-- plan
groups of read
  merged nested query
  where bytes / 1024 > 4B
  aggregate max(kib) of bytes / 1024
  out max(kib): size

== a limit is not merged
-- query
count of (proc of read limit 100) by proc
-- plan
groups of nested query
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
  source:
    rows of read
      limit at the node 100
      out proc: string
      limit 100
-- split
fragment of nested query
  row (proc)
  groups -- node: the rows of a nested query are at the coordinator
  key proc
  aggregate count
  source:
    fragment of read
      row (proc)
      column proc
      limit 100

== an order is not merged
-- query
proc of (proc, bytes of read order by bytes desc)
-- plan
rows of nested query
  out proc: string
  source:
    rows of read
      out proc: string
      hidden bytes: size
      order bytes desc

== groups are answers of their own
-- query
max(n) of (count as n of read by proc)
-- plan
groups of nested query
  aggregate max(n)
  out max(n): integer
  source:
    groups of read
      key proc
      aggregate count
      out n = count: integer
-- split
fragment of nested query
  row (n)
  groups -- node: the rows of a nested query are at the coordinator
  aggregate max(n)
  source:
    fragment of read
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key proc
      aggregate count

== a predicate on a key moves in
-- query
proc, n of (count as n of read by proc, pid) where proc = cat and n > 10
-- plan
rows of nested query
  where n > 10
  out proc: string
  out n: integer
  source:
    groups of read
      where proc = "cat"
      key proc
      key pid
      aggregate count
      out proc: string
      out n = count: integer
      hidden pid: integer
      order n desc, proc, pid
-- split
fragment of nested query
  where n > 10 -- node: the rows of a nested query are at the coordinator
  row (n, proc)
  column proc
  column n
  source:
    fragment of read
      where proc = "cat" -- kernel
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key proc
      key pid
      aggregate count

== not past a limit
-- query
proc, n of (count as n of read by proc limit 3) where proc = cat
-- plan
rows of nested query
  where proc = "cat"
  out proc: string
  out n: integer
  source:
    groups of read
      key proc
      aggregate count
      out proc: string
      out n = count: integer
      order n desc, proc
      limit 3

== not into a window
-- query
n of (count as n of read by proc every 1s) where window > "2026-01-01 00:00:00" and proc = cat
-- plan
rows of nested query
  where window > "2026-01-01 00:00:00.000000"
  out n: integer
  source:
    groups of read
      where proc = "cat"
      key proc
      aggregate count
      out n = count: integer
      hidden proc: string
      order n desc, proc
      every 1s

== columns nobody reads are not made
-- query
max(n) of (count as n, p99(latency), hist(bytes) of read by pid)
-- plan
groups of nested query
  aggregate max(n)
  out max(n): integer
  source:
    groups of read
      key pid
      aggregate count
      out n = count: integer

== an ordered column turns hidden
-- query
proc of (count as n of read by proc order by n limit 3)
-- plan
rows of nested query
  out proc: string
  source:
    groups of read
      key proc
      aggregate count
      out proc: string
      hidden n = count: integer
      order n, proc
      limit 3

== a count needs a column
-- query
count of (proc, bytes of read limit 5)
-- plan
groups of nested query
  aggregate count
  out count: integer
  source:
    rows of read
      limit at the node 5
      out proc: string
      limit 5

== windows inside
-- query
max(n) of (count as n of read by proc every 1s) by window
-- plan
groups of nested query
  key window
  aggregate max(n)
  out window: time
  out max(n): integer
  order max(n) desc, window
  source:
    groups of read
      key proc
      aggregate count
      out n = count: integer
      every 1s
-- split
fragment of nested query
  row (window, n)
  groups -- node: the rows of a nested query are at the coordinator
  key window
  aggregate max(n)
  source:
    fragment of read
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key proc
      aggregate count
      every 1s

== a set
-- query
count of read where pid in (pid of processes where user = postgres) by file
-- plan
groups of read
  where pid in (query 1)
  key file
  aggregate count
  out file: string
  out count: integer
  order count desc, file
  query 1:
    rows of processes
      where user = "postgres"
      out pid: integer
-- split
fragment of read
  where pid in (query 1) -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key file
  aggregate count
  query 1:
    fragment of processes
      where user = "postgres" -- node: a table is read in user space
      row (user, pid)
      column pid

== two sets
-- query
count of read where pid in (pid of processes where user = postgres) and not (uid in (uid of processes where rss > 1GiB))
-- plan
groups of read
  where pid in (query 1)
  where not uid in (query 2)
  aggregate count
  out count: integer
  query 1:
    rows of processes
      where user = "postgres"
      out pid: integer
  query 2:
    rows of processes
      where rss > 1GiB
      out uid: integer
-- split
fragment of read
  where pid in (query 1) -- kernel
  where not uid in (query 2) -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  aggregate count
  query 1:
    fragment of processes
      where user = "postgres" -- node: a table is read in user space
      row (user, pid)
      column pid
  query 2:
    fragment of processes
      where rss > 1GiB -- node: a table is read in user space
      row (rss, uid)
      column uid

== a set comes along when rows are merged
-- query
count of (file of read where pid in (pid of processes)) where file in (cmdline of processes)
-- plan
groups of read
  merged nested query
  where pid in (query 2)
  where file in (query 1)
  aggregate count
  out count: integer
  query 1:
    rows of processes
      out cmdline: string
  query 2:
    rows of processes
      out pid: integer

== a view
-- views
view slow(threshold) := p99(latency) of read where latency > $threshold by file;
-- query
top 3 of slow(1ms)
-- plan
rows of view slow
  out file: string
  out p99(latency): duration
  order p99(latency) desc
  limit 3
  source:
    groups of read
      where latency > 1ms
      key file
      aggregate p99(latency)
      out file: string
      out p99(latency): duration
      order p99(latency) desc, file
-- split
fragment of view slow
  row (file, p99(latency))
  column file
  column p99(latency)
  source:
    fragment of read
      where latency > 1ms -- kernel
      row ()
      groups -- kernel: every predicate, key and argument is known to the kernel
      key file
      aggregate p99(latency)

== a view of rows
-- views
view big := proc, bytes of read where bytes > 1MiB;
-- query
count of big by proc every 1s
-- plan
groups of read
  merged view big
  where bytes > 1MiB
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
  every 1s

== for goes inside
-- query
max(n) of (count as n of read by proc) for 3s
-- plan
groups of nested query
  aggregate max(n)
  out max(n): integer
  for 3s
  source:
    groups of read
      key proc
      aggregate count
      out n = count: integer
      for 3s

== views of sources and fields
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(io, name)
-- plan
rows of view busiest
  out name: string
  out count: integer
  source:
    groups of io
      key name
      aggregate count
      out name: string
      out count: integer
      order count desc, name
      limit 10

== views of a query and of what is computed
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest((events of io where proc = java), basename(file), 3)
-- plan
rows of view busiest
  out basename(file): string
  out count: integer
  source:
    groups of io
      merged nested query
      where proc = "java"
      key basename(file)
      aggregate count
      out basename(file): string
      out count: integer
      order count desc, basename(file)
      limit 3

== views of conditions
-- views
view slowest(what = read, c = true, key = file) := max(latency) as m, count(where $c) as n of $what where $c by $key top 3;
-- query
* of slowest(write, proc = java)
-- plan
rows of view slowest
  out file: string
  out m: duration
  out n: integer
  source:
    groups of write
      where proc = "java"
      key file
      aggregate max(latency)
      aggregate count(where proc = java)
      out file: string
      out m = max(latency): duration
      out n = count(where proc = java): integer
      order m desc, file
      limit 3

== views of conditions, named
-- views
view slowest(what = read, c = true, key = file) := max(latency) as m, count(where $c) as n of $what where $c by $key top 3;
-- query
* of slowest(c = (bytes > 4KiB), key = proc)
-- plan
rows of view slowest
  out proc: string
  out m: duration
  out n: integer
  source:
    groups of read
      where bytes > 4KiB
      key proc
      aggregate max(latency)
      aggregate count(where bytes > 4KiB)
      out proc: string
      out m = max(latency): duration
      out n = count(where bytes > 4KiB): integer
      order m desc, proc
      limit 3

== views that pass their parameters on
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
view few(a, b) := * of busiest($a, $b, 2);
-- query
* of few(io, proc)
-- plan
rows of view busiest
  merged view few
  out proc: string
  out count: integer
  source:
    groups of io
      key proc
      aggregate count
      out proc: string
      out count: integer
      order count desc, proc
      limit 2
