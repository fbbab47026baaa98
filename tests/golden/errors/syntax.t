What a syntax error says: what was found, what could stand there, and the likely mistake.

== mistyped clause
-- query
count of read wher proc = java
-- error
query:1:15: error: found `wher`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read wher proc = java
                ^~~~
  did you mean `where`?

== clause in capitals
-- query
count OF read
-- error
query:1:7: error: found `OF`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count OF read
        ^~
  did you mean `of`? Words of the language are in lower case

== missing of
-- query
count syscall by proc
-- error
query:1:7: error: found `syscall`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  count syscall by proc
        ^~~~~~~
  is `of` missing? count of syscall

== a language of other tools
-- query
select count from read group by file
-- error
query:1:1: error: this is SQL [E-SYNTAX]
  select count from read group by file
  ^~~~~~
  as a query: count of read by file

== word of the language where an expression must be
-- query
count of read where proc = by file
-- error
query:1:28: error: found `by`, expected an expression [E-SYNTAX]
  count of read where proc = by file
                             ^~
  `by` is a word of the language; as text it must be quoted

== unclosed parenthesis
-- query
count of read where (a = b by file
-- error
query:1:28: error: found `by`, expected an operator, `and`, `of`, `,`, `)` or `as` [E-SYNTAX]
  count of read where (a = b by file
                      ~      ^~
  the `(` is not closed

== unclosed parenthesis on an earlier line
-- query
count of read
where pid in (pid of processes
              where user = postgres
-- error
query:3:36: error: found the end of the query, expected an operator, `and`, a clause such as `where`, `by` or `limit` or `)` [E-SYNTAX]
                where user = postgres
                                     ^
  where pid in (pid of processes
               ~
  the `(` is not closed

== parenthesis too many
-- query
count of read where a = b) by file
-- error
query:1:26: error: found `)`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where a = b) by file
                           ^
  this `)` closes nothing

== one error a clause, all in one run
-- query
count of read where a = by file limit x every 1s order by top 5 by
-- error
query:1:25: error: found `by`, expected an expression [E-SYNTAX]
  count of read where a = by file limit x every 1s order by top 5 by
                          ^~
  `by` is a word of the language; as text it must be quoted
query:1:39: error: found `x`, expected a number [E-SYNTAX]
  count of read where a = by file limit x every 1s order by top 5 by
                                        ^
query:1:63: error: found `5`, expected a comparison or an operator, `and`, a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  count of read where a = by file limit x every 1s order by top 5 by
                                                                ^
query:1:67: error: found the end of the query, expected an expression [E-SYNTAX]
  count of read where a = by file limit x every 1s order by top 5 by
                                                                    ^

== errors of several statements
-- query
count of; events of read;
count of read limit many;
drop slow
-- error
query:1:9: error: found `;`, expected an event class, a table or a view, `(` or `between` [E-SYNTAX]
  count of; events of read;
          ^
query:2:21: error: found `many`, expected a number [E-SYNTAX]
  count of read limit many;
                      ^~~~
query:3:6: error: found `slow`, expected `view` [E-SYNTAX]
  drop slow
       ^~~~
  say what is dropped: drop view slow

== nothing where something must be
-- query
count of read where;
count of tag;
view x := ;
use
-- error
query:1:20: error: found `;`, expected an expression [E-SYNTAX]
  count of read where;
                     ^
query:2:13: error: found `;`, expected a tag [E-SYNTAX]
  count of tag;
              ^
  write the tag after it: tag fix283
query:3:11: error: found `;`, expected an expression [E-SYNTAX]
  view x := ;
            ^
query:4:4: error: found the end of the query, expected a name [E-SYNTAX]
  use
     ^

== clause given twice
-- query
count of read where a by b where c limit 1 limit 2
-- error
query:1:28: error: `where` is given twice [E-CLAUSE-DUP]
  count of read where a by b where c limit 1 limit 2
                ~~~~~~~      ^~~~~~~
  join the two conditions with `and`
query:1:44: error: `limit` is given twice [E-CLAUSE-DUP]
  count of read where a by b where c limit 1 limit 2
                                     ~~~~~~~ ^~~~~~~
  keep one of them

== comparison does not chain
-- query
count of read where a = b = c
-- error
query:1:27: error: found `=`, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where a = b = c
                            ^

== between without and
-- query
count of read where x between 1 or 2
-- error
query:1:33: error: found `or`, expected an operator or `and` [E-SYNTAX]
  count of read where x between 1 or 2
                                  ^~

== pair without keys
-- query
count of between read and write by file
-- error
query:1:33: error: found `by`, expected a quoted string, `(` or `on` [E-SYNTAX]
  count of between read and write by file
                                  ^~

== a number that is no duration
-- query
count of read every 1e9ns
-- error
query:1:21: error: `every` takes a duration longer than zero [E-UNIT]
  count of read every 1e9ns
                      ^~~~~
  for instance `every 10s`
query:1:22: error: `e9ns` is not a unit [E-LEX-UNIT]
  count of read every 1e9ns
                       ^~~~
  units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %

== values of clauses
-- query
count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
count of read last 10 sample 10 from ""
-- error
query:1:21: error: `every` takes a duration longer than zero [E-UNIT]
  count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
                      ^
  write the unit, as in `every 5s`
query:1:27: error: `for` takes a duration longer than zero [E-UNIT]
  count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
                            ^~~
  for instance `for 10s`
query:1:37: error: `limit` takes a whole number, at least 1 [E-TYPE]
  count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
                                      ^
query:1:43: error: `top` takes a whole number, at least 1 [E-TYPE]
  count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
                                            ^~~
query:1:54: error: `sample` takes a percentage above 0% and up to 100% [E-TYPE]
  count of read every 5 for 3MB limit 0 top 1.5 sample 200%;
                                                       ^~~~
query:2:20: error: `last` takes a duration longer than zero [E-UNIT]
  count of read last 10 sample 10 from ""
                     ^~
  write the unit, as in `last 10s`
query:2:33: error: found `from`, expected `%` [E-SYNTAX]
  count of read last 10 sample 10 from ""
                                  ^~~~

== as in a list of in
-- query
count of read where a in (1 as b)
-- error
query:1:27: error: an element of a list of `in` takes no `as` [E-SYNTAX]
  count of read where a in (1 as b)
                            ^~~~~~

== tabs and wide characters keep the carets in place
-- query
count of	read where	file = "/données/日本" and and x
-- error
query:1:46: error: found `and`, expected an expression [E-SYNTAX]
  count of        read where      file = "/données/日本" and and x
                                                             ^~~
  `and` is a word of the language; as text it must be quoted

== signs that take two columns
-- query
count of read where file = "✅ ⚡ é" and and x
-- error
query:1:40: error: found `and`, expected an expression [E-SYNTAX]
  count of read where file = "✅ ⚡ é" and and x
                                           ^~~
  `and` is a word of the language; as text it must be quoted

== a doubled quote is no escape
-- query
count of read where file = 'it''s'
-- error
query:1:32: error: found a quoted string, expected an operator, `and`, a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of read where file = 'it''s'
                                 ^~~
  a quote inside a string is written \' or \"

== how much is searched
-- query
count of tag fix283 scan 5;
count of tag fix283 scan 5s;
count of tag fix283 scan 4KB;
count of tag fix283 scan 17MiB;
count of tag fix283 scan 1KiB/s;
count of tag fix283 scan 500MiB/m;
count of tag fix283 scan 1MiB, 2MiB;
count of tag fix283 scan 1MiB scan 2MiB/s, 3MiB/s;
count of tag fix283 scna 1MiB
-- error
query:1:26: error: `scan` takes the size of what is searched of a call, or of a second [E-UNIT]
  count of tag fix283 scan 5;
                           ^
  for instance `scan 4MiB`, `scan 500MiB/s` or `scan 4MiB, 500MiB/s`
query:2:26: error: `scan` takes the size of what is searched of a call, or of a second [E-UNIT]
  count of tag fix283 scan 5s;
                           ^~
  for instance `scan 4MiB`, `scan 500MiB/s` or `scan 4MiB, 500MiB/s`
query:3:26: error: `scan` is out of range [E-LIMIT-SCAN]
  count of tag fix283 scan 4KB;
                           ^~~
  from 4KiB to 16MiB of a call
query:4:26: error: `scan` is out of range [E-LIMIT-SCAN]
  count of tag fix283 scan 17MiB;
                           ^~~~~
  from 4KiB to 16MiB of a call
query:5:26: error: `scan` is out of range [E-LIMIT-SCAN]
  count of tag fix283 scan 1KiB/s;
                           ^~~~~~
  at least 1MiB/s
query:6:26: error: `scan` is out of range [E-LIMIT-SCAN]
  count of tag fix283 scan 500MiB/m;
                           ^~~~~~
  from 4KiB to 16MiB of a call
query:6:32: error: found `/`, expected a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  count of tag fix283 scan 500MiB/m;
                                 ^
  a rate is by the second, and has no blanks: 500MiB/s
query:7:21: error: `scan` is given twice [E-CLAUSE-DUP]
  count of tag fix283 scan 1MiB, 2MiB;
                      ^~~~~~~~~~~~~~~
  keep one of them
query:8:31: error: `scan` is given twice [E-CLAUSE-DUP]
  count of tag fix283 scan 1MiB scan 2MiB/s, 3MiB/s;
                                ^~~~~~~~~~~~~~~~~~~
  keep one of them
query:9:21: error: found `scna`, expected a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  count of tag fix283 scna 1MiB
                      ^~~~
  did you mean `scan`?

== keys of a pair
-- query
count of between a and b on pid = 3
-- error
query:1:35: error: found `3`, expected a name [E-SYNTAX]
  count of between a and b on pid = 3
                                    ^

== a pair without keys
-- query
count of between a and b where pid = 3
-- error
query:1:26: error: found `where`, expected a quoted string, `(` or `on` [E-SYNTAX]
  count of between a and b where pid = 3
                           ^~~~~

== a word behind a recording
-- query
events of io into "x.rnt" overwrite
-- error
query:1:27: error: found `overwrite`, expected a clause such as `where`, `by` or `limit`, `replace`, `append` or the end of the statement [E-SYNTAX]
  events of io into "x.rnt" overwrite
                            ^~~~~~~~~

== both words behind a recording
-- query
events of io into "x.rnt" replace append
-- error
query:1:35: error: found `append`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  events of io into "x.rnt" replace append
                                    ^~~~~~

== a table is not added to
-- query
events of io into t append
-- error
query:1:21: error: found `append`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  events of io into t append
                      ^~~~~~

== a mistyped source that takes a name
-- query
count of tga fix283
-- error
query:1:14: error: found `fix283`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of tga fix283
               ^~~~~~
  did you mean `tag`?

== is without null
-- query
count of read where pid is 5
-- error
query:1:28: error: `5` cannot stand here [E-SYNTAX]
  count of read where pid is 5
                             ^
  `is` stands before `null` alone: latency is null; `=` compares

== explain without a query
-- query
explain count
-- error
query:1:14: error: found the end of the query, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  explain count
               ^
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
