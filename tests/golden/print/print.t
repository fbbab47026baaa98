The canonical text: clauses in one order, single spaces, no parentheses that say nothing.

== the examples of the manual
-- query
flow of tag fix283 where proc = java;
flow of tag fix283, ulr821 on node1, node2 for 30s;
count of syscall by proc;
count, sum(bytes), p99(latency) of read where file ~ "/var/lib/*" by node, proc every 1s;
events of open where error = ENOENT limit 20;
hist(latency) of fsync by file;
top 10 of (sum(bytes) as b of write by file);
time, proc, file, bytes of io where hash = 0x5bd1e995;
hist(latency) of between block_rq_issue and block_rq_complete on dev, sector by dev;
count of kernel "tcp_*" by func;
count of user "/usr/sbin/nginx:ngx_http_*" by func;
p50(arg0) of usdt "/usr/lib/libc.so.6:libc:memory_*" by probe;
count of sample 99hz where proc = java by ustack;
pid, proc, rss of processes order by rss desc limit 10;
count, set(node) of lines "/etc/ssh/sshd_config" by line having count < nodes();
count of read where pid in (pid of processes where user = postgres) by file;
count of syscall by name from "incident.rnt";
events of io last 30s into "incident.rnt"
-- print
flow of tag fix283 where proc = java
flow of tag fix283, ulr821 for 30s on node1, node2
count of syscall by proc
count, sum(bytes), p99(latency) of read where file ~ "/var/lib/*" by node, proc every 1s
events of open where error = ENOENT limit 20
hist(latency) of fsync by file
top 10 of (sum(bytes) as b of write by file)
time, proc, file, bytes of io where hash = 0x5bd1e995
hist(latency) of between block_rq_issue and block_rq_complete on dev, sector by dev
count of kernel "tcp_*" by func
count of user "/usr/sbin/nginx:ngx_http_*" by func
p50(arg0) of usdt "/usr/lib/libc.so.6:libc:memory_*" by probe
count of sample 99hz where proc = java by ustack
pid, proc, rss of processes order by rss desc limit 10
count, set(node) of lines "/etc/ssh/sshd_config" by line having count < nodes()
count of read where pid in (pid of processes where user = postgres) by file
count of syscall by name from "incident.rnt"
events of io last 30s into "incident.rnt"

== clauses in any order print in one order
-- query
count of read into t from "x" on a sample 5% last 1m for 1h every 1s limit 3 top 2 order by count having count > 1 by file where a
-- print
count of read where a by file having count > 1 order by count top 2 limit 3 every 1s for 1h last 1m sample 5% on a from "x" into t

== needless parentheses go, needed ones stay
-- query
count of x where ((a or b)) and (c and d) and not (e or f) and (not g);
count of x where (a + b) * (c * d) - (e - f) - ((g)) > (1);
count of x where (a = b) = (c in (1)) and ((d between 1 and 2)) = e;
count of x where -(-a) < -(b + c) and not (not d) and (not e) = f
-- print
count of x where (a or b) and (c and d) and not (e or f) and not g
count of x where (a + b) * (c * d) - (e - f) - g > 1
count of x where (a = b) = (c in (1)) and (d between 1 and 2) = e
count of x where -(-a) < -(b + c) and not not d and (not e) = f

== negation moves to where it is read
-- query
count of x where not a in (1, 2) and not b between 1 and 2 and not (c = d)
-- print
count of x where a not in (1, 2) and b not between 1 and 2 and not c = d

== strings in double quotes, barewords bare, numbers as written
-- query
count of x where a = 'b' and c = d and e > 1.50MB and f = 0x0FF and g = true
-- print
count of x where a = "b" and c = d and e > 1.50MB and f = 0x0FF and g = true

== escapes
-- query
count of x where a = 'say "hi"' or a = "it's\n\t\r\\" or a = "\x01\x7fé"
-- print
count of x where a = "say \"hi\"" or a = "it's\n\t\r\\" or a = "\x01\x7fé"

== words of the language are names elsewhere
-- query
user, file, time, name, node, line, tag, tags, sample, first, last(x) as last, top(file, 3) as top, on, from of kernel where for = last;
last, events of read by flow, view order by desc desc;
tags of tag x;
tag of tag tag, last
-- print
user, file, time, name, node, line, tag, tags, sample, first, last(x) as last, top(file, 3) as top, on, from of kernel where for = last
last, events of read by flow, view order by desc desc
tags of tag x
tag of tag tag, last

== top takes the by that follows it
-- query
sum(bytes) of write by file top 5 by sum(bytes);
sum(bytes) of write top 5 by sum(bytes) by file;
sum(bytes) of write top 5 where a by file
-- print
sum(bytes) of write by file top 5 by sum(bytes)
sum(bytes) of write by file top 5 by sum(bytes)
sum(bytes) of write where a by file top 5

