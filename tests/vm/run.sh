#!/bin/bash
# run.sh BUILD live|coverage [PACKAGE...] - the live tests, or the recall matrix, on other kernels,
# each in a virtual machine: by default those of Debian 12 and of its updates.
#
# Prints what is printed there and how long it took, or `skip vm: reason` where no machine can be
# booted. Exit 1 if a test failed. The matrix is left in docs/generated/coverage-VERSION.md.
set -u
B=$1 what=$2; shift 2
status=0
skip_all() { echo "skip vm: $*"; exit 0; }
[ "$(uname -m)" = x86_64 ] || skip_all "this is no x86-64 machine"
[ "$(id -u)" = 0 ] || skip_all "serving this machine's files to the guest needs root"
for c in qemu-system-x86_64 /usr/lib/qemu/virtiofsd busybox cpio modprobe depmod xz apt-get \
	dpkg-deb; do
	command -v "$c" >/dev/null || skip_all "no $c on this machine"
done
mkdir -p "$B/vm"
case $what in
live) command="RN_TEST_SMALL=1 RN_TEST_TIMEOUT=3600 tests/runner/run.sh $B live" ;;
coverage) command="B=$B tests/coverage/coverage.sh matrix /tmp/document brief; status=\$?; echo '== document'; cat /tmp/document; exit \$status" ;;
esac
# The document itself says on which kernel it was made.
keep() {
	local version
	version=$(sed -n 's/^# Coverage on Linux \([0-9]*\.[0-9]*\).*/\1/p' "$B/vm/out")
	[ -z "$version" ] ||
		sed '1,/^== document/d' "$B/vm/out" | tr -d '\r' \
			>"docs/generated/coverage-$version.md"
}
# shellcheck disable=SC2048 # a list
for package in ${*:-linux-image-cloud-amd64 linux-image-6.12-cloud-amd64}; do
	echo "== $package"
	began=$SECONDS
	RN_VM_SECONDS=${RN_VM_SECONDS:-14400} tests/vm/boot.sh "$PWD/$B/vm" "$package" \
		"uname -r; $command" 2>"$B/vm/log" |
		tee "$B/vm/out" | sed -u '/^== document/,$d'
	case ${PIPESTATUS[0]} in
	0) ;;
	125) echo "skip vm: $(tail -n 1 "$B/vm/log")" ;;
	*) status=1 ;;
	esac
	[ "$what" = live ] || keep
	echo "== $package: $(((SECONDS - began + 59) / 60)) minutes"
done
exit $status
