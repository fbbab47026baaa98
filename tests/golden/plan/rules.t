== constants
-- query
pid of read where bytes > 2 * 4KiB and 1 = 1 and latency < 1s - 500ms
-- plan
rows of read
  where bytes > 8KiB
  where latency < 500ms
  out pid: integer

== nothing is left to ask
-- query
pid of read where 1 + 1 = 2
-- plan
rows of read
  out pid: integer

== never true
-- query
count of read where proc = cat and 1 > 2
-- plan
groups of read
  where false
  aggregate count
  out count: integer

== or with a constant
-- query
pid of read where pid = 1 or 2 > 1
-- plan
rows of read
  out pid: integer

== division by zero is left to run time
-- query
pid of read where 1 / 0 = 1
-- plan
rows of read
  where 1 / 0 = 1
  out pid: integer

== twice is once
-- query
pid of read where pid = 1 and proc = cat and pid = 1
-- plan
rows of read
  where pid = 1
  where proc = "cat"
  out pid: integer

== cheap first
-- query
pid of read where file ~ "/var/*" and proc ~ "c*" and proc = cat and pid in (1, 2) and bytes > 1B and uid = 0
-- plan
rows of read
  where uid = 0
  where bytes > 1B
  where pid in (1, 2)
  where proc = "cat"
  where proc ~ "c*"
  where file ~ "/var/*"
  out pid: integer

== equals keep their order
-- query
pid of read where uid = 0 and pid = 1 and tid = 2
-- plan
rows of read
  where uid = 0
  where pid = 1
  where tid = 2
  out pid: integer

== having on a key is where
-- query
count of read by proc, pid having proc = cat and count > 10 and pid > 1
-- plan
groups of read
  where pid > 1
  where proc = "cat"
  key proc
  key pid
  aggregate count
  out proc: string
  out pid: integer
  out count: integer
  having count > 10
  order count desc, proc, pid

== having stays without keys
-- query
count of read having count > 10
-- plan
groups of read
  aggregate count
  out count: integer
  having count > 10

== limit at the node
-- query
pid of read limit 7
-- plan
rows of read
  limit at the node 7
  out pid: integer
  limit 7

== limit after an order is not for nodes
-- query
pid, bytes of read order by bytes limit 7
-- plan
rows of read
  out pid: integer
  out bytes: size
  order bytes
  limit 7
