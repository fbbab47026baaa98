== spans
-- query
spans of read
-- error
query:1:1: error: `spans` is not executed by this version [E-LATER]
  spans of read
  ^~~~~~~~~~~~~
  `time, proc, latency of ...` gives each call with its start and length

== an end of a pair that the kernel cannot choose
-- query
hist(latency) of between (events of read where pid > 1 and user = root) and write on pid
-- error
query:1:60: error: the kernel chooses the ends of a pair, and cannot test this: `user`: names of users are in /etc/passwd [E-LATER]
  hist(latency) of between (events of read where pid > 1 and user = root) and write on pid
                                                             ^~~~~~~~~~~
  write conditions on the first event behind the pair: between A and B on KEYS where ...; or record the events and pair those: `from "x.rnt"` tests any condition

== a pair of a class that is not executed
-- query
count of between block and write on pid
-- error
query:1:10: error: `block` is not executed by this version [E-LATER]
  count of between block and write on pid
           ^~~~~~~
  its tracepoints are there: count of tracepoint "block:block_rq_issue"

== pairs are not recorded
-- query
events of between read and write on pid into "x.rnt"
-- error
query:1:41: error: a recording keeps events, not pairs of them [E-LATER]
  events of between read and write on pid into "x.rnt"
                                          ^~~~~~~~~~~~
  record a class that both are of, as `events of syscall ... into`, and pair them with `from`; or write the rows with `-o json`

== pairs of a recording that cannot be read
-- query
count of between read and write on pid from "x.rnt"
-- error
query:1:45: error: the trace "x.rnt" cannot be read: traces cannot be opened here [E-TRACE]
  count of between read and write on pid from "x.rnt"
                                              ^~~~~~~

== class
-- query
count of block by dev
-- error
query:1:10: error: `block` is not executed by this version [E-LATER]
  count of block by dev
           ^~~~~
  its tracepoints are there: count of tracepoint "block:block_rq_issue"

== table
-- query
events of sockets
-- error
query:1:11: error: `sockets` is not executed by this version [E-LATER]
  events of sockets
            ^~~~~~~
  what is connected while you look is there: events of connect

== last
-- query
events of io last 30s into "x.rnt"
-- error
query:1:14: error: `last`, the flight recorder, is not executed by this version [E-LATER]
  events of io last 30s into "x.rnt"
               ^~~~~~~~
  record while it happens: `... for 30s into "x.rnt"`

== sample
-- query
count of read sample 10%
-- error
query:1:15: error: `sample` is not executed by this version [E-LATER]
  count of read sample 10%
                ^~~~~~~~~~
  the kernel counts every event: leave `sample` out, or filter with `where`

== local is a node
-- query
count of read on local
-- plan
groups of read
  aggregate count
  out count: integer

== an order for top
-- query
time, proc of read top 3 by latency order by proc; top 3 of (count of read by proc) order by proc
-- error
query:1:37: error: `top` puts its rows in order: it takes no `order by` [E-CLAUSE]
  time, proc of read top 3 by latency order by proc; top 3 of (count of read by proc) order by proc
                                      ^~~~~~~~~~~~~
  to show them in another one ask for them inside: events of (... top N) order by ...; or use `limit` instead of `top`

== nodes twice
-- query
count of (count of read by node on web1) on web2
-- error
query:1:42: error: the nested query or view has `on` already [E-CLAUSE]
  count of (count of read by node on web1) on web2
                                           ^~~~~~~
  leave one of them out

== into a table
-- query
events of read into t
-- error
query:1:16: error: `into` a table is not executed by this version [E-LATER]
  events of read into t
                 ^~~~~~
  write to a recording: `into "x.rnt"`; any tool can open it with SQLite

== groups into a recording
-- query
count of read by proc into "x.rnt"
-- error
query:1:23: error: a recording keeps events: answers with aggregates or flows are not written into one [E-LATER]
  count of read by proc into "x.rnt"
                        ^~~~~~~~~~~~
  write `events of ... into`, and run the query over it with `from`

