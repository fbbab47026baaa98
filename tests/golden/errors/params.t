== a value without its unit
-- params
threshold=5
-- query
param threshold = 10ms;
count of read where latency > $threshold
-- error
query:1:7: error: the parameter `threshold` is a duration, and `threshold=5` gives it none [E-PARAM]
  param threshold = 10ms;
        ^~~~~~~~~
  for instance threshold=10ms

== a value with another unit
-- params
threshold=5KiB
-- query
--| How long is slow.
param threshold duration;
count of read where latency > $threshold
-- error
query:2:7: error: the parameter `threshold` is a duration, and `threshold=5KiB` gives it none [E-PARAM]
  param threshold duration;
        ^~~~~~~~~
  for instance threshold=10ms

== a required one is missing
-- query
param who string;
count of read where proc = $who
-- error
query:1:7: error: the parameter `who` has no value: a string is needed [E-PARAM]
  param who string;
        ^~~
  give it one behind the query: runnel 'QUERY' who=VALUE

== not an integer
-- params
n=0x
f=1e
b=yes
i=10.0.0
t=tomorrow
s=-4
-- query
param n integer; param f float; param b boolean; param i ip; param t time; param s size;
count of read
-- error
query:1:7: error: the parameter `n` is an integer, and `n=0x` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
        ^
  for instance n=5
query:1:24: error: the parameter `f` is a number, and `f=1e` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
                         ^
  for instance f=0.5
query:1:39: error: the parameter `b` is a boolean, and `b=yes` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
                                        ^
  for instance b=true
query:1:56: error: the parameter `i` is an address, and `i=10.0.0` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
                                                         ^
  for instance i=10.0.0.1
query:1:68: error: the parameter `t` is a time, and `t=tomorrow` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
                                                                     ^
  for instance t=2026-11-20T10:00:00
query:1:82: error: the parameter `s` is a size, and `s=-4` gives it none [E-PARAM]
  param n integer; param f float; param b boolean; param i ip; param t time; param s size;
                                                                                   ^
  for instance s=4KiB

== numbers with a sign, hexadecimal and fractions
-- params
n=-0
f=-1.5e3
d=-5ms
s=1.5KiB
h=0x10
-- query
param n integer; param f float; param d duration; param s size; param h integer;
count of read where pid = $n and ret > $f and latency > $d and bytes = $s and fd = $h
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    and : boolean
      and : boolean
        and : boolean
          and : boolean
            = : boolean
              field pid : integer
              literal -0 : integer
            > : boolean
              field ret : integer
              literal -1500.0 : float
          > : boolean
            field latency : duration
            literal -5ms : duration
        = : boolean
          field bytes : size
          literal 1.5KiB : size
      = : boolean
        field fd : integer
        literal 0x10 : integer

== a string is never a number
-- params
text=12
-- query
param text string;
count of read where pid = $text
-- error
query:2:27: error: a number cannot be compared with a string [E-TYPE]
  count of read where pid = $text
                      ~~~   ^~~~~
  a number stands without quotes: 12

== an integer is a float, a float no integer
-- params
f=3
n=3.0
-- query
param f float; param n integer = 2;
count of read where ret > $f
-- error
query:1:22: error: the parameter `n` is an integer, and `n=3.0` gives it none [E-PARAM]
  param f float; param n integer = 2;
                       ^
  for instance n=5

== an address and a time
-- params
t=2026-11-20T10:00:00Z
-- query
param a ip = "10.0.0.1:80"; param t time;
count of recv where peer = $a and time > $t
-- types
query list grouped
  items
    aggregate count : integer
  source recv
  where
    and : boolean
      = : boolean
        field peer : ip
        literal "10.0.0.1:80" : ip
      > : boolean
        field time : time
        literal "2026-11-20T10:00:00Z" : time

== defaults of another type
-- query
param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
count of read
-- error
query:1:20: error: the parameter `a` is declared as a duration, and its default is none [E-TYPE]
  param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
          ~~~~~~~~   ^
  for instance 10ms
query:1:41: error: the parameter `b` is declared as an integer, and its default is none [E-TYPE]
  param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
                                ~~~~~~~   ^~~
  for instance 5
