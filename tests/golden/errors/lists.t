Several classes as one source, and what cannot be in such a list.

== a class that there is not
-- query
count of fsync, raed by name
-- error
query:1:17: error: `raed` is not an event class, table or view [E-NAME-SOURCE]
  count of fsync, raed by name
                  ^~~~
  did you mean `read`?

== a view
-- query
count of read, slow_reads
-- error
query:1:16: error: `slow_reads` is not an event class, table or view [E-NAME-SOURCE]
  count of read, slow_reads
                 ^~~~~~~~~~
  `runnel list` shows them all

== a table
-- query
count of read, processes
-- error
query:1:16: error: `processes` is a table, which stands alone [E-NAME-SOURCE]
  count of read, processes
                 ^~~~~~~~~

== a profile
-- query
count of read, sample 99hz
-- error
query:1:23: error: found `99hz`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read, sample 99hz
                        ^~~~
  `tag` and `sample` stand alone, in no list: ask for them in a query of their own

== tags
-- query
count of read, tag fix283
-- error
query:1:20: error: found `fix283`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read, tag fix283
                     ^~~~~~
  `tag` and `sample` stand alone, in no list: ask for them in a query of their own

== a class of a later version
-- query
count of read, block
-- error
query:1:16: error: `block` is not executed by this version [E-LATER]
  count of read, block
                 ^~~~~

== a string that belongs to no tracepoint
-- query
count of fsync, read, "sched:sched_switch"
-- error
query:1:23: error: `read` takes no argument [E-NAME-SOURCE]
  count of fsync, read, "sched:sched_switch"
                        ^~~~~~~~~~~~~~~~~~~~

== which tracepoint
-- query
count of read, tracepoint by name
-- error
query:1:16: error: `tracepoint` does not say which [E-NAME-SOURCE]
  count of read, tracepoint by name
                 ^~~~~~~~~~
  write its name after it: tracepoint "sched:sched_switch"

== a tracepoint that there is not
-- query
count of tracepoint "sched:sched_switch", "sched:sched_swtich" by name
-- error
query:1:43: error: this kernel has no tracepoint `sched:sched_swtich` [E-NAME-SOURCE]
  count of tracepoint "sched:sched_switch", "sched:sched_swtich" by name
                                            ^~~~~~~~~~~~~~~~~~~~
  did you mean `sched:sched_switch`?

== a field that not all have
-- query
sum(bytes) of fsync, read, exit by name
-- error
query:1:5: error: `bytes` is not a field of `exit, fsync, read` [E-NAME-FIELD]
  sum(bytes) of fsync, read, exit by name
      ^~~~~
  a list has the fields that all of its classes have alike, and `exit` has no `bytes`

== no argument for a class
-- query
count of read, write(5ms) by name
-- error
query:1:22: error: `write` takes no argument [E-NAME-SOURCE]
  count of read, write(5ms) by name
                       ^~~

== an end of a pair is one class
-- query
count of between open, openat and close on pid
-- error
query:1:22: error: found `,`, expected a quoted string, `(` or `and` [E-SYNTAX]
  count of between open, openat and close on pid
                       ^

== more than there may be
-- query
count of tracepoint "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", read
-- error
query:1:469: error: a list of more than 64 classes of events [E-LIMIT-SOURCES]
  ...", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", "a:a", read
                                                                                     ^~~~

== a field that one tracepoint lacks
-- query
count of tracepoint "block:block_rq_issue", "sched:sched_switch" by sector
-- error
query:1:69: error: `sector` is not a field of `tracepoint "block:block_rq_issue", "sched:sched_switch"` [E-NAME-FIELD]
  count of tracepoint "block:block_rq_issue", "sched:sched_switch" by sector
                                                                      ^~~~~~
  several tracepoints have the fields that all of them have alike, and `tracepoint "sched:sched_switch"` has no `sector`

== a field that one class of a list lacks, beside several tracepoints
-- query
count of exit, tracepoint "block:block_rq_*" by sector
-- error
query:1:49: error: `sector` is not a field of `exit, tracepoint "block:block_rq_*"` [E-NAME-FIELD]
  count of exit, tracepoint "block:block_rq_*" by sector
                                                  ^~~~~~
  a list has the fields that all of its classes have alike, and `exit` has no `sector`

== a view that groups
-- views
view slow(threshold) := count of read where latency > $threshold by file;
-- query
count of fsync, slow(5ms)
-- error
query:1:17: error: `slow` is a view with columns of its own, and a list has classes and views of events [E-NAME-SOURCE]
  count of fsync, slow(5ms)
                  ^~~~
  ask it in a query of its own; a view of events is: events of CLASS where CONDITION

== a view with a limit
-- views
view some := events of read limit 5;
-- query
count of some, fsync
-- error
query:1:10: error: `some` is a view with `limit`, and a list has classes and views of events [E-NAME-SOURCE]
  count of some, fsync
           ^~~~
  ask it in a query of its own; a view of events is: events of CLASS where CONDITION

== a view of a view with a limit
-- views
view some := events of read limit 5;
view few := events of some where bytes > 0;
-- query
count of fsync, few
-- error
query:1:17: error: `few` is a view with `limit`, and a list has classes and views of events [E-NAME-SOURCE]
  count of fsync, few
                  ^~~
  ask it in a query of its own; a view of events is: events of CLASS where CONDITION

== a view of a table
-- views
view mine := events of processes where user = alice;
-- query
count of fsync, mine
-- error
query:1:17: error: `mine` is a view of `processes`, which is a table, which stands alone, and a list has classes and views of events [E-NAME-SOURCE]
  count of fsync, mine
                  ^~~~
  ask it in a query of its own; a view of events is: events of CLASS where CONDITION

== a field that a view's class lacks
-- views
view late(t = 1ms) := events of open where latency > $t;
-- query
sum(bytes) of read, late
-- error
query:1:5: error: `bytes` is not a field of `open, read` [E-NAME-FIELD]
  sum(bytes) of read, late
      ^~~~~
  a list has the fields that all of its classes have alike, and `open` has no `bytes`

== a wrong value for a view
-- views
view late(t = 1ms) := events of open where latency > $t;
-- query
count of read, late(t = 5ms, u = 3)
-- error
query:1:30: error: the view has no parameter `u` [E-NAME-PARAM]
  count of read, late(t = 5ms, u = 3)
                               ^
  it is late(t = 1ms)

== an error inside a view
-- views
view late := events of open where bytes > 1;
-- query
count of read, late
-- error
view:1:35: error: `bytes` is not a field of `open` [E-NAME-FIELD]
  view late := events of open where bytes > 1;
                                    ^~~~~
  it is a field of `io`, `read`, `recv`, `send` and others

== a payload that others lack
-- views
view elf := events of read where data ~ "*ELF*";
-- query
count of elf, fsync
-- error
query:1:10: error: the view `elf` looks at `data`, and some events of the list have no payload [E-NAME-FIELD]
  count of elf, fsync
           ^~~
  ask the view in a query of its own

== more views than there may be
-- views
view late := events of open where latency > 1ms;
-- query
count of late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late, late
-- error
query:1:394: error: a list of more than 64 classes of events [E-LIMIT-SOURCES]
  ..., late, late, late, late, late, late, late, late, late, late, late, late, late, late
                                                                                     ^~~~
