#!/bin/bash
# run.sh BUILD [PACKAGE...] - the live tests on other kernels, each in a virtual machine: by default that of Debian 12.
#
# Prints what tests/run.sh prints there, or `skip vm: reason` where no machine can be booted. Exit 1 if a test failed.
set -u
B=$1; shift
status=0
skip_all() { echo "skip vm: $*"; exit 0; }
[ "$(uname -m)" = x86_64 ] || skip_all "this is no x86-64 machine"
[ "$(id -u)" = 0 ] || skip_all "serving this machine's files to the guest needs root"
for c in qemu-system-x86_64 /usr/lib/qemu/virtiofsd busybox cpio modprobe depmod xz apt-get dpkg-deb; do
	command -v "$c" >/dev/null || skip_all "no $c on this machine"
done
mkdir -p "$B/vm"
for package in ${*:-linux-image-cloud-amd64}; do
	echo "== $package"
	tests/vm/boot.sh "$PWD/$B/vm" "$package" "uname -r; RN_TEST_SMALL=1 tests/run.sh $B live" 2>"$B/vm/log"
	case $? in
	0) ;;
	125) echo "skip vm: $(tail -n 1 "$B/vm/log")" ;;
	*) status=1 ;;
	esac
done
exit $status
