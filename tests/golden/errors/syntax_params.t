== neither type nor default
-- query
param threshold;
-- error
query:1:16: error: found `;`, expected a name or `=` [E-SYNTAX]
  param threshold;
                 ^
  a parameter is declared as `param NAME = VALUE`, `param NAME TYPE` or `param NAME TYPE = VALUE`

== a type in front
-- query
param duration threshold = 10ms x;
-- error
query:1:33: error: found `x`, expected a comparison or an operator, `and` or the end of the statement [E-SYNTAX]
  param duration threshold = 10ms x;
                                  ^
  a parameter is declared as `param NAME = VALUE`, `param NAME TYPE` or `param NAME TYPE = VALUE`

== the assignment of a view
-- query
param threshold := 10ms;
-- error
query:1:17: error: found `:=`, expected a name or `=` [E-SYNTAX]
  param threshold := 10ms;
                  ^~
  a parameter is declared as `param NAME = VALUE`, `param NAME TYPE` or `param NAME TYPE = VALUE`

== param is a name elsewhere
-- query
param, count as param of tracepoint "a:b" by param; param as x of read; param = 1 of read
-- print
param, count as param of tracepoint "a:b" by param
param as x of read
param = 1 of read

== canonical
-- query
--| Doc.
param   a  duration=10ms; param b=x; param c string; param d = -5; param limit integer
-- print
param a duration = 10ms
param b = x
param c string
param d = -5
param limit integer
