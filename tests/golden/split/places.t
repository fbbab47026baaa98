== all in the kernel
-- query
count, sum(bytes), p99(latency), distinct(pid) of read where proc = cat and bytes > 1KiB by file, proc
-- split
fragment of read
  where bytes > 1KiB -- kernel
  where proc = "cat" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key file
  key proc
  aggregate count
  aggregate sum(bytes)
  aggregate p99(latency)
  aggregate distinct(pid)

== regex
-- query
count of read where file =~ "log$" and proc = cat by file
-- split
fragment of read
  where proc = "cat" -- kernel
  where file ~ "*log" -- kernel
  where file =~ "log$" -- node: regex: not in the kernel
  row (file)
  groups -- node: a predicate before it runs at the node
  key file
  aggregate count

== names of users
-- query
count of read where user = root by proc
-- split
fragment of read
  where user = "root" -- kernel: the node judges each name once
  row (user, proc)
  groups -- kernel: every predicate, key and argument is known to the kernel
  key proc
  aggregate count

== a key that the node computes from what the kernel groups by
-- query
count of read by user
-- split
fragment of read
  row (user)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key user -- derived
  aggregate count

== a key of a time, beside it a key of a file
-- query
count of read by date(time), ext(file)
-- split
fragment of read
  row (time, file)
  groups -- node: one key needs the node (date(): not in the kernel)
  key date(time)
  key ext(file)
  aggregate count

== a key of a file beside a stack
-- query
count of read by ext(file), ustack
-- split
fragment of read
  row (file, ustack)
  groups -- node: one key needs the node (ext(): not in the kernel)
  key ext(file)
  key ustack
  aggregate count

== keys of both kinds
-- query
count, sum(bytes) of read by bytes > 4KiB, lower(proc), port(peer) as p, error having count > 2
-- split
fragment of read
  row (proc, bytes, peer, error)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key bytes > 4KiB
  key lower(proc) -- derived
  key port(peer)
  key error
  aggregate count
  aggregate sum(bytes)

== a computed key
-- query
count of read by upper(proc)
-- split
fragment of read
  row (proc)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key upper(proc) -- derived
  aggregate count

== a computed number is a key
-- query
count of read by bucket(latency, 1ms), bytes / 4096
-- split
fragment of read
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key bucket(latency, 1ms)
  key bytes / 4096
  aggregate count

== set keeps values
-- query
count, set(name) of syscall by proc
-- split
fragment of syscall
  row (proc, name)
  groups -- node: set: the kernel keeps numbers only
  key proc
  aggregate count
  aggregate set(name)

== first of a string
-- query
first(proc), last(bytes) of read by file
-- split
fragment of read
  row (file, proc, bytes)
  groups -- node: first() of a string: not in the kernel
  key file
  aggregate first(proc)
  aggregate last(bytes)

== distinct of a string
-- query
distinct(file), distinct(peer) of recv by proc
-- split
fragment of recv
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key proc
  aggregate distinct(file)
  aggregate distinct(peer)

== distinct of what is computed
-- query
distinct(basename(file)) of read by proc
-- split
fragment of read
  row (proc, file)
  groups -- node: distinct() of a string: not in the kernel
  key proc
  aggregate distinct(basename(file))

== floating point
-- query
sum(bytes * 1.5) of read where latency * 1.5 > 1ms
-- split
fragment of read
  where latency * 1.5 > 1ms -- node: floating point: not in the kernel
  row (latency, bytes)
  groups -- node: a predicate before it runs at the node
  aggregate sum(bytes * 1.5)

== strings in order
-- query
pid of read where proc < "m"
-- split
fragment of read
  where proc < "m" -- node: order of strings: not in the kernel
  row (proc, pid)
  column pid

== two strings
-- query
pid of read where proc = thread
-- split
fragment of read
  where proc = thread -- node: comparing two strings: not in the kernel
  row (proc, thread, pid)
  column pid

