# Functions, `if` and operators of bits: at the coordinator, pushed down and in the kernel's plan.

== bits in conditions
-- query
count of syscall where pid & 6 = 2 or fd | 8 = 11 by name
-- sql
select name, count(*) from events where (pid & 6) = 2 or (fd | 8) = 11 group by 1

== bits: and binds stronger than or, shifts stronger than and
-- query
fd & 3 | 4 as a, fd >> 1 & 3 as b, 1 << 3 + 1 as c, count of syscall by fd
-- sql
select fd, (fd & 3) | 4, (fd >> 1) & 3, 16, count(*) from events group by fd

== bits: without both
-- query
sum(pid ^ fd) as x, sum(pid ^ 255) as y of syscall where fd >= 0 by name
-- sql
select name, sum((pid | fd) - (pid & fd)), sum((pid | 255) - (pid & 255)) from events where fd >= 0 group by name

== bits of negative numbers
-- query
count of syscall by -pid >> 2 as q, -pid & 7 as r
-- sql
select -pid >> 2, -pid & 7, count(*) from events group by 1, 2

== a shift by a field
-- query
sum(pid << fd) as s, count of syscall where fd >= 0 and fd < 20 by fd
-- sql
select fd, sum(pid << fd), count(*) from events where fd >= 0 and fd < 20 group by fd

== a shift by too much has no value
-- query
count, sum(pid >> fd) as s of syscall by fd
-- sql
select fd, count(*), case when fd between 0 and 63 then sum(pid >> fd) else 0 end from events group by fd

== bits of a size
-- query
count of read by bytes & 4095 as rest
-- sql
select bytes & 4095, count(*) from events where name in ('read', 'pread64', 'readv', 'preadv', 'preadv2') group by 1

== if in a key
-- query
count of syscall by if(error = 0, "good", "bad") as what, name
-- sql
select case when error = 0 then 'good' else 'bad' end, name, count(*) from events group by 1, 2

== if in an aggregate
-- query
sum(if(error = 0, bytes, 0)) as moved, max(if(fd > 5, pid, -1)) as m of syscall by name
-- sql
select name, sum(case when error = 0 then bytes else 0 end), max(case when fd > 5 then pid else -1 end) from events group by 1

== if of conditions, and in them
-- query
count of syscall where if(fd > 3, pid > 2000, bytes > 100) by name
-- sql
select name, count(*) from events where case when fd > 3 then pid > 2000 else bytes > 100 end group by 1

== if with a fraction
-- query
sum(if(fd > 3, 0.5, fd)) as s, if(count > 100, 1.5, count) as c of syscall where fd >= 0 by name
-- sql
select name, sum(case when fd > 3 then 0.5 else fd end), case when count(*) > 100 then 1.5 else count(*) * 1.0 end from events where fd >= 0 group by 1

== if of what is null
-- query
if(bytes / fd > 1B, 1, 0) as one, count of syscall by bytes, fd
-- sql
select bytes, fd, case when fd != 0 and bytes / fd > 1 then 1 else 0 end, count(*) from events group by 1, 2

== if does not compute what it leaves out
-- query
avg(if(fd > 0, div(bytes, fd), 0)) as a of syscall where fd >= 0 by name
-- sql
select name, avg(case when fd > 0 then bytes / fd else 0 end) from events where fd >= 0 group by 1

== a division in the condition of if(): without a value it is not true, and leaves nothing out
-- query
sum(if(bytes / fd < 100B, pid, tid)) as s, max(if(1 / fd > 0, fd, -1) where bytes / fd > 1B) as m of syscall by name
-- sql
select name, sum(iif(bytes * 1.0 / nullif(fd, 0) < 100, pid, tid)), max(iif(bytes * 1.0 / nullif(fd, 0) > 1, iif(1.0 / nullif(fd, 0) > 0, fd, -1), null)) from events group by name

== contains, startswith, endswith
-- query
count of syscall where contains(file, "o") and startswith(file, "/") and not endswith(file, "1") by contains(name, "read") as reads
-- sql
select instr(name, 'read') > 0, count(*) from events where instr(file, 'o') and substr(file, 1, 1) = '/' and not file like '%1' group by 1

== substr compared with a constant
-- query
sum(substr(file, 0, 4) = "/var") as a, sum(substr(file, 1) = "dev/null") as b, sum(substr(file, -4) = "null") as c, sum(substr(file, -60) = "/dev/null") as d, sum(substr(name, 0, 9) != "read") as e, sum(substr(name, 4, 2) = "") as f, sum("ad" = substr(name, -2, 2)) as g of syscall
-- sql
select sum(substr(file, 1, 4) = '/var'), sum(substr(file, 2) = 'dev/null'), sum(file like '%null'), sum(file = '/dev/null'), sum(substr(name, 1, 9) <> 'read'), sum(substr(name, 5, 2) = ''), sum(name like '%ad') from events

== contains: an empty text is in all
-- query
sum(contains(file, "")) as c, sum(startswith(file, "")) as s, sum(endswith(file, "")) as e of syscall
-- sql
select count(*), count(*), count(*) from events

== replace, trim, concat
-- query
count of syscall by replace(name, "read", "R") as r, trim(concat(" ", proc, " ")) as t, concat(proc, ":", pid) as who
-- sql
select replace(name, 'read', 'R'), trim(' ' || proc || ' '), proc || ':' || pid, count(*) from events group by 1, 2, 3

== split_part
-- query
count of syscall by split_part(concat(name, ".", proc, ".", fd), ".", 2) as second, split_part(concat(name, ".", proc), ".", -1) as final, split_part(name, "no", 3) as none
-- sql
select proc, proc, '', count(*) from events group by 1, 2, 3

== extract
-- query
count of syscall by extract(name, "^p(read|write)") as pos, extract(name, "[a-z_]*") as all_of_it
-- sql
select case when name like 'pread%' then 'read' when name like 'pwrite%' then 'write' else '' end, rtrim(name, '0123456789'), count(*) from events where name not in ('pread64x') group by 1, 2

== functions of the answer
-- query
concat(name, "/", n) as a, replace(name, "e", "3") as b, extract(name, "(.)$") as c, if(n > 100, upper(name), "few") as d, greatest(n, 100) as g, least(n, 2.5) as l of (count as n of syscall by name)
-- sql
select name || '/' || n, replace(name, 'e', '3'), substr(name, -1), case when n > 100 then upper(name) else 'few' end, max(n, 100), min(n, 2.5) from (select name, count(*) as n from events group by name)

== least and greatest
-- query
sum(least(bytes, 100)) as a, sum(greatest(fd, 3, pid & 7)) as b of syscall by least(name, proc) as c
-- sql
select min(name, proc), sum(min(bytes, 100)), sum(max(fd, 3, pid & 7)) from events group by 1

== roots and logarithms
-- query
sqrt(pid * pid) as s, log2(1024) as l, count of syscall by pid
-- sql
select pid, pid * 1.0, 10.0, count(*) from events group by pid

== days and hours
-- query
count of syscall by hour(time) as h, date(time) as d
-- sql
select cast(strftime('%H', time / 1000000000, 'unixepoch', 'localtime') as integer), strftime('%Y-%m-%d', time / 1000000000, 'unixepoch', 'localtime'), count(*) from events group by 1, 2

== the present
-- query
count of syscall where time < now() and time > now() - 36500d
-- sql
select count(*) from events
