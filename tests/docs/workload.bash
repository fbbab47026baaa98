#!/bin/bash
# workload.bash DIR - a little of everything, so that the examples of the documents have something
# to show: files, processes, sockets, errors, synchronised writes. Ends with who started it.
cd "$1" || exit 1
parent=$PPID
while kill -0 "$parent" 2>/dev/null; do
	# shellcheck disable=SC2002 # a pipe is meant
	cat /etc/passwd | wc -l >count.txt
	cp /etc/services services.copy
	ls /nonexistent 2>/dev/null
	dd if=/dev/zero of=synced.dat bs=4k count=8 conv=fsync 2>/dev/null
	(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null
	sleep 0.05
done
