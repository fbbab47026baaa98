What people type who come from SQL, bpftrace, DTrace or a shell, and the hint that names the spelling here.

== select count(*) from syscall
-- query
select count(*) from syscall
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select count(*) from syscall
  ^~~~~~
  as a query: count of syscall

== count(*) of read
-- query
count(*) of read
-- error
query:1:7: error: found `*`, expected an expression, `)` or `where` [E-SYNTAX]
  count(*) of read
        ^
  `count` counts events and takes no `*`: count of read

== count of read group by proc
-- query
count of read group by proc
-- error
query:1:15: error: found `group`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read group by proc
                ^~~~~
  groups are made with `by` alone: count of read by proc

== count of read where comm = java
-- query
count of read where comm = java
-- error
query:1:21: error: `comm` is not a field of `read` [E-NAME-FIELD]
  count of read where comm = java
                      ^~~~
  did you mean `proc`? `runnel describe read` lists the fields

== count of read where proc = 'java' by filename
-- query
count of read where proc = 'java' by filename
-- error
query:1:38: error: `filename` is not a field of `read` [E-NAME-FIELD]
  count of read where proc = 'java' by filename
                                       ^~~~~~~~
  did you mean `file`? `runnel describe read` lists the fields

== count of read where latency > 10 ms
-- query
count of read where latency > 10 ms
-- error
query:1:34: error: found `ms`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where latency > 10 ms
                                   ^~
  write the unit without a space: 10ms

== count of read where latency > 10msec
-- query
count of read where latency > 10msec
-- error
query:1:33: error: `msec` is not a unit [E-LEX-UNIT]
  count of read where latency > 10msec
                                  ^~~~
  did you mean `ms`? Units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %

== count of read where latency > 5 minutes
-- query
count of read where latency > 5 minutes
-- error
query:1:33: error: found `minutes`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where latency > 5 minutes
                                  ^~~~~~~
  write the unit without a space: 5m

== count read
-- query
count read
-- error
query:1:7: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count read
        ^~~~
  is `of` missing? count of read

== events read
-- query
events read
-- error
query:1:8: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  events read
         ^~~~
  is `of` missing? events of read

== sum(bytes) by proc
-- query
sum(bytes) by proc
-- error
query:1:12: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  sum(bytes) by proc
             ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== count of read where proc like "java%"
-- query
count of read where proc like "java%"
-- error
query:1:26: error: found `like`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where proc like "java%"
                           ^~~~
  a glob is written proc ~ "java*", a regular expression proc =~ "^java"

== count of read where proc is null
-- query
count of read where proc is null
-- error
query:1:21: note: `proc` is never null [N-NEVER]
  count of read where proc is null
                      ^~~~~~~~~~~~
  if an event has none, it is empty: proc = ""

== count of read where file = /etc/passwd
-- query
count of read where file = /etc/passwd
-- error
query:1:28: error: found `/`, expected an expression [E-SYNTAX]
  count of read where file = /etc/passwd
                             ^
  a path is text and must be quoted: file ~ "/etc/*"

== count of read where pid in 1,2
-- query
count of read where pid in 1,2
-- error
query:1:28: error: found `1`, expected `(` [E-SYNTAX]
  count of read where pid in 1,2
                             ^
  write the values in parentheses: pid in (1, 2)

== average(bytes) of read
-- query
average(bytes) of read
-- error
query:1:1: error: there is no function `average` [E-NAME-FUNC]
  average(bytes) of read
  ^~~~~~~
  did you mean `avg`?

== histogram(latency) of read
-- query
histogram(latency) of read
-- error
query:1:1: error: there is no function `histogram` [E-NAME-FUNC]
  histogram(latency) of read
  ^~~~~~~~~
  did you mean `hist`?

== tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
-- query
tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  as a query: count of openat by proc

== count of read | sort
-- query
count of read | sort
-- error
query:1:15: error: found `|`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read | sort
                ^
  a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source

== count of read order by count descending
-- query
count of read order by count descending
-- error
query:1:30: error: found `descending`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  count of read order by count descending
                               ^~~~~~~~~~
  write `desc`

