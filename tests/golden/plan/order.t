== groups: first aggregate, then keys
-- query
sum(bytes), count of read by proc, file
-- plan
groups of read
  key proc
  key file
  aggregate sum(bytes)
  aggregate count
  out proc: string
  out file: string
  out sum(bytes): size
  out count: integer
  order sum(bytes) desc, proc, file

== groups whose first aggregate is no number
-- query
hist(latency), count of read by proc
-- plan
groups of read
  key proc
  aggregate hist(latency)
  aggregate count
  out proc: string
  out hist(latency): histogram
  out count: integer
  order proc

== order by an alias
-- query
count as n of read by proc order by n
-- plan
groups of read
  key proc
  aggregate count
  out proc: string
  out n = count: integer
  order n, proc

== order by what is not shown
-- query
count of read by proc order by sum(bytes) desc
-- plan
groups of read
  key proc
  aggregate count
  aggregate sum(bytes)
  out proc: string
  out count: integer
  hidden sum(bytes): size
  order sum(bytes) desc, proc

== order rows by what is not shown
-- query
proc of read order by bytes desc limit 3
-- plan
rows of read
  out proc: string
  hidden bytes: size
  order bytes desc
  limit 3

== top of groups
-- query
count of read by file top 5
-- plan
groups of read
  key file
  aggregate count
  out file: string
  out count: integer
  order count desc, file
  limit 5

== top by
-- query
count of read by file top 5 by max(latency)
-- plan
groups of read
  key file
  aggregate count
  aggregate max(latency)
  out file: string
  out count: integer
  hidden max(latency): duration
  order max(latency) desc, file
  limit 5

== top of rows
-- query
proc, bytes of read top 5
-- plan
rows of read
  out proc: string
  out bytes: size
  order bytes desc
  limit 5

== top of rows without a number
-- query
proc of read top 5
-- error
query:1:14: error: `top` finds no number to order by [E-TYPE]
  proc of read top 5
               ^~~~~
  say what by: `top N by EXPRESSION`, or use `limit N`

== top and limit: the smaller
-- query
count of read by file top 5 limit 3
-- plan
groups of read
  key file
  aggregate count
  out file: string
  out count: integer
  order count desc, file
  limit 3

== a window needs no order of its own
-- query
count of read every 1s
-- plan
groups of read
  aggregate count
  out count: integer
  every 1s

== an alias in having
-- query
count as n, sum(bytes) as b of read by proc having n > 10 and b / n > 1KiB and proc != cat
-- plan
groups of read
  where proc != "cat"
  key proc
  aggregate count
  aggregate sum(bytes)
  out proc: string
  out n = count: integer
  out b = sum(bytes): size
  having count > 10 and sum(bytes) / count > 1KiB
  order n desc, proc

== an alias that hides a field
-- query
count as pid, pid as p of read by pid having pid > 10 order by pid
-- plan
groups of read
  key pid
  aggregate count
  out pid = count: integer
  out p = pid: integer
  having count > 10
  order pid, p

== an alias in the order of rows
-- query
bytes / 1024 as kib of read order by kib * 2 limit 3
-- plan
rows of read
  out kib = bytes / 1024: size
  hidden kib * 2 = bytes / 1024 * 2: size
  order kib * 2
  limit 3

== order by window
-- query
count of read by proc every 1s order by window, proc
-- plan
groups of read
  key proc
  aggregate count
  out proc: string
  out count: integer
  order proc
  every 1s

== top in each window
-- query
count of read by proc every 1s top 3
-- plan
groups of read
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
  limit 3
  every 1s

== top of groups takes the first aggregate that is a number
-- query
hist(latency), count of read by proc top 5
-- plan
groups of read
  key proc
  aggregate hist(latency)
  aggregate count
  out proc: string
  out hist(latency): histogram
  out count: integer
  order count desc, proc
  limit 5
