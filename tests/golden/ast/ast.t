The tree of each kind of source, clause and expression.

== list with aliases and all value clauses
-- query
count, sum(bytes) as b of read where proc = java by file, bucket(time, 1s) as t having count > 5 order by b desc, file
top 5 by b limit 10 every 1s for 30s last 2m sample 0.5% on node1, "node-2" from "in.rnt" into "out.rnt"
-- ast
query list
  items
    call count
    as b
      call sum
        name bytes
  source read
  where
    =
      name proc
      name java
  by
    name file
    as t
      call bucket
        name time
        literal 1s
  having
    >
      call count
      literal 5
  order
    desc
      name b
    name file
  top 5
  top by
    name b
  limit 10
  every 1s
  for 30s
  last 2m
  sample 0.5%
  on node1
  on "node-2"
  from "in.rnt"
  into "out.rnt"

== precedence
-- query
count of x where a or b and not c = d + e * -f % 2
-- ast
query list
  items
    call count
  source x
  where
    or
      name a
      and
        name b
        not
          =
            name c
            +
              name d
              %
                *
                  name e
                  -
                    name f
                literal 2

== left to right
-- query
a - b - c / d / e of x
-- ast
query list
  items
    -
      -
        name a
        name b
      /
        /
          name c
          name d
        name e
  source x

== in, between and their negations
-- query
count of x where a in (1, "b", c) and d not in (pid of processes) and e between 1 and 2 + 3 and f not between 4 and 5
-- ast
query list
  items
    call count
  source x
  where
    and
      and
        and
          in
            name a
            literal 1
            literal "b"
            name c
          not
            in query
              name d
              query list
                items
                  name pid
                source processes
        between
          name e
          literal 1
          +
            literal 2
            literal 3
      not
        between
          name f
          literal 4
          literal 5

== count and rate need no parentheses
-- query
count, count(), rate, rate(bytes), top(file, 3) of x
-- ast
query list
  items
    call count
    call count
    call rate
    call rate
      name bytes
    call top
      name file
      literal 3
  source x

== a nested query
-- query
top 10 of (sum(bytes) as b of write by file)
-- ast
query top 10
  source query
    query list
      items
        as b
          call sum
            name bytes
      source write
      by
        name file

== pairs of events
-- query
hist(latency) of between block_rq_issue and tracepoint "block:block_rq_complete" on dev, sector by dev
-- ast
query list
  items
    call hist
      name latency
  source between
    source block_rq_issue
    source tracepoint
      arg "block:block_rq_complete"
    on dev
    on sector
  by
    name dev

== arguments of classes
-- query
count of tag a, "x y", x"00ff", 17, $t
-- ast
query list
  items
    call count
  source tag
    arg a
    arg "x y"
    arg hex 00ff
    arg 17
    arg param t

== all tags
-- query
flow of tag *
-- ast
query flow
  source tag *

== tags of a file
-- query
flow of tag from "tags.txt"
-- ast
query flow
  source tag from
    arg "tags.txt"

== a view with arguments
-- query
events of slow(10ms, $x, 2 * 3) limit $n
-- ast
query events
  source slow
    literal 10ms
    param x
    *
      literal 2
      literal 3
  limit $n

== the minus of a number is the number's
-- query
a of x where b = -1 and c = - 2.5 and d = -e and f = - -3
-- ast
query list
  items
    name a
  source x
  where
    and
      and
        and
          =
            name b
            literal -1
          =
            name c
            literal -2.5
        =
          name d
          -
            name e
      =
        name f
        -
          literal -3

== how much is searched
-- query
count of tag fix283 scan $cap, 500MiB/s
-- ast
query list
  items
    call count
  source tag
    arg fix283
  scan $cap
  scan 500MiB/s

== a pair with ends that are chosen, and a key with two names
-- query
latency of between (events of a where s = 1 and t ~ "x*") and tracepoint "b:c" on pid = next_pid, dev where latency > 1ms
-- ast
query list
  items
    name latency
  source between
    source query
      query events
        source a
        where
          and
            =
              name s
              literal 1
            ~
              name t
              literal "x*"
    source tracepoint
      arg "b:c"
    on pid = next_pid
    on dev
  where
    >
      name latency
      literal 1ms

== a recording that is added to
-- query
pid of io into "x.rnt" append
-- ast
query list
  items
    name pid
  source io
  into "x.rnt"
    append

== a range of PromQL in a comment or a string is text
-- query
count of read -- as [5m] there
where file = 'a[5m]"' or file = "it's [5m]" every 5m
-- ast
query list
  items
    call count
  source read
  where
    or
      =
        name file
        literal "a[5m]\""
      =
        name file
        literal "it's [5m]"
  every 5m

== all columns in a table
-- query
* of read where pid = 3
-- ast
query events all
  source read
  where
    =
      name pid
      literal 3