== globs
-- query
pid of read where file ~ "/var/*" and file !~ "*.gz" and proc ~ "[ab]*"
-- split
fragment of read
  where file ~ "/var/*" -- kernel
  where file !~ "*.gz" -- kernel
  where proc ~ "[ab]*" -- node: a pattern with brackets: not in the kernel
  row (proc, pid)
  column pid

== addresses
-- query
pid of recv where peer = "10.0.0.1:80" and cidr(local, "10.0.0.0/8")
-- split
fragment of recv
  where peer = "10.0.0.1:80" -- kernel
  where cidr(local, "10.0.0.0/8") -- kernel
  row (pid)
  column pid

== long strings
-- query
pid of open where file = "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
-- split
fragment of open
  where file = "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" -- node: a string of more than 63 bytes: not in the kernel
  row (file, pid)
  column pid

== arithmetic
-- query
pid of read where bytes % 4096 = 0B and bytes / 2 > 1B and latency - 1ms > 0ms and -pid < 5 and pid / uid > 2
-- split
fragment of read
  where bytes % 4096 = 0B -- kernel
  where latency - 1ms > 0ns -- kernel
  where -pid < 5 -- kernel
  where bytes / 2 > 1B -- kernel
  where pid / uid > 2 -- node: floating point: not in the kernel
  row (pid, uid)
  column pid

== tags as a key
-- query
count, sum(bytes) of tag fix283 by tags, file
-- split
fragment of tag fix283
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key tags
  key file
  aggregate count
  aggregate sum(bytes)

== tags compared
-- query
count of tag fix283, ulr821 where tags = fix283
-- split
fragment of tag fix283, ulr821
  where tags = "fix283" -- node: comparing a tag set: not in the kernel
  row (tags)
  groups -- node: a predicate before it runs at the node
  aggregate count

== more than eight keys
-- query
count of read by proc, thread, pid, tid, ppid, uid, fd, file, bytes
-- split
fragment of read
  row (proc, thread, pid, tid, ppid, uid, fd, file, bytes)
  groups -- node: more than 8 keys: not in the kernel
  key proc
  key thread
  key pid
  key tid
  key ppid
  key uid
  key fd
  key file
  key bytes
  aggregate count

== stacks
-- query
count of read by ustack
-- split
fragment of read
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key ustack
  aggregate count

== stacks: rows, and patterns at the node
-- query
time, proc, stack of read where stack ~ "*vfs*" and ustack =~ "b;c$"
-- split
fragment of read
  where stack ~ "*vfs*" -- node: the text of a stack is made on the node
  where ustack =~ "b;c$" -- node: regex: not in the kernel
  row (stack, ustack, time, proc)
  column time
  column proc
  column stack

== stacks: a pattern makes groups at the node
-- query
count, distinct(stack) of read where ustack !~ "*main*" by proc, ustack
-- split
fragment of read
  where ustack !~ "*main*" -- node: the text of a stack is made on the node
  row (ustack, proc, stack)
  groups -- node: a predicate before it runs at the node
  key proc
  key ustack
  aggregate count
  aggregate distinct(stack)

== table
-- query
count of processes where rss > 1MiB by user
-- split
fragment of processes
  where rss > 1MiB -- node: a table is read in user space
  row (rss, user)
  groups -- node: a table is read in user space
  key user
  aggregate count

== row of a tracepoint
-- query
prev_comm, next_comm of tracepoint "sched:sched_switch" where prev_pid != 0
-- split
fragment of tracepoint "sched:sched_switch"
  where prev_pid != 0 -- kernel
  row (prev_comm, next_comm)
  column prev_comm
  column next_comm

== the row holds what is used above the kernel
-- query
proc, bytes of read where pid = 1 and file =~ "x" and latency > 1ms
-- split
fragment of read
  where pid = 1 -- kernel
  where latency > 1ms -- kernel
  where file =~ "x" -- node: regex: not in the kernel
  row (file, proc, bytes)
  column proc
  column bytes

