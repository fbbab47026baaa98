What the lexer says about malformed words; it goes on after each.

== unclosed string
-- query
count of read where file ~ "/var where x
by file
-- error
query:1:28: error: this string is not closed on its line [E-LEX-STRING]
  count of read where file ~ "/var where x
                             ^
  add a closing ", or write \n for a line break inside the string

== bad escape
-- query
count of read where file =~ "a\.b" or file = "\x0" or file = "\x00"
-- error
query:1:31: error: this escape is not known in a string [E-LEX-ESCAPE]
  count of read where file =~ "a\.b" or file = "\x0" or file = "\x00"
                                ^~
  known are \n \r \t \\ \" \' and \xHH; a backslash itself is written \\
query:1:47: error: this escape is not known in a string [E-LEX-ESCAPE]
  count of read where file =~ "a\.b" or file = "\x0" or file = "\x00"
                                                ^~
  known are \n \r \t \\ \" \' and \xHH; a backslash itself is written \\
query:1:63: error: a string cannot hold a NUL byte [E-LEX-NUL]
  count of read where file =~ "a\.b" or file = "\x0" or file = "\x00"
                                                                ^~~~

== bad unit
-- query
count of read where latency > 10mss and bytes > 4kib and bytes > 1_000 and x = 5e
-- error
query:1:33: error: `mss` is not a unit [E-LEX-UNIT]
  count of read where latency > 10mss and bytes > 4kib and bytes > 1_000 and x = 5e
                                  ^~~
  did you mean `ms`? Units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %
query:1:50: error: `kib` is not a unit [E-LEX-UNIT]
  count of read where latency > 10mss and bytes > 4kib and bytes > 1_000 and x = 5e
                                                   ^~~
  did you mean `KiB`? Units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %
query:1:67: error: `_000` is not a unit [E-LEX-UNIT]
  count of read where latency > 10mss and bytes > 4kib and bytes > 1_000 and x = 5e
                                                                    ^~~~
  units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %
query:1:81: error: `e` is not a unit [E-LEX-UNIT]
  count of read where latency > 10mss and bytes > 4kib and bytes > 1_000 and x = 5e
                                                                                  ^
  units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %

== numbers that do not fit
-- query
count of read where a = 9223372036854775808 or b = 0x18000000000000000 or c = 300000d or d = 1e999
-- error
query:1:25: error: this number does not fit into 64 bits [E-LEX-NUMBER]
  count of read where a = 9223372036854775808 or b = 0x18000000000000000 or c = 300000d or d = 1e999
                          ^~~~~~~~~~~~~~~~~~~
  if it is a text, such as a tag, it stands in quotes
query:1:52: error: this number does not fit into 64 bits [E-LEX-NUMBER]
  count of read where a = 9223372036854775808 or b = 0x18000000000000000 or c = 300000d or d = 1e999
                                                     ^~~~~~~~~~~~~~~~~~~
query:1:79: error: this number does not fit into 64 bits [E-LEX-NUMBER]
  count of read where a = 9223372036854775808 or b = 0x18000000000000000 or c = 300000d or d = 1e999
                                                                                ^~~~~~~
query:1:94: error: this number does not fit into 64 bits [E-LEX-NUMBER]
  count of read where a = 9223372036854775808 or b = 0x18000000000000000 or c = 300000d or d = 1e999
                                                                                               ^~~~~

== frequency
-- query
count of sample 0hz
-- error
query:1:17: error: a frequency is a whole number of hz, at least 1 [E-LEX-NUMBER]
  count of sample 0hz
                  ^~~

== foreign operators
-- query
count of read where a == b && c <> d || !e
-- error
query:1:23: error: `==` is written `=` here [E-LEX-CHAR]
  count of read where a == b && c <> d || !e
                        ^~
query:1:28: error: `&&` is written `and` here [E-LEX-CHAR]
  count of read where a == b && c <> d || !e
                             ^~
