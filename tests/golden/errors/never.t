# Comparisons that nothing can make true, or that everything does: notes, each with a way out.

== a glob on the name of a file
-- query
count of read where file ~ "passwd"
-- error
query:1:28: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ "passwd"
                             ^~~~~~~~
  a file of that name: file ~ "*/passwd"; a path with it anywhere: "*passwd*"

== the same with wildcards behind it, and negated
-- query
count of read where file ~ "passwd*" or file !~ "log[0-9]*" or not file ~ "a?c"
-- error
query:1:28: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ "passwd*" or file !~ "log[0-9]*" or not file ~ "a?c"
                             ^~~~~~~~~
  a file of that name: file ~ "*/passwd*"; a path with it anywhere: "*passwd*"
query:1:49: note: `file` is a whole path and the glob begins in its middle, so this always holds [N-NEVER]
  count of read where file ~ "passwd*" or file !~ "log[0-9]*" or not file ~ "a?c"
                                                  ^~~~~~~~~~~
  a file of that name: file !~ "*/log[0-9]*"; a path with it anywhere: "*log[0-9]*"
query:1:75: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ "passwd*" or file !~ "log[0-9]*" or not file ~ "a?c"
                                                                            ^~~~~
  a file of that name: file ~ "*/a?c"; a path with it anywhere: "*a?c*"

== globs on paths that may hold
-- query
count of read where file ~ "/etc/*" or file ~ "*passwd" or file ~ "?x" or file ~ "[/]etc/*" or file ~ "socket:*" or file ~ "pipe:*" or file ~ "anon_inode:*" or file ~ "memfd:*" or file ~ "inode:*" or file = "/etc/passwd"
-- error
query:1:21: note: every event of `read` leaves the kernel, since only the node can test this condition [N-ROWS]
  count of read where file ~ "/etc/*" or file ~ "*passwd" or file ~ "?x" or file ~ "[/]etc/*" or file ~ "socket:*" or file ~ "pipe:*" or file ~ "anon_inode:*" or ...
                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  a condition for the kernel, such as proc = NAME, leaves most of them there; `explain` shows what runs where

== what has no path has a name behind its kind
-- query
count of read where file ~ "socket:"
-- error
query:1:28: note: behind the colon `file` has more, so this never holds [N-NEVER]
  count of read where file ~ "socket:"
                             ^~~~~~~~~
  write file ~ "socket:*"

== a glob without wildcards
-- query
count of read where file ~ "/etc"
-- error
query:1:28: note: a glob without `*`, `?` or `[` matches nothing but its own text [N-NEVER]
  count of read where file ~ "/etc"
                             ^~~~~~
  what is below it: file ~ "/etc/*"; itself: file = "/etc"

== the same with a slash at its end, negated
-- query
count of read where file !~ "/etc/"
-- error
query:1:29: note: a glob without `*`, `?` or `[` matches nothing but its own text [N-NEVER]
  count of read where file !~ "/etc/"
                              ^~~~~~~
  what is below it: file !~ "/etc/*"; itself: file != "/etc/"

== the path as given may begin with anything
-- query
count of open where file ~ "passwd*"
-- error

== but a text is a text
-- query
count of open where file ~ "passwd"
-- error
query:1:28: note: a glob without `*`, `?` or `[` matches nothing but its own text [N-NEVER]
  count of open where file ~ "passwd"
                             ^~~~~~~~
  a path with it anywhere: file ~ "*passwd*"

== a glob behind =
-- query
count of read where file = "/var/log/*.log" and container != "web-?"
-- error
query:1:28: note: `=` takes `*` as it is, not as a wildcard [N-NEVER]
  count of read where file = "/var/log/*.log" and container != "web-?"
                             ^~~~~~~~~~~~~~~~
  a glob is compared by `~`: file ~ "/var/log/*.log"

== a glob behind in
-- query
count of read where file not in ("/tmp/*", "/etc/passwd")
-- error
query:1:34: note: `in` takes `*` as it is, not as a wildcard [N-NEVER]
  count of read where file not in ("/tmp/*", "/etc/passwd")
                                   ^~~~~~~~
  a glob is compared by `~`: file ~ "/tmp/*"

== a name that is too long
-- query
count of read where proc = "systemd-journald-2" and thread != "systemd-journald-2"
-- error
query:1:28: note: `proc` has at most 15 bytes and this text 18, so this never holds [N-NEVER]
  count of read where proc = "systemd-journald-2" and thread != "systemd-journald-2"
                             ^~~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: proc = "systemd-journal"
query:1:63: note: `thread` has at most 15 bytes and this text 18, so this always holds [N-NEVER]
  count of read where proc = "systemd-journald-2" and thread != "systemd-journald-2"
                                                                ^~~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: thread != "systemd-journal"

== one that is just not
-- query
count of read where proc = "systemd-journal" and thread ~ "systemd-journald*"
-- error
query:1:59: note: `thread` has at most 15 bytes and this glob at least 16, so this never holds [N-NEVER]
  count of read where proc = "systemd-journal" and thread ~ "systemd-journald*"
                                                            ^~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: thread = "systemd-journal"

