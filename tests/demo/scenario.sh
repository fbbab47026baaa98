#!/bin/bash
# scenario.sh DIR - a marked file on its way: copied, piped, sent through a socket, written by another process.
mkdir -p "${1:?which directory shall the files be in}" && cd "$1" || exit 1
port=$((20000 + $$ % 20000))
{ head -c 70000 /dev/zero | tr '\0' .; printf '%s%s' fix 283; head -c 30000 /dev/zero | tr '\0' .; } >order.txt
nc -l -N 127.0.0.1 $port >received.txt & server=$!
sleep 0.3
cp order.txt copy.txt
cat copy.txt | nc -N 127.0.0.1 $port
wait $server
