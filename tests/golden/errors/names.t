# Names that mean nothing, and what is said instead.

== mistyped source
-- query
count of raed by proc
-- error
query:1:10: error: `raed` is not an event class, table or view [E-NAME-SOURCE]
  count of raed by proc
           ^~~~
  did you mean `read`?

== nothing like it
-- query
count of zzzzzzzz
-- error
query:1:10: error: `zzzzzzzz` is not an event class, table or view [E-NAME-SOURCE]
  count of zzzzzzzz
           ^~~~~~~~
  `runnel list` shows them all

== mistyped field
-- query
count of read where latncy > 10ms by proc
-- error
query:1:21: error: `latncy` is not a field of `read` [E-NAME-FIELD]
  count of read where latncy > 10ms by proc
                      ^~~~~~
  did you mean `latency`? `runnel describe read` lists them

== mistyped field compared with a bareword
-- query
count of read where prco = java
-- error
query:1:21: error: `prco` is not a field of `read` [E-NAME-FIELD]
  count of read where prco = java
                      ^~~~
  did you mean `proc`? `runnel describe read` lists them

== mistyped field in the list
-- query
tmie, proc of read
-- error
query:1:1: error: `tmie` is not a field of `read` [E-NAME-FIELD]
  tmie, proc of read
  ^~~~
  did you mean `time`? `runnel describe read` lists them

== mistyped key
-- query
count of read by flie
-- error
query:1:18: error: `flie` is not a field of `read` [E-NAME-FIELD]
  count of read by flie
                   ^~~~
  did you mean `file`? `runnel describe read` lists them

== mistyped function
-- query
basnam(file) of read
-- error
query:1:1: error: there is no function `basnam` [E-NAME-FUNC]
  basnam(file) of read
  ^~~~~~
  did you mean `basename`?

== mistyped aggregate
-- query
summ(bytes) of read
-- error
query:1:1: error: there is no function `summ` [E-NAME-FUNC]
  summ(bytes) of read
  ^~~~
  did you mean `sum`?

== aggregate without parentheses
-- query
p99 of read
-- error
query:1:1: error: `p99` is not a field of `read` [E-NAME-FIELD]
  p99 of read
  ^~~
  it is an aggregate: write p99(...)

== mistyped error name
-- query
count of open where error = ENOFILE
-- error
query:1:29: error: `ENOFILE` is neither a field of `open` nor the name of an error [E-NAME-FIELD]
  count of open where error = ENOFILE
                              ^~~~~~~
  did you mean `ENFILE`?

== mistyped alias
-- query
count as calls of read by proc having clals > 5
-- error
query:1:39: error: `clals` is not a field of `read` [E-NAME-FIELD]
  count as calls of read by proc having clals > 5
                                        ^~~~~
  did you mean `calls`? `runnel describe read` lists them

== unknown tracepoint
-- query
count of tracepoint "sched:sched_swich"
-- error
query:1:21: error: this kernel has no tracepoint `sched:sched_swich` [E-NAME-SOURCE]
  count of tracepoint "sched:sched_swich"
                      ^~~~~~~~~~~~~~~~~~~
  did you mean `sched:sched_switch`?

== tracepoint without its class
-- query
count of sched_switch
-- error
query:1:10: error: `sched_switch` is not an event class, table or view [E-NAME-SOURCE]
  count of sched_switch
           ^~~~~~~~~~~~
  a kernel tracepoint is written tracepoint "sched:sched_switch"

== tracepoint without a name
-- query
count of tracepoint
-- error
query:1:10: error: `tracepoint` does not say which [E-NAME-SOURCE]
  count of tracepoint
           ^~~~~~~~~~
  write its name after it: tracepoint "sched:sched_switch"

== mistyped field of a tracepoint
-- query
count of tracepoint "sched:sched_switch" by nxt_comm
-- error
query:1:45: error: `nxt_comm` is not a field of `tracepoint "sched:sched_switch"` [E-NAME-FIELD]
  count of tracepoint "sched:sched_switch" by nxt_comm
                                              ^~~~~~~~
  did you mean `next_comm`? `runnel describe 'tracepoint "sched:sched_switch"'` lists them

