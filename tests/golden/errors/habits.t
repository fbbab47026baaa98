What people type who come from SQL, bpftrace, DTrace or a shell, and the hint that names the spelling here.

== select count(*) from syscall
-- query
select count(*) from syscall
-- error
query:1:8: error: found `count`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  select count(*) from syscall
         ^~~~~
  there is no `select`: say what is wanted, as in `count of syscall where pid = 1 by proc`
query:1:22: error: found `syscall`, expected a quoted string [E-SYNTAX]
  select count(*) from syscall
                       ^~~~~~~
  `from` names a recording in quotes: from "x.rnt"; the source comes after `of`

== count(*) of read
-- query
count(*) of read
-- error
query:1:7: error: found `*`, expected an expression or `)` [E-SYNTAX]
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
  a unit stands right behind its number: 10ms

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
  a unit stands right behind its number: 5m

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
query:1:26: error: found `is`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where proc is null
                           ^~
  no field is ever missing: compare with "" or 0

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
query:1:11: error: `:` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
            ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:1:20: error: `:` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                     ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"
query:1:38: error: `{` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                                       ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:40: error: `@` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                                         ^
  there are no maps: the keys of an aggregate come after `by`: count of read by proc
query:1:41: error: `[` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                                          ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:46: error: `]` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                                               ^
query:1:59: error: `}` has no meaning here [E-LEX-CHAR]
  tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }
                                                            ^

== count of read | sort
-- query
count of read | sort
-- error
query:1:15: error: `|` has no meaning here [E-LEX-CHAR]
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
query:1:19: error: `for` takes a duration longer than zero [E-UNIT]
  count of read for 5 seconds
                    ^
  write the unit, as in `for 5s`
query:1:21: error: found `seconds`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read for 5 seconds
                      ^~~~~~~
  a unit stands right behind its number: 5s

== count of fork, exec
-- query
count of fork, exec
-- error
query:1:14: error: found `,`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of fork, exec
               ^
  a query has one source; a family holds many, as in count of syscall where name in ("read", "fsync") by name

== p99(latency) by proc of read
-- query
p99(latency) by proc of read
-- error
query:1:14: error: found `by`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  p99(latency) by proc of read
               ^~
  `of` and a source come before the clauses: sum(bytes) of read by proc

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
  did you mean `kernel`?

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
query:1:5: error: found the end of the query, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  help
      ^
  `runnel --help` shows the command line, `runnel list` what can be asked

== a recording without quotes
-- query
count of read from find.rnt
-- error
query:1:24: error: `.` has no meaning here [E-LEX-CHAR]
  count of read from find.rnt
                         ^
  a name that holds `.` is quoted: "find.rnt"

== a path with a dot, without quotes
-- query
count of read where file = /etc/ld.so.conf by proc
-- error
query:1:35: error: `.` has no meaning here [E-LEX-CHAR]
  count of read where file = /etc/ld.so.conf by proc
                                    ^
  a name that holds `.` is quoted: "/etc/ld.so.conf"

== a view as a query
-- query
slow_reads(1us)
-- error
query:1:16: error: found the end of the query, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  slow_reads(1us)
                 ^
  `of` and a source are missing; all rows of a view are `events of slow_reads(...)`

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
count of kernel "tcp_*" by func
-- error
query:1:10: error: `kernel` is not executed by this version [E-LATER]
  count of kernel "tcp_*" by func
           ^~~~~~
  tracepoints are there, `runnel list 'tcp:*'` shows those of tcp; and system calls by name

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
  did you mean `sample 99hz`?

== profile:hz:99 { @[kstack] = count(); }
-- query
profile:hz:99 { @[kstack] = count(); }
-- error
query:1:8: error: `:` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
         ^
  a profile is written `sample 99hz`: count of sample 99hz by stack
query:1:15: error: `{` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
                ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:17: error: `@` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
                  ^
  there are no maps: the keys of an aggregate come after `by`: count of read by proc
query:1:18: error: `[` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
                   ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:25: error: `]` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
                          ^
query:1:38: error: `}` has no meaning here [E-LEX-CHAR]
  profile:hz:99 { @[kstack] = count(); }
                                       ^

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
  functions of the kernel are not probed: tracepoints are, `runnel list 'tcp:*'` shows those of tcp; and system calls by name

== count of openat by args.filename
-- query
count of openat by args.filename
-- error
query:1:24: error: `.` has no meaning here [E-LEX-CHAR]
  count of openat by args.filename
                         ^
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
