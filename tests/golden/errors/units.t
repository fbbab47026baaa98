# Types and units that do not go together.

== duration and plain number
-- query
count of read where latency > 10
-- error
query:1:31: error: units differ: a duration and a plain number [E-UNIT]
  count of read where latency > 10
                      ~~~~~~~   ^~
  write 10ms, not 10: `latency` is a duration

== plain number and duration
-- query
count of read where 10 < latency
-- error
query:1:26: error: units differ: a plain number and a duration [E-UNIT]
  count of read where 10 < latency
                      ~~   ^~~~~~~
  write 10ms, not 10: `latency` is a duration

== duration and size
-- query
count of read where latency > 4KiB
-- error
query:1:31: error: units differ: a duration and a size [E-UNIT]
  count of read where latency > 4KiB
                      ~~~~~~~   ^~~~
  `latency` is a duration, `4KiB` is a size

== size and duration
-- query
count of read where bytes >= 10ms
-- error
query:1:30: error: units differ: a size and a duration [E-UNIT]
  count of read where bytes >= 10ms
                      ~~~~~    ^~~~
  `bytes` is a size, `10ms` is a duration

== time and plain number
-- query
count of read where time > 5
-- error
query:1:28: error: units differ: a time and a plain number [E-UNIT]
  count of read where time > 5
                      ~~~~   ^
  write a time like "2026-11-20 10:00:00": `time` is a time

== sum of a size and a duration
-- query
count of read where bytes + latency > 0
-- error
query:1:29: error: `+` has no meaning between a size and a duration [E-UNIT]
  count of read where bytes + latency > 0
                      ~~~~~   ^~~~~~~
  `bytes` is a size, `latency` is a duration

== product of sizes
-- query
count of read where bytes * bytes > 0
-- error
query:1:29: error: `*` has no meaning between a size and a size [E-UNIT]
  count of read where bytes * bytes > 0
                      ~~~~~   ^~~~~
  `bytes` is a size, `bytes` is a size

== range of two units
-- query
count of read where latency between 1ms and 5
-- error
query:1:45: error: units differ: a duration and a plain number [E-UNIT]
  count of read where latency between 1ms and 5
                      ~~~~~~~                 ^
  write 5ms, not 5: `latency` is a duration

== list of two units
-- query
count of read where latency in (10ms, 20)
-- error
query:1:39: error: units differ: a duration and a plain number [E-UNIT]
  count of read where latency in (10ms, 20)
                      ~~~~~~~           ^~
  write 20ms, not 20: `latency` is a duration

== histogram in another unit
-- query
lhist(latency, 0, 100, 10) of read
-- error
query:1:19: error: units differ: a duration and a plain number [E-UNIT]
  lhist(latency, 0, 100, 10) of read
        ~~~~~~~     ^~~
  write 100ms, not 100: `latency` is a duration
query:1:24: error: units differ: a duration and a plain number [E-UNIT]
  lhist(latency, 0, 100, 10) of read
        ~~~~~~~          ^~
  write 10ms, not 10: `latency` is a duration

== bucket in another unit
-- query
count of read by bucket(latency, 10)
-- error
query:1:34: error: units differ: a duration and a plain number [E-UNIT]
  count of read by bucket(latency, 10)
                          ~~~~~~~  ^~
  write 10ms, not 10: `latency` is a duration

== string and number
-- query
count of read where proc = 5
-- error
query:1:28: error: a string cannot be compared with a number [E-TYPE]
  count of read where proc = 5
                      ~~~~   ^
  for the string write "5"

== string and field of another type
-- query
count of read where proc = error
-- error
query:1:28: error: a string cannot be compared with an error [E-TYPE]
  count of read where proc = error
                      ~~~~   ^~~~~
  for the string write "error"

== not an address
-- query
count of read where peer = "10.0.0"
-- error
query:1:28: error: "10.0.0" is not an address [E-TYPE]
  count of read where peer = "10.0.0"
                             ^~~~~~~~
  write it like "10.0.0.1", "10.0.0.1:80" or "[::1]:80"

