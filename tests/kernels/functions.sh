#!/bin/bash
# functions.sh - functions of the kernel and of programs on Linux 6.1 and 6.12, each in a virtual
# machine: the live tests of both.
. tests/live/lib.sh
. tests/vm/kernel.bash
[ "$(uname -m)" = x86_64 ] || skip_all 'this is no x86-64 machine'
for c in qemu-system-x86_64 /usr/lib/qemu/virtiofsd busybox cpio modprobe depmod xz apt-get \
	dpkg-deb; do
	command -v "$c" >/dev/null || skip_all "no $c on this machine"
done
[ "$(id -u)" = 0 ] || skip_all "serving this machine's files to the guest needs root"
mkdir -p "$B/vm"
for package in linux-image-cloud-amd64 linux-image-6.12-cloud-amd64; do
	for t in kernel user usdt tools; do
		RN_VM_SECONDS=600 tests/vm/boot.sh "$PWD/$B/vm" "$package" \
			"RN_MODULES=$PWD/$B/vm/$package RN_TEST_SMALL=1 RN_TEST_TIMEOUT=600 B=$B \
				bash tests/live/query/$t.sh" \
			>"$tmp/guest" 2>"$tmp/boot"
		case $? in
		125) not_ok "$package comes up: $(tail -n 1 "$tmp/boot")"; continue ;;
		esac
		tr -d '\r' <"$tmp/guest" | grep '^not ok'
		same "$t.sh on $package" "$(tr -d '\r' <"$tmp/guest" |
			grep -c '^not ok') $(grep -c '^ok' "$tmp/guest" | sed 's/^[1-9][0-9]*$/some/')" \
			'0 some'
	done
done
done_testing
