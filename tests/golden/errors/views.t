# Views: their parameters, and errors inside of them.

== missing view parameter
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slow
-- error
query:1:6: error: the view `slow` needs a value for `threshold` [E-NAME-PARAM]
  n of slow
       ^~~~
  it is slow(threshold, top = 3)

== too many values
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slow(5ms, 6, 7)
-- error
query:1:19: error: too many values for the view `slow` [E-NAME-PARAM]
  n of slow(5ms, 6, 7)
                    ^
  it is slow(threshold, top = 3)

== value of another unit
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slow(5)
-- error
query:1:11: error: units differ: a duration and a plain number [E-UNIT]
  n of slow(5)
            ^
  view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
                                                            ~~~~~~~
  write 5ms, not 5: `latency` is a duration

== value that is no constant
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slow(pid + 1)
-- error
query:1:11: error: the value of a parameter is a constant [E-TYPE]
  n of slow(pid + 1)
            ^~~~~~~

== no such view
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slwo(5ms)
-- error
query:1:6: error: there is no view `slwo` [E-NAME-VIEW]
  n of slwo(5ms)
       ^~~~

== column that the view does not have
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
proc, calls of slow(5ms)
-- error
query:1:7: error: `calls` is not a column of the view `slow` [E-NAME-FIELD]
  proc, calls of slow(5ms)
        ^~~~~
  its columns: proc, file, n

== error inside of the view
-- views
view wrong() := count as n of read where latency > 4KiB and nosuch = 1;
-- query
n of wrong
-- error
view:1:52: error: units differ: a duration and a size [E-UNIT]
  view wrong() := count as n of read where latency > 4KiB and nosuch = 1;
                                           ~~~~~~~   ^~~~
  `latency` is a duration, `4KiB` is a size
view:1:61: error: `nosuch` is not a field of `read` [E-NAME-FIELD]
  view wrong() := count as n of read where latency > 4KiB and nosuch = 1;
                                                              ^~~~~~
  `runnel describe read` lists them

== syntax error inside of the view
-- views
view broken() := count of read where;
-- query
n of broken
-- error
view:1:37: error: found `;`, expected an expression [E-SYNTAX]
  view broken() := count of read where;
                                      ^

== a view of itself
-- views
view loop() := count of loop;
-- query
count of loop
-- error
view:1:25: error: the view `loop` uses itself [E-NAME-VIEW]
  view loop() := count of loop;
                          ^~~~
  loop -> loop

== two views of each other
-- views
view ping() := count of pong;
view pong() := count of ping;
-- query
count of ping
-- error
view:1:25: error: the view `ping` uses itself [E-NAME-VIEW]
  view pong() := count of ping;
                          ^~~~
  ping -> pong -> ping

== in a view
-- views
view slow(threshold = 1ms) := pid of read where latency > $threshold;
-- query
count of read where pid in (slow) and proc in (slow, java)
-- error
query:1:29: error: `slow` is a view: `in` takes its values from a query [E-TYPE]
  count of read where pid in (slow) and proc in (slow, java)
                              ^~~~
  write in (pid of slow)
query:1:48: note: `slow` is a string here, not the view of that name [N-BAREWORD]
  count of read where pid in (slow) and proc in (slow, java)
                                                 ^~~~
  write in (proc of slow)

== values of views by name, wrong
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
n of slow(5ms, threshold = 5ms, n = 3, top = 3, top = 4, 6)
-- error
query:1:16: error: the view gets two values for `threshold` [E-NAME-PARAM]
  n of slow(5ms, threshold = 5ms, n = 3, top = 3, top = 4, 6)
                 ^~~~~~~~~
  it is slow(threshold, top = 3)
query:1:33: error: the view has no parameter `n` [E-NAME-PARAM]
  n of slow(5ms, threshold = 5ms, n = 3, top = 3, top = 4, 6)
                                  ^
  it is slow(threshold, top = 3)
query:1:49: error: the view gets two values for `top` [E-NAME-PARAM]
  n of slow(5ms, threshold = 5ms, n = 3, top = 3, top = 4, 6)
                                                  ^~~
  it is slow(threshold, top = 3)
query:1:58: error: values without a name come first [E-NAME-PARAM]
  n of slow(5ms, threshold = 5ms, n = 3, top = 3, top = 4, 6)
                                                           ^
  it is slow(threshold, top = 3)

== a source is no number
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(3, name)
-- error
query:1:14: error: `what` stands for a source [E-TYPE]
  * of busiest(3, name)
               ^
  it is a class or a view, or a query in parentheses: (events of tracepoint "sched:*")

== a field is no number
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(io, 3)
-- error
query:1:18: error: `key` stands for a field [E-TYPE]
  * of busiest(io, 3)
                   ^
  it is a field, or made of fields: proc, basename(file)

== a field is no aggregate
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(io, count)
-- error
query:1:18: error: `key` stands for a field [E-TYPE]
  * of busiest(io, count)
                   ^~~~~
  it is a field, or made of fields: proc, basename(file)

== a field that the source has not
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(io, nothing)
-- error
query:1:18: error: `nothing` is not a field of `io` [E-NAME-FIELD]
  * of busiest(io, nothing)
                   ^~~~~~~
  `runnel describe io` lists them

== a source that is not there
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(raed, name)
-- error
query:1:14: error: `raed` is not an event class, table or view [E-NAME-SOURCE]
  * of busiest(raed, name)
               ^~~~
  did you mean `read`?

== a condition is no number
-- views
view slowest(what = read, c = true, key = file) := max(latency) as m, count(where $c) as n of $what where $c by $key top 3;
-- query
* of slowest(read, 3)
-- error
query:1:20: error: `c` stands for a condition [E-TYPE]
  * of slowest(read, 3)
                     ^
  it is a condition on events: (proc = java)

== a source of two kinds
-- views
view two(x) := count of $x where $x by proc;
-- query
* of two(read)
-- error
view:1:34: error: `$x` is a condition here, and a source in another place [E-NAME-PARAM]
  view two(x) := count of $x where $x by proc;
                          ~~       ^~

== a field and a value
-- views
view two(x) := count of read where latency > $x by $x;
-- query
* of two(3ms)
-- error
view:1:46: error: `$x` is a value here, and a field in another place [E-NAME-PARAM]
  view two(x) := count of read where latency > $x by $x;
                                               ^~    ~~

== a query for two places
-- views
view twice(x) := count of (events of $x) where pid in (pid of (events of $x));
-- query
* of twice((events of io))
-- error
view:1:74: error: a query can stand for `$x` in one place only [E-NAME-PARAM]
  view twice(x) := count of (events of $x) where pid in (pid of (events of $x));
                                                                           ^~

== a source needs its value
-- views
view busiest(what, key, n = 10) := count of $what by $key top $n;
-- query
* of busiest(key = proc)
-- error
query:1:6: error: the view `busiest` needs a value for `what` [E-NAME-PARAM]
  * of busiest(key = proc)
       ^~~~~~~
  it is busiest(what source, key field, n = 10)

== a value is no source
-- params
what=read
-- query
count of $what
-- error
query:1:10: error: `$what` is a value, and a source is a word of the query [E-NAME-PARAM]
  count of $what
           ^~~~~
  a view takes a source from the text that calls it: view busy(what) := count of $what