== argument of a class that has none
-- query
count of read "x"
-- error
query:1:15: error: `read` takes no argument [E-NAME-SOURCE]
  count of read "x"
                ^~~

== column of a nested query
-- query
nosuch of (sum(bytes) as b of write by file)
-- error
query:1:1: error: `nosuch` is not a column of the nested query [E-NAME-FIELD]
  nosuch of (sum(bytes) as b of write by file)
  ^~~~~~
  its columns: file, b

== window of a nested query
-- query
b of (count of read by proc every 1s)
-- error
query:1:1: error: `b` is not a column of the nested query [E-NAME-FIELD]
  b of (count of read by proc every 1s)
  ^
  its columns: window, proc, count

== two columns of one name
-- query
count as x, sum(bytes) as x of read
-- error
query:1:13: error: two columns are called `x` [E-NAME-DUP]
  count as x, sum(bytes) as x of read
  ~~~~~~~~~~  ^~~~~~~~~~~~~~~
  name one of them: sum(bytes) as other

== parameter without a value
-- query
count of read where latency > $threshold
-- error
query:1:31: error: `$threshold` has no value [E-NAME-PARAM]
  count of read where latency > $threshold
                                ^~~~~~~~~~
  give it one behind the query: runnel 'QUERY' threshold=VALUE

== trace that cannot be opened
-- query
count of read from "nosuch.rnt"
-- error
query:1:20: error: the trace "nosuch.rnt" cannot be read: traces cannot be opened here [E-TRACE]
  count of read from "nosuch.rnt"
                     ^~~~~~~~~~~~

== several at once
-- query
latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
-- error
query:1:1: error: `latncy` is not a field of `read` [E-NAME-FIELD]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
  ^~~~~~
  did you mean `latency`? `runnel describe read` lists them
query:1:13: error: `sum` needs a number, and this is a string [E-TYPE]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
              ^~~~
  for text there are first(proc), last(proc), set(proc) and distinct(proc)
query:1:20: error: there is no function `nosuch` [E-NAME-FUNC]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
                     ^~~~~~
  `runnel list` shows them all
query:1:52: error: units differ: a size and a duration [E-UNIT]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
                                             ~~~~~   ^~~~
  `bytes` is a size, `10ms` is a duration
query:1:68: error: the pattern of `~` is a constant string [E-TYPE]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
                                                              ~~~~   ^~~
  write it in quotes: "pid"
query:1:75: error: `flie` is not a field of `read` [E-NAME-FIELD]
  latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie
                                                                            ^~~~
  did you mean `file`? `runnel describe read` lists them

== bareword note
-- query
count of read where proc = name
-- error
query:1:28: note: `name` is a field of `read` here, not a string [N-BAREWORD]
  count of read where proc = name
                             ^~~~
  for the string write "name"

== bareword note in a nested query
-- query
count of (count as c of read by proc, thread) where proc = thread
-- error
query:1:60: note: `thread` is a column of the nested query here, not a string [N-BAREWORD]
  count of (count as c of read by proc, thread) where proc = thread
                                                             ^~~~~~
  for the string write "thread"

== field of a class that comes later
-- query
count of block by queue
-- error
query:1:10: error: `block` is not executed by this version [E-LATER]
  count of block by queue
           ^~~~~
  its tracepoints are there: count of tracepoint "block:block_rq_issue"

== tags too short and too long to search
-- query
count of tag abc, abcd, x"fe01", "0123456789012345678901234567890123456789012345678901234567890123", "01234567890123456789012345678901234567890123456789012345678901234"
-- error
query:1:14: error: the tag has 3 bytes; tags have 4 to 64 [E-LIMIT-TAGS]
  count of tag abc, abcd, x"fe01", "0123456789012345678901234567890123456789012345678901234567890123", "0123456789012345678901234567890123456789012345678901234567...
               ^~~
  short tags occur by chance: use a longer, rarer text
