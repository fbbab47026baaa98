# guest.bash - guests with kernels of their own, on the bridge of a lab. Source it after tests/lab.bash, tests/vm/kernel.bash.
#
#   guest_make old PACKAGE 11 'SETUP'   a guest called `old` at 10.77.0.11, whose init runs SETUP before all else
#   guest_start old SECONDS             boots it; its real-time clock is ahead of ours by so much
#   guest_await old                     until it is up; if it does not come up, once more; fails with its console
#   guest_run old COMMAND               starts COMMAND there (busybox and tests/programs/traffic are), and does not wait
#   guest_stop
#
# A guest has nothing but busybox, runnel, traffic and their libraries, all in memory. It serves an agent on the socket
# $tmp/guest/NAME/agent, again whenever the coordinator has gone, and echoes records on $tmp/guest/NAME/echo. It is emulated:
# RN_VM_ACCEL=kvm makes it fast where that works.
guests=

guest_possible() { # prints what forbids guests
	local c
	[ "$(uname -m)" = x86_64 ] || { echo 'this is no x86-64 machine'; return 1; }
	for c in qemu-system-x86_64 busybox cpio modprobe depmod xz apt-get dpkg-deb nc; do
		command -v "$c" >/dev/null || { echo "no $c on this machine"; return 1; }
	done
	unshare -n ip tuntap add mode tap name t0 2>"$tmp/tap.err" ||
		{ echo "this machine does not permit tap devices: $(tail -n 1 "$tmp/tap.err")"; return 1; }
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
		agent=\$(port agent) run=\$(port run)
		traffic serve 7000 &
		traffic echo \$(port echo) &
		while :; do runnel agent --stdio 0<>\$agent 1>&0 2>/tmp/agent; sleep 0.2; done &
		echo "guest is up: \$(uname -r), \$(date -u +%FT%T)"
		while :; do
			while read -r line; do echo "run: \$line"; sh -c "\$line" & done <\$run
			sleep 0.2
		done
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
	# The emulated timer may be late on a busy machine: a kernel that tested it would panic, or choose another clock amid its work.
	(cd "$dir" && exec nsenter -t "$br" -n qemu-system-x86_64 -accel "${RN_VM_ACCEL:-tcg}" -cpu max -smp 1 -m 512 \
		-nodefaults -display none -no-reboot -rtc base="$(date -u -d "@$(($(date +%s) + $2))" +%FT%T)" -serial file:console \
		-device virtio-serial-pci -chardev socket,id=a,path=agent,server=on,wait=off -device virtserialport,chardev=a,name=agent \
		-chardev socket,id=e,path=echo,server=on,wait=off -device virtserialport,chardev=e,name=echo \
		-chardev socket,id=r,path=run,server=on,wait=off -device virtserialport,chardev=r,name=run \
		-netdev tap,id=n,ifname="tap$address",script=no,downscript=no \
		-device virtio-net-pci,netdev=n,romfile=,mac="52:54:00:00:00:$address" \
		-kernel "$OLDPWD/$B/vm/$package"/boot/vmlinuz-* -initrd first.cpio -append 'console=ttyS0 quiet panic=-1 no_timer_check tsc=reliable' \
		</dev/null >qemu.log 2>&1) &
	echo $! >"$dir/pid"
	guests="$guests $!"
	disown
}
guest_is_up() { grep -q '^guest is up' "$tmp/guest/$1/console" 2>/dev/null || [ ! -e "/proc/$(cat "$tmp/guest/$1/pid")" ]; }
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
	printf '%s\n' "$2" | nc -N -U "$tmp/guest/$1/run"
}
guest_stop() {
	local g
	for g in $guests; do kill "$g" 2>/dev/null; done
	guests=
}
