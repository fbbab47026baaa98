#!/bin/bash
# members.sh [ROUNDS [CALLS]] - what members of structs of the kernel cost the program of a query,
# by loads and by the helper: ns of a run, as the kernel measures them, beside the same query
# without members. The least of interleaved rounds (9): all else that runs there makes a run
# longer.
set -u
B=${B:-build} rounds=${1:-9} calls=${2:-200000}
top=$(mktemp -d); was=$(cat /proc/sys/kernel/bpf_stats_enabled)
trap 'rm -rf "$top"; echo "$was" >/proc/sys/kernel/bpf_stats_enabled' EXIT
echo 1 >/proc/sys/kernel/bpf_stats_enabled
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
leader=group_leader # of a process of one thread: itself, so no further memory is read
members=(
	1
	regs.orig_ax
	"task.$leader.static_prio"
	"task.$leader.$leader.$leader.static_prio"
	"task.$leader.$leader.$leader.$leader.$leader.$leader.$leader.static_prio"
	"task.$leader.exit_code"
	task.io_uring.cached_refs
)
loads=(0 1 2 4 8 '2, and 0 at the end' '1, which is null')
run_ns() { # PID: of its programs that have run
	awk '/^run_time_ns/ { t = $2 } /^run_cnt/ && $2 > 1000 { print t / $2 }' /proc/"$1"/fdinfo/*
}
for ((r = 0; r < rounds; r++)); do
	for ((i = 0; i < ${#members[@]}; i++)); do
		for without in none bpf_rdonly_cast; do
			RUNNEL_WITHOUT=$without "$B/runnel" -v -q "max(${members[i]}) of tracepoint
				\"raw_syscalls:sys_enter\"" >"$top/out" 2>&1 & pid=$!
			for ((k = 0; k < 400; k++)); do
				grep -q '^attached' "$top/out" && break
				sleep 0.05
			done
			"$B/tests/programs/calls" "getppid=$calls" >/dev/null
			echo "$i $without $(run_ns $pid)"
			kill -TERM $pid; wait $pid 2>/dev/null
		done
	done
done >"$top/measured"
printf '%s\n' "${loads[@]}" | awk -v measured="$top/measured" '
	function added(i, way) { return least[i " " way] - base }
	BEGIN {
		while ((getline line <measured) > 0) {
			split(line, f, " "); k = f[1] " " f[2]
			if (!(k in least) || f[3] < least[k]) least[k] = f[3]
		}
		base = least["0 none"] # the same program as the other
		if (least["0 bpf_rdonly_cast"] < base) base = least["0 bpf_rdonly_cast"]
		printf "added ns of a run (without members: %.0f)\n%-22s %6s %6s %6s\n", base, "numbers that are read", "loads", "helper", "ratio"
	}
	NR > 1 {
		a = added(NR - 1, "none"); b = added(NR - 1, "bpf_rdonly_cast")
		printf "%-22s %6.1f %6.1f %6.2f\n", $0, a, b, b ? a / b : 0
	}
	END {
		a = (added(4, "none") - added(2, "none")) / 6; b = (added(4, "bpf_rdonly_cast") - added(2, "bpf_rdonly_cast")) / 6
		printf "%-22s %6.1f %6.1f %6.2f\n", "a step more", a, b, a / b
	}'
