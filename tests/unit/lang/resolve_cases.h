/* resolve_cases.h - the cases of test_resolve.c: a query, and its columns with their types or its
 * errors. */

/* ---- sources ---- */
{"count of syscall", "count: integer"},
	{"count of raed by proc", "E-NAME-SOURCE 1:10 `raed` is not an event class, table or view"},
	{"count of sched_switch",
	 "E-NAME-SOURCE 1:10 `sched_switch` is not an event class, table or view"},
	{"count of tracepoint \"sched:sched_switch\" by next_comm",
	 "next_comm: string, count: integer"},
	{"count of tracepoint \"sched:sched_swich\"",
	 "E-NAME-SOURCE 1:21 this kernel has no tracepoint `sched:sched_swich`"},
	{"count of tracepoint", "E-NAME-SOURCE 1:10 `tracepoint` does not say which"},
	{"count of tracepoint \"no:such:thing\"",
	 "E-NAME-SOURCE 1:21 this kernel has no tracepoint `no:such:thing`"},
	{"count of read \"x\"", "E-NAME-SOURCE 1:15 `read` takes no argument"},
	{"count of tag fix283", "count: integer"},
	{"count of tag *", "E-TAG-SET 1:10 the set of tags is empty"},
	{"count of tag from \"tests/golden/files/tags.txt\"", "count: integer"},
	{"count of tag fix283, ulr821 by tags", "tags: tag set, count: integer"},
	{"count of tag \"\"", "E-TYPE 1:14 a tag has at least one byte"},
	{"count of nosuch(10ms)", "E-NAME-VIEW 1:10 there is no view `nosuch`"},
	{"count of read(10ms)", "E-NAME-PARAM 1:15 `read` is not a view: it takes no values"},
	{"pid, proc, rss of processes order by rss desc limit 10",
	 "pid: integer, proc: string, rss: size"},
	{"hist(latency) of between block_rq_issue and block_rq_complete on dev, sector by dev",
	 "dev: device, hist(latency): histogram"},
	{"hist(latency) of between read and write on nothing",
	 "E-NAME-FIELD 1:44 `nothing` is not a field of `read`: it cannot pair them"},
	{"count of between read and raed on pid",
	 "E-NAME-SOURCE 1:27 `raed` is not an event class, table or view"},
	{"start, end, latency of between open and close on pid, fd",
	 "start: time, end: time, latency: duration"},
	{"count of between sched_wakeup and sched_switch on pid = next_pid by next_comm",
	 "next_comm: string, count: integer"},
	{"count of between sched_wakeup and (events of sched_switch where next_pid > 1) on pid = "
	 "next_pid",
	 "count: integer"},
	{"count of between sched_wakeup and sched_switch on prev_pid",
	 "E-NAME-FIELD 1:51 `prev_pid` is not a field of `sched:sched_wakeup`: it cannot pair "
	 "them"},
	{"count of between sched_wakeup and sched_switch on pid = next_comm",
	 "E-TYPE 1:51 events are paired by numbers, and `next_comm` is no number"},
	{"count of between (events of read where nothing = 1) and write on pid",
	 "E-NAME-FIELD 1:40 `nothing` is not a field of `read`"},
	{"count of between (events of read limit 3) and write on pid",
	 "E-SYNTAX 1:34 an end of `between` takes no `limit`"},
	{"count of between (count of read) and write on pid",
	 "E-NAME-SOURCE 1:19 between pairs events of two classes"},
	{"count of between processes and write on pid",
	 "E-LATER 1:18 `processes` is a table: it has no events to pair"},
	{"count of between read and write on pid where hash = 1",
	 "E-NAME-FIELD 1:46 `hash` is not a field of `between`"},
	{"count of kernel \"tcp_*\" by func", "func: string, count: integer"},
	{"count of user \"/usr/sbin/nginx:ngx_*\" by func", "func: string, count: integer"},
	{"count of sample 99hz by ustack", "ustack: stack, count: integer"},
	{"count of lines \"/etc/passwd\" by line",
	 "E-LATER 1:10 `lines` is not executed by this version"},
	{"count of block by nosuchfield, another",
	 "E-LATER 1:10 `block` is not executed by this version"},

	/* ---- what ---- */
	{"events of open limit 20", "time: time, node: string, proc: string, thread: string, pid: "
				    "integer, tid: integer, ppid: integer, "
				    "uid: integer, user: string, cgroup: integer, container: "
				    "string, name: string, ret: integer, error: "
				    "error, latency: duration, fd: integer, file: string, dev: "
				    "device, arg0: integer, arg1: integer, "
				    "arg2: integer, arg3: integer, arg4: integer, arg5: integer"},
	{"events of processes",
	 "node: string, pid: integer, ppid: integer, proc: string, uid: integer, "
	 "user: string, cgroup: "
	 "integer, threads: integer, state: string, rss: size, vsz: size, "
	 "started: time, cmdline: string"},
	{"events of (count of read by proc)", "proc: string, count: integer"},
	{"events of tracepoint \"sched:sched_switch\"",
	 "time: time, node: string, proc: string, thread: string, pid: integer, tid: integer, "
	 "ppid: integer, "
	 "uid: integer, user: string, cgroup: integer, container: string, name: string, prev_comm: "
	 "string, "
	 "prev_pid: integer, prev_state: integer, next_comm: string, next_pid: integer"},
	{"events of read by proc",
	 "E-GROUP-KEY 1:16 `events` shows every event: it makes no groups"},
	{"events of read having bytes > 1",
	 "E-GROUP-KEY 1:16 `having` filters groups, and this query makes none"},
	{"events of open where error = ENOENT order by latency desc",
	 "time: time, node: string, proc: string, thread: string, pid: integer, tid: integer, "
	 "ppid: integer, "
	 "uid: integer, user: string, cgroup: integer, container: string, name: string, ret: "
	 "integer, error: "
	 "error, latency: duration, fd: integer, file: string, dev: device, arg0: integer, arg1: "
	 "integer, "
	 "arg2: integer, arg3: integer, arg4: integer, arg5: integer"},
	{"flow of tag fix283",
	 "hop: integer, time: time, node: string, proc: string, pid: "
	 "integer, name: string, dir: string, "
	 "object: string, bytes: size, latency: duration, tags: tag set, "
	 "from: integer, match: string, link: string, choices: integer, lag: "
	 "duration, depth: integer, clock: duration, from_node: string, from_proc: "
	 "string"},
	{"flow of tag fix283 where proc = java",
	 "hop: integer, time: time, node: string, proc: string, pid: integer, name: string, dir: "
	 "string, "
	 "object: string, bytes: size, latency: duration, tags: tag set, from: integer, match: "
	 "string, link: string, choices: integer, lag: duration, depth: integer, clock: duration, "
	 "from_node: string, from_proc: string; "
	 "N-FLOW 1:20 other "
	 "hops are left out: `outside` marks ends whose other side may be one of them"},
	{"flow of tag fix283 by proc",
	 "from: string, to: string, hops: integer, bytes: size, p50: duration, p99: duration"},
	{"flow of read", "E-FLOW-SOURCE 1:9 a flow follows tags, and `read` is not `tag`"},
	{"flow of (count of tag fix283)",
	 "E-FLOW-SOURCE 1:9 a flow follows tags, and the nested query is not `tag`"},
	{"hop, object of (flow of tag fix283)", "hop: integer, object: string"},
	{"top 10 of (sum(bytes) as b of write by file)", "file: string, b: size"},
	{"top 10 of write by bytes", "time: time, node: string, proc: string, thread: string, pid: "
				     "integer, tid: integer, ppid: integer, "
				     "uid: integer, user: string, cgroup: integer, container: "
				     "string, name: string, ret: integer, error: "
				     "error, latency: duration, fd: integer, file: string, dev: "
				     "device, bytes: size, offset: size, local: "
				     "ip, peer: ip, arg0: integer, arg1: integer, arg2: integer, "
				     "arg3: integer, arg4: integer, arg5: "
				     "integer"},
	{"top 3 of (count of read by proc every 1s)", "window: time, proc: string, count: integer"},
	{"top 5 of (hist(latency) as h of read by proc) by h",
	 "E-TYPE 1:50 `top` needs something with an order, and this is a histogram"},
	{"spans of between read and write on pid",
	 "start: time, end: time, latency: duration, time: time, node: string, proc: string, "
	 "thread: string, pid: "
	 "integer, tid: integer, ppid: integer, uid: integer, user: string, cgroup: integer, "
	 "container: "
	 "string, name: string, ret: integer, error: error, fd: integer, file: string, dev: "
	 "device, bytes: "
	 "size, offset: size, local: ip, peer: ip, arg0: integer, arg1: integer, arg2: integer, "
	 "arg3: "
	 "integer, arg4: integer, arg5: integer"},

	/* ---- barewords ---- */
	{"count of read where proc = java", "count: integer"},
	{"count of read where proc = dd and bytes = 1", "count: integer"},
	{"count of read where java = proc", "count: integer"},
	{"count of read where proc = name",
	 "count: integer; N-BAREWORD 1:28 `name` is a field of `read` here, not a string"},
	{"count of read where proc = \"name\"", "count: integer"},
	{"count of read where proc != thread",
	 "count: integer; N-BAREWORD 1:29 `thread` is a field of `read` here, not a string"},
	{"count of read where proc = error",
	 "E-TYPE 1:28 a string cannot be compared with an error"},
	{"count of read where prco = java", "E-NAME-FIELD 1:21 `prco` is not a field of `read`"},
	{"count of read where proc = 5", "E-TYPE 1:28 a string cannot be compared with a number"},
	{"count of read where latncy > 10ms",
	 "E-NAME-FIELD 1:21 `latncy` is not a field of `read`"},
	{"count of read where nosuch", "E-NAME-FIELD 1:21 `nosuch` is not a field of `read`"},
	{"count of read where nosuch = \"x\"",
	 "E-NAME-FIELD 1:21 `nosuch` is not a field of `read`"},
	{"count of read where nosuch = other",
	 "E-NAME-FIELD 1:21 `nosuch` is not a field of `read`"},
	{"count of read where name in (read, pread64)", "count: integer"},
	{"count of read where proc in (name, \"thread\")", "count: integer"},
	{"count of read where pid in (java, 5)",
	 "E-NAME-FIELD 1:29 `java` is not a field of `read`"},
	{"count of open where error = ENOENT", "count: integer"},
	{"count of open where error = \"ENOENT\"", "count: integer"},
	{"count of open where error = ENOFILE",
	 "E-NAME-FIELD 1:29 `ENOFILE` is neither a field of `open` nor the name of an error"},
	{"count of open where error in (ENOENT, EACCES)", "count: integer"},
	{"count of open where error = 2 or error != 0", "count: integer"},
	{"count of read where peer = \"10.0.0.1\"", "count: integer"},
	{"count of read where peer = \"10.0.0.1:80\" or local = \"::1\"", "count: integer"},
	{"count of read where peer = \"10.0.0\"", "E-TYPE 1:28 \"10.0.0\" is not an address"},
	{"count of read where peer = localhost",
	 "E-NAME-FIELD 1:28 `localhost` is not a field of `read`"},
	{"count of read where peer in (\"10.0.0.1\", \"nonsense\")",
	 "E-TYPE 1:42 \"nonsense\" is not an address"},
	{"count of read where time > \"2026-11-20 10:00:00\"", "count: integer"},
	{"count of read where time > \"yesterday\"", "E-TYPE 1:28 \"yesterday\" is not a time"},
	{"count of read where time > 5", "E-UNIT 1:28 units differ: a time and a plain number"},
	{"count of read where time between \"2026-11-20 10:00:00\" and \"2026-11-20 11:00:00\"",
	 "count: integer"},
	{"count of read where dev = \"8:1\"", "count: integer"},
	{"count of read where dev = \"sda\"", "E-TYPE 1:27 \"sda\" is not a device"},
	{"count of tag fix283 where tags = fix283", "count: integer"},
	{"count of read where data ~ \"*secret*\"", "count: integer"},
	{"count of read where hash = 0x5bd1e995", "count: integer"},

	/* ---- types and units ---- */
	{"count of read where latency > 10",
	 "E-UNIT 1:31 units differ: a duration and a plain number"},
	{"count of read where latency > 0", "count: integer"},
	{"count of read where latency > 10ms", "count: integer"},
	{"count of read where latency > 4KiB", "E-UNIT 1:31 units differ: a duration and a size"},
	{"count of read where bytes > 10ms", "E-UNIT 1:29 units differ: a size and a duration"},
	{"count of read where bytes > 4096", "count: integer"},
	{"count of read where bytes > 4KiB", "count: integer"},
	{"count of read where 10 < latency",
	 "E-UNIT 1:26 units differ: a plain number and a duration"},
	{"count of read where latency between 1ms and 5",
	 "E-UNIT 1:45 units differ: a duration and a plain number"},
	{"count of read where bytes + latency > 0",
	 "E-UNIT 1:29 `+` has no meaning between a size and a duration"},
	{"count of read where bytes * 2 > 4KiB", "count: integer"},
	{"count of read where bytes * bytes > 5",
	 "E-UNIT 1:29 `*` has no meaning between a size and a size"},
	{"count of read where latency / 1ms > 5", "count: integer"},
	{"count of read where bytes / latency > 5", "count: integer"},
	{"count of read where latency / bytes > 5",
	 "E-UNIT 1:31 `/` has no meaning between a duration and a size"},
	{"6 / 3 as a, pid / 2 as b, latency / 2 as c, bytes / 2.5 as d, latency / 1ms as e, bytes "
	 "/ "
	 "1s as f, pid / 1s as g of read",
	 "a: float, b: float, c: duration, d: size, e: float, f: throughput, g: rate"},
	{"bytes / 1s * 2s as a, 10MiB/s * 1s as b, 100/s * 1s as c, bytes / 10MiB/s as d, 5 / 10/s "
	 "as e, 10MiB/s / 2 as f of read",
	 "a: size, b: size, c: float, d: duration, e: duration, f: throughput"},
	{"div(pid, 2) as a, div(latency, 2) as b, div(latency, 1ms) as c, div(7.5, 2) as d, "
	 "round(latency / 1ms) as e, round(latency * 1.5) as f, bytes % 7 as g of read",
	 "a: integer, b: duration, c: integer, d: integer, e: integer, f: duration, g: size"},
	{"count of read where time + 5s > \"2026-11-20 10:00:00\"", "count: integer"},
	{"count of read where time + time > 0",
	 "E-UNIT 1:28 `+` has no meaning between a time and a time"},
	{"count of read where time % 1s < 500ms", "count: integer"},
	{"count of read where proc + 1 > 2", "E-TYPE 1:21 `+` needs numbers, and this is a string"},
	{"count of read where -bytes < 0", "count: integer"},
	{"count of read where -proc < 0", "E-TYPE 1:22 `-` needs a number, and this is a string"},
	{"count of read where bytes % 1.5 = 0",
	 "E-TYPE 1:29 `%` needs integers, sizes or durations, and this is a float"},
	{"count of read where proc", "E-TYPE 1:21 `where` needs a condition, and this is a string"},
	{"count of read where bytes", "E-TYPE 1:21 `where` needs a condition, and this is a size"},
	{"count of read where not proc",
	 "E-TYPE 1:25 `not` needs conditions, and this is a string"},
	{"count of read where proc and pid = 1",
	 "E-TYPE 1:21 `and` needs conditions, and this is a string"},
	{"count of read where (pid = 1) = true", "count: integer"},
	{"count of read where (pid = 1) > (uid = 2)", "E-TYPE 1:21 a condition has no order"},
	{"count of read where peer > \"10.0.0.1\"", "E-TYPE 1:21 an address has no order"},
	{"count of read where proc > \"a\"", "count: integer"},
	{"count of read where stack ~ \"*x*\" and ustack !~ \"y\" and ustack =~ \"a|b\"",
	 "count: integer"},
	{"count of read where stack ~ proc", "E-TYPE 1:29 the pattern of `~` is a constant string"},
	{"count of read where stack = \"x\"",
	 "E-TYPE 1:29 a stack cannot be compared with a string"},
	{"count of read where proc ~ \"ja*\"", "count: integer"},
	{"count of read where proc ~ java", "count: integer"},
	{"count of read where proc !~ name",
	 "E-TYPE 1:29 the pattern of `!~` is a constant string"},
	{"count of read where pid ~ \"1*\"",
	 "E-TYPE 1:21 `~` matches strings, and this is a number"},
	{"count of read where peer ~ \"10.*\"",
	 "E-TYPE 1:21 `~` matches strings, and this is an address"},
	{"count of read where file =~ \"^/var/(log|lib)/\"", "count: integer"},
	{"count of read where file =~ \"(unclosed\"",
	 "E-TYPE 1:29 not a regular expression: Unmatched ( or \\("},
	{"count of read where 5 in (5, 6)",
	 "E-TYPE 1:21 `in` asks of a field, and this is a constant"},
	{"count of read where pid in (pid, 6)", "E-TYPE 1:29 a list after `in` holds constants"},
	{"count of read where pid in (-1, 6)", "count: integer"},
	{"count of read where latency in (10ms, 20)",
	 "E-UNIT 1:39 units differ: a duration and a plain number"},

	/* ---- aggregates ---- */
	{"count of read where count > 5",
	 "E-AGG-WHERE 1:21 `count` is an aggregate, and `where` sees one event at a time"},
	{"count of read where latncy > 5ms and sum(bytes) > 5 and proc = 7",
	 "E-NAME-FIELD 1:21 `latncy` is not a field of `read`; E-AGG-WHERE 1:38 `sum` is an "
	 "aggregate, and "
	 "`where` sees one event at a time; E-TYPE 1:64 a string cannot be compared with a number"},
	{"count of read by sum(bytes)",
	 "E-AGG-WHERE 1:18 `sum` is an aggregate, and `by` makes the groups"},
	{"max(sum(bytes)) of read by proc",
	 "E-AGG-NESTED 1:5 `sum` stands inside another aggregate"},
	{"count, sum(bytes), p99(latency) of read by proc",
	 "proc: string, count: integer, sum(bytes): size, p99(latency): duration"},
	{"avg(latency), stddev(bytes), min(time), max(error), rate, rate(bytes), hist(bytes), "
	 "set(node), "
	 "top(file, 5), distinct(proc), first(proc), last(ret) of read",
	 "avg(latency): duration, stddev(bytes): size, min(time): time, max(error): error, rate: "
	 "rate, "
	 "rate(bytes): throughput, hist(bytes): histogram, set(node): list, top(file, 5): "
	 "list, "
	 "distinct(proc): integer, first(proc): string, last(ret): integer"},
	{"sum(error = 0) of read", "sum(error = 0): integer"},
	{"sum(proc) of read", "E-TYPE 1:5 `sum` needs a number, and this is a string"},
	{"sum of read", "E-NAME-FIELD 1:1 `sum` is not a field of `read`"},
	{"sum() of read", "E-TYPE 1:1 `sum` takes 1 argument, and this has 0"},
	{"sum(bytes, 1) of read", "E-TYPE 1:1 `sum` takes 1 argument, and this has 2"},
	{"count(1, 2) of read", "E-TYPE 1:1 `count` takes no argument"},
	{"quantile(latency, 0.5) of read", "quantile(latency, 0.5): duration"},
	{"quantile(latency, 1.5) of read", "E-TYPE 1:19 a quantile lies between 0 and 1"},
	{"quantile(latency, proc) of read", "E-TYPE 1:19 a constant number is needed here"},
	{"quantile(latency) of read", "E-TYPE 1:1 `quantile` takes 2 arguments, and this has 1"},
	{"lhist(latency, 0, 100ms, 10ms) of read", "lhist(latency, 0, 100ms, 10ms): histogram"},
	{"lhist(latency, 0, 100, 10) of read", "E-UNIT 1:19 units differ: a duration and a plain "
					       "number; E-UNIT 1:24 units differ: a duration and a "
					       "plain number"},
	{"lhist(bytes, 0, 100, 0) of read",
	 "E-TYPE 1:22 the step of a histogram is greater than 0"},
	{"lhist(bytes, 100, 0, 5) of read",
	 "E-TYPE 1:19 the upper end of a histogram is above its lower end"},
	{"lhist(bytes, 0, 10, 2.5) of read",
	 "E-TYPE 1:21 whole numbers are sorted into whole steps"},
	{"lhist(bytes * 1.0, 0, 10, 2.5) of read", "lhist(bytes * 1.0, 0, 10, 2.5): histogram"},
	{"lhist(latency, 0.5us, 10.5us, 2.5us) of read",
	 "lhist(latency, 0.5us, 10.5us, 2.5us): histogram"},
	{"lhist(bytes, 0, 1000000, 1) of read",
	 "E-TYPE 1:26 a histogram has at most 1000 steps, and this has 1000000"},
	{"top(file, 0) of read", "E-TYPE 1:11 how many: an integer from 1 to 1000"},
	{"top(file, 1.5) of read", "E-TYPE 1:11 how many: an integer from 1 to 1000"},
	{"summ(bytes) of read", "E-NAME-FUNC 1:1 there is no function `summ`"},
	{"p99 of read", "E-NAME-FIELD 1:1 `p99` is not a field of `read`"},

	/* ---- functions ---- */
	{"basename(file), dirname(file), ext(file), lower(proc), upper(proc), substr(proc, 0, 3), "
	 "len(file), "
	 "port(peer), abs(ret), bucket(latency, 1ms) of read",
	 "basename(file): string, dirname(file): string, ext(file): string, lower(proc): string, "
	 "upper(proc): "
	 "string, substr(proc, 0, 3): string, len(file): integer, port(peer): integer, abs(ret): "
	 "integer, "
	 "bucket(latency, 1ms): duration"},
	{"basename(pid) of read", "E-TYPE 1:10 `basename` needs a string, and this is a number"},
	{"substr(proc) of read", "E-TYPE 1:1 `substr` takes 2 to 3 arguments, and this has 1"},
	{"port(\"10.0.0.1:80\") of read", "port(\"10.0.0.1:80\"): integer"},
	{"count of read where cidr(peer, \"10.0.0.0/8\")", "count: integer"},
	{"count of read where cidr(peer, \"10.0.0.0/33\")", "E-TYPE 1:32 this is not a network"},
	{"count of read where cidr(peer, proc)", "E-TYPE 1:32 this is not a network"},
	{"count of read where peer = ip4(\"10.0.0.1\")", "count: integer"},
	{"count of read by bucket(latency, 1ms)", "bucket(latency, 1ms): duration, count: integer"},
	{"count of read by bucket(latency, 10)",
	 "E-UNIT 1:34 units differ: a duration and a plain number"},
	{"count of read by bucket(time, 1s)", "bucket(time, 1s): time, count: integer"},
	{"count of read by bucket(proc, 1)",
	 "E-TYPE 1:25 `bucket` needs an integer, and this is a string"},
	{"count of read by bucket(bytes, 0)",
	 "E-TYPE 1:32 the step of a bucket is a whole constant greater than 0"},
	{"count of read by basname(file)", "E-NAME-FUNC 1:18 there is no function `basname`"},
	{"count of read having count < nodes()", "count: integer"},

	/* ---- groups and output ---- */
	{"count of read by proc, file", "proc: string, file: string, count: integer"},
	{"file, count, proc of read by proc, file", "file: string, count: integer, proc: string"},
	{"count as c, sum(bytes) as b of read by proc as p", "p: string, c: integer, b: size"},
	{"pid, count of read",
	 "E-GROUP-KEY 1:1 `pid` has many values in a group: it is neither a key nor an aggregate"},
	{"pid, count of read by proc",
	 "E-GROUP-KEY 1:1 `pid` has many values in a group: it is neither a key nor an aggregate"},
	{"proc, pid + 1 as x, count of read by proc",
	 "E-GROUP-KEY 1:7 `pid` has many values in a group: it is neither a key nor an aggregate"},
	{"pid + 1, count of read by pid", "pid: integer, pid + 1: integer, count: integer"},
	{"bucket(latency, 1ms) as b, count of read by b", "b: duration, count: integer"},
	{"b, count of read by bucket(latency, 1ms) as b", "b: duration, count: integer"},
	{"count of read by proc having count > 5", "proc: string, count: integer"},
	{"count as c of read by proc having c > 5 and sum(bytes) > 4KiB",
	 "proc: string, c: integer"},
	{"count of read by proc having pid > 5",
	 "E-GROUP-KEY 1:30 `pid` has many values in a group: it is neither a key nor an aggregate"},
	{"count of read by proc having len(proc) > 3", "proc: string, count: integer"},
	{"count of read by proc having count",
	 "E-TYPE 1:30 `having` needs a condition, and this is a number"},
	{"count of read by proc having cuont > 5",
	 "E-NAME-FIELD 1:30 `cuont` is not a field of `read`"},
	{"time, proc of read having pid > 5",
	 "E-GROUP-KEY 1:20 `having` filters groups, and this query makes none"},
	{"count, sum(bytes) of read by proc order by sum(bytes) desc, proc",
	 "proc: string, count: integer, sum(bytes): size"},
	{"sum(bytes) as b of read by proc top 5 by b", "proc: string, b: size"},
	{"sum(bytes) of read by proc top 5 by sum(bytes)", "proc: string, sum(bytes): size"},
	{"count of read by proc order by pid",
	 "E-GROUP-KEY 1:32 `pid` has many values in a group: it is neither a key nor an aggregate"},
	{"time, proc of read order by latency desc", "time: time, proc: string"},
	{"time, proc of read order by sum(bytes)",
	 "E-GROUP-KEY 1:29 `sum(bytes)` is an aggregate, and this query makes no groups"},
	{"hist(latency) of read by proc order by hist(latency)",
	 "E-TYPE 1:40 `order by` needs something with an order, and this is a histogram"},
	{"count as window of read every 1s",
	 "E-NAME-DUP 1:1 two columns are called `window`: the start of each window is one"},
	{"count as partial of read every 1s",
	 "E-NAME-DUP 1:1 two columns are called `partial`: the mark of a window that is not "
	 "covered whole is one"},
	{"window, n as partial of (count as n of read every 1s)",
	 "E-NAME-DUP 1:9 two columns are called `partial`: the mark of a window that is not "
	 "covered whole is one"},
	{"max(n) as partial of (count as n of read every 1s) by window",
	 "E-NAME-DUP 1:1 two columns are called `partial`: the mark of a window that is not "
	 "covered whole is one"},
	{"count as partial of read", "partial: integer"},
	{"top 3 of (count as window of read by proc) every 1s",
	 "E-NAME-DUP 1:10 two columns are called `window`: the start of each window is one"},
	{"window, n of (count as n of read every 1s) every 2s",
	 "E-NAME-DUP 1:1 two columns are called `window`: the start of each window is one"},
	{"count as x, sum(bytes) as x of read", "E-NAME-DUP 1:13 two columns are called `x`"},
	{"count, count of read", "E-NAME-DUP 1:8 two columns are called `count`"},
	{"count, count as c of read", "count: integer, c: integer"},
	{"max(bytes > 100), first(error != 0) as f, sum(bytes > 100) as n of read",
	 "max(bytes > 100): boolean, f: boolean, n: integer"},
	{"count of read by data", "E-TYPE 1:18 payload cannot be a key"},
	{"count of read by proc every 1s order by window", "proc: string, count: integer"},

	/* ---- nested queries ---- */
	{"b of (sum(bytes) as b of write by file) where b > 1MiB", "b: size"},
	{"sum(b) of (sum(bytes) as b of write by file)", "sum(b): size"},
	{"file, sum(bytes) of (sum(bytes) of write by file)", "file: string, sum(bytes): size"},
	{"nosuch of (sum(bytes) as b of write by file)",
	 "E-NAME-FIELD 1:1 `nosuch` is not a column of the nested query"},
	{"count of (count of read by proc)", "count: integer"},
	{"proc, count of (count of read by proc)",
	 "proc: string, count: integer; N-BAREWORD 1:7 `count` is a column of the nested query "
	 "here, not the "
	 "aggregate"},
	{"proc, count of (count of read by proc) where count > 5",
	 "proc: string, count: integer; N-BAREWORD 1:7 `count` is a column of the nested query "
	 "here, not the "
	 "aggregate"},
	{"max(count) of (count of read by proc)", "max(count): integer"},
	{"window, max(count) of (count of read by proc every 1s) by window",
	 "window: time, max(count): integer"},
	{"proc of (count of read by proc) order by count", "proc: string"},
	{"count of read where pid in (pid of processes where user = postgres) by file",
	 "file: string, count: integer"},
	{"count of read where pid in (proc of processes)",
	 "E-TYPE 1:29 a number cannot be compared with a string"},
	{"count of read where pid in (pid, proc of processes)",
	 "E-TYPE 1:29 a query after `in` has one column, and this has 2"},
	{"count of read where pid in (pdi of processes)",
	 "E-NAME-FIELD 1:29 `pdi` is not a field of `processes`"},
	{"count of read where pid in (count of read by proc)",
	 "E-TYPE 1:29 a query after `in` has one column, and this has 2"},

	/* ---- traces ---- */
	{"count of read from \"good.rnt\"", "count: integer"},
	{"count of (count of read by proc) from \"good.rnt\"", "count: integer"},
	{"count of read from \"bad.rnt\"",
	 "E-TRACE 1:20 the trace \"bad.rnt\" cannot be read: no such file"},
	{"count of (count of read by proc) from \"bad.rnt\"",
	 "E-TRACE 1:39 the trace \"bad.rnt\" cannot be read: no such file"},
	{"count of open from \"good.rnt\"", "E-NAME-SOURCE 1:10 the trace holds no `open`"},

	/* ---- views ---- */
	{"files, moved of big_files",
	 "E-NAME-FIELD 1:1 `files` is not a column of the view `big_files`"},
	{"file, moved of big_files", "file: string, moved: size"},
	{"sum(moved) of big_files(5)", "sum(moved): size"},
	{"count of slow(5ms)", "count: integer"},
	{"count of slow", "E-NAME-PARAM 1:10 the view `slow` needs a value for `threshold`"},
	{"count of slow(5ms, 6, 7)", "E-NAME-PARAM 1:23 too many values for the view `slow`"},
	{"count of slow(5)", "E-UNIT 1:15 units differ: a duration and a plain number"},
	{"count of slow(pid)", "E-TYPE 1:15 a duration cannot be compared with a string"},
	{"count of slow(pid + 1)", "E-TYPE 1:15 the value of a parameter is a constant"},
	{"count of slwo(5ms)", "E-NAME-VIEW 1:10 there is no view `slwo`"},
	{"events of slow(5ms)", "proc: string, file: string, n: integer"},
	{"proc, n of named(java)", "proc: string, n: integer"},
	{"count of broken", "E-SYNTAX 1:37 found `;`, expected an expression"},
	{"count of wrong", "E-UNIT 1:47 units differ: a duration and a size; E-NAME-FIELD 1:56 "
			   "`nosuch` is not a field of `read`"},
	{"count of loop", "E-NAME-VIEW 1:25 the view `loop` uses itself"},
	{"count of ping", "E-NAME-VIEW 1:25 the view `ping` uses itself"},
	{"count of deep0", "E-LIMIT-VIEWS 1:27 views use views more than 16 deep"},
	{"top 3 of limited(7)", "bytes: size, file: string"},
	{"count of tagged(fix283)", "count: integer"},

	/* ---- several errors at once ---- */
	{"latncy, sum(proc), nosuch(1) of read where bytes > 10ms and proc ~ pid by flie",
	 "E-UNIT 1:52 units differ: a size and a duration; E-TYPE 1:68 the pattern of `~` is a "
	 "constant "
	 "string; E-NAME-FIELD 1:75 `flie` is not a field of `read`; E-NAME-FIELD 1:1 `latncy` is "
	 "not a field "
	 "of `read`; E-TYPE 1:13 `sum` needs a number, and this is a string; E-NAME-FUNC 1:20 "
	 "there is no "
	 "function `nosuch`"},
	{"count() of (count of read by proc)", "count: integer"},
	{"proc, count() of (count of read by proc) by proc", "proc: string, count: integer"},
	{"count of write(5) by proc",
	 "E-NAME-PARAM 1:16 `write` is not a view: it takes no values"},
	{"p99(time) of read", "E-UNIT 1:5 `p99` of times would mean nothing"},
	{"sum(error) of read", "E-UNIT 1:5 `sum` of errors would mean nothing"},
	{"sum(error != 0) of read", "sum(error != 0): integer"},
	{"quantile(dev, 0.5) of read", "E-UNIT 1:10 `quantile` of devices would mean nothing"},
	{"min(time), max(error) of read", "min(time): time, max(error): error"},
	{"sum(time) of read", "E-UNIT 1:5 `sum` of times would mean nothing"},
	{"avg(count) of (count of read by proc) having avg(count) > 5", "avg(count): float"},
	{"count of read where latency > 10ms or latency < 5",
	 "E-UNIT 1:49 units differ: a duration and a plain number"},
	{"stddev(time) of read", "E-UNIT 1:8 `stddev` of times would mean nothing"},
	{"avg(time) of read", "E-UNIT 1:5 `avg` of times would mean nothing"},

	/* ---- aliases, and count in queries without groups ---- */
	{"time, bytes as b of read where b > 5", "E-NAME-FIELD 1:32 `b` is not a field of `read`"},
	{"time, bytes as b of read order by b", "time: time, b: size"},
	{"top 3 of (count of read by proc) by count", "proc: string, count: integer"},
	{"top 3 of (sum(bytes) of write by file) by sum(bytes)", "file: string, sum(bytes): size"},
	{"proc of (count of read by proc) order by count desc", "proc: string"},
	{"count of (count of read by proc) order by count", "count: integer"},
	{"count of connect where peer between \"10.0.0.1\" and \"10.0.0.9\"",
	 "E-TYPE 1:24 an address has no order"},
	{"count of read by port(peer) as p having p = 80", "p: integer, count: integer"},
	{"sum(bytes) / count as mean of read", "mean: size"},
	{"max(bytes) as bytes of read where bytes > 5 by proc having max(bytes) > 5 order by bytes",
	 "proc: string, bytes: size"},
	{"max(latency) > 5ms as slow of read", "slow: boolean"},
	{"last(time) - first(time) of read", "last(time) - first(time): duration"},
	{"count of read having rate(bytes) > 1MB",
	 "E-UNIT 1:36 units differ: a throughput and a size"},
