What each rewrite of the planner touches: merged, pushed, pruned, reordered and limited queries.

== merged filter and projection
-- query
count, sum(b) of (proc, bytes as b of io where bytes > 100) where proc ~ "*a*" by proc
-- sql
select proc, count(*), sum(bytes) from events where name in ('read','pread64','readv','preadv','preadv2','write','pwrite64','writev','pwritev','pwritev2','sendto','sendmsg','sendmmsg','recvfrom','recvmsg','recvmmsg','sendfile','splice','tee','vmsplice','copy_file_range','process_vm_readv','process_vm_writev') and bytes>100 and proc glob '*a*' group by 1

== merged twice with computed columns
-- query
max(y), count of (x * 2 as y, proc of (bytes / 3 as x, proc, pid of syscall where pid % 2 = 0) where x > 10) by proc

== merged: the same column under two names
-- query
sum(a), sum(b) of (bytes as a, bytes as b of syscall) where a > 100 and b < 50000

== merged with windows
-- query
count, max(bytes) of (proc, bytes of syscall where error = 0) by proc every 1s

== merged with first and last
-- query
first(bytes), last(bytes), first(proc) of (proc, bytes, pid of syscall where pid % 3 = 0) by pid

== merged with sets inside and outside
-- query
count of (pid, file of syscall where pid in (pid of syscall where bytes > 60000)) where file in (file of read where latency > 1ms) by file

== merged and ordered
-- query
b, pid, time of (bytes as b, pid, time of syscall where bytes > 1000) order by b desc, time, pid limit 17

== top of merged rows
-- query
top 9 of (bytes * 1000 + pid as score, time of syscall where bytes > 0)

== not merged: a limit inside an order
-- query
count, sum(bytes) of (bytes, proc of syscall order by bytes desc, time, pid limit 100) by proc

== not merged: order inside, filter outside
-- query
proc, bytes of (proc, bytes, time, pid of syscall where bytes > 60000 order by bytes, time, pid) where proc != java

== not merged: hidden order inside
-- query
count of (proc of syscall order by latency desc, time, pid limit 200) by proc

== pushed to keys
-- query
proc, n of (count as n of syscall by proc, name) where proc ~ "[a-m]*" and name != read and n > 3

== pushed to a computed key
-- query
k, n of (count as n of syscall by bucket(bytes, 4096) as k) where k >= 4096 and k < 40960 order by k

== pushed past having
-- query
proc, n of (count as n of syscall by proc having n > 20) where proc != java

== pushed past an order
-- query
proc, n of (count as n of syscall by proc order by n) where proc < "m"

== not pushed past a limit
-- query
proc, n of (count as n of syscall by proc top 4) where proc != java

== not pushed past top of each window
-- query
window, proc, n of (count as n of syscall by proc every 1s top 2) where proc != java

== pushed through two nested queries
-- query
proc, s of (proc, sum(n) as s of (count as n of syscall by proc, name, pid) by proc) where proc ~ "*n*"

== a condition on an aggregate stays
-- query
count of (sum(bytes) as b of syscall by pid) where b > 10000 and b < 1000000

== a mixed condition stays
-- query
proc, n of (count as n of syscall by proc) where proc = java or n < 40

== having on keys
-- query
count, sum(bytes) of syscall by proc, name having proc != java and count > 2 and name ~ "*e*"

== having on keys and aggregates together
-- query
count of syscall by proc, name having proc = java or count > 30

== having on a computed key
-- query
count of syscall by bytes / 4096 as pages having pages > 1 and count > 1

== having on keys in windows
-- query
count of syscall by proc every 500ms having proc ~ "*x"

== having without keys
-- query
count, max(bytes) of syscall having count > 100

== having without keys, never
-- query
count, max(bytes) of syscall having count < 0

== pruned columns and aggregates
-- query
max(n) of (count as n, p99(latency), sum(bytes), set(name), hist(bytes) of syscall by pid) by n % 7

== pruned to nothing but a count
-- query
count of (count, sum(bytes) of syscall by proc, name)

== pruned, but its order matters
-- query
proc of (count, max(latency) of syscall by proc order by max(latency) desc limit 3)

== pruned windows
-- query
count, max(n) of (count as n, sum(bytes) of syscall by proc every 1s) by window

== never
-- query
count, sum(bytes), min(bytes) of syscall where 1 > 2

== never, with keys
-- query
count of syscall where proc = java and 2 < 1 by proc

== always
-- query
count of syscall where 1 < 2 and not (2 < 1) by proc
-- sql
select proc, count(*) from events group by 1

== twice the same
-- query
count of syscall where bytes > 100 and proc = java and bytes > 100

== folded arithmetic
-- query
count of syscall where bytes > 2 * 3 * 1KiB - 10 and latency < 1s / 1000 + 1ms by proc

== folded division by zero
-- query
count of syscall where not (1 / 0 = 1) and pid > 0

== reordered: dear and cheap
-- query
count of syscall where file =~ "o" and file ~ "/*" and proc = java and bytes > 0 and pid in (1, 2, 3, 4242, 3503) or uid = 33 by proc

== reordered conjuncts that may be null
-- query
count of syscall where bytes / ret >= 1B and file ~ "*" and pid > 10 and not (bytes / ret > 2B)

== limit without order after a filter
-- query
count of (pid of syscall where pid % 2 = 1 and user = root limit 50)

== hidden order of groups
-- query
count of syscall by proc top 3 by sum(bytes) / count

== order by an alias in an expression
-- query
bytes as b, time, pid of syscall where bytes > 50000 order by b / 1024 desc, time, pid limit 20

== an alias that hides a field
-- query
count as pid of syscall by proc having pid > 10 order by pid, proc

== aggregates in a set
-- query
count of syscall where pid in (pid of (sum(bytes) as b of syscall by pid) where b > 100000) by proc

== a set in having
-- query
count as n of syscall by proc having proc in (proc of read where bytes > 1000)

== a set in an argument
-- query
sum(bytes), sum(pid in (pid of read where bytes > 60000)) of syscall by proc

== not in a set
-- query
count of syscall where not (file in (file of write)) by name

== a set of strings through groups
-- query
proc, n of (count as n of syscall by proc) where proc in (proc of write where bytes > 60000)
