#!/bin/bash
# boot.sh DIR PACKAGE COMMAND - runs COMMAND as root on the kernel of a Debian package, in a virtual
# machine; exits as COMMAND did.
#
# The guest's root is this machine's, read-only, under an overlay in memory: it has every program
# that is installed here, and nothing that it writes stays. COMMAND runs in the directory that we
# are called in; its output comes over one serial port, its exit status over another. /tmp is a file
# system of a disk in memory, as far as this kernel can, so that it takes direct I/O. DIR keeps the
# kernel, unpacked and never installed, for the next time. The tracing file system is not mounted,
# as in many a container. Its CPUs take turns in one thread: emulated side by side, 6.12 panicked in
# code that the kernel patches as tracepoints are switched on and off, and 6.1 hung. RN_VM_ACCEL=kvm
# makes it fast where that works. Exit 125, with the reason as the last line: there is no such
# kernel, or it does not come up.
set -u
dir=$1 package=$2 command=$3
kernel=$dir/$package server=/usr/lib/qemu/virtiofsd memory=${RN_VM_MIB:-2048}M
# shellcheck source=tests/vm/kernel.bash
. "${0%/*}/kernel.bash"
give_up() { echo "$*" >&2; exit 125; }

# The first file system: busybox, the modules that reach the real root (numbered in the order to
# load them), and init.
first_root() { # DIRECTORY
	mkdir -p "$1"/{bin,modules,dev,lower,upper,root}
	cp "$(command -v busybox)" "$1/bin/busybox"
	kernel_modules "$kernel" "$1/modules" virtio_pci virtiofs overlay loop ext4
	cat >"$1/init" <<-INIT
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t devtmpfs dev /dev
		for m in /modules/*; do insmod \$m; done
		mount -t virtiofs -o ro host /lower
		mount -t tmpfs memory /upper
		mkdir /upper/data /upper/work
		mount -t overlay -o lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work root /root
		mount --move /dev /root/dev
		exec switch_root /root /bin/bash $run/start
	INIT
	chmod +x "$1/init"
}

# What the guest does once it has its root. Setting a terminal waits until all has been sent.
start() {
	cat <<-START
		export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t cgroup2 cgroup /sys/fs/cgroup
		ln -s /proc/self/fd /dev/fd; mkdir -p /dev/pts /dev/shm; mount -t devpts pts /dev/pts
		for d in /tmp /run /dev/shm; do mount -t tmpfs memory \$d; done
		truncate -s 1G /dev/shm/disk; mkfs.ext4 -q -E lazy_itable_init=1 -O ^has_journal /dev/shm/disk && mount -o loop /dev/shm/disk /tmp
		ip link set lo up
		stty -F /dev/ttyS1 raw -echo
		cd ${PWD@Q}
		bash -c ${command@Q} </dev/null >/dev/ttyS1 2>&1
		echo "status \$?" >/dev/ttyS2
		for t in 1 2; do stty -F /dev/ttyS\$t -echo; done
		echo o >/proc/sysrq-trigger
		sleep 60
	START
}

kernel_fetch "$kernel" "$package" || give_up "$kernel_why"
version=$(kernel_version "$kernel")
run=$(mktemp -d "$dir/run.XXXXXX") serving=
trap '[ -z "$serving" ] || kill $serving 2>/dev/null; rm -rf "$run"' EXIT
first_root "$run/first"
(cd "$run/first" && find . | cpio --quiet -o -H newc) >"$run/first.cpio"
start >"$run/start"
"$server" --socket-path="$run/share" -o source=/ -o sandbox=chroot -o cache=always \
	>"$run/server.log" 2>&1 &
serving=$!
for _ in $(seq 1200); do [ -S "$run/share" ] && break; sleep 0.05; done
timeout --foreground "${RN_VM_SECONDS:-1800}" qemu-system-x86_64 \
	-accel "${RN_VM_ACCEL:-tcg,thread=single}" \
	-cpu max -smp 2 -m "$memory" \
	-object memory-backend-memfd,id=memory,size="$memory",share=on \
	-machine pc,memory-backend=memory \
	-nodefaults -display none -no-reboot -chardev socket,id=share,path="$run/share" \
	-device vhost-user-fs-pci,chardev=share,tag=host \
	-serial file:"$run/console" -serial stdio -serial file:"$run/status" \
	-kernel "$kernel/boot/vmlinuz-$version" -initrd "$run/first.cpio" \
	-append 'console=ttyS0 quiet panic=-1' \
	</dev/null 2>"$run/qemu.log"
ended=$?
status=$(tr -d '\r' <"$run/status" 2>/dev/null | sed -n 's/^status //p')
[ -n "$status" ] && exit "$status"
tail -n 60 "$run/server.log" "$run/console" "$run/qemu.log" >&2
[ $ended = 124 ] && give_up "the machine with $package was stopped: it took too long"
give_up "the machine with $package did not come up"