query:1:59: error: the parameter `c` is declared as an address, and its default is none [E-TYPE]
  param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
                                                       ~~   ^~~~~
  for instance "10.0.0.1"
query:1:83: error: the parameter `d` is declared as a string, and its default is none [E-TYPE]
  param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
                                                                           ~~~~~~   ^~
  for instance "text"
query:1:121: error: the parameter `f` is declared as a time, and its default is none [E-TYPE]
  param a duration = 5; param b integer = 5ms; param c ip = "1.2"; param d string = 12; param e float = 1; param f time = "soon";
                                                                                                                   ~~~~   ^~~~~~
  for instance "2026-11-20T10:00:00"

== defaults that are no constants
-- query
param a = 1 + 2; param b = x"00"; param c = count; param d = $a;
count of read
-- error
query:1:11: error: the default of a parameter is a constant: a number, a text, `true` or `false` [E-TYPE]
  param a = 1 + 2; param b = x"00"; param c = count; param d = $a;
            ^~~~~
query:1:28: error: the default of a parameter is a constant: a number, a text, `true` or `false` [E-TYPE]
  param a = 1 + 2; param b = x"00"; param c = count; param d = $a;
                             ^~~~~
query:1:45: error: the default of a parameter is a constant: a number, a text, `true` or `false` [E-TYPE]
  param a = 1 + 2; param b = x"00"; param c = count; param d = $a;
                                              ^~~~~
query:1:62: error: the default of a parameter is a constant: a number, a text, `true` or `false` [E-TYPE]
  param a = 1 + 2; param b = x"00"; param c = count; param d = $a;
                                                               ^~

== a bareword is a string
-- query
param who = java;
count of read where proc = $who
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    = : boolean
      field proc : string
      literal "java" : string

== no such type
-- query
param a duratoin; param b number;
count of read
-- error
query:1:9: error: there is no type `duratoin` [E-NAME-TYPE]
  param a duratoin; param b number;
          ^~~~~~~~
  did you mean `duration`?
query:1:27: error: there is no type `number` [E-NAME-TYPE]
  param a duratoin; param b number;
                            ^~~~~~
  the types are integer, float, duration, size, string, time, boolean and ip

== twice
-- query
param a = 1; param a = 2;
count of read where pid = $a
-- error
query:1:20: error: the parameter `a` is declared twice [E-NAME-PARAM]
  param a = 1; param a = 2;
        ~            ^

== the last value counts
-- params
a=3
a=4
-- query
param a = 1;
count of read where pid = $a
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    = : boolean
      field pid : integer
      literal 4 : integer

== what follows from a wrong value is not told
-- params
threshold=x
-- query
param threshold = 10ms; param limit = 5;
count, p99(latency) of read where latency > $threshold and bytes < $threshold by bucket(latency, $threshold) limit $limit every $threshold
-- error
query:1:7: error: the parameter `threshold` is a duration, and `threshold=x` gives it none [E-PARAM]
  param threshold = 10ms; param limit = 5;
        ^~~~~~~~~
  for instance threshold=10ms

== in clauses, tags and words
-- params
n=3
d=2s
-- query
param n integer; param d duration; param t = fix283; param who = "web1";
count of tag $t by proc limit $n for $d on $who
-- plan
groups of tag fix283
  key proc
  aggregate count
  out proc: string
  out count: integer
  order count desc, proc
  limit 3
  for 2s

== a boolean
-- query
param all = false;
count of read where $all or error != 0
-- types
query list grouped
  items
    aggregate count : integer
  source read
  where
    or : boolean
      literal false : boolean
      != : boolean
        field error : error
        literal 0 : integer

== an address is no file
-- query
param f ip = "10.0.0.1";
count of read from $f
-- error
query:2:20: error: `from` takes the name of a trace file in quotes [E-TYPE]
  count of read from $f
                     ^~

== undeclared beside declared
-- params
a=1
b=2
-- query
param a = 1;
count of read where pid = $a and fd = $b and tid = $aa
-- error
query:2:52: error: `$aa` has no value [E-NAME-PARAM]
  count of read where pid = $a and fd = $b and tid = $aa
                                                     ^~~
  did you mean `$a`?
