# What names, literals and operators become.

== grouped by two keys
-- query
count, sum(bytes), p99(latency) of read where proc = java by node, proc
-- types
query list grouped
  items
    field node : string
    field proc : string
    aggregate count : integer
    aggregate sum : size
      field bytes : size
    aggregate p99 : duration
      field latency : duration
  source read
  where
    = : boolean
      field proc : string
      literal java : string
  by
    field node : string
    field proc : string

== bareword and quoted string
-- query
count of read where proc = java and thread = "java"
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    and : boolean
      = : boolean
        field proc : string
        literal java : string
      = : boolean
        field thread : string
        literal "java" : string

== bareword that is a field
-- query
count of read where proc = name
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    = : boolean
      field proc : string
      field name : string
-- error
query:1:28: note: `name` is a field of `read` here, not a string [N-BAREWORD]
  count of read where proc = name
                             ^~~~
  for the string write "name"

== error by name and number
-- query
count of open where error = ENOENT or error in (EACCES, 1)
-- types
query list grouped
  items
    aggregate count : integer
  source open
  where
    or : boolean
      = : boolean
        field error : error
        literal ENOENT : error
      in : boolean
        field error : error
        literal EACCES : error
        literal 1 : integer

== address
-- query
count of read where peer = "10.0.0.1:80" or cidr(local, "10.0.0.0/8")
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    or : boolean
      = : boolean
        field peer : ip
        literal "10.0.0.1:80" : ip
      function cidr : boolean
        field local : ip
        literal "10.0.0.0/8" : string

== time and device
-- query
count of read where time > "2026-11-20T10:00:00Z" and dev = "8:1"
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    and : boolean
      > : boolean
        field time : time
        literal "2026-11-20T10:00:00Z" : time
      = : boolean
        field dev : device
        literal "8:1" : device

== arithmetic keeps units
-- query
bytes / 2 as half, latency / 1ms as ms, time + 5s as later, -ret as minus of read
-- types
query list
  items
    as half
      / : size
        field bytes : size
        literal 2 : integer
    as ms
      / : float
        field latency : duration
        literal 1ms : duration
    as later
      + : time
        field time : time
        literal 5s : duration
    as minus
      - : integer
        field ret : integer
  source read

== rates
-- query
rate, rate(bytes), avg(latency), stddev(bytes) of io
-- types
query list grouped
  items
    aggregate rate : rate
    aggregate rate : throughput
      field bytes : size
    aggregate avg : duration
      field latency : duration
    aggregate stddev : size
      field bytes : size
  source io

== range, list, glob, regex
-- query
count of read where bytes between 1KiB and 1MiB and name in (read, pread64) and file ~ "/var/*" and not file =~ "log$"
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    and : boolean
      and : boolean
        and : boolean
          between : boolean
            field bytes : size
            literal 1KiB : size
            literal 1MiB : size
          in : boolean
            field name : string
            literal read : string
            literal pread64 : string
        ~ : boolean
          field file : string
          literal "/var/*" : string
      not : boolean
        =~ : boolean
          field file : string
          literal "log$" : string

== size and plain number
-- query
count, sum(bytes) of read where proc = dd and bytes = 1
-- types
query list grouped
  items
    aggregate count : integer
    aggregate sum : size
      field bytes : size
  source read
  where
    and : boolean
      = : boolean
        field proc : string
        literal dd : string
      = : boolean
        field bytes : size
        literal 1 : integer

== fields of a tracepoint
-- query
prev_comm, next_comm of tracepoint "sched:sched_switch" where prev_state != 0
-- types
query list
  items
    field prev_comm : string
    field next_comm : string
  source tracepoint
    arg "sched:sched_switch"
  where
    != : boolean
      field prev_state : integer
      literal 0 : integer

== fields of several classes
-- query
name, latency, ret of exit, fsync, exit
-- types
query list
  items
    field name : string
    field latency : duration
    field ret : integer
  source exit
  source fsync
  source exit

== names that each kernel numbers for itself, also in the form of C
-- query
count of tracepoint "skb:kfree_skb" where reason = NO_SOCKET or SKB_DROP_REASON_TCP_CSUM != reason or reason in (SKB_DROP_REASON_NO_SOCKET, "SKB_DROP_REASON_TCP_CSUM")
-- types
query list grouped
  items
    aggregate count : integer
  source tracepoint
    arg "skb:kfree_skb"
  where
    or : boolean
      or : boolean
        = : boolean
          field reason : string
          literal NO_SOCKET : string
        != : boolean
          literal TCP_CSUM : string
          field reason : string
      in : boolean
        field reason : string
        literal NO_SOCKET : string
        literal "TCP_CSUM" : string

== the name of such a set goes before a field, and a field before any other word
-- query
count of tracepoint "skb:kfree_skb" where reason = proc and reason != thread and reason = OTHER
-- types
query list grouped
  items
    aggregate count : integer
  source tracepoint
    arg "skb:kfree_skb"
  where
    and : boolean
      and : boolean
        = : boolean
          field reason : string
          literal proc : string
        != : boolean
          field reason : string
          field thread : string
      = : boolean
        field reason : string
        literal OTHER : string

== such names of a column
-- query
count of (reason as why of tracepoint "skb:kfree_skb") where why = SKB_DROP_REASON_NO_SOCKET
-- types
query list grouped
  items
    aggregate count : integer
  source query
    query list
      items
        as why
          field reason : string
      source tracepoint
        arg "skb:kfree_skb"
  where
    = : boolean
      column why : string
      literal NO_SOCKET : string

== an own field of several tracepoints
-- query
count of tracepoint "block:block_rq_*" where sector > 8 by bytes
-- types
query list grouped
  items
    field bytes : size
    aggregate count : integer
  source tracepoint
    arg "block:block_rq_*"
  where
    > : boolean
      field sector : integer
      literal 8 : integer
  by
    field bytes : size

== flags that each kernel numbers for itself, in the order in which they are shown
-- query
count of tracepoint "skb:kfree_skb" where gfp_flags = "0x400|__GFP_ZERO|__GFP_FS" or gfp_flags in (0, __GFP_FS | __GFP_IO) or (__GFP_ZERO | __GFP_IO) & gfp_flags != 0 by gfp_flags & __GFP_ZERO
-- types
query list grouped
  items
    & : string
      field gfp_flags : string
      literal __GFP_ZERO : string
    aggregate count : integer
  source tracepoint
    arg "skb:kfree_skb"
  where
    or : boolean
      or : boolean
        = : boolean
          field gfp_flags : string
          literal "__GFP_FS|__GFP_ZERO|0x400" : string
        in : boolean
          field gfp_flags : string
          literal 0 : string
          literal GFP_NOIO : string
      != : boolean
        & : string
          field gfp_flags : string
          literal __GFP_IO|__GFP_ZERO : string
        literal 0 : string
  by
    & : string
      field gfp_flags : string
      literal __GFP_ZERO : string

== functions of programs, of several files
-- query
count of user "libc:malloc", "/opt/a,b:do_*" where arg0 > 9 by func
-- types
query list grouped
  items
    field func : string
    aggregate count : integer
  source user
    arg "libc:malloc"
    arg "/opt/a,b:do_*"
  where
    > : boolean
      field arg0 : integer
      literal 9 : integer
  by
    field func : string