== flow
-- query
flow of tag fix283 where proc = nc
-- split
fragment of tag fix283
  where proc = "nc" -- kernel
  row (time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid)
  column time
  column node
  column proc
  column pid
  column name
  column file
  column dev
  column local
  column peer
  column bytes
  column latency
  column tags
  column offset
  column tid
  column ppid

== either
-- query
pid of read where pid = 1 or proc = cat or user = root
-- split
fragment of read
  where pid = 1 or proc = "cat" or user = "root" -- node: `user`: names of users are in /etc/passwd
  row (pid, proc, user)
  column pid

== a condition as a value
-- query
sum(bytes > 4096B) of read by proc
-- split
fragment of read
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key proc
  aggregate sum(bytes > 4096B)

== how much of a call is searched
-- query
count of (proc of tag fix283 where bytes > 0B scan 4MiB, 500MiB/s) by proc
-- split
fragment of tag fix283
  where bytes > 0B -- kernel
  scan 4MiB, 500MiB/s
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key proc
  aggregate count

== the default is not told
-- query
count of tag fix283 scan 1MiB
-- split
fragment of tag fix283
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  aggregate count

== payload of which only a sketch is needed
-- query
similar(data, "some text"), similar(data, x"0001020304050607") as s, proc of write where similar(sketch, data) > 0.5
-- split
fragment of write
  where similar(sketch, sketch) > 0.5 -- node: floating point: not in the kernel
  row (sketch, proc)
  column similar(sketch, "some text")
  column similar(sketch, x"0001020304050607")
  column proc

== payload itself
-- query
count of read where data = "GET" or data = x"00ff" or file = x"2f746d70" or data ~ "GET *"
-- split
fragment of read
  where data = "GET" or data = x"00ff" or file = "/tmp" or data ~ "GET *" -- node: comparing payload: not in the kernel
  row (data, file)
  groups -- node: a predicate before it runs at the node
  aggregate count

== a pair: its own fields, those of both ends, and what only the node knows
-- query
latency, user, next_comm, end of between sched_wakeup and sched_switch on pid = next_pid where latency > 1ms and proc = java and user = root
-- split
fragment of between tracepoint "sched:sched_wakeup" and tracepoint "sched:sched_switch" on pid = next_pid
  where latency > 1ms -- kernel
  where proc = "java" -- kernel
  where user = "root" -- node: `user`: names of users are in /etc/passwd
  row (user, latency, next_comm, end)
  column latency
  column user
  column next_comm
  column end

== a duration has less than nine years, which leaves room for some arithmetic in the kernel
-- query
count of between (events of read where latency * 3 > 1ms) and write on pid where latency * 32 > 1s and latency * 33 > 1s
-- split
fragment of between (events of read where latency * 3 > 1ms) and write on pid
  where latency * 32 > 1s -- kernel
  where latency * 33 > 1s -- node: arithmetic that may exceed 64 bits: not in the kernel
  row (latency)
  groups -- node: a predicate before it runs at the node
  aggregate count

== a condition on whole flows is not pushed down
-- query
flow of tag fix283 through proc = java
-- split
fragment of tag fix283
  row (time, node, proc, pid, name, file, dev, local, peer, bytes, latency, tags, offset, tid, ppid)
  column time
  column node
  column proc
  column pid
  column name
  column file
  column dev
  column local
  column peer
  column bytes
  column latency
  column tags
  column offset
  column tid
  column ppid
  column proc = "java"

== one of two numbers is the kernel's
-- query
count, sum(if(bytes > 4KiB, bytes, 0)) as long of read where if(fd > 3, pid > 7, bytes = 0) by if(fd > 9, 1, 2) as k
-- split
fragment of read
  where if(fd > 3, pid > 7, bytes = 0) -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key if(fd > 9, 1, 2)
  aggregate count
  aggregate sum(if(bytes > 4KiB, bytes, 0))

