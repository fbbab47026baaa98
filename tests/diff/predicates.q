Predicates of every kind and type.

== int eq
-- query
count, sum(bytes), max(latency) of syscall where pid = 4242 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where pid=4242 group by 1

== int ne
-- query
count, sum(bytes), max(latency) of syscall where uid != 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where uid!=0 group by 1

== int lt
-- query
count, sum(bytes), max(latency) of syscall where bytes < 512 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes<512 group by 1

== int le
-- query
count, sum(bytes), max(latency) of syscall where bytes <= 4096 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes<=4096 group by 1

== int gt
-- query
count, sum(bytes), max(latency) of syscall where bytes > 4096 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes>4096 group by 1

== int ge
-- query
count, sum(bytes), max(latency) of syscall where ret >= 1 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where ret>=1 group by 1

== negative
-- query
count, sum(bytes), max(latency) of syscall where ret < 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where ret<0 group by 1

== size unit
-- query
count, sum(bytes), max(latency) of syscall where bytes >= 4KiB by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes>=4096 group by 1

== decimal size
-- query
count, sum(bytes), max(latency) of syscall where bytes > 1KB by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes>1000 group by 1

== duration
-- query
count, sum(bytes), max(latency) of syscall where latency > 1ms by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where latency>1000000 group by 1

== duration range
-- query
count, sum(bytes), max(latency) of syscall where latency between 10us and 2ms by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where latency between 10000 and 2000000 group by 1

== string eq
-- query
count, sum(bytes), max(latency) of syscall where proc = java by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc='java' group by 1

== string ne
-- query
count, sum(bytes), max(latency) of syscall where proc != java by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc!='java' group by 1

== quoted string
-- query
count, sum(bytes), max(latency) of syscall where proc = "nginx" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc='nginx' group by 1

== no such string
-- query
count, sum(bytes), max(latency) of syscall where proc = averyveryverylongname by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where 0 group by 1

== glob prefix
-- query
count, sum(bytes), max(latency) of syscall where file ~ "/var/*" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where file glob '/var/*' group by 1

== glob suffix
-- query
count, sum(bytes), max(latency) of syscall where file ~ "*.log" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where file glob '*.log' group by 1

== glob middle
-- query
count, sum(bytes), max(latency) of syscall where file ~ "*lib*" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where file glob '*lib*' group by 1

== glob several stars
-- query
count, sum(bytes), max(latency) of syscall where file ~ "/*/*/*" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where file glob '/*/*/*' group by 1

== glob question mark
-- query
count, sum(bytes), max(latency) of syscall where proc ~ "?d" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc glob '?d' group by 1

== not glob
-- query
count, sum(bytes), max(latency) of syscall where file !~ "/var/*" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where not file glob '/var/*' group by 1

== glob of proc
-- query
count, sum(bytes), max(latency) of syscall where proc ~ "*a*" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc glob '*a*' group by 1

== regex
-- query
count, sum(bytes), max(latency) of syscall where proc =~ "^(java|dd)$" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc in ('java','dd') group by 1

== regex of file
-- query
count, sum(bytes), max(latency) of syscall where file =~ "/lib[^/]*/" by name

== errno
-- query
count, sum(bytes), max(latency) of syscall where error = ENOENT by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where error=2 group by 1

== errno ne
-- query
count, sum(bytes), max(latency) of syscall where error != 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where error!=0 group by 1

== errno set
-- query
count, sum(bytes), max(latency) of syscall where error in (ENOENT, EAGAIN, EACCES) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where error in (2,11,13) group by 1

== int set
-- query
count, sum(bytes), max(latency) of syscall where uid in (0, 33, 1000) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where uid in (0,33,1000) group by 1

== string set
-- query
count, sum(bytes), max(latency) of syscall where proc in (java, dd, nginx) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc in ('java','dd','nginx') group by 1

== not in
-- query
count, sum(bytes), max(latency) of syscall where proc not in (java, dd) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc not in ('java','dd') group by 1

== a large set
-- query
count, sum(bytes), max(latency) of syscall where pid in (1000, 1007, 1014, 1021, 1028, 1035, 1042, 1049, 1056, 1063, 1070, 1077, 1084, 1091, 1098, 1105, 1112, 1119, 1126, 1133, 1140, 1147, 1154, 1161, 1168, 1175, 1182, 1189, 1196, 1203, 1210, 1217, 1224, 1231, 1238, 1245, 1252, 1259, 1266, 1273, 1280, 1287, 1294, 1301, 1308, 1315, 1322, 1329, 1336, 1343, 1350, 1357, 1364, 1371, 1378, 1385, 1392, 1399, 1406, 1413, 1420, 1427, 1434, 1441, 1448, 1455, 1462, 1469, 1476, 1483, 1490, 1497, 1504, 1511, 1518, 1525, 1532, 1539, 1546, 1553, 1560, 1567, 1574, 1581, 1588, 1595, 1602, 1609, 1616, 1623, 1630, 1637, 1644, 1651, 1658, 1665, 1672, 1679, 1686, 1693) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where pid in (1000,1007,1014,1021,1028,1035,1042,1049,1056,1063,1070,1077,1084,1091,1098,1105,1112,1119,1126,1133,1140,1147,1154,1161,1168,1175,1182,1189,1196,1203,1210,1217,1224,1231,1238,1245,1252,1259,1266,1273,1280,1287,1294,1301,1308,1315,1322,1329,1336,1343,1350,1357,1364,1371,1378,1385,1392,1399,1406,1413,1420,1427,1434,1441,1448,1455,1462,1469,1476,1483,1490,1497,1504,1511,1518,1525,1532,1539,1546,1553,1560,1567,1574,1581,1588,1595,1602,1609,1616,1623,1630,1637,1644,1651,1658,1665,1672,1679,1686,1693) group by 1