query:1:25: error: the tag has 2 bytes; tags have 4 to 64 [E-LIMIT-TAGS]
  count of tag abc, abcd, x"fe01", "0123456789012345678901234567890123456789012345678901234567890123", "0123456789012345678901234567890123456789012345678901234567...
                          ^~~~~~~
  short tags occur by chance: use a longer, rarer text
query:1:102: error: the tag has 65 bytes; tags have 4 to 64 [E-LIMIT-TAGS]
  ...d, x"fe01", "0123456789012345678901234567890123456789012345678901234567890123", "01234567890123456789012345678901234567890123456789012345678901234"
                                                                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  a part of it will do: use its rarest bytes, at most 64

== a bad file of tags
-- query
count of tag from "tests/golden/files/bad_tags.txt"
-- error
tests/golden/files/bad_tags.txt:2:9: error: x"..." takes pairs of hexadecimal digits [E-TAG-FILE]
  x"00ff123"
          ^
tests/golden/files/bad_tags.txt:3:1: error: tags in a file stand without quotes [E-TAG-FILE]
  "quoted"
  ^~~~~~~~
  if the quotes are part of it, write its bytes: x"..."
tests/golden/files/bad_tags.txt:4:1: error: the tag has 3 bytes; tags have 4 to 64 [E-LIMIT-TAGS]
  abc
  ^~~
  short tags occur by chance: use a longer, rarer text
tests/golden/files/bad_tags.txt:5:4: error: x"..." takes pairs of hexadecimal digits [E-TAG-FILE]
  x"0g112233"
     ^

== a file of tags that is none
-- query
count of tag from "tests/golden/files/no_tags.txt"
-- error
query:1:19: error: "tests/golden/files/no_tags.txt" holds no tag [E-TAG-FILE]
  count of tag from "tests/golden/files/no_tags.txt"
                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  it takes one tag a line

== a file of tags that is a directory
-- query
count of tag from "tests/golden/files"
-- error
query:1:19: error: "tests/golden/files" is not a regular file [E-TAG-FILE]
  count of tag from "tests/golden/files"
                    ^~~~~~~~~~~~~~~~~~~~

== a file of tags that is not there
-- query
count of tag from "tests/golden/files/tag.txt"
-- error
query:1:19: error: the file of tags "tests/golden/files/tag.txt" cannot be read: No such file or directory [E-TAG-FILE]
  count of tag from "tests/golden/files/tag.txt"
                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~

