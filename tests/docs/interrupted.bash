#!/bin/bash
# interrupted.bash - stands for `runnel` in the commands of the documents. It runs $RN_DOC_PROGRAM,
# and interrupts it after seven seconds. It does nothing meanwhile: that would be in the answers.
"$RN_DOC_PROGRAM" "$@" <&0 &
pid=$!
sleep "${RN_DOC_SECONDS:-7}" &
wait -n $pid $!
kill -INT $pid 2>/dev/null
wait $pid
status=$?
kill %2 2>/dev/null
exit $status
