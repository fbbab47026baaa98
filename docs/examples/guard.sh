#!/bin/bash
# guard.sh - runs a command while it is recorded, and holds the recording against a query file of
# assertions:
#
#	docs/examples/guard.sh docs/examples/check.rnl make bench		# as root
#	RECORDING=old.rnt docs/examples/guard.sh docs/examples/check.rnl        # one that is there
#	  already
#
# The exit status is that of runnel: 0 all assertions hold, 1 one fails, 3 not all was seen, 4
# tracing is not permitted. RUNNEL: the program (runnel). Its messages are passed on; limits may be
# given in LIMITS, as in LIMITS='limit=5ms'.
set -u
runnel=${RUNNEL:-runnel}
check=${1:?usage: guard.sh FILE.rnl COMMAND [ARGUMENT...]}; shift
recording=${RECORDING:-}
if [ -z "$recording" ]; then
	[ $# -gt 0 ] || { echo "usage: guard.sh FILE.rnl COMMAND [ARGUMENT...]" >&2; exit 2; }
	dir=$(mktemp -d) || exit 4
	trap 'rm -rf "$dir"' EXIT
	recording=$dir/guard.rnt
	"$runnel" -q -c "$(printf '%q ' "$@")" "events of syscall into \"$recording\"" || exit
fi
# shellcheck disable=SC2086 # a list
if "$runnel" -q --strict "$check" recording="$recording" ${LIMITS:-} >&2; then
	echo "guard.sh: all assertions of $check hold"
else
	status=$?
	echo "guard.sh: $check ended with status $status" >&2
	exit $status
fi
