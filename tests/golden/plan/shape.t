== events
-- query
events of getppid
-- plan
rows of getppid
  out time: time
  out node: string
  out proc: string
  out thread: string
  out pid: integer
  out tid: integer
  out ppid: integer
  out uid: integer
  out user: string
  out cgroup: integer
  out container: string
  out name: string
  out ret: integer
  out error: error
  out latency: duration
  out arg0: integer
  out arg1: integer
  out arg2: integer
  out arg3: integer
  out arg4: integer
  out arg5: integer

== rows
-- query
time, proc, bytes of read where bytes > 4KiB and proc = java
-- plan
rows of read
  where bytes > 4KiB
  where proc = "java"
  out time: time
  out proc: string
  out bytes: size

== computed columns
-- query
proc, bytes / 1024 as kib, upper(name) of write limit 5
-- plan
rows of write
  limit at the node 5
  out proc: string
  out kib = bytes / 1024: size
  out upper(name): string
  limit 5

== groups
-- query
count, sum(bytes) of read by proc
-- plan
groups of read
  key proc
  aggregate count
  aggregate sum(bytes)
  out proc: string
  out count: integer
  out sum(bytes): size
  order count desc, proc

== one group
-- query
count of syscall
-- plan
groups of syscall
  aggregate count
  out count: integer

== keys not in the list come first
-- query
count of syscall by name, proc
-- plan
groups of syscall
  key name
  key proc
  aggregate count
  out name: string
  out proc: string
  out count: integer
  order count desc, name, proc

== keys in the list stay where they are
-- query
count, proc of syscall by name, proc
-- plan
groups of syscall
  key name
  key proc
  aggregate count
  out name: string
  out count: integer
  out proc: string
  order count desc, name, proc

== an alias names a key
-- query
count of read by bucket(latency, 1ms) as ms
-- plan
groups of read
  key bucket(latency, 1ms)
  aggregate count
  out ms = bucket(latency, 1ms): duration
  out count: integer
  order count desc, ms

== an expression over keys
-- query
count, upper(proc) of read by proc
-- plan
groups of read
  key proc
  aggregate count
  out proc: string
  out count: integer
  out upper(proc): string
  order count desc, proc

== an expression over aggregates
-- query
sum(bytes) / count as mean of read by proc
-- plan
groups of read
  key proc
  aggregate sum(bytes)
  aggregate count
  out proc: string
  out mean = sum(bytes) / count: size
  order mean desc, proc

== the same aggregate once
-- query
count, sum(bytes), sum(bytes) / count of read having sum(bytes) > 1MB
-- plan
groups of read
  aggregate count
  aggregate sum(bytes)
  out count: integer
  out sum(bytes): size
  out sum(bytes) / count: size
  having sum(bytes) > 1000000B

== a key twice is one key
-- query
count of read by proc, proc
-- plan
groups of read
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc

== parameters of aggregates
-- query
quantile(latency, 0.75), lhist(latency, 0ms, 10ms, 1ms), p99(latency) of read
-- plan
groups of read
  aggregate quantile(latency, 0.75)
  aggregate lhist(latency, 0ms, 10ms, 1ms)
  aggregate p99(latency)
  out quantile(latency, 0.75): duration
  out lhist(latency, 0ms, 10ms, 1ms): histogram
  out p99(latency): duration

== between is two comparisons
-- query
pid of read where bytes between 1 and 10
-- plan
rows of read
  where bytes >= 1
  where bytes <= 10
  out pid: integer

== a list
-- query
pid of read where proc in (cat, cp, "a b") and error in (ENOENT, EINTR)
-- plan
rows of read
  where proc in ("cat", "cp", "a b")
  where error in (ENOENT, EINTR)
  out pid: integer

== not stays
-- query
pid of read where not (proc = cat or bytes > 10B)
-- plan
rows of read
  where not (proc = "cat" or bytes > 10B)
  out pid: integer

== windows and time
-- query
count of syscall by proc every 1s for 5s
-- plan
groups of syscall
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
  every 1s
  for 5s