== one of two texts is computed by the node
-- query
count of read by if(fd > 9, "high", "low") as k
-- split
fragment of read
  row (fd)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key if(fd > 9, "high", "low") -- derived
  aggregate count

== what a text begins with, ends with or contains
-- query
count of read where startswith(file, "/var/") and contains(file, "log") and not endswith(proc, "d")
-- split
fragment of read
  where not proc ~ "*d" -- kernel
  where file ~ "/var/*" -- kernel
  where file ~ "*log*" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  aggregate count

== such a text that is no glob
-- query
count of read where startswith(file, "a*") and contains(file, "") and endswith(lower(proc), "d")
-- split
fragment of read
  where startswith(file, "a*") -- node: startswith(): not in the kernel
  where contains(file, "") -- node: contains(): not in the kernel
  where endswith(lower(proc), "d") -- node: endswith(): not in the kernel
  row (file, proc)
  groups -- node: a predicate before it runs at the node
  aggregate count

== sets of paths, words and names of tasks; one of addresses
-- query
count of sendto where file in (file of open for 1s) and name in (name of io for 1s) and proc in (proc of io for 1s) and peer in (peer of sendto for 1s)
-- split
fragment of sendto
  where name in (query 2) -- kernel
  where proc in (query 3) -- kernel
  where file in (query 1) -- kernel
  where peer in (query 4) -- node: the set is the answer of another query, of such texts: not in the kernel
  row (peer)
  groups -- node: a predicate before it runs at the node
  aggregate count
  query 1:
    fragment of open
      row (file)
      column file
  query 2:
    fragment of io
      row (name)
      column name
  query 3:
    fragment of io
      row (proc)
      column proc
  query 4:
    fragment of sendto
      row (peer)
      column peer

== a part of a text
-- query
count of read where substr(file, 0, 4) = "/var" and substr(file, 1) = "etc" and "log" = substr(file, -3) and substr(file, 2, 9) != "ar"
-- split
fragment of read
  where file ~ "/var*" -- kernel
  where file ~ "?etc" -- kernel
  where file ~ "*log" -- kernel
  where file !~ "??ar" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  aggregate count

== a part of a text: one that is shorter than what is asked of it
-- query
count of read where substr(file, -5) = "/a" and substr(file, -3, 2) = "lo" and substr(file, 0, 2) = "long" and substr(file, fd) = "x" and substr(file, 1, 3) = "a*b"
-- split
fragment of read
  where file ~ "/a" -- kernel
  where substr(file, -3, 2) = "lo" -- node: a function of strings: not in the kernel
  where substr(file, 0, 2) = "long" -- node: a function of strings: not in the kernel
  where substr(file, fd) = "x" -- node: a function of strings: not in the kernel
  where substr(file, 1, 3) = "a*b" -- node: a function of strings: not in the kernel
  row (file, fd)
  groups -- node: a predicate before it runs at the node
  aggregate count

== the length of a text
-- query
count, max(len(file) where len(proc) > 4) of read where len(file) > 100 and len(name) = 4 by len(proc)
-- split
fragment of read
  where len(file) > 100 -- kernel
  where len(name) = 4 -- node: len() of anything but a path, a task's name or a tracepoint's text: not in the kernel
  row (name, proc, file)
  groups -- node: a predicate before it runs at the node
  key len(proc)
  aggregate count
  aggregate max(len(file) where len(proc) > 4)

== aggregates of a part
-- query
count(where error != 0) as failed, p99(latency where error = 0) of read
-- split
fragment of read
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  aggregate count(where error != 0)
  aggregate p99(latency where error = 0)

== a part that only the node knows
-- query
max(bytes where file =~ "x$") of read
-- split
fragment of read
  row (bytes, file)
  groups -- node: regex: not in the kernel
  aggregate max(bytes where file =~ "x$")

