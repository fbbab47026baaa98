-- Forty processes of four nodes that pass a tag on, each to two others, with long names.
DELETE FROM events; DELETE FROM nodes; DELETE FROM ledger; DELETE FROM processes;
INSERT INTO nodes VALUES ('storage-node-1.example.org', 1000000000, 9000000000, 1, NULL),
	('n2', 1000000000, 9000000000, 1, NULL), ('n3', 1000000000, 9000000000, 1, NULL),
	('n4', 1000000000, 9000000000, 1, NULL);
CREATE TEMP TABLE process AS
	WITH RECURSIVE p(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM p WHERE i < 39)
	SELECT i, CASE i % 4 WHEN 0 THEN 'storage-node-1.example.org' ELSE 'n' || (i % 4 + 1) END node,
		'server-process-' || i proc, 100 + i pid FROM p;
CREATE TEMP TABLE link AS
	SELECT a.i from_i, b.i to_i, 30000 + a.i * 100 + b.i port FROM process a
	JOIN process b ON b.i IN (2 * a.i + 1, 2 * a.i + 2);
-- a process sends when it has received; each level of the tree takes a millisecond
INSERT INTO events (time, node, proc, thread, pid, tid, ppid, uid, gid, name, tags, fd, bytes,
	local, peer, source, flags, ret, error, latency)
SELECT 2000000000 + (p.i + 1) * 1000000 + l.to_i * 1000, p.node, p.proc, p.proc, p.pid, p.pid, 1, 0, 0,
	'sendto', 'fix283', 3, 4096, '10.0.0.1:' || port, '10.0.0.2:9000', '', 0, 4096, 0, 500
FROM link l JOIN process p ON p.i = l.from_i
UNION ALL
SELECT 2000000000 + (l.from_i + 1) * 1000000 + l.to_i * 1000 + 300, p.node, p.proc, p.proc, p.pid, p.pid,
	1, 0, 0, 'recvfrom', 'fix283', 4, 4096, '10.0.0.2:9000', '10.0.0.1:' || port, '', 0, 4096, 0, 200
FROM link l JOIN process p ON p.i = l.to_i;
