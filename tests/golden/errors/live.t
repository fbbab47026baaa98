Sets after `in live`, which the kernel keeps: what they take, and what they are asked of.

== events of read where fd in live (pid of exec)
-- query
events of read where fd in live (pid of exec)
-- error
query:1:22: error: `in live` asks of `pid` or `ppid`, and of nothing else [E-TYPE]
  events of read where fd in live (pid of exec)
                       ^~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid + 1 in live (pid of exec)
-- query
events of read where pid + 1 in live (pid of exec)
-- error
query:1:22: error: `in live` asks of `pid` or `ppid`, and of nothing else [E-TYPE]
  events of read where pid + 1 in live (pid of exec)
                       ^~~~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live (fd of read)
-- query
events of read where pid in live (fd of read)
-- error
query:1:35: error: after `in live` stands `pid of exec` or `pid of processes`, with `where` [E-TYPE]
  events of read where pid in live (fd of read)
                                    ^~~~~~~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live (pid, ppid of exec)
-- query
events of read where pid in live (pid, ppid of exec)
-- error
query:1:35: error: a query after `in` has one column, and this has 2 [E-TYPE]
  events of read where pid in live (pid, ppid of exec)
                                    ^~~~~~~~~~~~~~~~~

== events of read where pid in live (pid of exec limit 3)
-- query
events of read where pid in live (pid of exec limit 3)
-- error
query:1:47: error: the set after `in live` ends with the query: it takes `where` alone [E-CLAUSE]
  events of read where pid in live (pid of exec limit 3)
                                                ^~~~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live (pid of exec where proc ...
-- query
events of read where pid in live (pid of exec where proc = java for 5s)
-- error
query:1:65: error: the set after `in live` ends with the query: it takes `where` alone [E-CLAUSE]
  events of read where pid in live (pid of exec where proc = java for 5s)
                                                                  ^~~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live (top 3 of exec)
-- query
events of read where pid in live (top 3 of exec)
-- error
query:1:35: error: a query after `in` has one column, and this has 22 [E-TYPE]
  events of read where pid in live (top 3 of exec)
                                    ^~~~~~~~~~~~~

== events of read where pid in live (pid of exec, fork)
-- query
events of read where pid in live (pid of exec, fork)
-- error
query:1:35: error: after `in live` stands `pid of exec` or `pid of processes`, with `where` [E-TYPE]
  events of read where pid in live (pid of exec, fork)
                                    ^~~~~~~~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live (pid of processes where ...
-- query
events of read where pid in live (pid of processes where rss > 1MiB)
-- error
query:1:58: error: `rss` is not known when a program begins, which is when a live set takes its members [E-TYPE]
  events of read where pid in live (pid of processes where rss > 1MiB)
                                                           ^~~
  ask for what `exec` has, too: proc, exe, uid, ppid

== events of exec where pid in live (pid of exec where user ...
-- query
events of exec where pid in live (pid of exec where user = root)
-- error
query:1:53: error: the kernel takes a process into a live set, and cannot test this: it knows numbers of users and cgroups, not their names [E-TYPE]
  events of exec where pid in live (pid of exec where user = root)
                                                      ^~~~~~~~~~~
  `explain events of exec where ...` shows what it can test: proc, exe, file, uid, ppid

== events of read where pid in live (pid of exec where proc ...
-- query
events of read where pid in live (pid of exec where proc =~ "a|b")
-- error
query:1:53: error: the kernel takes a process into a live set, and cannot test this: regex: not in the kernel [E-TYPE]
  events of read where pid in live (pid of exec where proc =~ "a|b")
                                                      ^~~~~~~~~~~~~
  `explain events of exec where ...` shows what it can test: proc, exe, file, uid, ppid

== count of between open and close on pid where pid in live ...
-- query
count of between open and close on pid where pid in live (pid of exec)
-- error
query:1:46: error: `in live` asks of the events of the kernel, and of no pair [E-TYPE]
  count of between open and close on pid where pid in live (pid of exec)
                                               ^~~~~~~~~~~~~~~~~~~~~~~~~
  for instance: events of read where pid in live (pid of exec where proc = java)

== count of between (events of open where pid in live (pid o...
-- query
count of between (events of open where pid in live (pid of exec)) and close on pid
-- error
query:1:40: error: `in live` asks of the events of the kernel, and of no pair [E-TYPE]
  count of between (events of open where pid in live (pid of exec)) and close on pid
                                         ^~~~~~~~~~~~~~~~~~~~~~~~~
  for instance: events of read where pid in live (pid of exec where proc = java)

== pid of processes where pid in live (pid of exec)
-- query
pid of processes where pid in live (pid of exec)
-- error
query:1:24: error: `in live` asks of `pid` or `ppid` of the kernel's own events, and of nothing that is made of them [E-TYPE]
  pid of processes where pid in live (pid of exec)
                         ^~~~~~~~~~~~~~~~~~~~~~~~~
  for instance: events of read where pid in live (pid of exec where proc = java)

== count of (fd as pid of read) where pid in live (pid of ex...
-- query
count of (fd as pid of read) where pid in live (pid of exec)
-- error
query:1:36: error: `in live` asks of `pid` or `ppid` of the kernel's own events, and of nothing that is made of them [E-TYPE]
  count of (fd as pid of read) where pid in live (pid of exec)
                                     ^~~~~~~~~~~~~~~~~~~~~~~~~
  for instance: events of read where pid in live (pid of exec where proc = java)

== count of (pid of read limit 5) where pid in live (pid of ...
-- query
count of (pid of read limit 5) where pid in live (pid of exec)
-- error
query:1:38: error: `in live` asks of `pid` or `ppid` of the kernel's own events, and of nothing that is made of them [E-TYPE]
  count of (pid of read limit 5) where pid in live (pid of exec)
                                       ^~~~~~~~~~~~~~~~~~~~~~~~~
  for instance: events of read where pid in live (pid of exec where proc = java)

== count of read by proc having count in live (pid of exec)
-- query
count of read by proc having count in live (pid of exec)
-- error
query:1:30: error: `in live` asks of `pid` or `ppid`, and of nothing else [E-TYPE]
  count of read by proc having count in live (pid of exec)
                               ^~~~~
  for instance pid in live (pid of exec where proc = java)

== events of read where pid in live
-- query
events of read where pid in live
-- error
query:1:33: error: found the end of the query, expected `(` [E-SYNTAX]
  events of read where pid in live
                                  ^
  `in live` takes a query of processes: pid in live (pid of exec where proc = java)

== events of read where pid live (pid of exec)
-- query
events of read where pid live (pid of exec)
-- error
query:1:26: error: found `live`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  events of read where pid live (pid of exec)
                           ^~~~
  `live` follows `in`: pid in live (pid of exec where proc = java)

== events of read where live (pid of exec)
-- query
events of read where live (pid of exec)
-- error
query:1:32: error: found `of`, expected a comparison or an operator, `and`, `,`, `)` or `where` [E-SYNTAX]
  events of read where live (pid of exec)
                            ~    ^~
  the `(` is not closed

== count of read where pid in live (pid of exec where uid = ...
-- query
count of read where pid in live (pid of exec where uid = 1) or pid in live (pid of exec where uid = 2) or pid in live (pid of exec where uid = 3) or pid in live (pid of exec where uid = 4) or pid in live (pid of exec where uid = 5)
-- error
query:1:193: error: more than 4 sets after `in live` [E-LIMIT-LIVE]
  ... live (pid of exec where uid = 3) or pid in live (pid of exec where uid = 4) or pid in live (pid of exec where uid = 5)
                                                                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  one set may have `or`: pid in live (pid of exec where uid = 1 or uid = 2)