== statements
-- query
--| Reads that take long.
--|
--| By file.
view slow(threshold, least = 5ms, s = "x") := p99(latency) of read where latency > $threshold by file;
-- an ordinary comment is not kept
view all() := count of read;
use io; drop view slow; explain count of read;
tags list; tags add a, "b c", x"00FF"; tags drop a; ;
-- print
--| Reads that take long.
--|
--| By file.
view slow(threshold, least = 5ms, s = "x") := p99(latency) of read where latency > $threshold by file
view all := count of read
use io
drop view slow
explain count of read
tags list
tags add a, "b c", x"00ff"
tags drop a

== empty statements and comments only
-- query
;; -- nothing
; count of read;
-- print
count of read

== how much is searched
-- query
count of tag fix283 scan 4MiB by proc; count of tag fix283 scan 500MiB/s,1MiB; scan of (count as scan of read) scan $x; count of scan where scan = 1
-- print
count of tag fix283 by proc scan 4MiB
count of tag fix283 scan 1MiB, 500MiB/s
scan of (count as scan of read) scan $x
count of scan where scan = 1

== bytes
-- query
similar(data, x"00FF00ff00FF0102") of write where data != x"0a"
-- print
similar(data, x"00ff00ff00ff0102") of write where data != x"0a"

== nodes that are left out
-- query
count of read   on lab,"node 4"   except node3 , node2
-- print
count of read on lab, "node 4" except node3, node2

== pairs
-- query
latency of between (events of a where ((s = 1))) and b on pid=next_pid,dev;
latency of between (events of a where s = 1 or t = 2) and (events of tracepoint "b:c" where u = 3) on pid = next_pid , dev on web1 where latency>1ms
-- print
latency of between (events of a where s = 1) and b on pid = next_pid, dev
latency of between (events of a where s = 1 or t = 2) and (events of tracepoint "b:c" where u = 3) on pid = next_pid, dev where latency > 1ms on web1

== a recording that is there
-- query
events of io for 5s into "x.rnt" replace; events of io into $f append; count as replace of (pid as append of read) where append > 0 by append; let replace := pid of processes
-- print
events of io for 5s into "x.rnt" replace
events of io into $f append
count as replace of (pid as append of read) where append > 0 by append
let replace := pid of processes

== null
-- query
count of read where latency is   null and not (begin is null) or (latency is not null) = true and 1/ret is null
-- print
count of read where latency is null and begin is not null or (latency is not null) = true and 1 / ret is null

== the word in
-- query
count of io where dir = in or not dir != in by dir; count of io where dir in (in, out, "in") and not dir in (in)
-- print
count of io where dir = in or not dir != in by dir
count of io where dir in (in, out, "in") and dir not in (in)

== through
-- query
flow of tag fix283 where pid > 1 through proc = java or file ~ "/v*" limit 3; count as through of read by through
-- print
flow of tag fix283 where pid > 1 through proc = java or file ~ "/v*" limit 3
count as through of read by through

== operators of bits: weakest `|`, then `^`, `&`, shifts
-- query
count of x where ((a & b) != 0) and (a | (b ^ (c & d))) > (1 << (2 + 3));
count of x where ((a | b) & c) << d = (a << b) << c and a << (b << c) = ((a & b) = c);
count of x where ((a >> 2) between (1 | 2) and (3 & 4)) or (a | b) in (1, 2)
-- print
count of x where a & b != 0 and a | b ^ c & d > 1 << 2 + 3
count of x where ((a | b) & c) << d = a << b << c and a << (b << c) = (a & b = c)
count of x where a >> 2 between 1 | 2 and 3 & 4 or a | b in (1, 2)

== aggregates of a part
-- query
sum(bytes where (dir = out)), count( where error != 0 ) as failed, quantile(latency, 0.5 where a or b) of x having p75(bytes where a) > 3
-- print
sum(bytes where dir = out), count(where error != 0) as failed, quantile(latency, 0.5 where a or b) of x having p75(bytes where a) > 3

== windows that overlap, a name that is a word, a query as a value
-- query
count of x where over = 3 by over every 1s over 10s;
view v(w = 10s) := count of x every 1s over $w;
n of x where n > (max(n) of x) and (n) = ((min(n) of (events of x)) + 1)
-- print
count of x where over = 3 by over every 1s over 10s
view v(w = 10s) := count of x every 1s over $w
n of x where n > (max(n) of x) and n = (min(n) of (events of x)) + 1

== several classes
-- query
count of read , fsync by name; events of exit,tracepoint "a:*","b:*",fsync; count of tracepoint 'x:y',$p
-- print
count of read, fsync by name
events of exit, tracepoint "a:*", "b:*", fsync
count of tracepoint "x:y", $p

== views in a list
-- query
count of read, slow(5ms, a), tracepoint "a:*", "b:c", late
-- print
count of read, slow(5ms, a), tracepoint "a:*", "b:c", late
