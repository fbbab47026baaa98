# lib.sh - for the live tests in shell: `. tests/live/lib.sh` first.
. tests/support/check.bash
B=${B:-build}
RN=$PWD/$B/runnel CALLS=$PWD/$B/tests/programs/calls
export RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY= # never those of the person who runs the tests
# Rows in json to $tmp/out, the ledger and messages to $tmp/err.
q() { "$RN" -o json "$@" >"$tmp/out" 2>"$tmp/err"; }
# PID: the query is attached, or has ended
watching() { grep -q '^attached' "$tmp/err" || ! kill -0 "$1" 2>/dev/null; }
# As q, of a query without an end: COMMAND is done while it is attached. among: a hosts file.
during() { # QUERY COMMAND...
	local query=$1 pid; shift
	: >"$tmp/err" # of the query before
	"$RN" -v -o json ${among:+-H "$among"} "$query" >"$tmp/out" 2>"$tmp/err" & pid=$!
	await watching $pid
	"$@"
	kill -TERM $pid; wait $pid
}
# Each of these programs, which pause between rounds of calls, has made at least one more of them.
round() { # PID...
	local p from
	for p; do from=$(sleeps_of "$p") && await slept "$p" $((from + 3)) || return; done
}
sleeps_of() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"; }
slept() { [ "$(sleeps_of "$1")" -ge "$2" ]; }
is_now() { [ "$(cat "/proc/$1/comm")" = "$2" ]; } # PID NAME: the process has become that program
field() { jq -r "$1" "$tmp/out"; }
lost() {
	grep '"ledger"' "${1:-$tmp/err}" |
		jq '[.ledger.nodes[] | .lost_ring + .lost_map + .lost_cell + .lost_scratch] | add'
}
