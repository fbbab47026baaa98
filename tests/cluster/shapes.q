Queries of every kind, for shapes.sh. WORK is the name of the processes that work, IDLE of those that wait for a line and note that it came, TAG what their data
holds. Order counts where a query has one; times, latencies and names of nodes are not compared.

== rows
proc, pid, ppid, name, fd, bytes, ret, file of io where proc = WORK and bytes >= 4000
== rows with all fields
events of open where proc = WORK and error = ENOENT
== rows, computed
name, bytes / 3 as third, basename(file) as f, bytes > 100 as big, upper(proc) as p of io where proc = WORK and bytes % 2 = 1
== rows, a glob
count of io where proc = WORK and file ~ "/dev/*" and not name ~ "pw*" by name
== rows, at the node
pid, name, file of io where proc = WORK and file =~ "ze?ro$" and bytes > 3900
== rows, ordered
pid, name, bytes of io where proc = WORK order by bytes desc, pid, name limit 17
== rows, the greatest
bytes, name of pread64 where proc = WORK top 9 by bytes
== rows, in time
pid, name, ret of fork where proc = WORK

== groups, none
count of syscall where proc = WORK
== groups, sums
count, sum(bytes), min(bytes), max(bytes), avg(bytes), stddev(bytes) of io where proc = WORK by name
== groups, two keys
count, sum(ret) as total of syscall where proc = WORK by pid, name
== groups, files
count, sum(bytes) of io where proc = WORK by file
== groups, several classes
count of read, openat, fork, tracepoint "sched:sched_process_f*" where proc = WORK by name, pid
== groups, an own field of several tracepoints
count of tracepoint "syscalls:sys_enter_close", "syscalls:sys_enter_openat", "syscalls:sys_enter_creat" where proc = WORK by name, __syscall_nr
== groups, errors
count of syscall where proc = WORK and error != 0 by name, error
== groups, children
count of exit where proc = WORK by ret
== groups, sizes
count of io where proc = WORK by bytes
== groups, steps
count, max(bytes) of io where proc = WORK by bucket(bytes, 1KiB) as size
== groups, having
count, sum(bytes) of io where proc = WORK by bytes, name having count > 3 and sum(bytes) > 100
== groups, ordered
count of io where proc = WORK by bytes order by bytes desc limit 12
== groups, the greatest of all
sum(bytes) of io where proc = WORK by bytes top 7
== groups, the greatest by another
count, sum(bytes) of io where proc = WORK by bytes top 5 by sum(bytes)
== groups, latency
count of syscall where proc = WORK and latency < 1h by name

== groups, parts
count(where bytes > 100) as large, sum(bytes where pid % 2 = 0 or bytes > 7) as s, min(bytes where bytes > 50) as least, p75(bytes where bytes < 3000) as p of io where proc = WORK by name
== groups, shares
count, share(count) as part, share(sum(bytes)) as moved of io where proc = WORK by name
== groups, words
count of io where proc = WORK and bytes & 1 = 1 by if(bytes > 1000, "large", "small") as size, concat(name, ":", proc) as who

== quantiles
p50(bytes), p90(bytes), p99(bytes), p999(bytes), quantile(bytes, 0.3) of io where proc = WORK
== quantiles of groups
p50(bytes), p95(bytes) of io where proc = WORK by name
== hist
hist(bytes) of io where proc = WORK
== hist of groups
hist(bytes), lhist(bytes, 0, 8192, 512) of io where proc = WORK by name
== distinct
distinct(bytes), distinct(pid), distinct(file) of io where proc = WORK
== sets
set(name), set(error) of syscall where proc = WORK
== most frequent
top(name, 3), top(bytes, 2) of io where proc = WORK
== first and last
first(bytes), last(bytes), last(name) of io where proc = WORK
== arithmetic
sum(bytes) / count as mean, sum(error != 0) as failed of syscall where proc = WORK

== windows
count, sum(bytes) of io where proc = WORK by name every 6s
== windows, rates
rate, rate(bytes) of io where proc = WORK every 6s
== windows, the greatest
sum(bytes) of io where proc = WORK by bytes top 3 every 6s
== windows, deltas
count, delta(count) as d, delta(sum(bytes)) as b of io where proc = WORK by name every 6s
== windows, quantiles
p50(bytes), hist(bytes), distinct(bytes) of io where proc = WORK by name every 6s
== windows, nested
max(c), sum(c) of (count as c of io where proc = WORK by pid, name every 6s)
== windows, having
count of syscall where proc = WORK by name having count > 20 order by name limit 3 every 6s
== windows, around a nested query
top 3 of (sum(bytes) as b of io where proc = WORK by bytes) every 6s
== windows, groups of groups
max(c), sum(c) of (count as c of io where proc = WORK by pid, name) every 6s
== windows, rows in order
pid, name, bytes of io where proc = WORK order by bytes desc, pid, name limit 17 every 6s
== windows, rows as they come
pid, name, ret of fork where proc = WORK every 6s

== nested
proc, name, c of (count as c of syscall where proc = WORK by proc, name) where c > 10 order by c, name
== nested twice
count, sum(most) of (max(c) as most of (count as c of io where proc = WORK by pid, name) by pid)
== nested, the greatest
top 3 of (count of io where proc = WORK by bytes)
== a view
view moved(p, least = 10) := sum(bytes) as moved, count of io where proc = $p by name having count > $least; events of moved("WORK")
== a module
use io; name, calls of (count as calls of io where proc = WORK by name)

== processes
pid, ppid, proc, threads, cmdline of processes where proc = IDLE
== processes in groups
count, sum(threads) of processes where proc = IDLE by proc
== a question first
count, sum(bytes) of io where pid in (pid of processes where proc = IDLE) by pid, name

== tag
proc, pid, name, file, bytes, offset, tags of tag TAG where proc in (nc, cat)
== tag in groups
count, sum(bytes) of tag TAG where proc in (nc, cat) by name, proc
== tags
count of tag TAG, TAGb where proc in (nc, cat) by tags, name
== flow
flow of tag TAG where proc in (nc, cat)
== whole flows
flow of tag TAG, TAGb where proc in (nc, cat) through name = sendto or proc = cat
== no flow
flow of tag TAG through proc = "no such process"
== how far
hop, proc, name, from, depth, lag >= 0ns as forward of (flow of tag TAG where proc in (nc, cat)) where depth < 3
== flow of some
flow of tag TAG where proc = nc
== payload
file, set(hash) of io where proc = WORK and bytes = 4096 by name, file
