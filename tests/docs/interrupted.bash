#!/bin/bash
# interrupted.bash - stands for `runnel` in the commands of the documents. It runs $RN_DOC_PROGRAM,
# and interrupts it four seconds after it has attached its probes. A program that attaches nothing
# has 20 seconds more.
"$RN_DOC_PROGRAM" "$@" <&0 &
pid=$!
attached() { ls -l "/proc/$pid/fd" 2>/dev/null | grep -q 'bpf_link\|perf_event'; }
runs() { kill -0 $pid 2>/dev/null; }
for ((i = 0; i < 200; i++)); do
	runs && ! attached || break
	sleep 0.1
done
for ((i = 0; i < ${RN_DOC_SECONDS:-4} * 10; i++)); do
	runs || break
	sleep 0.1
done
runs && kill -INT $pid
wait $pid