== globs that are too long
-- query
count of read where proc ~ "systemd-journald*" or proc ~ "*[s]ystemd-journald*"
-- error
query:1:28: note: `proc` has at most 15 bytes and this glob at least 16, so this never holds [N-NEVER]
  count of read where proc ~ "systemd-journald*" or proc ~ "*[s]ystemd-journald*"
                             ^~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: proc = "systemd-journal"
query:1:58: note: `proc` has at most 15 bytes and this glob at least 16, so this never holds [N-NEVER]
  count of read where proc ~ "systemd-journald*" or proc ~ "*[s]ystemd-journald*"
                                                           ^~~~~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: shorten the glob

== characters are not cut in two
-- query
count of read where proc = "aaaaaaaaaaaaaaäb"
-- error
query:1:28: note: `proc` has at most 15 bytes and this text 17, so this never holds [N-NEVER]
  count of read where proc = "aaaaaaaaaaaaaaäb"
                             ^~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: proc ~ "aaaaaaaaaaaaaa*"

== too long in a list
-- query
count of read where proc in ("systemd-journald-2", bash)
-- error
query:1:30: note: `proc` has at most 15 bytes and this text 18, so none is this [N-NEVER]
  count of read where proc in ("systemd-journald-2", bash)
                               ^~~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: proc = "systemd-journal"

== a process of the table has its whole name
-- query
count of processes where proc = "kworker/u8:1-events_unbound"
-- error

== capitals
-- query
count of read where proc = Java
-- error
query:1:28: note: no process is called `Java` now, but one is called `java` [N-NEVER]
  count of read where proc = Java
                             ^~~~
  capitals count: proc = "java"

== capitals of one that runs
-- query
count of read where proc = java and proc != nosuch
-- error

== a negative error
-- query
count of read where error = -2
-- error
query:1:29: note: `error` is never below 0, so this never holds [N-NEVER]
  count of read where error = -2
                              ^~
  an error is a positive number or its name: error = ENOENT

== negative errors in other ways
-- query
count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
-- error
query:1:29: note: `error` is never below 0, so this never holds [N-NEVER]
  count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
                              ^
  what failed is error != 0
query:1:43: note: `error` is never below 0, so this always holds [N-NEVER]
  count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
                                            ^~~~~
  what failed is error != 0
query:1:52: note: `error` is never below 0, so this never holds [N-NEVER]
  count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
                                                     ^~
  what failed is error != 0
query:1:87: note: `error` is never below 0, so this never holds [N-NEVER]
  count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
                                                                                        ^~
  what failed is error != 0
query:1:103: note: `error` is never below 0, so none is this [N-NEVER]
  count of read where error < 0 or error != -9999 or -5 > error or error between -5 and -1 or error in (-1, 2)
                                                                                                        ^~
  what failed is error != 0

== errors that there may be
-- query
count of read where error = 2 or error >= 0 or error > 0 or error between -1 and 5 or ret = -2
-- error

== a descriptor that there is not
-- query
count of read where fd < -1 or fd = -2
-- error
query:1:26: note: `fd` is never below -1, so this never holds [N-NEVER]
  count of read where fd < -1 or fd = -2
                           ^~
  -1 says that there is no descriptor
query:1:37: note: `fd` is never below -1, so this never holds [N-NEVER]
  count of read where fd < -1 or fd = -2
                                      ^~
  -1 says that there is no descriptor

== descriptors that there are
-- query
count of read where fd = -1 or fd < 0 or fd >= -1 or fd > 2
-- error

== a user that there is not
-- query
count of read where user = nosuch
-- error
query:1:28: note: this machine has no user `nosuch`, so this never holds [N-NEVER]
  count of read where user = nosuch
                             ^~~~~~
  `getent passwd` lists them; by number: uid = 1000

== a mistyped user
-- query
count of read where user in (rooot, alice)
-- error
query:1:30: note: this machine has no user `rooot`, so none is this [N-NEVER]
  count of read where user in (rooot, alice)
                               ^~~~~
  did you mean `root`?

== users by number
-- query
count of read where user = "0" or user = "4711"
-- error
query:1:28: note: `user` is a name, and the user 0 has one, so this never holds [N-NEVER]
  count of read where user = "0" or user = "4711"
                             ^~~
  write user = "root", or uid = 0

== in a nested query and around it
-- query
count of (events of read where proc = Java) where file ~ "x*" having count > 0
-- error
query:1:39: note: no process is called `Java` now, but one is called `java` [N-NEVER]
  count of (events of read where proc = Java) where file ~ "x*" having count > 0
                                        ^~~~
  capitals count: proc = "java"
query:1:58: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of (events of read where proc = Java) where file ~ "x*" having count > 0
                                                           ^~~~
  a file of that name: file ~ "*/x*"; a path with it anywhere: "*x*"