== operators of bits
-- query
count of read where fd & 7 = 1 | 2 and bytes << 2 > 8B by pid >> 3
-- split
fragment of read
  where fd & 7 = 3 -- kernel
  where bytes << 2 > 8B -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key pid >> 3
  aggregate count

== a shift by what is no constant
-- query
count of read where fd << pid > 3
-- split
fragment of read
  where fd << pid > 3 -- node: a shift by anything but a constant: not in the kernel
  row (fd, pid)
  groups -- node: a predicate before it runs at the node
  aggregate count

== names that each kernel numbers for itself
-- query
count of tracepoint "skb:kfree_skb" where reason in (NO_SOCKET, TCP_CSUM) and reason !~ "NO_*" by reason
-- split
fragment of tracepoint "skb:kfree_skb"
  where reason in ("NO_SOCKET", "TCP_CSUM") -- kernel
  where reason !~ "NO_*" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key reason
  aggregate count

== what numbers without a name may match
-- query
count, distinct(reason) of tracepoint "skb:kfree_skb" where reason ~ "*2"
-- split
fragment of tracepoint "skb:kfree_skb"
  where reason ~ "*2" -- node: a pattern that numbers without a name may match: not in the kernel
  row (reason)
  groups -- node: a predicate before it runs at the node
  aggregate count
  aggregate distinct(reason)

== masks of flags that each kernel numbers for itself
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags & (__GFP_IO | __GFP_ZERO) != 0 and gfp_flags & __GFP_FS in (0, __GFP_FS) by gfp_flags & GFP_NOIO, gfp_flags
-- split
fragment of tracepoint "skb:kfree_skb"
  where gfp_flags & "__GFP_FS" in ("0", "__GFP_FS") -- kernel
  where gfp_flags & "__GFP_IO|__GFP_ZERO" != "0" -- kernel
  row (gfp_flags)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key gfp_flags & "GFP_NOIO" -- derived
  key gfp_flags
  aggregate count

== what the kernel has no texts of flags for
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags ~ "*__GFP_IO*" and gfp_flags & __GFP_IO ~ "*I*"
-- split
fragment of tracepoint "skb:kfree_skb"
  where gfp_flags ~ "*__GFP_IO*" -- node: a pattern over names of flags: not in the kernel
  where gfp_flags & "__GFP_IO" ~ "*I*" -- node: a pattern over anything but a string field: not in the kernel
  row (gfp_flags)
  groups -- node: a predicate before it runs at the node
  aggregate count

== functions of programs: the kernel groups by their numbers
-- query
count, sum(arg0) of user "libc:malloc", "libc:free" where arg0 > 9 by func, proc
-- split
fragment of user "libc:malloc"
  where arg0 > 9 -- kernel
  row (func, proc, arg0)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key func -- derived
  key proc
  aggregate count
  aggregate sum(arg0)

== a condition on the name of a function
-- query
count of user "libc:*alloc" where func ~ "m*" and arg0 > 9 by func
-- split
fragment of user "libc:*alloc"
  where arg0 > 9 -- kernel
  where func ~ "m*" -- kernel: the node judges each name once
  row (func)
  groups -- kernel: every predicate and argument is known to the kernel, and what the keys are computed from
  key func -- derived
  aggregate count

== texts that arguments point to
-- query
count of usdt "libc:libc:setjmp" where text(arg0) ~ "LC_*" and len(text(arg1)) > 3 by text(arg0)
-- split
fragment of usdt "libc:libc:setjmp"
  where len(text(arg1)) > 3 -- kernel
  where text(arg0) ~ "LC_*" -- kernel
  row ()
  groups -- kernel: every predicate, key and argument is known to the kernel
  key text(arg0)
  aggregate count

== a part of such a text
-- query
text(arg0, 4) as t, arg1 of user "libc:getenv" where text(arg0, 4) = "LANG"
-- split
fragment of user "libc:getenv"
  where text(arg0) ~ "LANG*" -- kernel
  row (text(arg0), arg1)
  column substr(text(arg0), 0, 4)
  column arg1
