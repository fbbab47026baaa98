# lab.bash - a lab of nodes on one machine: network namespaces on a bridge, each with its own
# hostname and mounts. Source it.
#
#   lab_up 3                    nodes node1..node3, at 10.77.0.1..3; /etc/hosts of each names them
#                               all
#   on 1 CMD...                 runs CMD in node 1 (its network, mounts and hostname); the working
#                               directory becomes /
#   aside CMD...                runs CMD beside the nodes: in their network, at 10.77.0.254, but in
#                               none of them
#   spawn 1 CMD...              the same, without waiting; it is ended with the node
#   private 1 /var/lib/x ...    makes directories that this machine has node 1's own, empty at first
#   node_pids 1                 the processes that live in node 1
#   node_down 1, lab_down       ends them and what they have mounted; nothing but these processes
#
# Nodes have no names outside of this shell, so labs beside one another do not meet; a node ends
# with the processes in it. They share one kernel, clock, page cache, and one space of process ids:
# what differs in these is not shown by a lab. Uses $tmp, the test's own directory. A node's files
# are in $tmp/lab/nodeN.
lab_nodes=0
lab_net=10.77.0

# Holds namespaces, until the shell that made the lab ends or the holder is killed; then it ends all
# that is left in them. $1: that shell.
lab_hold='
	hostname "$2"
	exec {never}<> <(:)
	: >"$3"
	while [ -e "/proc/$1" ]; do read -t 0.5 -u $never; done
	for p in /proc/[0-9]*; do
		[ "$p" = /proc/$$ ] || { [ "$p/ns/net" -ef /proc/self/ns/net ] && kill -9 "${p#/proc/}"; }
	done 2>/dev/null'

lab_possible() { # prints what forbids a lab
	command -v ip nsenter unshare >"$tmp/lab.tools" || {
		echo 'no iproute2 or util-linux here'
		return 1
	}
	unshare -n -m -u --propagation private sh -c 'hostname lab &&
		ip link add br0 type bridge && ip link add v0 type veth peer name v1 && mount -t tmpfs tmpfs /mnt' 2>"$tmp/lab.err" || {
		echo "this machine does not permit network namespaces with a bridge: $(tail -n 1 "$tmp/lab.err")"
		return 1
	}
}
lab_holder() { cat "$tmp/lab/$1.holder" 2>/dev/null; }
lab_start() { # NAME: namespaces of that name
	mkdir -p "$tmp/lab/$1"
	setsid unshare -n -m -u --propagation private bash -c "$lab_hold" holder $$ "$1" \
		"$tmp/lab/$1.held" </dev/null >/dev/null 2>&1 &
	echo $! >"$tmp/lab/$1.holder"
	disown
	lab_await "namespaces of $1" test -e "$tmp/lab/$1.held"
}
# Waits until COMMAND succeeds, two minutes or RN_LAB_WAIT seconds at most; says what it waited for
# in vain, and fails.
lab_await() { # WHAT COMMAND...
	local what=$1 end=$((SECONDS + ${RN_LAB_WAIT:-120})); shift
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "waited in vain for: $what"; return 1; }
		sleep 0.1
	done
}
lab_up() { # COUNT
	local i
	mkdir -p "$tmp/lab"
	lab_start bridge || return
	aside ip link add br0 type bridge && aside ip link set br0 up &&
		aside ip link set lo up && aside ip addr add "$lab_net.254/24" dev br0 || return
	echo '127.0.0.1 localhost' >"$tmp/lab/hosts"
	for i in $(seq "$1"); do echo "$lab_net.$i node$i" >>"$tmp/lab/hosts"; done
	for i in $(seq "$1"); do
		lab_start "node$i" || return
		lab_nodes=$i
		aside ip link add "v$i" type veth peer name eth0 netns "$(lab_holder "node$i")" &&
			aside ip link set "v$i" master br0 up &&
			on "$i" ip addr add "$lab_net.$i/24" dev eth0 &&
			on "$i" ip link set eth0 up && on "$i" ip link set lo up &&
			on "$i" mount --bind "$tmp/lab/hosts" /etc/hosts || return
	done
}
on() { # N CMD...
	local n=$1; shift
	nsenter -t "$(lab_holder "node$n")" -n -m -u -- "$@"
}
aside() { nsenter -t "$(lab_holder bridge)" -n -- "$@"; }
spawn() { # N CMD...: the same, in the background; its pid is in $!
	local n=$1; shift
	nsenter -t "$(lab_holder "node$n")" -n -m -u -- "$@" & disown
}
private() { # N DIR...
	local n=$1 d; shift
	for d; do
		mkdir -p "$tmp/lab/node$n$d" && on "$n" mount --bind "$tmp/lab/node$n$d" "$d" ||
			return
	done
}
lab_pids() { # NAME: the processes in these namespaces but the holder
	local p h
	h=$(lab_holder "$1") && [ -e "/proc/$h" ] || return 0
	for p in /proc/[0-9]*; do
		[ "$p/ns/net" -ef "/proc/$h/ns/net" ] && [ "${p#/proc/}" != "$h" ] &&
			echo "${p#/proc/}"
	done
}
node_pids() { lab_pids "node$1"; } # N
lab_end() { # NAME
	local h p i
	h=$(lab_holder "$1") || return 0
	for i in 1 2 3 4 5; do # what they have just started as well
		p=$(lab_pids "$1"); [ -n "$p" ] || break
		kill -9 $p 2>/dev/null
	done
	kill -9 "$h" 2>/dev/null
	rm -f "$tmp/lab/$1.holder" "$tmp/lab/$1.held"
}
node_down() { lab_end "node$1"; }
lab_down() {
	local i
	for i in $(seq "$lab_nodes"); do node_down "$i"; done
	lab_end bridge
	lab_nodes=0
}
at_exit 'lab_down'