== in having
-- query
count of read by file having file ~ "x*"
-- error
query:1:37: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read by file having file ~ "x*"
                                      ^~~~
  a file of that name: file ~ "*/x*"; a path with it anywhere: "*x*"

== by another name
-- query
count of (file as f, user as u, error as e of read) where f ~ "x*" and u = nosuch and e = -2
-- error
query:1:63: note: `f` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of (file as f, user as u, error as e of read) where f ~ "x*" and u = nosuch and e = -2
                                                                ^~~~
  a file of that name: f ~ "*/x*"; a path with it anywhere: "*x*"
query:1:76: note: this machine has no user `nosuch`, so this never holds [N-NEVER]
  count of (file as f, user as u, error as e of read) where f ~ "x*" and u = nosuch and e = -2
                                                                             ^~~~~~
  `getent passwd` lists them; by number: uid = 1000
query:1:91: note: `e` is never below 0, so this never holds [N-NEVER]
  count of (file as f, user as u, error as e of read) where f ~ "x*" and u = nosuch and e = -2
                                                                                            ^~
  an error is a positive number or its name: e = ENOENT

== in the ends of a pair, and over it
-- query
count of between (events of open where error = -2) and (events of close where file ~ "x*") on pid, fd where file ~ "x*" and thread = "systemd-journald-2"
-- error
query:1:48: note: `error` is never below 0, so this never holds [N-NEVER]
  count of between (events of open where error = -2) and (events of close where file ~ "x*") on pid, fd where file ~ "x*" and thread = "systemd-journald-2"
                                                 ^~
  an error is a positive number or its name: error = ENOENT
query:1:86: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of between (events of open where error = -2) and (events of close where file ~ "x*") on pid, fd where file ~ "x*" and thread = "systemd-journald-2"
                                                                                       ^~~~
  a file of that name: file ~ "*/x*"; a path with it anywhere: "*x*"
query:1:134: note: `thread` has at most 15 bytes and this text 18, so this never holds [N-NEVER]
  count of between (events of open where error = -2) and (events of close where file ~ "x*") on pid, fd where file ~ "x*" and thread = "systemd-journald-2"
                                                                                                                                       ^~~~~~~~~~~~~~~~~~~~
  the kernel cuts the name there: thread = "systemd-journal"

== in an assertion
-- query
assert count = 0 of read where file ~ "x*" and user = nosuch for 1s
-- error
query:1:39: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  assert count = 0 of read where file ~ "x*" and user = nosuch for 1s
                                        ^~~~
  a file of that name: file ~ "*/x*"; a path with it anywhere: "*x*"
query:1:55: note: this machine has no user `nosuch`, so this never holds [N-NEVER]
  assert count = 0 of read where file ~ "x*" and user = nosuch for 1s
                                                        ^~~~~~
  `getent passwd` lists them; by number: uid = 1000

== in a view that is used twice
-- query
count of (count of slow by file) where file in (file of slow for 1s)
-- views
view slow := file of read where file ~ "passwd*" and proc = Java;
-- error
view:1:40: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  view slow := file of read where file ~ "passwd*" and proc = Java;
                                         ^~~~~~~~~
  a file of that name: file ~ "*/passwd*"; a path with it anywhere: "*passwd*"
view:1:61: note: no process is called `Java` now, but one is called `java` [N-NEVER]
  view slow := file of read where file ~ "passwd*" and proc = Java;
                                                              ^~~~
  capitals count: proc = "java"

== in what a let keeps
-- query
let x := file, proc of read where file ~ "x*" for 1s; count of x where file ~ "/etc"
-- error
query:1:42: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  let x := file, proc of read where file ~ "x*" for 1s; count of x where file ~ "/etc"
                                           ^~~~
  a file of that name: file ~ "*/x*"; a path with it anywhere: "*x*"
query:1:79: note: a glob without `*`, `?` or `[` matches nothing but its own text [N-NEVER]
  let x := file, proc of read where file ~ "x*" for 1s; count of x where file ~ "/etc"
                                                                                ^~~~~~
  what is below it: file ~ "/etc/*"; itself: file = "/etc"

== by a parameter
-- query
count of read where file ~ $f
-- params
f=passwd
-- error
query:1:28: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ $f
                             ^~
  a file of that name: file ~ "*/passwd"; a path with it anywhere: "*passwd*"

== kinds of files without a path, and the name of one without room
-- query
count of read where file ~ "pipe*" or file ~ "socket?[0-9]*" or file ~ "anon_inode*" or file ~ "net*" or file = "?" or file ~ "pages*"
-- error
query:1:127: note: `file` is a whole path and the glob begins in its middle, so this never holds [N-NEVER]
  count of read where file ~ "pipe*" or file ~ "socket?[0-9]*" or file ~ "anon_inode*" or file ~ "net*" or file = "?" or file ~ "pages*"
                                                                                                                                ^~~~~~~~
  a file of that name: file ~ "*/pages*"; a path with it anywhere: "*pages*"