== tracepoint
-- query
count of tracepoint "sched:sched_switch" by prev_comm
-- plan
groups of tracepoint "sched:sched_switch"
  key prev_comm
  aggregate count
  out prev_comm: string
  out count: integer
  order count desc, prev_comm

== tags
-- query
events of tag fix283, ulr821, fix283
-- plan
rows of tag fix283, ulr821
  out time: time
  out node: string
  out proc: string
  out thread: string
  out pid: integer
  out tid: integer
  out ppid: integer
  out uid: integer
  out user: string
  out cgroup: integer
  out container: string
  out name: string
  out ret: integer
  out error: error
  out latency: duration
  out fd: integer
  out file: string
  out dev: device
  out bytes: size
  out offset: size
  out local: ip
  out peer: ip
  out tags: tag set
  out arg0: integer
  out arg1: integer
  out arg2: integer
  out arg3: integer
  out arg4: integer
  out arg5: integer

== table
-- query
pid, rss of processes order by rss desc limit 10
-- plan
rows of processes
  out pid: integer
  out rss: size
  order rss desc
  limit 10

== flow
-- query
flow of tag fix283 where proc = nc
-- plan
flow of tag fix283
  where proc = "nc"
  needs time
  needs node
  needs proc
  needs pid
  needs name
  needs file
  needs dev
  needs local
  needs peer
  needs bytes
  needs latency
  needs tags
  needs offset
  needs tid
  needs ppid
  out hop: integer
  out time: time
  out node: string
  out proc: string
  out pid: integer
  out name: string
  out dir: string
  out object: string
  out bytes: size
  out latency: duration
  out tags: tag set
  out from: integer
  out match: string
  out link: string
  out choices: integer
  out lag: duration
  out depth: integer
  out clock: duration
  out from_node: string
  out from_proc: string

== recording
-- query
time, proc, file of open into "x.rnt"
-- plan
rows of open
  out node: string
  out name: string
  out time: time
  out proc: string
  out file: string
  into "x.rnt"

== tags of any bytes, each once
-- query
count of tag x"61626300", x"616263ff", abcd, "abcd", x"61626364", "a b,c", "a \"b\""
-- plan
groups of tag x"61626300", x"616263ff", abcd, x"6120622c63", x"6120226222"
  aggregate count
  out count: integer

== every tag of the catalogue
-- query
count of tag *
-- plan
groups of tag fix283, x"007a65726f"
  aggregate count
  out count: integer

== tags of a file
-- query
count of tag from "tests/golden/files/tags.txt"
-- plan
groups of tag fix283, ulr821, x"00ff1234", x"74776f20776f7264732c20616e64206120636f6d6d61"
  aggregate count
  out count: integer

== profile
-- query
count of sample 99hz where proc = java by ustack every 1s
-- plan
groups of sample 99hz
  where proc = "java"
  key ustack
  aggregate count
  out ustack: stack
  out count: integer
  order count desc, ustack
  every 1s

== a pair of events
-- query
count, hist(latency) of between sched_wakeup and (events of sched_switch where prev_state = 0 and next_pid > 0) on pid = next_pid where latency > 1ms by proc
-- plan
groups of between tracepoint "sched:sched_wakeup" and (events of tracepoint "sched:sched_switch" where prev_state = 0 and next_pid > 0) on pid = next_pid
  where latency > 1ms
  key proc
  aggregate count
  aggregate hist(latency)
  out proc: string
  out count: integer
  out hist(latency): histogram
  order count desc, proc

== a nested query over pairs is merged
-- query
count of (dev, latency, proc of between block_rq_issue and (events of block_rq_complete where bytes > 0) on dev, sector where latency > 10ms) where proc = dd by dev
-- plan
groups of between tracepoint "block:block_rq_issue" and (events of tracepoint "block:block_rq_complete" where bytes > 0) on dev, sector
  merged nested query
  where latency > 10ms
  where proc = "dd"
  key dev
  aggregate count
  out dev: device
  out count: integer
  order count desc, dev

== glob of tracepoints
-- query
count of tracepoint "sched:sched_*" where name ~ "*switch" by name, proc
-- plan
groups of tracepoint "sched:sched_*"
  where name ~ "*switch"
  key name
  key proc
  aggregate count
  out name: string
  out proc: string
  out count: integer
  order count desc, name, proc

