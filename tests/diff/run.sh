#!/bin/bash
# The differential oracle over a generated recording of 60,000 events.
set -e
trace=${B:?}/tests/diff.rnt
rm -f "$trace"
"$B/tests/gen_trace" "$trace" 60000 1
"$B/tests/diff" "$trace" tests/diff/*.q
