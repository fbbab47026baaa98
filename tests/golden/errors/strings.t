# Errors of the lexer as they reach a person.

== unclosed string
-- query
count of read where proc = "java by file
-- error
query:1:28: error: this string is not closed on its line [E-LEX-STRING]
  count of read where proc = "java by file
                             ^
  add a closing ", or write \n for a line break inside the string