== count of read by proc sort by count
-- query
count of read by proc sort by count
-- error
query:1:23: error: found `sort`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  count of read by proc sort by count
                        ^~~~
  write `order by count desc`, or `top 10`

== count of read by proc desc
-- query
count of read by proc desc
-- error
query:1:23: error: found `desc`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,`, `as` or the end of the statement [E-SYNTAX]
  count of read by proc desc
                        ^~~~
  `desc` follows `order by`: order by count desc

== count of read for 5 seconds
-- query
count of read for 5 seconds
-- error
query:1:21: error: found `seconds`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read for 5 seconds
                      ^~~~~~~
  write the unit without a space: 5s

== count of fork, exec
-- query
count of fork, exec
-- error

== p99(latency) by proc of read
-- query
p99(latency) by proc of read
-- error
query:1:14: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  p99(latency) by proc of read
               ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== count by proc and by file of read
-- query
count by proc and by file of read
-- error
query:1:7: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count by proc and by file of read
        ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

== count where pid = 1 of read limit x
-- query
count where pid = 1 of read limit x
-- error
query:1:7: error: found `where`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count where pid = 1 of read limit x
        ^~~~~
  `of` and a source come before the clauses: sum(bytes) of read by proc
query:1:35: error: found `x`, expected a number [E-SYNTAX]
  count where pid = 1 of read limit x
                                    ^

== count of read by proc and by file
-- query
count of read by proc and by file
-- error
query:1:27: error: found `by`, expected an expression [E-SYNTAX]
  count of read by proc and by file
                            ^~
  each clause stands once and without `and`: where pid = 3 by proc, file

== count of tracepoint sched_switch
-- query
count of tracepoint sched_switch
-- error
query:1:21: error: found `sched_switch`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of tracepoint sched_switch
                      ^~~~~~~~~~~~
  quote the name: tracepoint "sched:sched_switch"

== count of kprobe "vfs_read"
-- query
count of kprobe "vfs_read"
-- error
query:1:10: error: `kprobe` is not an event class, table or view [E-NAME-SOURCE]
  count of kprobe "vfs_read"
           ^~~~~~
  functions of the kernel are written kernel "vfs_read": count of kernel "vfs_*" by func; if it has no kprobes, tracepoints are there: `runnel list 'tcp:*'`

== count of read where duration > 1ms
-- query
count of read where duration > 1ms
-- error
query:1:21: error: `duration` is not a field of `read` [E-NAME-FIELD]
  count of read where duration > 1ms
                      ^~~~~~~~
  did you mean `latency`? `runnel describe read` lists the fields

== count of open where path = "/x"
-- query
count of open where path = "/x"
-- error
query:1:21: error: `path` is not a field of `open` [E-NAME-FIELD]
  count of open where path = "/x"
                      ^~~~
  did you mean `file`? `runnel describe open` lists the fields

== count of open where retval < 0
-- query
count of open where retval < 0
-- error
query:1:21: error: `retval` is not a field of `open` [E-NAME-FIELD]
  count of open where retval < 0
                      ^~~~~~
  did you mean `ret`? `runnel describe open` lists the fields

== top 5 count of read by file
-- query
top 5 count of read by file
-- error
query:1:7: error: found `count`, expected `of` [E-SYNTAX]
  top 5 count of read by file
        ^~~~~
  `top` is a clause at the end: count of read by file top 5

== count distinct file of read
-- query
count distinct file of read
-- error
query:1:7: error: found `distinct`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count distinct file of read
        ^~~~~~~~
  write distinct(file) for how many there are, set(file) for which

== count of all
-- query
count of all
-- error
query:1:10: error: `all` is not an event class, table or view [E-NAME-SOURCE]
  count of all
           ^~~
  did you mean `syscall`?

== count of * by proc
-- query
count of * by proc
-- error
query:1:10: error: found `*`, expected an event class, a table or a view, `(` or `between` [E-SYNTAX]
  count of * by proc
           ^
  `syscall` holds every system call: count of syscall by name

== count of connect by ip
-- query
count of connect by ip
-- error
query:1:21: error: `ip` is not a field of `connect` [E-NAME-FIELD]
  count of connect by ip
                      ^~
  did you mean `peer`? `runnel describe connect` lists the fields

== help
-- query
help
-- error
query:1:1: error: `help` is neither a query nor the name of a view or a result [E-NAME-VIEW]
  help
  ^~~~
  `runnel --help` shows the command line, `runnel list` what can be asked

== a recording without quotes
-- query
count of read from find.rnt
-- error
query:1:20: error: found `find.rnt`, expected a quoted string [E-SYNTAX]
  count of read from find.rnt
                     ^~~~~~~~
  a name that holds `.` is quoted: "find.rnt"

== a path with a dot, without quotes
-- query
count of read where file = /etc/ld.so.conf by proc
-- error
query:1:28: error: found `/`, expected an expression [E-SYNTAX]
  count of read where file = /etc/ld.so.conf by proc
                             ^
  a path is text and must be quoted: file ~ "/etc/*"

== the name of no view
-- query
slow_reads(1us)
-- error
query:1:1: error: `slow_reads` is neither a query nor the name of a view or a result [E-NAME-VIEW]
  slow_reads(1us)
  ^~~~~~~~~~
  `runnel list` shows views, and what can be asked

== part of an alias
-- query
count, sum(bytes) as total_bytes of read by proc order by total
-- error
query:1:59: error: `total` is not a field of `read` [E-NAME-FIELD]
  count, sum(bytes) as total_bytes of read by proc order by total
                                                            ^~~~~
  did you mean `total_bytes`? `runnel describe read` lists them

== a class that comes later
-- query
count of net by peer
-- error
query:1:10: error: `net` is not executed by this version [E-LATER]
  count of net by peer
           ^~~
  its tracepoints are there: count of tracepoint "net:net_dev_queue"; or the calls: sum(bytes) of send by peer

== count of sample 99 by proc
-- query
count of sample 99 by proc
-- error
query:1:17: error: found `99`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of sample 99 by proc
                  ^~
  write after it how often a second each CPU is looked at: sample 99hz

== count of sample hz by proc
-- query
count of sample hz by proc
-- error
query:1:17: error: found `hz`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of sample hz by proc
                  ^~
  write after it how often a second each CPU is looked at: sample 99hz

== count of profile by kstack
-- query
count of profile by kstack
-- error
query:1:10: error: `profile` is not an event class, table or view [E-NAME-SOURCE]
  count of profile by kstack
           ^~~~~~~
  a profile is written `sample 99hz`: count of sample 99hz by stack

== profile:hz:99 { @[kstack] = count(); }
-- query
profile:hz:99 { @[kstack] = count(); }
-- error
query:1:1: error: this is a program for bpftrace, and no query [E-SYNTAX]
  profile:hz:99 { @[kstack] = count(); }
  ^~~~~~~~~~~~~
  as a query: count of sample 99hz by stack

== count of profile:hz:99 by stack
-- query
count of profile:hz:99 by stack
-- error
query:1:17: error: `:` has no meaning here [E-LEX-CHAR]
  count of profile:hz:99 by stack
                  ^
  a profile is written `sample 99hz`: count of sample 99hz by stack

== count of kprobe:vfs_read by comm
-- query
count of kprobe:vfs_read by comm
-- error
query:1:16: error: `:` has no meaning here [E-LEX-CHAR]
  count of kprobe:vfs_read by comm
                 ^
  functions of the kernel are written kernel "vfs_read": count of kernel "vfs_*" by func; if it has no kprobes, tracepoints are there: `runnel list 'tcp:*'`

== count of openat by args.filename
-- query
count of openat by args.filename
-- error
query:1:20: error: `args.filename` is not a field of `openat` [E-NAME-FIELD]
  count of openat by args.filename
                     ^~~~~~~~~~~~~
  arguments are fields: `file`, `fd`, `flags`, `arg0` to `arg5` of a call, a tracepoint's own by their names; `runnel describe openat` lists them

== count of openat by args->filename
-- query
count of openat by args->filename
-- error
query:1:25: error: found `>`, expected an expression [E-SYNTAX]
  count of openat by args->filename
                          ^
  arguments are fields: `file`, `fd`, `flags`, `arg0` to `arg5` of a call, a tracepoint's own by their names; `runnel describe openat` lists them

== count of read /pid = 3/
-- query
count of read /pid = 3/
-- error
query:1:15: error: found `/`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read /pid = 3/
                ^
  conditions come after `where`: count of read where pid = 3

== count of read by kstack, nsecs
-- query
count of read by kstack, nsecs
-- error
query:1:18: error: `kstack` is not a field of `read` [E-NAME-FIELD]
  count of read by kstack, nsecs
                   ^~~~~~
  did you mean `stack`? `runnel describe read` lists the fields
query:1:26: error: `nsecs` is not a field of `read` [E-NAME-FIELD]
  count of read by kstack, nsecs
                           ^~~~~
  did you mean `time`? `runnel describe read` lists the fields

== SQL's ordinals
-- query
count of read by file order by 2 desc;
-- error
query:1:32: error: `order by 2` orders nothing: 2 is a constant [E-TYPE]
  count of read by file order by 2 desc;
                                 ^
  the second column is `count`: order by count desc

== SQL's ordinals: an expression, a string, one too many
-- query
count, max(latency) as worst of read by file order by 1 + 1, "worst" desc, 7
-- error
query:1:55: error: `order by 1 + 1` orders nothing: 1 + 1 is a constant [E-TYPE]
  count, max(latency) as worst of read by file order by 1 + 1, "worst" desc, 7
                                                        ^~~~~
  name a column, as in `order by worst`
query:1:62: error: `order by "worst"` orders nothing: "worst" is a constant [E-TYPE]
  count, max(latency) as worst of read by file order by 1 + 1, "worst" desc, 7
                                                               ^~~~~~~
  a column stands without quotes: order by worst desc
query:1:76: error: `order by 7` orders nothing: 7 is a constant [E-TYPE]
  count, max(latency) as worst of read by file order by 1 + 1, "worst" desc, 7
                                                                             ^
  name a column, as in `order by worst`

== SQL's ordinals: top, and windows
-- query
count of read by file top 3 by 1
-- error
query:1:32: error: `top 3 by 1` orders nothing: 1 is a constant [E-TYPE]
  count of read by file top 3 by 1
                                 ^
  the first column is `file`: top 3 by file

== SQL's ordinals: top N of
-- query
top 10 of read by 1
-- error
query:1:19: error: `by 1` orders nothing: 1 is a constant [E-TYPE]
  top 10 of read by 1
                    ^
  the first column is `time`: by time

== SQL's ordinals: by
-- query
file, count of read by 1
-- error
query:1:24: error: `by 1` makes no groups: 1 is a constant [E-TYPE]
  file, count of read by 1
                         ^
  the first column is `file`: by file

== SQL's ordinals: by an aggregate's number, by a quoted field
-- query
count of read by 1, "proc"
-- error
query:1:18: error: `by 1` makes no groups: 1 is a constant [E-TYPE]
  count of read by 1, "proc"
                   ^
  name a field or a column to group by
query:1:21: error: `by "proc"` makes no groups: "proc" is a constant [E-TYPE]
  count of read by 1, "proc"
                      ^~~~~~
  a field stands without quotes: by proc

== globs of SQL
-- query
count of read where file ~ "/etc/%" and proc !~ "%java%" and file ~ "*%*"
-- error
query:1:28: note: in a glob, `%` stands for itself [N-GLOB]
  count of read where file ~ "/etc/%" and proc !~ "%java%" and file ~ "*%*"
                             ^~~~~~~~
  globs use * and ?: file ~ "/etc/*"
query:1:49: note: in a glob, `%` stands for itself [N-GLOB]
  count of read where file ~ "/etc/%" and proc !~ "%java%" and file ~ "*%*"
                                                  ^~~~~~~~
  globs use * and ?: proc !~ "*java*"

== a glob that is not written to its end
-- query
count of read where file ~ "/tmp/[ab" and proc ~ "[k]worker*" and file ~ "a\\[b" and file !~ "[[]x"
-- error
query:1:28: note: in a glob, a `[` without its `]` stands for itself [N-GLOB]
  count of read where file ~ "/tmp/[ab" and proc ~ "[k]worker*" and file ~ "a\\[b" and file !~ "[[]x"
                             ^~~~~~~~~~
  close it, or write [[] for a `[`: file ~ "/tmp/[[]ab"
query:1:74: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ "/tmp/[ab" and proc ~ "[k]worker*" and file ~ "a\\[b" and file !~ "[[]x"
                                                                           ^~~~~~~
  a file of that name: file ~ "*/a\\[b"; a path with it anywhere: "*a\\[b*"

== nothing is missing
-- query
count of read where proc != null and file = NULL and user != "null"
-- error
query:1:29: note: `null` is the text "null" here: no field is ever missing [N-BAREWORD]
  count of read where proc != null and file = NULL and user != "null"
                              ^~~~
  one that is empty: proc = ""
query:1:45: note: `NULL` is the text "NULL" here: no field is ever missing [N-BAREWORD]
  count of read where proc != null and file = NULL and user != "null"
                                              ^~~~
  one that is empty: file = ""
query:1:62: note: this machine has no user `null`, so this always holds [N-NEVER]
  count of read where proc != null and file = NULL and user != "null"
                                                               ^~~~~~
  `getent passwd` lists them; by number: uid = 1000

== globs of regular expressions
-- query
count of read where file ~ "^/etc/" or file ~ ".*log" or file !~ "log$" or file ~ "/var/log.*"
-- error
query:1:28: note: in a glob, `^` and `$` stand for themselves [N-GLOB]
  count of read where file ~ "^/etc/" or file ~ ".*log" or file !~ "log$" or file ~ "/var/log.*"
                             ^~~~~~~~
  a regular expression is written file =~ "^/etc/"
query:1:47: note: in a glob, a dot stands for itself [N-GLOB]
  count of read where file ~ "^/etc/" or file ~ ".*log" or file !~ "log$" or file ~ "/var/log.*"
                                                ^~~~~~~
  a regular expression is written file =~ ".*log"
query:1:66: note: in a glob, `^` and `$` stand for themselves [N-GLOB]
  count of read where file ~ "^/etc/" or file ~ ".*log" or file !~ "log$" or file ~ "/var/log.*"
                                                                   ^~~~~~
  a regular expression is written not file =~ "log$"

== one value of text
-- query
count, proc, bytes of read by file
-- error
query:1:8: error: `proc` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  count, proc, bytes of read by file
         ^~~~
  add `proc` to `by`, or take one value: first(proc)
query:1:14: error: `bytes` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  count, proc, bytes of read by file
               ^~~~~
  add `bytes` to `by`, or take one value: max(bytes)

== probes of bpftrace as sources
-- query
count of kretprobe "vfs_read"
-- error
query:1:10: error: `kretprobe` is not an event class, table or view [E-NAME-SOURCE]
  count of kretprobe "vfs_read"
           ^~~~~~~~~
  the end of a call is asked for by `latency` or `ret`: hist(latency) of kernel "vfs_read"; of system calls: hist(latency) of read

== probes of bpftrace as sources: uprobe
-- query
count of uprobe "malloc"
-- error
query:1:10: error: `uprobe` is not an event class, table or view [E-NAME-SOURCE]
  count of uprobe "malloc"
           ^~~~~~
  functions of programs are written user "libc:malloc": count of user "libc:malloc" by proc

== probes of bpftrace as sources: interval
-- query
count of interval
-- error
query:1:10: error: `interval` is not an event class, table or view [E-NAME-SOURCE]
  count of interval
           ^~~~~~~~
  answers come at intervals by `every`: count of read by proc every 1s

== probes of bpftrace as sources: interval 1s
-- query
count of interval 1s
-- error
query:1:19: error: found `1s`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of interval 1s
                    ^~
  answers come at intervals by `every`: count of read by proc every 1s

== probes of bpftrace as sources: fentry
-- query
count of fentry vfs_read
-- error
query:1:17: error: found `vfs_read`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of fentry vfs_read
                  ^~~~~~~~
  functions of the kernel are written kernel "vfs_read": count of kernel "vfs_*" by func; if it has no kprobes, tracepoints are there: `runnel list 'tcp:*'`

== probes of bpftrace as sources: rawtracepoint
-- query
count of rawtracepoint "sched_switch"
-- error
query:1:10: error: `rawtracepoint` is not an event class, table or view [E-NAME-SOURCE]
  count of rawtracepoint "sched_switch"
           ^~~~~~~~~~~~~
  a tracepoint of the kernel is written tracepoint "sched:sched_switch"

== describe read
-- query
describe read
-- error
query:1:10: error: found `read`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  describe read
           ^~~~
  that is no query: at the command line `runnel describe read`, at the prompt `\d read`

== show views
-- query
show views
-- error
query:1:6: error: found `views`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  show views
       ^~~~~
  that is no query: at the command line `runnel list`, at the prompt `\l`

== create view
-- query
create or replace view s as select * from read
-- error
query:1:19: error: found `view`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  create or replace view s as select * from read
                    ^~~~
  a view is made by `view NAME := QUERY`: view slow := count of read where latency > 10ms by file

== view with =
-- query
view s = count of read
-- error
query:1:8: error: found `=`, expected `(` or `:=` [E-SYNTAX]
  view s = count of read
         ^
  a view gets its query as in `view slow := count of read where latency > 10ms by file`

== drop view if exists
-- query
drop view if exists s
-- error
query:1:14: error: found `exists`, expected `,`, `=` or the end of the statement [E-SYNTAX]
  drop view if exists s
               ^~~~~~
  there is no `if exists`: drop view s

== drop without view
-- query
drop s
-- error
query:1:6: error: found `s`, expected `view` [E-SYNTAX]
  drop s
       ^
  say what is dropped: drop view s

== use of two modules
-- query
use fs, io
-- error
query:1:7: error: found `,`, expected the end of the statement [E-SYNTAX]
  use fs, io
        ^
  one module a statement: use fs; use io

== explain let
-- query
explain let s := count of read for 5s
-- error
query:1:13: error: found `s`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  explain let s := count of read for 5s
              ^
  `explain` takes a query alone, as in `explain count of read by file`: leave `let s :=` out

== explain assert
-- query
explain assert count of read for 5s
-- error
query:1:16: error: found `count`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  explain assert count of read for 5s
                 ^~~~~
  `explain` takes a query alone, as in `explain count of read by file`: leave `assert` out

== bits
-- query
count of open where flags & 64 = 64
-- print
count of open where flags & 64 = 64

== whether a bit is set
-- query
count of openat where bucket(flags, 64) / 64 % 2 != 0
-- print
count of openat where bucket(flags, 64) / 64 % 2 != 0

== max of text
-- query
max(proc) of read
-- error
query:1:5: error: `max` needs a number, and this is a string [E-TYPE]
  max(proc) of read
      ^~~~
  for text there are first(proc), last(proc), set(proc) and distinct(proc)

== two sources
-- query
count of read or write by proc
-- error
query:1:15: error: found `or`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read or write by proc
                ^~
  several classes have commas between them, as in count of read, fsync by name

== capitals
-- query
COUNT OF syscall
-- error
query:1:7: error: found `OF`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  COUNT OF syscall
        ^~
  did you mean `of`? Words of the language are in lower case

== capitals in clauses
-- query
count of read WHERE pid = 1
-- error
query:1:15: error: found `WHERE`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read WHERE pid = 1
                ^~~~~
  did you mean `where`? Words of the language are in lower case

== capitals in names
-- query
COUNT, SUM(bytes) of READ
-- error
query:1:8: error: there is no function `SUM` [E-NAME-FUNC]
  COUNT, SUM(bytes) of READ
         ^~~
  did you mean `sum`?
query:1:22: error: `READ` is not an event class, table or view [E-NAME-SOURCE]
  COUNT, SUM(bytes) of READ
                       ^~~~
  did you mean `read`?

== select ... group by
-- query
select proc, count(*) from read group by proc order by 2
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select proc, count(*) from read group by proc order by 2
  ^~~~~~
  as a query: proc, count of read by proc order by count

== not like
-- query
count of read where proc not like "java%"
-- error
query:1:30: error: found `like`, expected `in` or `between` [E-SYNTAX]
  count of read where proc not like "java%"
                               ^~~~
  a glob is denied by proc !~ "java*"

== a string like a string
-- query
count of read where "java" like "j%"
-- error
query:1:28: error: found `like`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where "java" like "j%"
                             ^~~~
  a glob is written proc ~ "java*", a regular expression proc =~ "^java"

== == && || ! <>
-- query
count of read where pid == 1 && fd <> 3 || !(fd = 4)
-- error
query:1:25: error: `==` is written `=` here [E-LEX-CHAR]
  count of read where pid == 1 && fd <> 3 || !(fd = 4)
                          ^~
query:1:30: error: `&&` is written `and` here [E-LEX-CHAR]
  count of read where pid == 1 && fd <> 3 || !(fd = 4)
                               ^~
query:1:36: error: `<>` is written `!=` here [E-LEX-CHAR]
  count of read where pid == 1 && fd <> 3 || !(fd = 4)
                                     ^~
query:1:41: error: `||` is written `or` here [E-LEX-CHAR]
  count of read where pid == 1 && fd <> 3 || !(fd = 4)
                                          ^~
query:1:44: error: `!` is written `not` here [E-LEX-CHAR]
  count of read where pid == 1 && fd <> 3 || !(fd = 4)
                                             ^

== COUNT of read
-- query
COUNT of read
-- error
query:1:1: error: `COUNT` is not a field of `read` [E-NAME-FIELD]
  COUNT of read
  ^~~~~
  did you mean `count`? Words of the language are in lower case

== flow of fix283
-- query
flow of fix283
-- error
query:1:9: error: `fix283` is not an event class, table or view [E-NAME-SOURCE]
  flow of fix283
          ^~~~~~
  a flow is of a tag: flow of tag fix283

== flow of a text
-- query
flow of "fix283"
-- error
query:1:9: error: found a quoted string, expected an event class, a table or a view, `(` or `between` [E-SYNTAX]
  flow of "fix283"
          ^~~~~~~~
  a flow is of a tag: flow of tag "fix283"

== flow tag fix283
-- query
flow tag fix283
-- error
query:1:6: error: found `tag`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  flow tag fix283
       ^~~
  is `of` missing? flow of tag fix283

== values without commas
-- query
count of read where pid in (1 2)
-- error
query:1:31: error: found `2`, expected a comparison or an operator, `and`, `of`, `,`, `)` or `as` [E-SYNTAX]
  count of read where pid in (1 2)
                                ^
  commas stand between the values: pid in (1, 2)

== a unit in capitals
-- query
count of read for 1S
-- error
query:1:19: error: `for` takes a duration longer than zero [E-UNIT]
  count of read for 1S
                    ^~
  for instance `for 10s`
query:1:20: error: `S` is not a unit [E-LEX-UNIT]
  count of read for 1S
                     ^
  did you mean `s`? Units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %

== a class of a later version, by another name
-- query
count of disk
-- error
query:1:10: error: `disk` is not an event class, table or view [E-NAME-SOURCE]
  count of disk
           ^~~~
  `block` is for a later version; its tracepoints are there: count of tracepoint "block:block_rq_issue"

== SQL's count(distinct ...)
-- query
count(distinct pid) of io
-- error
query:1:16: error: found `pid`, expected a comparison or an operator, `and`, `,`, `)` or `where` [E-SYNTAX]
  count(distinct pid) of io
                 ^~~
  how many different ones there are says distinct(pid)

== SQL's select of columns
-- query
select pid, rss from proc where rss > 1MB limit 3
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select pid, rss from proc where rss > 1MB limit 3
  ^~~~~~
  as a query: pid, rss of processes where rss > 1MB limit 3

== SQL's case
-- query
case when pid = 1 then 2 end of io
-- error
query:1:6: error: found `when`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  case when pid = 1 then 2 end of io
       ^~~~
  there is no `case`: if(bytes > 4096, "long", "short") is one of two values

== SQL's cast
-- query
avg(bytes)::int of io
-- error
query:1:11: error: `:` has no meaning here [E-LEX-CHAR]
  avg(bytes)::int of io
            ^
  there are no casts: numbers are computed with as they are, and `-o json` shows them bare

== a value behind or
-- query
count of io where proc = "x" or "y"
-- error
query:1:33: error: `or` needs conditions, and this is a string [E-TYPE]
  count of io where proc = "x" or "y"
                                  ^~~
  several values are written proc in ("x", "y")

== a value of another type behind or
-- query
count of io where proc = "x" or 5
-- error
query:1:33: error: `or` needs conditions, and this is a number [E-TYPE]
  count of io where proc = "x" or 5
                                  ^
  compare it with something: 5 = ...

== SQL's now()
-- query
count of io where time > now() - 5s
-- print
count of io where time > now() - 5s

== a function that others have, too
-- query
count of io where contains(file, "x")
-- print
count of io where contains(file, "x")

== a word that names of tracepoints hold
-- query
events of swit
-- error
query:1:11: error: `swit` is not an event class, table or view [E-NAME-SOURCE]
  events of swit
            ^~~~
  `runnel list '*swit*'` shows what has it in its name

== values behind or, and again
-- query
count of io where pid = 1 or 2 or 3
-- error
query:1:30: error: `or` needs conditions, and this is a number [E-TYPE]
  count of io where pid = 1 or 2 or 3
                               ^
  several values are written pid in (1, 2)
query:1:35: error: `or` needs conditions, and this is a number [E-TYPE]
  count of io where pid = 1 or 2 or 3
                                    ^
  several values are written pid in (1, ..., 3)

== an address that is not quoted
-- query
count of connect where peer = fe80::1
-- error
query:1:35: error: `:` has no meaning here [E-LEX-CHAR]
  count of connect where peer = fe80::1
                                    ^
  an address is quoted: "fe80::1"

== two colons in a name
-- query
count of kernel::tcp_sendmsg
-- error
query:1:16: error: `:` has no meaning here [E-LEX-CHAR]
  count of kernel::tcp_sendmsg
                 ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"

== a recording that is not quoted
-- query
events of io into /tmp/x
-- error
query:1:19: error: found `/`, expected a name or a quoted string [E-SYNTAX]
  events of io into /tmp/x
                    ^
  the name of a recording is quoted: from "/tmp/x.rnt"

== a recording that is a word
-- query
count of io from x
-- error
query:1:18: error: found `x`, expected a quoted string [E-SYNTAX]
  count of io from x
                   ^
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`

== a query of one word
-- query
count
-- error
query:1:1: error: `count` is no query: it does not say of what [E-SYNTAX]
  count
  ^~~~~
  name a source: count of read

== avg latency of read
-- query
avg latency of read by proc
-- error
query:1:5: error: found `latency`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  avg latency of read by proc
      ^~~~~~~
  what a function is about stands in parentheses: avg(latency) of ...

== counting what only the node can tell apart
-- query
count of read where file =~ "[0-9]log"
-- error
query:1:21: note: every event of `read` leaves the kernel, since only the node can test this condition [N-ROWS]
  count of read where file =~ "[0-9]log"
                      ^~~~~~~~~~~~~~~~~~
  a condition for the kernel, such as proc = NAME, leaves most of them there; `explain` shows what runs where

== a key that only the node can compute
-- query
count of io by date(time)
-- error
query:1:16: note: every event of `io` leaves the kernel, since only the node can compute this key [N-ROWS]
  count of io by date(time)
                 ^~~~~~~~~~
  a condition for the kernel, such as proc = NAME, leaves most of them there; `explain` shows what runs where

== a condition that leaves most events in the kernel
-- query
count of read where file =~ "^/var/log/" by file
-- error

== a class that is not busy
-- query
count of fsync where file =~ "[0-9]log"
-- error