query:1:33: error: `<>` is written `!=` here [E-LEX-CHAR]
  count of read where a == b && c <> d || !e
                                  ^~
query:1:38: error: `||` is written `or` here [E-LEX-CHAR]
  count of read where a == b && c <> d || !e
                                       ^~
query:1:41: error: `!` is written `not` here [E-LEX-CHAR]
  count of read where a == b && c <> d || !e
                                          ^

== address without quotes
-- query
count of read where peer = 10.0.0.1:80
-- error
query:1:28: error: an address must be quoted [E-LEX-NUMBER]
  count of read where peer = 10.0.0.1:80
                             ^~~~~~~~~~~
  write "10.0.0.1:80"

== characters without meaning
-- query
count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
-- error
query:1:25: error: `é` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                          ^
  put text that is not plain ASCII in quotes
query:1:34: error: `“` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                   ^
  use plain quotes: " or '
query:1:36: error: `”` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                     ^
  use plain quotes: " or '
query:1:45: error: `[` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                              ^
  only ( ) group; the keys of an aggregate come after `by`: count of read by proc
query:1:47: error: `]` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                                ^
query:1:67: error: `$` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                                                    ^
  a parameter is `$` and its name, as in $threshold
query:1:74: error: `#` has no meaning here [E-LEX-CHAR]
  count of read where a = é or b = “x” or c = [1] or d = a.b or e = $ or f # g
                                                                           ^

== tracepoint without quotes
-- query
count of tracepoint sched:sched_switch
-- error
query:1:21: error: found `sched`, expected a clause such as `where`, `by` or `limit` or the end of the statement [E-SYNTAX]
  count of tracepoint sched:sched_switch
                      ^~~~~
  quote the name: tracepoint "sched:sched_switch"
query:1:26: error: `:` has no meaning here [E-LEX-CHAR]
  count of tracepoint sched:sched_switch
                           ^
  quote a name that holds `:`, as in tracepoint "sched:sched_switch"

== bytes of tags
-- query
count of tag x"0", x"0g", x""
-- error
query:1:16: error: an odd number of hexadecimal digits: a byte takes two [E-LEX-HEX]
  count of tag x"0", x"0g", x""
                 ^
query:1:23: error: this is no hexadecimal digit: x"..." takes pairs of them [E-LEX-HEX]
  count of tag x"0", x"0g", x""
                        ^
query:1:27: error: x"" holds no byte [E-LEX-HEX]
  count of tag x"0", x"0g", x""
                            ^~~

== a string of its end only
-- query
"
-- error
query:1:1: error: this string is not closed on its line [E-LEX-STRING]
  "
  ^
  add a closing ", or write \n for a line break inside the string

== a tag that begins with a digit
-- query
count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
-- error
query:1:14: error: a tag that begins with a digit must be quoted [E-LEX-NUMBER]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
               ^~~~~~~
  quote it: tag "7fix283"
query:1:44: error: a tag that begins with a digit must be quoted [E-LEX-NUMBER]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
                                             ^~~~
  quote it: tag "7fix-284"
query:1:68: error: `x` is not a unit [E-LEX-UNIT]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
                                                                     ^
  units are ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %
query:1:80: error: a tag that begins with a digit must be quoted [E-LEX-NUMBER]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
                                                                                 ^~~~
  quote it: tag "9abc"
query:1:99: error: found `10ms`, expected a tag [E-SYNTAX]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
                                                                                                    ^~~~
  quote it: tag "10ms"
query:1:129: error: found `-`, expected a clause such as `where`, `by` or `limit`, `,` or the end of the statement [E-SYNTAX]
  count of tag 7fix283; count of tag fix283, 7fix-284 where bytes > 5x; tags add 9abc; count of tag 10ms; count of tag fix283, fix-284
                                                                                                                                  ^
  a tag that holds `-` is quoted: tag "fix-284"
