-- A recording of three nodes, of which one died: a request over the network, writes that repeat, a
-- link with two choices, an end without another side, names that would break out.
DELETE FROM events; DELETE FROM nodes; DELETE FROM ledger; DELETE FROM processes;
INSERT INTO nodes VALUES ('web1', 1000000000, 9000000000, 1, NULL),
	('db1', 1000000000, 9000000000, 1, NULL),
	('db2', 1000000000, 9000000000, 0, 'it did not answer for 10 s');
INSERT INTO ledger VALUES ('web1', 'seen', 9), ('web1', 'matched', 9), ('db1', 'seen', 20),
	('db1', 'matched', 9), ('db1', 'uncovered', 3);
CREATE TEMP TABLE hop (us, node, proc, pid, name, file, ino, bytes, "offset", local, peer, latency);
INSERT INTO hop VALUES
(1000, 'web1', 'curl', 41, 'sendto', '', 0, 100, 0, '10.0.0.1:5000', '10.0.0.2:80', 20),
(1500, 'db1', 'nginx', 20, 'recvfrom', '', 0, 100, 0, '10.0.0.2:80', '10.0.0.1:5000', 400),
(1600, 'db1', 'nginx', 20, 'write', '/var/log/access.log', 7, 50, 0, '', '', 10),
(1700, 'db1', 'nginx', 20, 'write', '/var/log/access.log', 7, 50, 50, '', '', 10),
(1800, 'db1', 'nginx', 20, 'write', '/var/log/access.log', 7, 50, 100, '', '', 10),
(1900, 'db1', 'nginx', 20, 'sendto', '', 0, 100, 0, '10.0.0.2:6000', '10.0.0.3:5432', 15),
(2000, 'db1', 'tail', 21, 'read', '/var/log/access.log', 7, 150, 0, '', '', 30),
(2100, 'db1', 'tail', 21, 'read', '/var/log/access.log', 7, 150, 0, '', '', 30),
(2200, 'db1', 'tail', 21, 'write', '/tmp/out', 8, 150, 0, '', '', 5),
(2300, 'db1', '"><b>&''' || char(27) || '[31m', 22, 'read', '/tmp/out', 8, 150, 0, '', '', 5),
(2400, 'db1', '"><b>&''' || char(27) || '[31m', 22, 'write',
	'/tmp/</script><script>alert(1)</script>' || char(10) || CAST(x'c3' AS TEXT) || '"\', 9, 150, 0, '', '', 5);
INSERT INTO events (time, node, proc, thread, pid, tid, ppid, uid, gid, name, tags, fd, file, dev, ino,
	bytes, "offset", local, peer, source, flags, ret, error, latency)
SELECT 2000000000 + us * 1000, node, proc, proc, pid, pid, 1, 0, 0, name, 'fix283', 3, file,
	CASE ino WHEN 0 THEN NULL ELSE 266338304 END, CASE ino WHEN 0 THEN NULL ELSE ino END,
	bytes, "offset", local, peer, '', 0, bytes, 0, latency * 1000 FROM hop;