== through
-- query
flow of tag fix283 where pid > 1 through proc = java and bytes > 3
-- plan
flow of tag fix283
  where pid > 1
  needs time
  needs node
  needs proc
  needs pid
  needs name
  needs file
  needs dev
  needs local
  needs peer
  needs bytes
  needs latency
  needs tags
  needs offset
  needs tid
  needs ppid
  through proc = "java" and bytes > 3
  out hop: integer
  out time: time
  out node: string
  out proc: string
  out pid: integer
  out name: string
  out dir: string
  out object: string
  out bytes: size
  out latency: duration
  out tags: tag set
  out from: integer
  out match: string
  out link: string
  out choices: integer
  out lag: duration
  out depth: integer
  out clock: duration
  out from_node: string
  out from_proc: string

== paths
-- query
flow of tag fix283 through bytes > 3 starting where proc = curl ending where file ~ "/var/*"
-- plan
flow of tag fix283
  needs time
  needs node
  needs proc
  needs pid
  needs name
  needs file
  needs dev
  needs local
  needs peer
  needs bytes
  needs latency
  needs tags
  needs offset
  needs tid
  needs ppid
  through bytes > 3
  starting where proc = "curl"
  ending where file ~ "/var/*"
  out hop: integer
  out time: time
  out node: string
  out proc: string
  out pid: integer
  out name: string
  out dir: string
  out object: string
  out bytes: size
  out latency: duration
  out tags: tag set
  out from: integer
  out match: string
  out link: string
  out choices: integer
  out lag: duration
  out depth: integer
  out clock: duration
  out from_node: string
  out from_proc: string

== a flow by process
-- query
flow of tag fix283 where pid = 7 through proc = nginx by proc order by p99 desc limit 3
-- plan
groups of nested query
  key from_proc
  key proc
  aggregate count
  aggregate sum(bytes)
  aggregate p50(lag)
  aggregate p99(lag)
  out from = from_proc: string
  out to = proc: string
  out hops = count: integer
  out bytes = sum(bytes): size
  out p50 = p50(lag): duration
  out p99 = p99(lag): duration
  order p99 desc, from, to
  limit 3
  source:
    flow of tag fix283
      where pid = 7
      needs time
      needs node
      needs proc
      needs pid
      needs name
      needs file
      needs dev
      needs local
      needs peer
      needs bytes
      needs latency
      needs tags
      needs offset
      needs tid
      needs ppid
      through proc = "nginx"
      out hop: integer
      out time: time
      out node: string
      out proc: string
      out pid: integer
      out name: string
      out dir: string
      out object: string
      out bytes: size
      out latency: duration
      out tags: tag set
      out from: integer
      out match: string
      out link: string
      out choices: integer
      out lag: duration
      out depth: integer
      out clock: duration
      out from_node: string
      out from_proc: string

== a flow by node and process, in windows
-- query
flow of tag fix283 on node1 by node, proc top 5 by bytes every 1s
-- plan
groups of nested query
  key from_node
  key from_proc
  key node
  key proc
  aggregate count
  aggregate sum(bytes)
  aggregate p50(lag)
  aggregate p99(lag)
  out from_node: string
  out from_proc: string
  out node: string
  out proc: string
  out hops = count: integer
  out bytes = sum(bytes): size
  out p50 = p50(lag): duration
  out p99 = p99(lag): duration
  order bytes desc, from_node, from_proc, node, proc
  limit 5
  every 1s
  source:
    flow of tag fix283
      needs time
      needs node
      needs proc
      needs pid
      needs name
      needs file
      needs dev
      needs local
      needs peer
      needs bytes
      needs latency
      needs tags
      needs offset
      needs tid
      needs ppid
      out hop: integer
      out time: time
      out node: string
      out proc: string
      out pid: integer
      out name: string
      out dir: string
      out object: string
      out bytes: size
      out latency: duration
      out tags: tag set
      out from: integer
      out match: string
      out link: string
      out choices: integer
      out lag: duration
      out depth: integer
      out clock: duration
      out from_node: string
      out from_proc: string
      every 1s
