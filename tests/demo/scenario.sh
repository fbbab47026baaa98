#!/bin/bash
# scenario.sh DIR - a marked file on its way: copied, piped, sent through a socket, written by
# another process.
mkdir -p "${1:?which directory shall the files be in}" && cd "$1" || exit 1
port=$((20000 + $$ % 12000))
listens() { grep -q ": 0100007F:$(printf %04X $port) 00000000:0000 0A " /proc/net/tcp; }
while listens; do port=$((port + 1)); done
{
	head -c 70000 /dev/zero | tr '\0' .
	printf '%s%s' fix 283
	head -c 30000 /dev/zero | tr '\0' .
} >order.txt
nc -l -N 127.0.0.1 $port >received.txt & server=$!
until listens || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
cp order.txt copy.txt
# shellcheck disable=SC2002 # a pipe is meant
cat copy.txt | nc -N 127.0.0.1 $port
wait $server
