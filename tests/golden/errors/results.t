== no such column
-- query
let slow := count as calls of read by proc for 5s;
call of slow
-- error
query:2:1: error: `call` is not a column of the result `slow` [E-NAME-FIELD]
  call of slow
  ^~~~
  did you mean `calls`? its columns: proc, calls

== no such result
-- query
let slow := count as calls of read by proc for 5s;
calls of slwo
-- error
query:2:10: error: `slwo` is not an event class, table or view [E-NAME-SOURCE]
  calls of slwo
           ^~~~
  did you mean `slow`?

== units are those of the columns
-- query
let slow := max(latency) as worst of read by proc for 5s;
count of slow where worst > 5
-- error
query:2:29: error: units differ: a duration and a plain number [E-UNIT]
  count of slow where worst > 5
                      ~~~~~   ^
  write 5ms, not 5: `worst` is a duration

== it has been read
-- query
let slow := count of read by proc for 5s;
events of slow for 3s on web1
-- error
query:2:16: error: `slow` is the result of a `let`: it takes no `for` [E-CLAUSE]
  events of slow for 3s on web1
                 ^~~~~~
  write it in the `let`: let slow := ... for ...
query:2:23: error: `slow` is the result of a `let`: it takes no `on` [E-CLAUSE]
  events of slow for 3s on web1
                        ^~~~~~~
  write it in the `let`: let slow := ... on ...

== it takes no values
-- query
let slow := count of read by proc for 5s;
events of slow(5ms)
-- error
query:2:16: error: `slow` is the result of a `let`: it takes no values [E-NAME-PARAM]
  events of slow(5ms)
                 ^~~

== what reads a wrong one is silent
-- query
let slow := cuont of read by proc for 5s;
p99(nothing) of slow where x = 3
-- error
query:1:13: error: `cuont` is not a field of `read` [E-NAME-FIELD]
  let slow := cuont of read by proc for 5s;
              ^~~~~
  did you mean the aggregate `count`?

== a view does not see it
-- views
view of_slow() := events of slow;
-- query
let slow := count of read by proc for 5s;
events of of_slow
-- error
view:1:29: error: `slow` is not an event class, table or view [E-NAME-SOURCE]
  view of_slow() := events of slow;
                              ^~~~
  it is the result of a `let`, which a view cannot read

== a pair of results
-- query
let slow := count of read by pid for 5s;
count of between slow and write on pid
-- error
query:2:18: error: between pairs events of two classes, and `slow` is the result of a `let` [E-NAME-SOURCE]
  count of between slow and write on pid
                   ^~~~
  an end is written CLASS, or (events of CLASS where CONDITION)

== conditions
-- query
assert count, max(latency), proc of read by proc
-- error
query:1:8: error: an assertion is made of conditions, and this is a number [E-TYPE]
  assert count, max(latency), proc of read by proc
         ^~~~~
  compare it with something, as in `assert count = 0 of ...`
query:1:15: error: an assertion is made of conditions, and this is a duration [E-TYPE]
  assert count, max(latency), proc of read by proc
                ^~~~~~~~~~~~
  compare it with something, as in `assert count = 0 of ...`
query:1:29: error: an assertion is made of conditions, and this is a string [E-TYPE]
  assert count, max(latency), proc of read by proc
                              ^~~~
  compare it with something, as in `assert count = 0 of ...`

== conditions, not events
-- query
assert events of read
-- error
query:1:8: error: an assertion is made of conditions [E-TYPE]
  assert events of read
         ^~~~~~~~~~~~~~
  name what must hold, as in `assert count = 0 of ...`

== a key that is no condition
-- query
assert count > 5 of read by proc having max(latency) of read
-- error
query:1:54: error: found `of`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `else` or the end of the statement [E-SYNTAX]
  assert count > 5 of read by proc having max(latency) of read
                                                       ^~

== units in a condition
-- query
assert p99(latency) < 10 of fsync by file
-- error
query:1:23: error: units differ: a duration and a plain number [E-UNIT]
  assert p99(latency) < 10 of fsync by file
         ~~~~~~~~~~~~   ^~
  write 10ms, not 10: `p99(latency)` is a duration

== in a result
-- query
let s := count of read by pid, file for 1s;
count of read where pid in (s) and file in (s)
-- error
query:2:29: error: `s` is a result of a `let`: `in` takes its values from a query [E-TYPE]
  count of read where pid in (s) and file in (s)
                              ^
  write in (pid of s)
query:2:45: note: `s` is a string here, not the result of a `let` of that name [N-BAREWORD]
  count of read where pid in (s) and file in (s)
                                              ^
  write in (file of s)

== windows of groups that have none
-- query
let r := count as n of read by proc for 1s; count of r every 1s
-- error
query:1:56: error: the rows of `r` are groups of a whole answer: they have no time [E-CLAUSE]
  let r := count as n of read by proc for 1s; count of r every 1s
                                                         ^~~~~~~~
  leave `every` out, or let the groups be made in windows: let r := ... every 1s

== windows of what is made of them
-- query
let r := count as n of read by proc for 1s; let q := n of r; top 3 of (n of q) every 1s
-- error
query:1:80: error: the rows of `q` are groups of a whole answer: they have no time [E-CLAUSE]
  let r := count as n of read by proc for 1s; let q := n of r; top 3 of (n of q) every 1s
                                                                                 ^~~~~~~~
  leave `every` out, or let the groups be made in windows: let q := ... every 1s
