Functions, and operators of bits, that are misused.

== if without a condition
-- query
if(proc, 1, 2) of io
-- error
query:1:4: error: `if` needs a condition, and this is a string [E-TYPE]
  if(proc, 1, 2) of io
     ^~~~

== if with two arguments
-- query
if(error = 0, 1) of io
-- error
query:1:1: error: `if` takes 3 arguments, and this has 2 [E-TYPE]
  if(error = 0, 1) of io
  ^~~~~~~~~~~~~~~~
  if(c, a, b): a if c is true, else b

== if gives one type
-- query
if(error = 0, "ok", 3) of io
-- error
query:1:21: error: `if` gives one of its arguments, and these differ: a string and a number [E-TYPE]
  if(error = 0, "ok", 3) of io
                ~~~~  ^

== if with a word
-- query
if(error = 0, ok, bad) of io
-- error
query:1:15: error: `ok` is not a field of `io` [E-NAME-FIELD]
  if(error = 0, ok, bad) of io
                ^~
  as text it stands in quotes: "ok"

== if gives one unit
-- query
if(error = 0, latency, bytes) of io
-- error
query:1:24: error: units differ: a duration and a size [E-UNIT]
  if(error = 0, latency, bytes) of io
                ~~~~~~~  ^~~~~
  `latency` is a duration, `bytes` is a size

== least of other things
-- query
least(bytes, proc, latency) of io
-- error
query:1:14: error: `least` gives one of its arguments, and these differ: a size and a string [E-TYPE]
  least(bytes, proc, latency) of io
        ~~~~~  ^~~~

== an hour of what is no time
-- query
hour(bytes) of io
-- error
query:1:6: error: `hour` needs a time, and this is a size [E-TYPE]
  hour(bytes) of io
       ^~~~~

== an hour has no zone
-- query
hour(time, "UTC") of io
-- error
query:1:1: error: `hour` takes 1 argument, and this has 2 [E-TYPE]
  hour(time, "UTC") of io
  ^~~~~~~~~~~~~~~~~
  hour(t): the local hour of a time, 0 to 23

== no regular expression
-- query
extract(file, "(") of io
-- error
query:1:15: error: not a regular expression: Unmatched ( or \( [E-TYPE]
  extract(file, "(") of io
                ^~~

== a regular expression that changes
-- query
extract(file, proc) of io
-- error
query:1:15: error: the regular expression of `extract` is a constant [E-TYPE]
  extract(file, proc) of io
                ^~~~

== part 0
-- query
split_part(file, "/", 0) of io
-- error
query:1:23: error: parts are counted from 1, and from the end by -1 [E-TYPE]
  split_part(file, "/", 0) of io
                        ^

== a root of a duration
-- query
sqrt(latency) of io
-- error
query:1:6: error: `sqrt` needs a plain number, and this is a duration [E-TYPE]
  sqrt(latency) of io
       ^~~~~~~
  first make it a number: sqrt(latency / 1ms)

== concat of a duration
-- query
concat(proc, latency) of io
-- error
query:1:14: error: `concat` needs text, a plain number or a size, and this is a duration [E-TYPE]
  concat(proc, latency) of io
               ^~~~~~~

== the present takes nothing
-- query
now(1) of io
-- error
query:1:1: error: `now` takes no argument [E-TYPE]
  now(1) of io
  ^~~~~~
  now(): the time at which the query begins

== the present is a function
-- query
time > now as late of io
-- error
query:1:8: error: `now` is not a field of `io` [E-NAME-FIELD]
  time > now as late of io
         ^~~
  it is a function: write now()

== bits of a duration
-- query
count of io by latency & 3
-- error
query:1:16: error: `&` needs integers, and this is a duration [E-TYPE]
  count of io by latency & 3
                 ^~~~~~~

== bits of a fraction
-- query
count of io by 7 / 2 & 3
-- error
query:1:16: error: `&` needs integers, and this is a float [E-TYPE]
  count of io by 7 / 2 & 3
                 ^~~~~
  whole division is written div(7, 2)

== bits of conditions
-- query
count of io where bytes > 3 & (fd > 4)
-- error
query:1:31: error: `&` needs integers, and this is a condition [E-TYPE]
  count of io where bytes > 3 & (fd > 4)
                                ^~~~~~~~
  conditions are joined by `and` and `or`

== a shift by too much
-- query
count of io by fd << 64
-- error
query:1:22: error: a shift is by 0 to 63 bits [E-TYPE]
  count of io by fd << 64
                       ^~

== a pipe before what is no query
-- query
count of io where bytes | by proc
-- error
query:1:27: error: found `by`, expected an expression [E-SYNTAX]
  count of io where bytes | by proc
                            ^~
  `|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is a source

== a function of others
-- query
count of io by coalesce(latency, 0)
-- error
query:1:16: error: there is no function `coalesce` [E-NAME-FUNC]
  count of io by coalesce(latency, 0)
                 ^~~~~~~~
  write if(latency is null, 0ns, latency)

== a word of others
-- query
count of io where file contains "log"
-- error
query:1:24: error: found `contains`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of io where file contains "log"
                         ^~~~~~~~
  write contains(file, "log")

== a choice of others
-- query
case when bytes > 3 then 1 else 2 end of io
-- error
query:1:6: error: found `when`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  case when bytes > 3 then 1 else 2 end of io
       ^~~~
  there is no `case`: if(bytes > 4096, "long", "short") is one of two values

== text of what is no argument
-- query
count of user "libc:getenv" by text(arg0 + 1)
-- error
query:1:37: error: `text` takes an argument of `user` as it is, and this is `arg0 + 1` [E-NAME-FIELD]
  count of user "libc:getenv" by text(arg0 + 1)
                                      ^~~~~~~~
  write text(arg0), text(arg1), ...

== text of an argument that the class does not have
-- query
text(arg9) of user "libc:getenv"
-- error
query:1:6: error: `text` takes an argument of `user` as it is, and this is `arg9` [E-NAME-FIELD]
  text(arg9) of user "libc:getenv"
       ^~~~
  write text(arg0), text(arg1), ...

== text of a class without addresses
-- query
text(fd) of read
-- error
query:1:1: error: `read` has no addresses for `text` [E-NAME-FIELD]
  text(fd) of read
  ^~~~~~~~
  it reads what arguments of functions and of static probes point to: count of user "libc:getenv" by text(arg0)

== more bytes than a text has
-- query
count of user "libc:getenv" by text(arg0, 200)
-- error
query:1:43: error: `text` has 1 to 123 bytes [E-TYPE]
  count of user "libc:getenv" by text(arg0, 200)
                                            ^~~
  write a number of bytes: text(arg0, 16)

== a number of bytes that is none
-- query
count of user "libc:getenv" by text(arg0, pid)
-- error
query:1:43: error: `text` has 1 to 123 bytes [E-TYPE]
  count of user "libc:getenv" by text(arg0, pid)
                                            ^~~
  write a number of bytes: text(arg0, 16)

== text of nothing
-- query
text() of user "libc:getenv"
-- error
query:1:1: error: `text` takes 1 to 2 arguments, and this has 0 [E-TYPE]
  text() of user "libc:getenv"
  ^~~~~~
  text(arg0[, n]): the text in memory that an argument of `user`, `usdt` or `kernel`, or `ret`, points to: at most n bytes, or 123; null if it cannot be read

== no static probe is named
-- query
count of usdt by func
-- error
query:1:10: error: `usdt` does not say which [E-NAME-SOURCE]
  count of usdt by func
           ^~~~
  write after it where which probes are: usdt "/usr/sbin/mysqld:mysql:query__start"
