#!/bin/bash
# workload.bash DIR - a little of everything, so that the examples of the documents have something
# to show: files, processes, sockets, errors, synchronised writes, a database, a client and its
# server. None is the real thing: `postgres` is dd, `java` is perl. Ends with
# the process that started it.
cd "$1" || exit 1
parent=$PPID
mkdir -p bin db logs
ln -sf "$(command -v dd)" bin/postgres
head -c 300000 /dev/zero >db/table.dat

# A client sends 500 bytes each 20 ms, and its server answers with 20. Java reads and writes files.
perl -MSocket -e '
	my ($parent, $heap) = (getppid, "x" x 40_000_000);
	sub nap { select(undef, undef, undef, 0.02); kill 0, $parent }
	if (!fork) {
		$0 = "java";
		while (nap) {
			open(my $in, "<", "/etc/services"); local $/; my $text = <$in>;
			open(my $log, ">", "logs/java.log"); print $log substr($text, 0, 6000);
		}
		exit;
	}
	my ($listen, $peer, $got);
	socket($listen, PF_INET, SOCK_STREAM, 0) && listen($listen, 1) or exit;
	if (!fork) {
		$0 = "server";
		accept($peer, $listen);
		while (defined recv($peer, $got, 4096, 0) && length $got) { send($peer, "a" x 20, 0) }
		exit;
	}
	$0 = "client";
	socket($peer, PF_INET, SOCK_STREAM, 0) && connect($peer, sockaddr_in(
		(sockaddr_in(getsockname($listen)))[0], INADDR_LOOPBACK)) or exit;
	while (nap) { send($peer, "q" x 500, 0); recv($peer, $got, 4096, 0) }' &

while kill -0 "$parent" 2>/dev/null; do
	# shellcheck disable=SC2002 # a pipe is meant
	cat /etc/passwd | wc -l >count.txt
	cp /etc/services services.copy
	ls /nonexistent 2>/dev/null
	dd if=/dev/zero of=synced.dat bs=4k count=8 conv=fsync 2>/dev/null
	bin/postgres if=db/table.dat of=db/wal bs=8k count=4 conv=fsync,notrunc 2>/dev/null
	bin/postgres if=db/table.dat of=/dev/null bs=8k count=20 2>/dev/null
	(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null
	sleep 0.05
done
