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
count of read, kernel "vfs_*"
-- error
query:1:16: error: `kernel` is not executed by this version [E-LATER]
  count of read, kernel "vfs_*"
                 ^~~~~~

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
