#!/bin/bash
# history.sh - no test has entered a statement into the history of the person who runs the tests.
. tests/support/check.bash
if [ -e "$XDG_STATE_HOME/runnel/history" ]; then
	not_ok 'the history is untouched'
	cat "$XDG_STATE_HOME/runnel/history"
else
	ok 'the history is untouched'
fi
done_testing
