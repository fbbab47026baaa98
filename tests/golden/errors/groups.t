# Aggregates, groups and what may stand in them.

== aggregate in where
-- query
count of read where sum(bytes) > 4KiB by proc
-- error
query:1:21: error: `sum` is an aggregate, and `where` sees one event at a time [E-AGG-WHERE]
  count of read where sum(bytes) > 4KiB by proc
                      ^~~~~~~~~~
  groups are filtered after they are made: use `having`

== count in where
-- query
count of read where count > 5
-- error
query:1:21: error: `count` is an aggregate, and `where` sees one event at a time [E-AGG-WHERE]
  count of read where count > 5
                      ^~~~~
  groups are filtered after they are made: use `having`

== aggregate as key
-- query
count of read by sum(bytes)
-- error
query:1:18: error: `sum` is an aggregate, and `by` makes the groups [E-AGG-WHERE]
  count of read by sum(bytes)
                   ^~~~~~~~~~
  to group by a result, take it from a nested query: ... of (sum of ...) by ...

== nested aggregate
-- query
max(sum(bytes)) of read by proc
-- error
query:1:5: error: `sum` stands inside another aggregate [E-AGG-NESTED]
  max(sum(bytes)) of read by proc
      ^~~~~~~~~~
  take it from a nested query: max(c) of (count as c of ... by ...)

== field beside an aggregate
-- query
pid, count of read
-- error
query:1:1: error: `pid` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  pid, count of read
  ^~~
  add `by pid`

== field that is no key
-- query
pid, count of read by proc
-- error
query:1:1: error: `pid` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  pid, count of read by proc
  ^~~
  add `pid` to `by`, or take one value: max(pid)

== having over a field
-- query
count of read by proc having pid > 5
-- error
query:1:30: error: `pid` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  count of read by proc having pid > 5
                               ^~~
  add `pid` to `by`, or take one value: max(pid)

== having without groups
-- query
time, proc of read having pid > 5
-- error
query:1:20: error: `having` filters groups, and this query makes none [E-GROUP-KEY]
  time, proc of read having pid > 5
                     ^~~~~~~~~~~~~~
  rows are filtered by `where`

== order by a field that is no key
-- query
count of read by proc order by pid
-- error
query:1:32: error: `pid` has many values in a group: it is neither a key nor an aggregate [E-GROUP-KEY]
  count of read by proc order by pid
                                 ^~~
  add `pid` to `by`, or take one value: max(pid)

== events by
-- query
events of read by proc
-- error
query:1:16: error: `events` shows every event: it makes no groups [E-GROUP-KEY]
  events of read by proc
                 ^~~~~~~
  for groups list aggregates: count of ... by proc

== flow of something else
-- query
flow of read
-- error
query:1:9: error: a flow follows tags, and `read` is not `tag` [E-FLOW-SOURCE]
  flow of read
          ^~~~
  write flow of tag fix283

== query after in with two columns
-- query
count of read where pid in (count of processes by pid)
-- error
query:1:29: error: a query after `in` has one column, and this has 2 [E-TYPE]
  count of read where pid in (count of processes by pid)
                              ^~~~~~~~~~~~~~~~~~~~~~~~~
  keys of `by` are columns: take them from an outer query, `a of (...)`

== query after in of another type
-- query
count of read where pid in (proc of processes)
-- error
query:1:29: error: a number cannot be compared with a string [E-TYPE]
  count of read where pid in (proc of processes)
                      ~~~     ^~~~~~~~~~~~~~~~~
  `pid` is a number

== count of a nested query's column
-- query
proc, count of (count of read by proc)
-- error
query:1:7: note: `count` is a column of the nested query here, not the aggregate [N-BAREWORD]
  proc, count of (count of read by proc)
        ^~~~~
  for the aggregate give the column another name: count as n

== the greatest of what has no size
-- query
top 3 of io by proc
-- error
query:1:16: error: `top ... of ... by` shows the rows with the greatest numbers, and `proc` is a string [E-TYPE]
  top 3 of io by proc
                 ^~~~
  the groups with most events: count of io by proc top 3

== the greatest of a condition
-- query
top 3 of read by bytes > 5
-- error
query:1:18: error: `top ... of ... by` shows the rows with the greatest numbers, and `bytes > 5` is a condition [E-TYPE]
  top 3 of read by bytes > 5
                   ^~~~~~~~~
  the groups with most events: count of read by bytes > 5 top 3