== not a time
-- query
count of read where time > "yesterday"
-- error
query:1:28: error: "yesterday" is not a time [E-TYPE]
  count of read where time > "yesterday"
                             ^~~~~~~~~~~
  write it like "2026-11-20 10:00:00"

== not a network
-- query
count of read where cidr(peer, "10.0.0.0/40")
-- error
query:1:32: error: this is not a network [E-TYPE]
  count of read where cidr(peer, "10.0.0.0/40")
                                 ^~~~~~~~~~~~~
  write it like "10.0.0.0/8"

== glob over an address
-- query
count of read where peer ~ "10.*"
-- error
query:1:21: error: `~` matches strings, and this is an address [E-TYPE]
  count of read where peer ~ "10.*"
                      ^~~~
  write cidr(peer, "10.0.0.0/8")

== pattern that is a field
-- query
count of read where proc !~ name
-- error
query:1:29: error: the pattern of `!~` is a constant string [E-TYPE]
  count of read where proc !~ name
                      ~~~~    ^~~~
  write it in quotes: "name"

== pattern that is no regex
-- query
count of read where file =~ "(unclosed"
-- error
query:1:29: error: not a regular expression: Unmatched ( or \( [E-TYPE]
  count of read where file =~ "(unclosed"
                              ^~~~~~~~~~~

== pattern whose repeats take all memory
-- query
count of read where file =~ "((((a{1,100}){1,100}){1,100}){1,100})"
-- error
query:1:29: error: a regular expression beyond the limits: repeats inside of one another multiply to more than 1000 at byte 13 [E-LIMIT-REGEX]
  count of read where file =~ "((((a{1,100}){1,100}){1,100}){1,100})"
                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  use `*` or `+`, which count as no number, or smaller counts

== pattern with a back reference
-- query
count of read where file =~ "(a)\\1"
-- error
query:1:29: error: not a regular expression: `\1` at byte 3 is a back reference, which takes exponential time [E-TYPE]
  count of read where file =~ "(a)\\1"
                              ^~~~~~~~
  write out what may stand there; a backslash is written `\\`

== condition that is none
-- query
count of read where proc
-- error
query:1:21: error: `where` needs a condition, and this is a string [E-TYPE]
  count of read where proc
                      ^~~~
  compare it with something: proc = ...

== part of a condition that is none
-- query
count of read where bytes > 5 and proc
-- error
query:1:35: error: `and` needs conditions, and this is a string [E-TYPE]
  count of read where bytes > 5 and proc
                                    ^~~~
  compare it with something: proc = ...

== order of a histogram
-- query
hist(latency) of read by proc order by hist(latency)
-- error
query:1:40: error: `order by` needs something with an order, and this is a histogram [E-TYPE]
  hist(latency) of read by proc order by hist(latency)
                                         ^~~~~~~~~~~~~
  order by a number of it: p99(latency)

== missing argument
-- query
quantile(latency) of read
-- error
query:1:1: error: `quantile` takes 2 arguments, and this has 1 [E-TYPE]
  quantile(latency) of read
  ^~~~~~~~~~~~~~~~~
  quantile(x, q): the value that a fraction q does not exceed; relative error at most 1 %

== quantile beyond 1
-- query
quantile(latency, 99) of read
-- error
query:1:19: error: a quantile lies between 0 and 1 [E-TYPE]
  quantile(latency, 99) of read
                    ^~
  the median is quantile(latency, 0.5)

== on another line
-- query
count of read
	where proc = "größer" and latency > 10
	by proc
-- error
query:2:38: error: units differ: a duration and a plain number [E-UNIT]
          where proc = "größer" and latency > 10
                                    ~~~~~~~   ^~
  write 10ms, not 10: `latency` is a duration

== what sketches are for
-- query
similar(data, "short") of write;
-- error
query:1:15: error: `similar` compares sequences of 8 bytes, and this has 5 [E-TYPE]
  similar(data, "short") of write;
                ^~~~~~~
  for a short text search it: `data ~ "*abc*"`, or `tag`

== what sketches are not for
-- query
similar(data, pid), similar(data) of write where sketch = "12345678" order by sketch
-- error
query:1:15: error: `similar` needs payload, a text or a sketch, and this is a number [E-TYPE]
  similar(data, pid), similar(data) of write where sketch = "12345678" order by sketch
                ^~~
query:1:21: error: `similar` takes 2 arguments, and this has 1 [E-TYPE]
  similar(data, pid), similar(data) of write where sketch = "12345678" order by sketch
                      ^~~~~~~~~~~~~
  similar(data, "some text"): how much of their 8-byte sequences they share, 0 to 1, estimated; of data through the field sketch
query:1:59: error: a sketch cannot be compared with a string [E-TYPE]
  similar(data, pid), similar(data) of write where sketch = "12345678" order by sketch
                                                   ~~~~~~   ^~~~~~~~~~
  `sketch` is a sketch
query:1:79: error: `order by` needs something with an order, and this is a sketch [E-TYPE]
  similar(data, pid), similar(data) of write where sketch = "12345678" order by sketch
                                                                                ^~~~~~

== no sketch of what has no payload
-- query
similar(data, "12345678") of open
-- error
query:1:9: error: `data` is not a field of `open` [E-NAME-FIELD]
  similar(data, "12345678") of open
          ^~~~
  it is a field of `io`, `read`, `recv`, `send` and others

== bytes beside what is no text
-- query
count of write where peer = x"00" or pid = x"01" or bytes > x"ff"
-- error
query:1:29: error: an address cannot be compared with payload [E-TYPE]
  count of write where peer = x"00" or pid = x"01" or bytes > x"ff"
                       ~~~~   ^~~~~
  `peer` is an address
query:1:44: error: a number cannot be compared with payload [E-TYPE]
  count of write where peer = x"00" or pid = x"01" or bytes > x"ff"
                                       ~~~   ^~~~~
  `pid` is a number
query:1:61: error: a size cannot be compared with payload [E-TYPE]
  count of write where peer = x"00" or pid = x"01" or bytes > x"ff"
                                                      ~~~~~   ^~~~~
  `bytes` is a size

== payload and sketches are no keys
-- query
count of write by data, sketch
-- error
query:1:19: error: payload cannot be a key [E-TYPE]
  count of write by data, sketch
                    ^~~~
query:1:25: error: a sketch cannot be a key [E-TYPE]
  count of write by data, sketch
                          ^~~~~~

== a number in quotes
-- query
count of read where latency > "10ms" and pid = "12"
-- error
query:1:31: error: a duration cannot be compared with a string [E-TYPE]
  count of read where latency > "10ms" and pid = "12"
                      ~~~~~~~   ^~~~~~
  a number stands without quotes: 10ms
query:1:48: error: a number cannot be compared with a string [E-TYPE]
  count of read where latency > "10ms" and pid = "12"
                                           ~~~   ^~~~
  a number stands without quotes: 12

== a hash has no order
-- query
min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
-- error
query:1:5: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
      ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:16: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                 ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:27: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                            ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:45: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                                              ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:58: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                                                           ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:75: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                                                                            ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:101: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                                                                                                      ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count
query:1:120: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  min(hash), sum(hash), p99(hash) of io where hash < 5 and hash + 1 = 6 and hash between 1 and 2 and -hash = 1 by bucket(hash, 16)
                                                                                                                         ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count

== rows by hash
-- query
hash of io order by hash
-- error
query:1:21: error: a hex value (a hash, a pointer) has no order, and cannot be calculated with [E-UNIT]
  hash of io order by hash
                      ^~~~
  what it is for: =, !=, in, by, set(), distinct() and count

== errors have no sum
-- query
sum(error) of read
-- error
query:1:5: error: `sum` of errors would mean nothing [E-UNIT]
  sum(error) of read
      ^~~~~
  sum(error != 0) says how many there were, set(error) which ones

== a histogram of errors
-- query
hist(error) of io
-- error
query:1:6: error: `hist` of errors would mean nothing [E-UNIT]
  hist(error) of io
       ^~~~~
  count with `by error` says how many there were of each

== a histogram of devices in steps
-- query
lhist(dev, 0, 10, 1) of io
-- error
query:1:7: error: `lhist` of devices would mean nothing [E-UNIT]
  lhist(dev, 0, 10, 1) of io
        ^~~
  count with `by dev` says how many there were of each

== a bucket of errors
-- query
count of io by bucket(error, 10)
-- error
query:1:23: error: a `bucket` of errors would mean nothing [E-UNIT]
  count of io by bucket(error, 10)
                        ^~~~~
  group by it as it is: by error

== a float where an integer is wanted
-- query
count of read where pid / 2 % 2 = 1
-- error
query:1:21: error: `%` needs integers, sizes or durations, and this is a float [E-TYPE]
  count of read where pid / 2 % 2 = 1
                      ^~~~~~~
  whole division is written div(pid, 2)

== a float that is no quotient
-- query
count of read by proc having avg(pid) % 2 = 1
-- error
query:1:30: error: `%` needs integers, sizes or durations, and this is a float [E-TYPE]
  count of read by proc having avg(pid) % 2 = 1
                               ^~~~~~~~
  div(avg(pid), 1) is its whole part

== a bucket of a float
-- query
count of read by bucket(bytes / 1KiB, 2)
-- error
query:1:25: error: `bucket` needs an integer, and this is a float [E-TYPE]
  count of read by bucket(bytes / 1KiB, 2)
                          ^~~~~~~~~~~~
  whole division is written div(bytes, 1KiB)

== a step with a fraction
-- query
count of read by bucket(pid, 0.5)
-- error
query:1:30: error: the step of a bucket is a whole constant greater than 0 [E-TYPE]
  count of read by bucket(pid, 0.5)
                               ^~~

== whole, by another unit
-- query
count of read by div(bytes, 2ms)
-- error
query:1:29: error: a size has no whole part by a duration [E-UNIT]
  count of read by div(bytes, 2ms)
                       ~~~~~  ^~~
  `/` gives what there is of one for each of the other

== a size times a size
-- query
bytes * bytes of read
-- error
query:1:9: error: `*` has no meaning between a size and a size [E-UNIT]
  bytes * bytes of read
  ~~~~~   ^~~~~
  `bytes` is a size, `bytes` is a size

== a number by a size
-- query
5 / bytes of read
-- error
query:1:5: error: `/` has no meaning between a plain number and a size [E-UNIT]
  5 / bytes of read
  ~   ^~~~~
  `5` is a plain number, `bytes` is a size

== a throughput beside a duration
-- query
time of read where bytes / latency > latency
-- error
query:1:38: error: units differ: a throughput and a duration [E-UNIT]
  time of read where bytes / latency > latency
                     ~~~~~~~~~~~~~~~   ^~~~~~~
  `bytes / latency` is a throughput, `latency` is a duration

== a throughput where a duration is wanted
-- query
count of read where latency > 10MiB/s
-- error
query:1:31: error: units differ: a duration and a throughput [E-UNIT]
  count of read where latency > 10MiB/s
                      ~~~~~~~   ^~~~~~~
  `latency` is a duration, `10MiB/s` is a throughput

== a rate where a size is wanted
-- query
count of read where bytes > 5/s
-- error
query:1:29: error: units differ: a size and a rate [E-UNIT]
  count of read where bytes > 5/s
                      ~~~~~   ^~~
  `bytes` is a size, `5/s` is a rate

== a rest of another unit
-- query
bytes % latency of read
-- error
query:1:9: error: `%` has no meaning between a size and a duration [E-UNIT]
  bytes % latency of read
  ~~~~~   ^~~~~~~
  `bytes` is a size, `latency` is a duration
