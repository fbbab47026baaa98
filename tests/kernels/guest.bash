# guest.bash - guests with kernels of their own, on the bridge of a lab. Source it after
# tests/support/lab.bash, tests/vm/kernel.bash.
#
#   guest_make old PACKAGE 11 'SETUP'   a guest called `old` at 10.77.0.11, whose init runs SETUP
#                                       before all else
#   guest_start old SECONDS             boots it; its real-time clock is ahead of ours by so much
#   guest_await old                     until it is up; if it does not come up, once more; fails
#                                       with its console
#   guest_run old COMMAND               starts COMMAND there (busybox and tests/programs/traffic
#                                       are), and does not wait
#   guest_stop
#
# A guest has nothing but busybox, runnel, traffic and their libraries, all in memory. A client that
# connects to its port 7001 (guest_reach is such a command) has an agent; records that are written
# to the socket $tmp/guest/NAME/echo come back from there. It is emulated: RN_VM_ACCEL=kvm makes it
# fast where that works. Needs a node 1 in the lab.
guests=

guest_possible() { # prints what forbids guests
	local c
	[ "$(uname -m)" = x86_64 ] || { echo 'this is no x86-64 machine'; return 1; }
	for c in qemu-system-x86_64 busybox cpio modprobe depmod xz apt-get dpkg-deb nc; do
		command -v "$c" >/dev/null || { echo "no $c on this machine"; return 1; }
	done
	unshare -n ip tuntap add mode tap name t0 2>"$tmp/tap.err" ||
		{
			echo "this machine does not permit tap devices: $(tail -n 1 "$tmp/tap.err")"
			return 1
		}
}
guest_file() { # ROOT PROGRAM: with its libraries
	local lib
	cp "$2" "$1/bin/"
	ldd "$2" | grep -o '/[^ ]*' | while read -r lib; do
		mkdir -p "$1${lib%/*}" && cp -Ln "$lib" "$1$lib"
	done
}
guest_make() { # NAME PACKAGE ADDRESS SETUP
	local dir=$tmp/guest/$1 kernel=$PWD/$B/vm/$2 root=$tmp/guest/$1/root
	kernel_fetch "$kernel" "$2" || { echo "$kernel_why"; return 1; }
	mkdir -p "$root"/{bin,modules,proc,sys,dev,tmp,etc}
	cp "$(command -v busybox)" "$root/bin/"
	guest_file "$root" "$RN"
	guest_file "$root" "$PWD/$B/tests/programs/traffic"
	kernel_modules "$kernel" "$root/modules" virtio_pci virtio_console virtio_net
	cat >"$root/init" <<-INIT
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
		mount -t cgroup2 cgroup /sys/fs/cgroup; mount -t tracefs tracefs /sys/kernel/tracing
		for m in /modules/*; do insmod \$m; done
		hostname $1
		ip addr add $lab_net.$3/24 dev eth0; ip link set eth0 up; ip link set lo up
		$4
		port() { for p in /sys/class/virtio-ports/*; do [ "\$(cat \$p/name)" = \$1 ] && echo /dev/\${p##*/}; done; }
		traffic serve 7000 &
		traffic echo \$(port echo) &
		nc -ll -p 7001 -e runnel agent --stdio 2>/tmp/agent &
		nc -ll -p 7002 -e sh &
		until grep -q :1B59 /proc/net/tcp* && grep -q :1B5A /proc/net/tcp*; do sleep 0.1; done
		echo "guest is up: \$(uname -r), \$(date -u +%FT%T)"
		while :; do sleep 1000; done
	INIT
	chmod +x "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc) >"$dir/first.cpio" && rm -rf "$root"
	echo "$2 $3" >"$dir/is"
}
guest_start() { # NAME SECONDS
	local dir=$tmp/guest/$1 package address br
	read -r package address <"$dir/is"
	echo "$2" >"$dir/ahead"
	br=$(lab_holder bridge)
	[ -e "$dir/pid" ] || { nsenter -t "$br" -n ip tuntap add mode tap name "tap$address" &&
		nsenter -t "$br" -n ip link set "tap$address" master br0 up; } || return
	rm -f "$dir/console"
	# The emulated timer may be late on a busy machine: a kernel that tested it would panic, or
	# choose another clock amid its work.
	(cd "$dir" && exec nsenter -t "$br" -n qemu-system-x86_64 \
		-accel "${RN_VM_ACCEL:-tcg}" -cpu max -smp 1 -m 512 \
		-nodefaults -display none -no-reboot \
		-rtc base="$(date -u -d "@$(($(date +%s) + $2))" +%FT%T)" -serial file:console \
		-device virtio-serial-pci -chardev socket,id=e,path=echo,server=on,wait=off \
		-device virtserialport,chardev=e,name=echo \
		-netdev tap,id=n,ifname="tap$address",script=no,downscript=no \
		-device virtio-net-pci,netdev=n,romfile=,mac="52:54:00:00:00:$address" \
		-kernel "$OLDPWD/$B/vm/$package"/boot/vmlinuz-* -initrd first.cpio \
		-append 'console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable' \
		</dev/null >qemu.log 2>&1) &
	echo $! >"$dir/pid"
	guests="$guests $!"
	disown
}
guest_is_up() {
	grep -q '^guest is up' "$tmp/guest/$1/console" 2>/dev/null ||
		[ ! -e "/proc/$(cat "$tmp/guest/$1/pid")" ]
}
guest_await() { # NAME
	local dir=$tmp/guest/$1 try log
	for try in 1 2; do
		lab_await "the guest $1" guest_is_up "$1"
		grep -a '^guest is up' "$dir/console" && return
		for log in qemu.log console; do echo "$1: $log:"; tail -n 30 "$dir/$log"; done
		kill "$(cat "$dir/pid")" 2>/dev/null
		[ $try = 2 ] || guest_start "$1" "$(cat "$dir/ahead")"
	done
	return 1
}
guest_run() { # NAME COMMAND
	local package address
	read -r package address <"$tmp/guest/$1/is"
	printf '%s\n' "($2) </dev/null >/dev/console 2>&1 &" | on 1 nc -N "$lab_net.$address" 7002
}
guest_reach() { # NAME: prints a command that connects to its agent
	local package address
	read -r package address <"$tmp/guest/$1/is"
	echo "nsenter -t $(lab_holder node1) -n nc $lab_net.$address 7001"
}
guest_stop() {
	local g
	for g in $guests; do kill "$g" 2>/dev/null; done
	guests=
}