== a string with a dash in it
-- query
count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
-- error
query:1:28: error: `nginx-worker` is read as a subtraction, not as a string [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                             ^~~~~~~~~~~~
  quote it: proc = "nginx-worker"
query:1:45: error: `www-data` is read as a subtraction, not as a string [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                                              ^~~~~~~~
  quote it: user != "www-data"
query:1:75: error: `www-data` is read as a subtraction, not as a string [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                                                                            ^~~~~~~~
  quote it: user = "www-data"
query:1:102: error: `a-b` is read as a subtraction, not as a string [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                                                                                                       ^~~
  quote it: proc ~ "a-b"
query:1:116: error: `a` is not a field of `read` [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                                                                                                                     ^
  `runnel describe read` lists them
query:1:118: error: `b` is not a field of `read` [E-NAME-FIELD]
  count of read where proc = nginx-worker and www-data != user and user in (www-data, root) and proc ~ a-b and pid = a-b
                                                                                                                       ^
  `runnel describe read` lists them

== a user's name for uid
-- query
count of read where uid = root
-- error
query:1:27: error: `root` is not a field of `read`, and `uid` is a number [E-NAME-FIELD]
  count of read where uid = root
                            ^~~~
  by name: user = root

== tag without one
-- query
flow of tag; flow of tag where proc = java
-- error
query:1:12: error: found `;`, expected a tag [E-SYNTAX]
  flow of tag; flow of tag where proc = java
             ^
  write the tag after it: tag fix283
query:1:26: error: found `where`, expected a tag [E-SYNTAX]
  flow of tag; flow of tag where proc = java
                           ^~~~~
  write the tag after it: tag fix283

== a field of other classes
-- query
hash, tags, rss, zzz of syscall
-- error
query:1:1: error: `hash` is not a field of `syscall` [E-NAME-FIELD]
  hash, tags, rss, zzz of syscall
  ^~~~
  it is a field of `io`, `read`, `recv`, `send` and others
query:1:7: error: `tags` is not a field of `syscall` [E-NAME-FIELD]
  hash, tags, rss, zzz of syscall
        ^~~~
  it is a field of `tag`
query:1:13: error: `rss` is not a field of `syscall` [E-NAME-FIELD]
  hash, tags, rss, zzz of syscall
              ^~~
  it is a field of `processes`
query:1:18: error: `zzz` is not a field of `syscall` [E-NAME-FIELD]
  hash, tags, rss, zzz of syscall
                   ^~~
  `runnel describe syscall` lists them

== a name that no call has
-- query
count of syscall where name = opennat and name != "read" and name in (opena, fsync)
-- error
query:1:31: note: no call of `syscall` has the name `opennat` [N-CALL]
  count of syscall where name = opennat and name != "read" and name in (opena, fsync)
                                ^~~~~~~
  did you mean `openat`?
query:1:71: note: no call of `syscall` has the name `opena` [N-CALL]
  count of syscall where name = opennat and name != "read" and name in (opena, fsync)
                                                                        ^~~~~
  did you mean `open`?

== a profile without its rate
-- query
count of sample by ustack
-- error
query:1:10: error: `sample` does not say which [E-NAME-SOURCE]
  count of sample by ustack
           ^~~~~~
  write after it how often a second each CPU is looked at: sample 99hz

== a field that a profile does not have
-- query
count of sample 99hz by file
-- error
query:1:25: error: `file` is not a field of `sample` [E-NAME-FIELD]
  count of sample 99hz by file
                          ^~~~
  it is a field of `accept`, `close`, `connect`, `exec` and others

== a field of one of a glob's tracepoints
-- query
count of tracepoint "sched:sched_*" by next_comm
-- error
query:1:40: error: `next_comm` is not a field of `tracepoint "sched:sched_*"` [E-NAME-FIELD]
  count of tracepoint "sched:sched_*" by next_comm
                                         ^~~~~~~~~
  several tracepoints have the fields that all of them have alike, and `tracepoint "sched:sched_process_exec"` has no `next_comm`

== a glob that matches nothing
-- query
count of tracepoint "sched:nix_*"
-- error
query:1:21: error: this kernel has no tracepoint `sched:nix_*` [E-NAME-SOURCE]
  count of tracepoint "sched:nix_*"
                      ^~~~~~~~~~~~~
  `runnel list 'sched:*'` shows tracepoints by such a glob

== the table of processes, as it was called
-- query
pid, rss of proc order by rss desc limit 2
-- error
query:1:13: error: `proc` is called `processes` now [E-NAME-SOURCE]
  pid, rss of proc order by rss desc limit 2
              ^~~~
  did you mean `processes`? pid, rss of processes order by rss desc limit 2

== the same, as a set of values
-- query
count of io where pid in (pid of proc where rss > 1GiB) by file
-- error
query:1:34: error: `proc` is called `processes` now [E-NAME-SOURCE]
  count of io where pid in (pid of proc where rss > 1GiB) by file
                                   ^~~~
  did you mean `processes`? pid of processes where rss > 1GiB

== the table of clocks, as it was called
-- query
max(bound) of clock every 1s
-- error
query:1:15: error: `clock` is called `clocks` now [E-NAME-SOURCE]
  max(bound) of clock every 1s
                ^~~~~
  did you mean `clocks`? max(bound) of clocks every 1s

== a column called in
-- query
count of read by in
-- error
query:1:18: error: `in` is not a field of `read` [E-NAME-FIELD]
  count of read by in
                   ^~
  `runnel describe read` lists them

== a class alone
-- query
read
-- error
query:1:1: error: `read` is an event class, which is asked by a query [E-NAME-SOURCE]
  read
  ^~~~
  `events of read` shows each, `count of read by proc` counts

== a table alone
-- query
processes
-- error
query:1:1: error: `processes` is a table, which is asked by a query [E-NAME-SOURCE]
  processes
  ^~~~~~~~~
  `events of processes` shows each, `count of processes by proc` counts

== a class with an argument alone
-- query
tracepoint
-- error
query:1:1: error: `tracepoint` is an event class, which is asked by a query [E-NAME-SOURCE]
  tracepoint
  ^~~~~~~~~~
  `runnel describe tracepoint` says how

== an aggregate alone
-- query
p99(latency)
-- error
query:1:1: error: `p99(latency)` is no query: it does not say of what [E-SYNTAX]
  p99(latency)
  ^~~~~~~~~~~~
  name a source: p99(latency) of read

== a field alone
-- query
latency
-- error
query:1:1: error: `latency` is no query: it does not say of what [E-SYNTAX]
  latency
  ^~~~~~~
  name a source: latency of read

== a number for a name that each kernel numbers for itself
-- query
count of tracepoint "skb:kfree_skb" where reason = 3
-- error
query:1:52: error: a string cannot be compared with a number [E-TYPE]
  count of tracepoint "skb:kfree_skb" where reason = 3
                                            ~~~~~~   ^
  each kernel numbers these for itself; by name: reason = NOT_SPECIFIED

== bits of such a name
-- query
count of tracepoint "skb:kfree_skb" where reason & NO_SOCKET != 0
-- error
query:1:52: error: `NO_SOCKET` is not a field of `tracepoint "skb:kfree_skb"` [E-NAME-FIELD]
  count of tracepoint "skb:kfree_skb" where reason & NO_SOCKET != 0
                                                     ^~~~~~~~~
  `runnel describe 'tracepoint "skb:kfree_skb"'` lists them

== no name of flags
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags & (__GFP_IO | __GFP_ZERRO) != 0
-- error
query:1:67: error: `__GFP_ZERRO` is neither a field of `tracepoint "skb:kfree_skb"` nor a name of `gfp_flags` [E-NAME-FIELD]
  count of tracepoint "skb:kfree_skb" where gfp_flags & (__GFP_IO | __GFP_ZERRO) != 0
                                                                    ^~~~~~~~~~~
  did you mean `__GFP_ZERO`?

== a number beside flags that each kernel numbers for itself
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags & 0x40 != 0
-- error
query:1:43: error: `&` needs integers, and this is a string [E-TYPE]
  count of tracepoint "skb:kfree_skb" where gfp_flags & 0x40 != 0
                                            ^~~~~~~~~
  each kernel numbers these for itself; by name: gfp_flags & GFP_NOIO != 0

== another operator of bits on such flags
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags ^ __GFP_IO != 0
-- error
query:1:43: error: `^` needs integers, and this is a string [E-TYPE]
  count of tracepoint "skb:kfree_skb" where gfp_flags ^ __GFP_IO != 0
                                            ^~~~~~~~~
  each kernel numbers these for itself; by name: gfp_flags & GFP_NOIO != 0

== bits of such flags in the rows of a nested query
-- query
count of (gfp_flags of tracepoint "skb:kfree_skb" limit 9) where gfp_flags & __GFP_IO != 0
-- error
query:1:78: error: `__GFP_IO` is not a column of the nested query [E-NAME-FIELD]
  count of (gfp_flags of tracepoint "skb:kfree_skb" limit 9) where gfp_flags & __GFP_IO != 0
                                                                               ^~~~~~~~
  its columns: gfp_flags

== functions of programs, and none is named
-- query
count of user by proc
-- error
query:1:10: error: `user` does not say which [E-NAME-SOURCE]
  count of user by proc
           ^~~~
  write after it where which functions are: user "libc:malloc", user "/usr/sbin/nginx:ngx_*"