== and
-- query
count, sum(bytes), max(latency) of syscall where proc = java and bytes > 100 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc='java' and bytes>100 group by 1

== or
-- query
count, sum(bytes), max(latency) of syscall where proc = java or proc = dd by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where proc='java' or proc='dd' group by 1

== not
-- query
count, sum(bytes), max(latency) of syscall where not (proc = java or error = 0) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where not (proc='java' or error=0) group by 1

== mixed
-- query
count, sum(bytes), max(latency) of syscall where (proc = java and bytes > 1000) or (error != 0 and uid != 0) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where (proc='java' and bytes>1000) or (error!=0 and uid!=0) group by 1

== arithmetic
-- query
count, sum(bytes), max(latency) of syscall where bytes * 2 > 8192 and bytes - 1 < 100000 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes*2>8192 and bytes-1<100000 group by 1

== modulo
-- query
count, sum(bytes), max(latency) of syscall where pid % 3 = 1 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where pid%3=1 group by 1

== two fields
-- query
count, sum(bytes), max(latency) of syscall where pid != tid by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where pid!=tid group by 1

== field and field
-- query
count, sum(bytes), max(latency) of syscall where bytes < ret + 1 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes<ret+1 group by 1

== division by a field
-- query
count, sum(bytes), max(latency) of syscall where bytes / pid = 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes/pid=0 group by 1

== division by zero
-- query
count, sum(bytes), max(latency) of syscall where 1000 / (fd + 1) > 5 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where 1000.0/nullif(fd+1,0)>5 group by 1

== constant true
-- query
count, sum(bytes), max(latency) of syscall where 1 = 1 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where 1 group by 1

== constant false
-- query
count, sum(bytes), max(latency) of syscall where 1 = 2 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where 0 group by 1

== folded
-- query
count, sum(bytes), max(latency) of syscall where bytes > 2 * 512 + 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes>1024 group by 1

== float compare
-- query
count, sum(bytes), max(latency) of syscall where bytes * 1.5 > 6000 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes*1.5>6000 group by 1

== name
-- query
count, sum(bytes), max(latency) of syscall where name = openat by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where name='openat' group by 1

== name glob
-- query
count, sum(bytes), max(latency) of syscall where name ~ "p*64" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where name glob 'p*64' group by 1

== node
-- query
count, sum(bytes), max(latency) of syscall where node ~ "*1" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where node glob '*1' group by 1

== function
-- query
count, sum(bytes), max(latency) of syscall where basename(file) = syslog by name

== len
-- query
count, sum(bytes), max(latency) of syscall where len(proc) > 4 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where length(proc)>4 group by 1

== nested not
-- query
count, sum(bytes), max(latency) of syscall where not not (bytes > 10) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes>10 group by 1

== bool equality
-- query
count, sum(bytes), max(latency) of syscall where (bytes > 10) = (latency > 1us) by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where (bytes>10)=(latency>1000) group by 1

== cidr
-- query
count, sum(bytes), max(latency) of syscall where cidr(peer, "10.0.0.0/8") by name

== port
-- query
count, sum(bytes), max(latency) of syscall where port(peer) = 6379 by name

== ip4
-- query
count, sum(bytes), max(latency) of syscall where peer != ip4("10.0.0.1:6379") by name

== similar
-- query
count, sum(bytes) of syscall where similar(file, "/var/lib/postgresql/base/1/1234") > 0.2 by file

== nodes
-- query
count, sum(bytes) of syscall where bytes > nodes() * 100 by name

== thread
-- query
count, sum(bytes), max(latency) of syscall where thread != proc by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where thread!=proc group by 1

== time
-- query
count, sum(bytes), max(latency) of syscall where time > "2020-01-01 00:00:00" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where time>1577836800000000000 group by 1

== bucket in where
-- query
count, sum(bytes), max(latency) of syscall where bucket(bytes, 4096) = 8192 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where bytes/4096*4096=8192 group by 1

== fd
-- query
count, sum(bytes), max(latency) of syscall where fd >= 3 and fd < 10 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where fd>=3 and fd<10 group by 1

== dev
-- query
count, sum(bytes), max(latency) of syscall where dev != 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where dev!=0 group by 1

== offset
-- query
count, sum(bytes), max(latency) of syscall where offset > 0 by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where offset>0 group by 1

== tags
-- query
count, sum(bytes), max(latency) of syscall where tags != "" by name
-- sql
select name, count(*), sum(bytes), max(latency) from paired where tags!='' group by 1
