# Output columns: keys first, labels, and what order, having and top refer to.

== keys come first
-- query
count of read by proc, file
-- types
query list grouped
  items
    field proc : string
    field file : string
    aggregate count : integer
  source read
  by
    field proc : string
    field file : string

== keys in the list stay
-- query
file, count, proc of read by proc, file
-- types
query list grouped
  items
    field file : string
    aggregate count : integer
    field proc : string
  source read
  by
    field proc : string
    field file : string

== key by its alias
-- query
b, count of read by bucket(latency, 1ms) as b
-- types
query list grouped
  items
    function bucket : duration
      field latency : duration
      literal 1ms : duration
    aggregate count : integer
  source read
  by
    as b
      function bucket : duration
        field latency : duration
        literal 1ms : duration

== key by an alias of the list
-- query
bucket(latency, 1ms) as b, count of read by b
-- types
query list grouped
  items
    as b
      function bucket : duration
        field latency : duration
        literal 1ms : duration
    aggregate count : integer
  source read
  by
    function bucket : duration
      field latency : duration
      literal 1ms : duration

== having and order
-- query
count as c, sum(bytes) of read by proc having c > 5 and sum(bytes) > 4KiB order by sum(bytes) desc, proc
-- types
query list grouped
  items
    field proc : string
    as c
      aggregate count : integer
    aggregate sum : size
      field bytes : size
  source read
  by
    field proc : string
  having
    and : boolean
      > : boolean
        column c : integer
        literal 5 : integer
      > : boolean
        aggregate sum : size
          field bytes : size
        literal 4KiB : size
  order
    desc
      aggregate sum : size
        field bytes : size
    field proc : string

== top by an aggregate
-- query
count, sum(bytes) of io by proc, file top 5 by sum(bytes)
-- types
query list grouped
  items
    field proc : string
    field file : string
    aggregate count : integer
    aggregate sum : size
      field bytes : size
  source io
  by
    field proc : string
    field file : string
  top 5
  top by
    aggregate sum : size
      field bytes : size

== events of a table
-- query
events of processes
-- types
query events
  items
    field node : string
    field pid : integer
    field ppid : integer
    field proc : string
    field uid : integer
    field user : string
    field cgroup : integer
    field threads : integer
    field state : string
    field rss : size
    field vsz : size
    field started : time
    field cmdline : string
  source processes

== flow
-- query
flow of tag fix283 where proc = java
-- types
query flow
  items
    column hop : integer
    column time : time
    column node : string
    column proc : string
    column pid : integer
    column name : string
    column dir : string
    column object : string
    column bytes : size
    column latency : duration
    column tags : tag set
    column from : integer
    column match : string
    column link : string
    column choices : integer
    column lag : duration
    column depth : integer
    column clock : duration
    column from_node : string
    column from_proc : string
  source tag
    arg fix283
  where
    = : boolean
      field proc : string
      literal java : string

== top of a nested query
-- query
top 10 of (sum(bytes) as b of write by file)
-- types
query top 10
  items
    column file : string
    column b : size
  source query
    query list grouped
      items
        field file : string
        as b
          aggregate sum : size
            field bytes : size
      source write
      by
        field file : string

== windows of a nested query
-- query
window, max(count) of (count of read by proc every 1s) by window
-- types
query list grouped
  items
    column window : time
    aggregate max : integer
      column count : integer
  source query
    query list grouped
      items
        field proc : string
        aggregate count : integer
      source read
      by
        field proc : string
      every 1s
  by
    column window : time

== query after in
-- query
count of read where pid in (pid of processes where user = postgres) by file
-- types
query list grouped
  items
    field file : string
    aggregate count : integer
  source read
  where
    in query : boolean
      field pid : integer
      query list
        items
          field pid : integer
        source processes
        where
          = : boolean
            field user : string
            literal postgres : string
  by
    field file : string

== count means a column
-- query
proc, count of (count of read by proc) where count > 5
-- types
query list
  items
    column proc : string
    column count : integer
  source query
    query list grouped
      items
        field proc : string
        aggregate count : integer
      source read
      by
        field proc : string
  where
    > : boolean
      column count : integer
      literal 5 : integer
-- error
query:1:7: note: `count` is a column of the nested query here, not the aggregate [N-BAREWORD]
  proc, count of (count of read by proc) where count > 5
        ^~~~~
  for the aggregate give the column another name: count as n

== a view
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc, file;
-- query
proc, n of slow(5ms) where n > 2
-- types
query list
  items
    column proc : string
    column n : integer
  source view slow
    query list grouped
      items
        field proc : string
        field file : string
        as n
          aggregate count : integer
      source read
      where
        > : boolean
          field latency : duration
          literal 5ms : duration
      by
        field proc : string
        field file : string
  where
    > : boolean
      column n : integer
      literal 2 : integer

== pair of events
-- query
hist(latency) of between block_rq_issue and block_rq_complete on dev, sector by dev
-- types
query list grouped
  items
    field dev : device
    aggregate hist : histogram
      field latency : duration
  source between
    source tracepoint
      arg "block:block_rq_issue"
    source tracepoint
      arg "block:block_rq_complete"
    on dev
    on sector
  by
    field dev : device

== values of a view by name
-- views
view slow(threshold, top = 3) := count as n of read where latency > $threshold by proc top $top;
-- query
n of slow(top = 7, threshold = 5ms)
-- types
query list
  items
    column n : integer
  source view slow
    query list grouped
      items
        field proc : string
        as n
          aggregate count : integer
      source read
      where
        > : boolean
          field latency : duration
          literal 5ms : duration
      by
        field proc : string
      top 7

== an alias in a later column
-- query
sum(bytes) as b, count as n, b / n as mean, mean / 2 as half of read by proc
-- types
query list grouped
  items
    field proc : string
    as b
      aggregate sum : size
        field bytes : size
    as n
      aggregate count : integer
    as mean
      / : size
        aggregate sum : size
          field bytes : size
        aggregate count : integer
    as half
      / : size
        / : size
          aggregate sum : size
            field bytes : size
          aggregate count : integer
        literal 2 : integer
  source read
  by
    field proc : string

== an alias made of aliases as a key
-- query
bucket(bytes, 4KiB) as page, page * 2 as twice, count of read by page, twice
-- types
query list grouped
  items
    as page
      function bucket : size
        field bytes : size
        literal 4KiB : size
    as twice
      * : size
        function bucket : size
          field bytes : size
          literal 4KiB : size
        literal 2 : integer
    aggregate count : integer
  source read
  by
    function bucket : size
      field bytes : size
      literal 4KiB : size
    * : size
      function bucket : size
        field bytes : size
        literal 4KiB : size
      literal 2 : integer

== an alias in an aggregate
-- query
latency / 2 as half, max(half) as most of read by latency
-- types
query list grouped
  items
    field latency : duration
    as half
      / : duration
        field latency : duration
        literal 2 : integer
    as most
      aggregate max : duration
        / : duration
          field latency : duration
          literal 2 : integer
  source read
  by
    field latency : duration

== columns as written
-- query
count, proc, max(latency), file of read by file, pid, proc
-- types
query list grouped
  items
    field pid : integer
    aggregate count : integer
    field proc : string
    aggregate max : duration
      field latency : duration
    field file : string
  source read
  by
    field file : string
    field pid : integer
    field proc : string