== the greatest of rows of a query
-- query
top 5 of (count of read by proc) by proc
-- error
query:1:37: error: `top ... of ... by` shows the rows with the greatest numbers, and `proc` is a string [E-TYPE]
  top 5 of (count of read by proc) by proc
                                      ^~~~
  the groups with most events: count of (count of read by proc) by proc top 5

== a key that is an aggregate
-- query
sum(bytes) as b, count of read by b
-- error
query:1:35: error: `b` is not a field of `read` [E-NAME-FIELD]
  sum(bytes) as b, count of read by b
                                    ^
  it names `sum(bytes)`: groups are not made by an aggregate

== an aggregate of an aggregate by its alias
-- query
sum(bytes) as b, max(b) of read
-- error
query:1:22: error: `b` is not a field of `read` [E-NAME-FIELD]
  sum(bytes) as b, max(b) of read
                       ^
  it names `sum(bytes)`: an aggregate holds no other one

== an alias before its column
-- query
b / 2 as c, sum(bytes) as b of read
-- error
query:1:1: error: `b` is not a field of `read` [E-NAME-FIELD]
  b / 2 as c, sum(bytes) as b of read
  ^
  it is the name of a later column: put `sum(bytes) as b` before it

== two aliases for each other
-- query
x as y, y as x, count of read by x
-- error
query:1:1: error: `x` is not a field of `read` [E-NAME-FIELD]
  x as y, y as x, count of read by x
  ^
  it is a column of the answer; here write what it is made of: y
query:1:1: error: `x` is not a field of `read` [E-NAME-FIELD]
  x as y, y as x, count of read by x
  ^
  it is the name of a later column: put `y as x` before it

== an alias in where
-- query
latency / 2 as half of read where half > 1ms
-- error
query:1:35: error: `half` is not a field of `read` [E-NAME-FIELD]
  latency / 2 as half of read where half > 1ms
                                    ^~~~
  it is a column of the answer; here write what it is made of: latency / 2

== an alias that is a field too
-- query
latency / 2 as latency, latency * 2 as l of read
-- error
query:1:25: note: `latency` is the field of `read` here, not the column latency / 2 as latency [N-ALIAS]
  latency / 2 as latency, latency * 2 as l of read
                          ^~~~~~~
  to use that column, give it another name

== a key that is a field and an alias
-- query
div(pid, 2) as uid, uid as u of read by pid, uid
-- error
query:1:21: note: `uid` is the field of `read` here, not the column div(pid, 2) as uid [N-ALIAS]
  div(pid, 2) as uid, uid as u of read by pid, uid
                      ^~~
  to use that column, give it another name
query:1:46: note: `uid` is the field of `read` here, not the column div(pid, 2) as uid [N-ALIAS]
  div(pid, 2) as uid, uid as u of read by pid, uid
                                               ^~~
  to use that column, give it another name

== through of no flow
-- query
count of read through pid = 1
-- error
query:1:15: error: `through` chooses flows, and this is no flow [E-CLAUSE]
  count of read through pid = 1
                ^~~~~~~~~~~~~~~
  write flow of tag fix283 through ..., or `where` for events

== where behind through
-- query
flow of tag fix283 through pid = 1 where pid = 2
-- error
query:1:36: error: `where` stands before `through` [E-SYNTAX]
  flow of tag fix283 through pid = 1 where pid = 2
                                     ^~~~~
  `where` says which hops there are, `through` which of their flows are shown: flow of tag T where ... through ...

== through twice
-- query
flow of tag fix283 through pid = 1 through pid = 2
-- error
query:1:36: error: `through` is given twice [E-CLAUSE-DUP]
  flow of tag fix283 through pid = 1 through pid = 2
                     ~~~~~~~~~~~~~~~ ^~~~~~~~~~~~~~~
  join the two conditions with `and`

== a column of a flow in through
-- query
flow of tag fix283 through object = x
-- error
query:1:28: error: `object` is not a field of `tag` [E-NAME-FIELD]
  flow of tag fix283 through object = x
                             ^~~~~~
  it is a column of the flow: ask about the answer, * of (flow of ...) where object ...

