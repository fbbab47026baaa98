== a let without its sign
-- query
let slow = count of read
-- error
query:1:10: error: found `=`, expected `:=` [E-SYNTAX]
  let slow = count of read
           ^
  a result gets its name as in `let slow := count of read by file for 5s`

== a let without a name
-- query
let := count of read
-- error
query:1:5: error: found `:=`, expected a name [E-SYNTAX]
  let := count of read
      ^~
  a result gets its name as in `let slow := count of read by file for 5s`

== else without a text
-- query
assert count = 0 of read else no;
-- error
query:1:31: error: found `no`, expected a quoted string [E-SYNTAX]
  assert count = 0 of read else no;
                                ^~

== else elsewhere
-- query
count of read else "x"
-- error
query:1:15: error: found `else`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read else "x"
                ^~~~

== a format before the end
-- query
count of read format json by proc
-- error
query:1:27: error: found `by`, expected `to` or the end of the statement [E-SYNTAX]
  count of read format json by proc
                            ^~

== a format inside
-- query
count of (events of read format json)
-- error
query:1:26: error: found `format`, expected a clause such as `where`, `by` or `limit` or `)` [E-SYNTAX]
  count of (events of read format json)
           ~               ^~~~~~
  the `(` is not closed

== a format without a name
-- query
count of read format "x"
-- error
query:1:22: error: found a quoted string, expected a name [E-SYNTAX]
  count of read format "x"
                       ^~~

== a file without a format
-- query
count of read to "x.csv"
-- error
query:1:15: error: found `to`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read to "x.csv"
                ^~

== a mistyped clause
-- query
count of read fromat json
-- error
query:1:15: error: found `fromat`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read fromat json
                ^~~~~~
  did you mean `format`?

== two formats
-- query
count of read format json format csv
-- error
query:1:27: error: found `format`, expected `to` or the end of the statement [E-SYNTAX]
  count of read format json format csv
                            ^~~~~~

== canonical
-- query
let  slow:=count of read ; assert count=0 of slow  else 'no "way"'; count of slow format   csv to 'x y.csv'; count of slow format json; assert 1 < 2 of x
-- print
let slow := count of read
assert count = 0 of slow else "no \"way\""
count of slow format csv to "x y.csv"
count of slow format json
assert 1 < 2 of x

== names elsewhere
-- query
let, assert, format, to, else of tracepoint "a:b" by let, to; format as to, let as format of x where else = to; assert as x of y; let of z; assert, b of c; let = assert of x
-- print
let, assert, format, to, else of tracepoint "a:b" by let, to
format as to, let as format of x where else = to
assert as x of y
let of z
assert, b of c
let = assert of x
