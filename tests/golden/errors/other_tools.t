== kprobe:vfs_read { @ = count(); }
-- query
kprobe:vfs_read { @ = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:vfs_read { @ = count(); }
  ^~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_read` is `read`. As a query: count of read

== rate(read_bytes[5m])
-- query
rate(read_bytes[5m])
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  rate(read_bytes[5m])
  ^~~~
  It is one number for all series: `by proc` would make one for each process. As a query: rate(bytes) of read every 5m

== histogram_quantile(0.99, latency)
-- query
histogram_quantile(0.99, latency)
-- error
query:1:1: error: `histogram_quantile` is neither a query nor the name of a view or a result [E-NAME-VIEW]
  histogram_quantile(0.99, latency)
  ^~~~~~~~~~~~~~~~~~
  write p99(latency), or quantile(latency, 0.99)

== histogram_quantile(0.99, latency) of read
-- query
histogram_quantile(0.99, latency) of read
-- error
query:1:1: error: there is no function `histogram_quantile` [E-NAME-FUNC]
  histogram_quantile(0.99, latency) of read
  ^~~~~~~~~~~~~~~~~~
  write p99(latency), or quantile(latency, 0.99)

== topk(5, sum(bytes)) of read by file
-- query
topk(5, sum(bytes)) of read by file
-- error
query:1:1: error: there is no function `topk` [E-NAME-FUNC]
  topk(5, sum(bytes)) of read by file
  ^~~~
  the greatest are chosen at the end: sum(bytes) of read by file top 5

== sum by (file) (bytes)
-- query
sum by (file) (bytes)
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum by (file) (bytes)
  ^~~
  as a query: sum(bytes) of read by file

== p99.9(latency) of read
-- query
p99.9(latency) of read
-- error
query:1:4: error: `.` has no meaning here [E-LEX-CHAR]
  p99.9(latency) of read
     ^
  write quantile(latency, 0.999)

== p75(latency) of read
-- query
p75(latency) of read
-- error

== count of read every 500 ms
-- query
count of read every 500 ms
-- error
query:1:25: error: found `ms`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read every 500 ms
                          ^~
  write the unit without a space: 500ms

== count of read every second
-- query
count of read every second
-- error
query:1:21: error: found `second`, expected a number [E-SYNTAX]
  count of read every second
                      ^~~~~~
  write the number too: every 1s

== count of read where file =~ "*.so"
-- query
count of read where file =~ "*.so"
-- error
query:1:29: error: not a regular expression: Invalid preceding regular expression [E-TYPE]
  count of read where file =~ "*.so"
                              ^~~~~~
  a glob is matched by `~`: file ~ "*.so"

== count of read where user = 0
-- query
count of read where user = 0
-- error
query:1:28: error: a string cannot be compared with a number [E-TYPE]
  count of read where user = 0
                      ~~~~   ^
  a user's number is uid: uid = 0; a name: user = root

== count of connect where dport = 9
-- query
count of connect where dport = 9
-- error
query:1:24: error: `dport` is not a field of `connect` [E-NAME-FIELD]
  count of connect where dport = 9
                         ^~~~~
  the port of the other end is port(peer): port(peer) = 80

== proc, name, args of syscall
-- query
proc, name, args of syscall
-- error
query:1:13: error: `args` is not a field of `syscall` [E-NAME-FIELD]
  proc, name, args of syscall
              ^~~~
  the arguments are arg0 to arg5: proc, name, arg0, arg1

== cpu of processes
-- query
cpu of processes
-- error
query:1:1: error: `cpu` is not a field of `processes` [E-NAME-FIELD]
  cpu of processes
  ^~~
  the table has `utime` and `stime`; or count of sample 99hz by proc

== count of files
-- query
count of files
-- error
query:1:10: error: `files` is not executed by this version [E-LATER]
  count of files
           ^~~~~
  files are found by what is done to them: count of open by file

== count of vfs_read
-- query
count of vfs_read
-- error
query:1:10: error: `vfs_read` is not an event class, table or view [E-NAME-SOURCE]
  count of vfs_read
           ^~~~~~~~
  the function is kernel "vfs_*"; the system call, which every kernel shows, is: count of read

== count of malloc
-- query
count of malloc
-- error
query:1:10: error: `malloc` is not an event class, table or view [E-NAME-SOURCE]
  count of malloc
           ^~~~~~
  functions of programs are written user "libc:malloc": count of user "libc:malloc" by proc

== count of dns
-- query
count of dns
-- error
query:1:10: error: `dns` is not an event class, table or view [E-NAME-SOURCE]
  count of dns
           ^~~
  DNS goes to port 53: count of send where port(peer) = 53 by proc, peer

== count of (open, close)
-- query
count of (open, close)
-- error
query:1:22: error: found `)`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count of (open, close)
                       ^
  several classes stand without parentheses: count of open, close

== watch count of open
-- query
watch count of open
-- error
query:1:7: error: found `count`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  watch count of open
        ^~~~~
  `runnel watch` takes a view; a query alone goes on by itself: count of open every 1s

== usse fs; count of read
-- query
usse fs; count of read
-- error
query:1:6: error: found `fs`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  usse fs; count of read
       ^~
  did you mean `use`?

== peer port = 9555
-- query
peer port = 9555
-- error
query:1:6: error: found `port`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  peer port = 9555
       ^~~~
  the port of an end is port(peer): port(peer) = 80

== count of send where peer port = 9555
-- query
count of send where peer port = 9555
-- error
query:1:26: error: found `port`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of send where peer port = 9555
                           ^~~~
  the port of an end is port(peer): port(peer) = 80

== cuont of open
-- query
cuont of open
-- error
query:1:1: error: `cuont` is not a field of `open` [E-NAME-FIELD]
  cuont of open
  ^~~~~
  did you mean the aggregate `count`?

== profile:hz:99 /comm == "java"/ { @[kstack] = count(); }
-- query
profile:hz:99 /comm == "java"/ { @[kstack] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  profile:hz:99 /comm == "java"/ { @[kstack] = count(); }
  ^~~~~~~~~~~~~
  as a query: count of sample 99hz where proc = "java" by stack

== tracepoint:syscalls:sys_exit_read /pid == 12 && args->ret > 0/ { @[comm] = hist(args->ret); }
-- query
tracepoint:syscalls:sys_exit_read /pid == 12 && args->ret > 0/ { @[comm] = hist(args->ret); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_exit_read /pid == 12 && args->ret > 0/ { @[comm] = hist(args->ret); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: hist(bytes) of read where pid = 12 and ret > 0 by proc

== tracepoint:syscalls:sys_enter_openat /comm == "nginx"/ { printf("%s\n", str(args->filename)); }
-- query
tracepoint:syscalls:sys_enter_openat /comm == "nginx"/ { printf("%s\n", str(args->filename)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_enter_openat /comm == "nginx"/ { printf("%s\n", str(args->filename)); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: file of openat where proc = "nginx"

== kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); }
-- query
kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kretprobe:vfs_read /@start[tid]/ { @ns[comm] = hist(nsecs - @start[tid]); }
  ^~~~~~~~~~~~~~~~~~
  Every kernel shows system calls: the nearest to `vfs_read` is `read`. As a query: hist(latency) of read by proc

== BEGIN { printf("hi"); }
-- query
BEGIN { printf("hi"); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  BEGIN { printf("hi"); }
  ^~~~~
  A query says what it wants of a source. A first query: count of open by proc every 1s

== syscall::read:entry { @[execname] = count(); }
-- query
syscall::read:entry { @[execname] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  syscall::read:entry { @[execname] = count(); }
  ^~~~~~~~~~~~~~~~~~~
  as a query: count of read by proc

== tracepoint:block:block_rq_issue { @ = lhist(args->bytes, 0, 1000, 100); }
-- query
tracepoint:block:block_rq_issue { @ = lhist(args->bytes, 0, 1000, 100); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:block:block_rq_issue { @ = lhist(args->bytes, 0, 1000, 100); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: lhist(bytes, 0, 1000, 100) of tracepoint "block:block_rq_issue"

== interval:s:1 { print(@); }
-- query
interval:s:1 { print(@); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  interval:s:1 { print(@); }
  ^~~~~~~~~~~~
  answers come at intervals by `every`: count of read by proc every 1s

== sum by (comm) (rate(write_bytes_total[1m]))
-- query
sum by (comm) (rate(write_bytes_total[1m]))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum by (comm) (rate(write_bytes_total[1m]))
  ^~~
  as a query: rate(bytes) of write by proc every 1m

== count of read where name = "a[5m]"
-- query
count of read where name = "a[5m]"
-- error
query:1:28: note: no call of `read` has the name `a[5m]` [N-CALL]
  count of read where name = "a[5m]"
                             ^~~~~~~

== sum by (comm, file) (rate(write_bytes_total[1m]))
-- query
sum by (comm, file) (rate(write_bytes_total[1m]))
-- error
query:1:1: error: this is PromQL [E-SYNTAX]
  sum by (comm, file) (rate(write_bytes_total[1m]))
  ^~~
  as a query: rate(bytes) of write by proc, file every 1m

== tracepoint:raw_syscalls:sys_enter { @[comm, args->id] = count(); }
-- query
tracepoint:raw_syscalls:sys_enter { @[comm, args->id] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:raw_syscalls:sys_enter { @[comm, args->id] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of syscall by proc, name

== kprobe:do_nanosleep,kprobe:vfs_read /pid == 3/ { @ = count(); }
-- query
kprobe:do_nanosleep,kprobe:vfs_read /pid == 3/ { @ = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:do_nanosleep,kprobe:vfs_read /pid == 3/ { @ = count(); }
  ^~~~~~~~~~~~~~~~~~~
  It is about the first of its probes. As a query: count of kernel "do_nanosleep" where pid = 3

== t:sched:sched_switch { @[kstack] = stats(args->prev_state); }
-- query
t:sched:sched_switch { @[kstack] = stats(args->prev_state); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  t:sched:sched_switch { @[kstack] = stats(args->prev_state); }
  ^~~~~~~~~~~~~~~~~~~~
  as a query: count, avg(prev_state), sum(prev_state) of tracepoint "sched:sched_switch" by stack

== count of read for minutes
-- query
count of read for minutes
-- error
query:1:19: error: found `minutes`, expected a number [E-SYNTAX]
  count of read for minutes
                    ^~~~~~~
  write the number too: for 1m

== usdt:/usr/sbin/mysqld:mysql:query__start /pid != 1/ { @[comm] = count(); }
-- query
usdt:/usr/sbin/mysqld:mysql:query__start /pid != 1/ { @[comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  usdt:/usr/sbin/mysqld:mysql:query__start /pid != 1/ { @[comm] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of usdt "/usr/sbin/mysqld:mysql:query__start" where pid != 1 by proc

== uprobe:/bin/bash:readline /pid != 1/ { @[comm, arg0] = count(); }
-- query
uprobe:/bin/bash:readline /pid != 1/ { @[comm, arg0] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  uprobe:/bin/bash:readline /pid != 1/ { @[comm, arg0] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of user "/bin/bash:readline" where pid != 1 by proc, arg0

== uprobe:/bin/bash:readline { printf("%s", str(arg0)); }
-- query
uprobe:/bin/bash:readline { printf("%s", str(arg0)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  uprobe:/bin/bash:readline { printf("%s", str(arg0)); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: text(arg0) of user "/bin/bash:readline"

== uretprobe:/bin/bash:readline { printf("%d %d\n", pid, retval); }
-- query
uretprobe:/bin/bash:readline { printf("%d %d\n", pid, retval); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  uretprobe:/bin/bash:readline { printf("%d %d\n", pid, retval); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: pid, ret of user "/bin/bash:readline"

== usdt:/usr/sbin/postgres:postgresql:query__start { @[str(arg0)] = count(); }
-- query
usdt:/usr/sbin/postgres:postgresql:query__start { @[str(arg0)] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  usdt:/usr/sbin/postgres:postgresql:query__start { @[str(arg0)] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of usdt "/usr/sbin/postgres:postgresql:query__start" by text(arg0)

== kprobe:do_nanosleep { printf("%s %s\n", comm, str(arg1, 20)); }
-- query
kprobe:do_nanosleep { printf("%s %s\n", comm, str(arg1, 20)); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  kprobe:do_nanosleep { printf("%s %s\n", comm, str(arg1, 20)); }
  ^~~~~~~~~~~~~~~~~~~
  as a query: proc, text(arg1, 20) of kernel "do_nanosleep"

== uretprobe:/bin/bash:readline /pid > 3/ { @[comm] = hist(retval); }
-- query
uretprobe:/bin/bash:readline /pid > 3/ { @[comm] = hist(retval); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  uretprobe:/bin/bash:readline /pid > 3/ { @[comm] = hist(retval); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: hist(ret) of user "/bin/bash:readline" where pid > 3 by proc