== a column of a flow in where
-- query
flow of tag fix283 where lag > 1ms
-- error
query:1:26: error: `lag` is not a field of `tag` [E-NAME-FIELD]
  flow of tag fix283 where lag > 1ms
                           ^~~
  it is a column of the flow: ask about the answer, * of (flow of ...) where lag ...

== a number as through
-- query
flow of tag fix283 through pid
-- error
query:1:28: error: `through` needs a condition, and this is a number [E-TYPE]
  flow of tag fix283 through pid
                             ^~~
  compare it with something: pid = ...

== flow where
-- query
flow of tag fix283 where proc = java limit 10
-- error
query:1:20: note: other hops are left out: `outside` marks ends whose other side may be one of them [N-FLOW]
  flow of tag fix283 where proc = java limit 10
                     ^~~~~~~~~~~~~~~~~
  the whole flows that have such a hop: flow of tag fix283 through proc = java limit 10

== a quantile of one digit
-- query
p5(latency) of read
-- error
query:1:1: error: there is no function `p5` [E-NAME-FUNC]
  p5(latency) of read
  ^~
  the quantile 0.05 is p05, 0.5 is p50

== the quantile that is the greatest
-- query
p100(latency) of read
-- error
query:1:1: error: there is no function `p100` [E-NAME-FUNC]
  p100(latency) of read
  ^~~~
  the greatest is max(x)

== a quantile of many digits
-- query
p12345(latency) of read
-- error
query:1:1: error: there is no function `p12345` [E-NAME-FUNC]
  p12345(latency) of read
  ^~~~~~
  write quantile(x, 0.12345)

== an aggregate without what it is of
-- query
sum(where fd > 3) of read
-- error
query:1:1: error: `sum` takes 1 argument, and this has 0 [E-TYPE]
  sum(where fd > 3) of read
  ^~~~~~~~~~~~~~~~~
  sum(x): the sum, in the unit of x

== a part that is no condition
-- query
count(where bytes) of read
-- error
query:1:13: error: `where` needs a condition, and this is a size [E-TYPE]
  count(where bytes) of read
              ^~~~~
  compare it with something: bytes = ...

== a part by an aggregate
-- query
count(where sum(bytes) > 3) of read
-- error
query:1:13: error: `sum` stands inside another aggregate [E-AGG-NESTED]
  count(where sum(bytes) > 3) of read
              ^~~~~~~~~~
  take it from a nested query: max(c) of (count as c of ... by ...)

== a part of a function
-- query
len(file where fd > 3) of read
-- error
query:1:16: error: `where` stands in an aggregate, and `len` is none [E-TYPE]
  len(file where fd > 3) of read
                 ^~~~~~
  of one value it is if(fd > 3, ...)

== a part of nothing
-- query
sum(bytes where) of read
-- error
query:1:16: error: found `)`, expected an expression [E-SYNTAX]
  sum(bytes where) of read
                 ^

== a part by an unknown field
-- query
sum(bytes where nothing > 3) of read
-- error
query:1:17: error: `nothing` is not a field of `read` [E-NAME-FIELD]
  sum(bytes where nothing > 3) of read
                  ^~~~~~~
  `runnel describe read` lists them

== a delta without windows
-- query
delta(count) of io by proc
-- error
query:1:1: error: `delta` compares a window with the one before, and there are no windows [E-TYPE]
  delta(count) of io by proc
  ^~~~~~~~~~~~
  add `every 1s`

== a delta of an event
-- query
delta(bytes) of io every 1s
-- error
query:1:7: error: `delta` is of an aggregate, or of the rows of a table [E-TYPE]
  delta(bytes) of io every 1s
        ^~~~~
  write delta(count), or delta(sum(bytes))

== a delta of a text
-- query
delta(proc) of processes every 1s
-- error
query:1:7: error: `delta` needs an amount, and this is a string [E-TYPE]
  delta(proc) of processes every 1s
        ^~~~

== computing with the delta of a row
-- query
delta(rss) / 2 of processes every 1s
-- error
query:1:1: error: `delta` of a row stands alone in the list [E-TYPE]
  delta(rss) / 2 of processes every 1s
  ^~~~~~~~~~
  compute with it in an outer query: ... of (delta(rss) as x of processes every 1s)

