Every kind of token, where it starts, and what a duration or a size comes to.

== keywords, names, operators
-- query
count, sum(bytes) of read where a != b and c !~ d or e =~ f
-- tokens
1:1 NAME count
1:6 OPERATOR ,
1:8 NAME sum
1:11 OPERATOR (
1:12 NAME bytes
1:17 OPERATOR )
1:19 KEYWORD of
1:22 NAME read
1:27 KEYWORD where
1:33 NAME a
1:35 OPERATOR !=
1:38 NAME b
1:40 KEYWORD and
1:44 NAME c
1:46 OPERATOR !~
1:49 NAME d
1:51 KEYWORD or
1:54 NAME e
1:56 OPERATOR =~
1:59 NAME f
1:60 END

== numbers
-- query
f(1, 0x5bd1e995, 1.5, 1e3, 2.5e-3, 10ms, 1.5s, 4KiB, 1MB) of sample 99hz sample 10%
-- tokens
1:1 NAME f
1:2 OPERATOR (
1:3 INTEGER 1
1:4 OPERATOR ,
1:6 INTEGER 0x5bd1e995
1:16 OPERATOR ,
1:18 FLOAT 1.5
1:21 OPERATOR ,
1:23 FLOAT 1e3
1:26 OPERATOR ,
1:28 FLOAT 2.5e-3
1:34 OPERATOR ,
1:36 DURATION 10ms = 10000000 ns
1:40 OPERATOR ,
1:42 DURATION 1.5s = 1500000000 ns
1:46 OPERATOR ,
1:48 SIZE 4KiB = 4096 bytes
1:52 OPERATOR ,
1:54 SIZE 1MB = 1000000 bytes
1:57 OPERATOR )
1:59 KEYWORD of
1:62 KEYWORD sample
1:69 FREQUENCY 99hz
1:74 KEYWORD sample
1:81 INTEGER 10
1:83 OPERATOR %
1:84 END

== strings and parameters
-- query
f("a\tb", 'c "d"', $name) of tag x"00ff"
-- tokens
1:1 NAME f
1:2 OPERATOR (
1:3 STRING "a\tb"
1:9 OPERATOR ,
1:11 STRING 'c "d"'
1:18 OPERATOR ,
1:20 PARAM $name
1:25 OPERATOR )
1:27 KEYWORD of
1:30 KEYWORD tag
1:34 HEX x"00ff"
1:41 END

== a comment, a script's first line, tabs and UTF-8 count as columns
-- query
#!/usr/bin/runnel
a of x -- a comment; "not a string"
	where "é" = b
-- tokens
2:1 NAME a
2:3 KEYWORD of
2:6 NAME x
3:2 KEYWORD where
3:8 STRING "é"
3:12 OPERATOR =
3:14 NAME b
3:15 END

== addresses and foreign operators are taken for what they mean
-- query
10.0.0.1:80 a == b && c
-- tokens
1:1 STRING 10.0.0.1:80
1:13 NAME a
1:15 OPERATOR ==
1:18 NAME b
1:20 OPERATOR &&
1:23 NAME c
1:24 END
-- error
query:1:1: error: an address must be quoted [E-LEX-NUMBER]
  10.0.0.1:80 a == b && c
  ^~~~~~~~~~~
  write "10.0.0.1:80"
query:1:13: error: found `a`, expected a comparison or an operator, `and`, `of`, `,` or `as` [E-SYNTAX]
  10.0.0.1:80 a == b && c
              ^
  a query is WHAT of SOURCE and its clauses, as in `count of read by file`
query:1:15: error: `==` is written `=` here [E-LEX-CHAR]
  10.0.0.1:80 a == b && c
                ^~
query:1:20: error: `&&` is written `and` here [E-LEX-CHAR]
  10.0.0.1:80 a == b && c
                     ^~

== rates
-- query
1/s, 1.5/s, 1e3/s, 10MiB/s, 2.5KiB/s, 1/sum, 10ms/s, 1 /s of read
-- tokens
1:1 RATE 1/s
1:4 OPERATOR ,
1:6 RATE 1.5/s
1:11 OPERATOR ,
1:13 RATE 1e3/s
1:18 OPERATOR ,
1:20 RATE 10MiB/s
1:27 OPERATOR ,
1:29 RATE 2.5KiB/s
1:37 OPERATOR ,
1:39 INTEGER 1
1:40 OPERATOR /
1:41 NAME sum
1:44 OPERATOR ,
1:46 DURATION 10ms = 10000000 ns
1:50 OPERATOR /
1:51 NAME s
1:52 OPERATOR ,
1:54 INTEGER 1
1:56 OPERATOR /
1:57 NAME s
1:59 KEYWORD of
1:62 NAME read
1:66 END
