#!/bin/bash
# A cgroup that was handed over to a user looks like no container, whatever the user calls it; one
# of root's does.
. tests/hostile/lib.bash
need_bpf; need jq setpriv findmnt
top=$(findmnt -nt cgroup2 -o TARGET | head -1)/rn-container-$$
mkdir "$top" 2>/dev/null || skip_all "no cgroup can be made here"
pids=()
clean() {
	local p
	for p in "${pids[@]}"; do kill -KILL "$p"; wait "$p"; done 2>/dev/null
	await emptied
}
emptied() { find "$top" -depth -type d -exec rmdir {} + 2>/dev/null; [ ! -d "$top" ]; }
at_exit clean
cp "$B/tests/programs/calls" "$tmp"
id() { printf "$1%.0s" {1..64}; } # DIGIT
# calls_in CGROUP [OWN]: a process of nobody that begins in that cgroup, and goes into OWN below it
# by its own right. $pid
calls_in() {
	local go='exec "$0" times=10000000 pause=1 getppid=1'
	[ -z "${2:-}" ] || go="mkdir -p '$1/$2' && echo \$\$ >'$1/$2/cgroup.procs' && $go"
	(echo $BASHPID >"$1/cgroup.procs" && as_nobody sh -c "$go" "$tmp/calls") & pid=$!
	pids+=("$pid")
	await is_calls || not_ok "the process in $1/${2:-} has not begun"
}
is_calls() { [ "$(cat /proc/"$pid"/comm 2>/dev/null)" = calls ]; }
container() { # WHAT WANTED: of the process, by its calls and by the table
	run -o json "container, cgroup of getppid where pid = $pid limit 1"
	same "$1: of a call" "$(jq -r .container "$tmp/out")" "$2"
	run -o json "container of processes where pid = $pid"
	same "$1: of a process" "$(jq -r .container "$tmp/out")" "$2"
}
real=$top/docker-$(id a).scope
mkdir "$real" "$top/user" "$real/part"
chown 65534 "$top/user"/{,cgroup.procs} "$real/part"/{,cgroup.procs}
calls_in "$real"
container "root's" aaaaaaaaaaaa
calls_in "$top/user" "docker-$(id b).scope"
container "a user's" ''
same 'it is in the cgroup that it made' "$(grep -c "docker-$(id b)" /proc/$pid/cgroup)" 1
calls_in "$real/part" "$(id c)"
container "a user's below root's" aaaaaaaaaaaa
mkdir -p "$top/user/docker-$(id d).scope"; calls_in "$top/user/docker-$(id d).scope"
container "root's below a user's" ''
done_testing