== the delta of a row in an order
-- query
pid of processes order by delta(rss) every 1s
-- error
query:1:27: error: `delta` of a row stands alone in the list [E-TYPE]
  pid of processes order by delta(rss) every 1s
                            ^~~~~~~~~~
  compute with it in an outer query: ... of (delta(rss) as x of processes every 1s)

== a share of the greatest
-- query
share(max(bytes)) of io by proc
-- error
query:1:7: error: `share` is of a sum or a count [E-TYPE]
  share(max(bytes)) of io by proc
        ^~~~~~~~~~
  write share(count), share(sum(bytes)) or share(count(where error != 0))

== a share of an estimate
-- query
share(distinct(pid)) of io by proc
-- error
query:1:7: error: `share` is of a sum or a count [E-TYPE]
  share(distinct(pid)) of io by proc
        ^~~~~~~~~~~~~
  write share(count), share(sum(bytes)) or share(count(where error != 0))

== a share of an event
-- query
count of io where share(count) > 0.1
-- error
query:1:19: error: `share` is of finished groups: it stands in the list, in `having` or in an order [E-AGG-WHERE]
  count of io where share(count) > 0.1
                    ^~~~~~~~~~~~
  to compute with it, ask an outer query: ... of (share(count) as x of ... by ...)

== a share with two arguments
-- query
share(count, 3) of io by proc
-- error
query:1:1: error: `share` takes 1 argument, and this has 2 [E-TYPE]
  share(count, 3) of io by proc
  ^~~~~~~~~~~~~~~
  share(A): the part of all groups of the window; A is a sum or a count

== a share as a key
-- query
count of io by share(count)
-- error
query:1:16: error: `share` is of finished groups: it stands in the list, in `having` or in an order [E-AGG-WHERE]
  count of io by share(count)
                 ^~~~~~~~~~~~
  to compute with it, ask an outer query: ... of (share(count) as x of ... by ...)

== the delta of a nested query without windows
-- query
max(d) of (delta(count) as d of io by proc)
-- error
query:1:12: error: `delta` compares a window with the one before, and there are no windows [E-TYPE]
  max(d) of (delta(count) as d of io by proc)
             ^~~~~~~~~~~~
  add `every 1s`

== a query as a value with two columns
-- query
count of io where bytes > (count of io by proc for 1s)
-- error
query:1:28: error: a query as a value has one column, and this has 2 [E-TYPE]
  count of io where bytes > (count of io by proc for 1s)
                             ^~~~~~~~~~~~~~~~~~~~~~~~~~
  keys of `by` are columns: take them from an outer query, `a of (...)`

== a live query as a value
-- query
count of io where bytes > (avg(bytes) of io)
-- error
query:1:28: error: this nested query is live and would never end [E-LATER]
  count of io where bytes > (avg(bytes) of io)
                             ^~~~~~~~~~~~~~~~
  say how long: `... for 5s`

== a query as a value of another unit
-- query
count of io where bytes > (avg(latency) of io for 1s)
-- error
query:1:27: error: units differ: a size and a duration [E-UNIT]
  count of io where bytes > (avg(latency) of io for 1s)
                    ~~~~~   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  `bytes` is a size, `(avg(latency) of io for 1s)` is a duration

== a query as a value that is a list
-- query
count of io where proc = (set(proc) of io for 1s)
-- error
query:1:26: error: a list is no single value [E-TYPE]
  count of io where proc = (set(proc) of io for 1s)
                           ^~~~~~~~~~~~~~~~~~~~~~~~

== a query as a key
-- query
count of io by (count of io for 1s)
-- error
query:1:16: error: a query as a value is the same for all events: no key of groups [E-TYPE]
  count of io by (count of io for 1s)
                 ^~~~~~~~~~~~~~~~~~~~

== a query as a constant
-- query
quantile(bytes, (count of io for 1s)) of io
-- error
query:1:17: error: a constant is needed here [E-TYPE]
  quantile(bytes, (count of io for 1s)) of io
                  ^~~~~~~~~~~~~~~~~~~~

== a query as an element
-- query
count of io where pid in (1, (max(pid) of io for 1s))
-- error
query:1:30: error: a list after `in` holds constants [E-TYPE]
  count of io where pid in (1, (max(pid) of io for 1s))
                               ^~~~~~~~~~~~~~~~~~~~~~~