== computed columns into a recording
-- query
bytes / 2 of read into "x.rnt"
-- error
query:1:1: error: a recording keeps fields as they are, not what is computed from them [E-LATER]
  bytes / 2 of read into "x.rnt"
  ^~~~~~~~~
  record the fields, and compute over the recording with `from`

== nested query into a recording
-- query
proc of (proc of read limit 3) into "x.rnt"
-- error
query:1:32: error: recording the answer of a nested query or view is not executed by this version [E-LATER]
  proc of (proc of read limit 3) into "x.rnt"
                                 ^~~~~~~~~~~~
  write `events of CLASS where ... into`

== a recording has no windows
-- query
events of read every 1s into "x.rnt"
-- error
query:1:16: error: a recording keeps events with their time, not in windows [E-CLAUSE]
  events of read every 1s into "x.rnt"
                 ^~~~~~~~
  leave `every` out here, and use it in queries `from` the recording

== every too short
-- query
count of read every 1ms
-- error
query:1:15: error: `every` is out of range [E-LIMIT-EVERY]
  count of read every 1ms
                ^~~~~~~~~
  from 10ms to 366d

== for too long
-- query
count of read for 1000d
-- error
query:1:15: error: `for` is out of range [E-LIMIT-FOR]
  count of read for 1000d
                ^~~~~~~~~
  from 1ms to 366d

== flow of a class
-- query
flow of read
-- error
query:1:9: error: a flow follows tags, and `read` is not `tag` [E-FLOW-SOURCE]
  flow of read
          ^~~~
  write flow of tag fix283

== a live set that never ends
-- query
count of read where pid in (pid of exec)
-- error
query:1:29: error: this nested query is live and would never end [E-LATER]
  count of read where pid in (pid of exec)
                              ^~~~~~~~~~~
  say how long: `... for 5s`

== a live set that ends
-- query
count of read where pid in (pid of exec for 5s)
-- plan
groups of read
  where pid in (query 1)
  aggregate count
  out count: integer
  query 1:
    rows of exec
      out pid: integer
      for 5s

== computing with window
-- query
count of read every 1s having window > "2026-01-01 00:00:00"
-- error
query:1:31: error: computing with `window` is not executed by this version [E-LATER]
  count of read every 1s having window > "2026-01-01 00:00:00"
                                ^~~~~~
  choose events by `time` in `where`

== several at once
-- query
events of tag * on node1 last 5s
-- error
query:1:26: error: `last`, the flight recorder, is not executed by this version [E-LATER]
  events of tag * on node1 last 5s
                           ^~~~~~~
  record while it happens: `... for 30s into "x.rnt"`

== how much is searched of what is not searched
-- query
count of processes scan 4MiB
-- error
query:1:20: error: `scan` says how much of each call is searched: this source has no calls [E-LATER]
  count of processes scan 4MiB
                     ^~~~~~~~~
  leave it out; it is for `tag`, and for the hash of payload

== how much is searched of a nested query
-- query
count of (events of tag fix283) scan 4MiB
-- error
query:1:33: error: `scan` says how much of each call is searched: a nested query or view has no calls [E-LATER]
  count of (events of tag fix283) scan 4MiB
                                  ^~~~~~~~~
  write it inside, behind the source whose calls are searched

== an end of a pair whose arithmetic may not fit
-- query
hist(latency) of between (events of read where ret * 3 > 1) and write on pid
-- error
query:1:48: error: the kernel chooses the ends of a pair, and cannot test this: arithmetic that may exceed 64 bits: not in the kernel [E-LATER]
  hist(latency) of between (events of read where ret * 3 > 1) and write on pid
                                                 ^~~~~~~~~~~
  write conditions on the first event behind the pair: between A and B on KEYS where ...; or record the events and pair those: `from "x.rnt"` tests any condition
