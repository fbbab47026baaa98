#!/bin/bash
# stdlib.sh [FILE...] - every view of the standard library gives rows, and its columns are those
# that its documentation names. Meanwhile tests/programs/bustle does a bit of everything, a cgroup
# runs out of memory, a connection gets no answer, pages are written back, and two threads talk TLS.
. tests/live/lib.sh
need_bpf
need jq

# Arguments of those views that want one, or whose default threshold nothing here reaches.
args() { # VIEW
	case $1 in
	slow_reads | slow_writes | slow_calls | held_open | runqslower) echo '(1ns)' ;;
	many_threads) echo '(1)' ;;
	*) [ "$module" = tags ] && echo '("bustle-tag-4711")' ;;
	esac
}
# Why a view may be empty here.
empty() { # VIEW
	case $1 in
	oomkill) [ -z "$cgroup" ] && echo 'no cgroup with a limit of memory can be made here' ;;
	tcpretrans) [ -z "$deaf" ] && echo 'no network without answers can be made here' ;;
	drsnoop) echo 'only a machine that is short of memory has any' ;;
	sslsnoop | sslsniff) [ -z "$talks" ] && echo 'libssl-dev is not installed' ;;
	swapin) echo 'nothing is swapped out here' ;;
	xfsdist) echo 'no XFS is written to here' ;;
	mdflush) echo 'no software RAID is here' ;;
	migrations) [ "$(nproc)" = 1 ] && echo 'this machine has one CPU' ;;
	bitesize | bio* | disk_latency | writeback) [ "$(stat -f -c %T "$tmp")" = tmpfs ] &&
		echo 'files are in memory here';;
	*) return 1 ;;
	esac
}
# MODULE VIEW ARGS: rows to $tmp/VIEW.out; on a slow machine a second has little in it: then it is
# asked for longer
ask() {
	local seconds
	for seconds in 1 5 20; do
		timeout 300 "$RN" -o json "use $1; events of $2$3 for ${seconds}s" >"$tmp/$2.out" \
			2>"$tmp/$2.err" </dev/null || echo "exit $?" >>"$tmp/$2.err"
		[ ! -s "$tmp/$2.out" ] && ! empty "$2" >/dev/null &&
			! grep -q '^exit' "$tmp/$2.err" || return
	done
}
# What the lines above a view document, in alphabetical order: columns, and the parameters that its
# first line names.
documented() { # MODULE VIEW
	awk -v v="$2" '/^--\|/ { if (match($0, /^--\| [a-z_0-9]+: /)) doc[++n] = substr($2, 1, length($2) - 1); next }
		$1 == "view" { name = $2; sub(/\(.*/, "", name); if (name == v) { s = $0; sub(/^[^(]*\(/, "", s); sub(/\).*/, "", s)
			gsub(/=[^,]*/, "", s); k = split(s, p, /[ ,]+/); for (i = 1; i <= k; i++) isp[p[i]] = 1
			for (i = 1; i <= n; i++) if (!(doc[i] in isp)) print doc[i] } }
		{ n = 0 }' "stdlib/$1.rnl" | sort | paste -sd' '
}
judge() { # MODULE VIEW
	local why cols
	if grep -q 'this kernel has no tracepoint' "$tmp/$2.err"; then
		skip "$1 $2: $(grep -om1 'this kernel has no tracepoint.*' "$tmp/$2.err")"
	elif why=$(grep -om1 'this kernel is built without probes on its functions\|this kernel has no function `[a-z_]*`' "$tmp/$2.err"); then
		skip "$1 $2: $why"
	elif grep -q '^error\|^exit\|: error:' "$tmp/$2.err"; then
		not_ok "$1 $2: $(grep -m1 'error\|exit' "$tmp/$2.err")"
	elif [ ! -s "$tmp/$2.out" ]; then
		if why=$(empty "$2"); then
			skip "$1 $2: $why"
		else
			not_ok "$1 $2: no rows"
			cat "$tmp/$2.err"
		fi
	else
		cols=$(head -n1 "$tmp/$2.out" | jq -r 'del(.other) | keys[]' | sort | paste -sd' ')
		same "$1 $2" "$cols" "$(documented "$1" "$2")"
	fi
}

# ---- what goes wrong meanwhile
# A cgroup of 16 MiB, of version 2 or 1, in $cgroup; empty: none can be made.
small_cgroup() {
	local root limit
	for root in $(findmnt -nt cgroup2 -o TARGET) $(findmnt -nt cgroup -O memory -o TARGET); do
		cgroup=$root/rn-small-$$
		mkdir "$cgroup" 2>/dev/null || continue
		for limit in memory.max memory.limit_in_bytes; do
			[ -e "$cgroup/$limit" ] && echo 16M >"$cgroup/$limit" 2>/dev/null && return
		done
		rmdir "$cgroup"
	done
	cgroup=
}
# Programs that want more than that, one after another. Each is ended by the kernel.
run_out() {
	while sleep 0.2; do
		(echo $BASHPID >"$cgroup/cgroup.procs" && exec tail /dev/zero)
	done
}
# A network whose only neighbour never answers, so that each connection sends again.
no_answer='ip link add v0 type veth peer name v1 && ip addr add 10.9.9.1/24 dev v0 &&
	ip link set v0 up && ip link set v1 up &&
	ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:02 dev v0'
not_answered() { # shellcheck disable=SC2016 # for the other shell
	exec unshare -n sh -c "$no_answer"' && while sleep 0.3; do
		timeout 4 bash -c "exec 3<>/dev/tcp/10.9.9.2/9" &
	done'
}
# Pages that somebody waits for, so that the kernel writes them back now.
written_back() {
	while sleep 0.3; do date >"$tmp/changed" && sync -f "$tmp"; done
}
# Names of machines that are asked for, and lines that somebody types.
asked_and_typed() {
	while sleep 0.2; do
		getent ahosts localhost
		echo 'echo typed' | script -qec 'bash --norc -i' /dev/null
	done
}
# Views of payload need leave.
echo 'payload = allow' >"$tmp/policy"
export RUNNEL_POLICY=$tmp/policy
TLS=$PWD/$B/tests/programs/tls
talks=yes
"$TLS" >/dev/null; [ $? = 77 ] && talks=
small_cgroup
deaf=
unshare -n sh -c "$no_answer" 2>/dev/null && deaf=yes
trouble=
[ -z "$cgroup" ] || { run_out >/dev/null 2>&1 & trouble+=" $!"; }
written_back & trouble+=" $!"
asked_and_typed >/dev/null 2>&1 & trouble+=" $!"
[ -z "$talks" ] || { "$TLS" times=1000000 pause=50 write=hello & trouble+=" $!"; }
[ -z "$deaf" ] || { not_answered >/dev/null 2>&1 & trouble+=" $!"; }
"$PWD/$B/tests/programs/bustle" 0 "$tmp" 20000 >/dev/null 2>&1 & busy=$!
emptied() { rmdir "$cgroup" 2>/dev/null || [ ! -d "$cgroup" ]; }
calm() {
	# shellcheck disable=SC2086 # a list
	{ kill $busy $trouble; wait $busy $trouble; } 2>/dev/null
	[ -z "$cgroup" ] || await emptied
}
at_exit calm
n=0
# shellcheck disable=SC2048 # a list
for f in ${*:-stdlib/*.rnl}; do
	module=${f##*/}; module=${module%.rnl}
	# shellcheck disable=SC2013 # a word a line
	for view in $(sed -n 's/^view \([a-z_0-9]*\)(.*/\1/p' "$f"); do
		ask "$module" "$view" "$(args "$view")" & jobs="${jobs:-} $!"
		n=$((n + 1)); names="${names:-} $module:$view"
		# shellcheck disable=SC2086 # a list
		[ $((n % 3)) = 0 ] && { wait $jobs; jobs=; }
	done
done
# shellcheck disable=SC2086 # a list
[ -z "$jobs" ] || wait $jobs # without a name it would wait for the workload
for v in $names; do judge "${v%:*}" "${v#*:}"; done
kill -0 $busy 2>/dev/null || not_ok "the workload ended early"
done_testing