== over that is no multiple
-- query
count of io every 10s over 25s
-- error
query:1:23: error: `over` takes a multiple of what `every` takes [E-CLAUSE]
  count of io every 10s over 25s
                        ^~~~~~~~
  for instance `every 1s over 10s`

== over that is shorter
-- query
count of io every 10s over 5s
-- error
query:1:23: error: `over` takes a multiple of what `every` takes [E-CLAUSE]
  count of io every 10s over 5s
                        ^~~~~~~
  for instance `every 1s over 10s`

== over without every
-- query
count of io over 10s
-- error
query:1:13: error: found `over`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of io over 10s
              ^~~~
  `over` follows `every`: every 1s over 10s counts each second the last ten

== over of too many parts
-- query
count of io every 1s over 2h
-- error
query:1:22: error: a window of 7200 parts: at most 3600 [E-LIMIT-PARTS]
  count of io every 1s over 2h
                       ^~~~~~~
  take a longer `every`

== over of rows
-- query
bytes of io every 1s over 10s
-- error
query:1:22: error: `over` is for groups, and these are rows [E-CLAUSE]
  bytes of io every 1s over 10s
                       ^~~~~~~~
  `every` alone takes them window by window

== over of a flow
-- query
flow of tag fix283 every 1s over 10s
-- error
query:1:29: error: `over` is for groups, and this is a flow [E-CLAUSE]
  flow of tag fix283 every 1s over 10s
                              ^~~~~~~~
  `every` alone takes them window by window

== over without a unit
-- query
count of io every 1s over 10
-- error
query:1:27: error: `over` takes a duration longer than zero [E-UNIT]
  count of io every 1s over 10
                            ^~
  write the unit, as in `over 10s`

== over twice
-- query
count of io every 1s over 10s every 2s
-- error
query:1:31: error: `every` is given twice [E-CLAUSE-DUP]
  count of io every 1s over 10s every 2s
              ~~~~~~~~          ^~~~~~~~
  keep one of them

== paths of no flow
-- query
count of read starting where pid = 1
-- error
query:1:15: error: `starting where` chooses flows, and this is no flow [E-CLAUSE]
  count of read starting where pid = 1
                ^~~~~~~~~~~~~~~~~~~~~~
  write flow of tag fix283 starting where ..., or `where` for events

== where behind ending
-- query
flow of tag fix283 ending where pid = 1 where pid = 2
-- error
query:1:41: error: `where` stands before `ending where` [E-SYNTAX]
  flow of tag fix283 ending where pid = 1 where pid = 2
                                          ^~~~~
  `where` says which hops there are, `ending where` which of their flows are shown: flow of tag T where ... ending where ...

== starting twice
-- query
flow of tag fix283 starting where pid = 1 starting where pid = 2
-- error
query:1:43: error: `starting where` is given twice [E-CLAUSE-DUP]
  flow of tag fix283 starting where pid = 1 starting where pid = 2
                     ~~~~~~~~~~~~~~~~~~~~~~ ^~~~~~~~~~~~~~~~~~~~~~
  join the two conditions with `and`

== starting without where
-- query
flow of tag fix283 starting pid = 1
-- error
query:1:29: error: found `pid`, expected `where` [E-SYNTAX]
  flow of tag fix283 starting pid = 1
                              ^~~

== a flow by a column of an event
-- query
flow of tag fix283 by proc, name
-- error
query:1:29: error: a flow is folded by `proc` and `node` [E-GROUP-KEY]
  flow of tag fix283 by proc, name
                              ^~~~
  other groups are those of its rows: count, p99(lag) of (flow of ...) by name

== a flow by a word that is nearly one
-- query
flow of tag fix283 by procc
-- error
query:1:23: error: a flow is folded by `proc` and `node` [E-GROUP-KEY]
  flow of tag fix283 by procc
                        ^~~~~
  did you mean `proc`?

== a column of a folded flow, before it is folded
-- query
flow of tag fix283 by proc where hops > 1
-- error
query:1:34: error: `hops` is not a field of `tag` [E-NAME-FIELD]
  flow of tag fix283 by proc where hops > 1
                                   ^~~~
  it is a column of a flow by `proc` or `node`: flow of ... by proc having hops ...
