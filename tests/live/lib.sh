# lib.sh - for the live tests in shell: `. tests/live/lib.sh` first. Prints the lines that tests/run.sh counts.
set -u
B=${B:-build}
RN=$PWD/$B/runnel CALLS=$PWD/$B/tests/programs/calls
name=${0##*/}; name=${name%.sh}
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
status=0
ok() { echo "ok $name: $*"; }
not_ok() { echo "not ok $name: $*"; status=1; }
skip_all() { echo "skip $name: $*"; exit 0; }
same() { # WHAT GOT WANTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: got '$2', want '$3'"; fi
}
need_bpf() {
	"$RN" doctor >"$tmp/doctor" 2>&1 || skip_all "this machine does not permit tracing: $(tail -1 "$tmp/doctor")"
}
need() { for c in "$@"; do command -v "$c" >/dev/null || skip_all "no $c on this machine"; done; }
# Rows in json to $tmp/out, the ledger and messages to $tmp/err.
q() { "$RN" -o json "$@" >"$tmp/out" 2>"$tmp/err"; }
field() { jq -r "$1" "$tmp/out"; }
lost() { grep '"ledger"' "${1:-$tmp/err}" | jq '[.ledger.nodes[] | .lost_ring + .lost_map + .lost_cell + .lost_scratch] | add'; }
