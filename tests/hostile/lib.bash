# lib.bash - for the tests of hostile neighbours: `. tests/hostile/lib.bash` first. It adds to
# tests/cli/lib.bash what an attacker needs: another user, and limits under which the product has to
# hold.
. tests/cli/lib.bash
chmod 755 "$tmp" # nobody reads programs and files of a test here
# as_nobody COMMAND...: with no right at all. It replaces the shell that calls it, so `as_nobody X &
# pid=$!` gives the process itself.
as_nobody() {
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$@"
}
# nobody COMMAND...: the same, in a shell of its own.
nobody() { (as_nobody "$@"); }
# within MIB SECONDS COMMAND...: with so much address space at most; 124 is the status if it had to
# be stopped.
within() {
	local mib=$1 seconds=$2; shift 2
	(ulimit -v $((mib * 1024)); exec timeout -k 5 "$seconds" "$@")
}
# peak_mib COMMAND...: runs it, leaves its status in $rc and the most memory that it had resident,
# in MiB, in $peak.
peak_mib() {
	/usr/bin/env python3 - "$tmp/peak" "$@" <<'PY'
import os, resource, subprocess, sys
rc = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
sys.exit(rc if rc >= 0 else 128 - rc)
PY
	rc=$?; peak=$(cat "$tmp/peak")
}
