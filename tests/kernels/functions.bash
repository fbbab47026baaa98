# functions.bash - live tests of functions on another kernel, in one virtual machine. Source it.
#
# Each kernel has a test of its own, so that two of them run at a time.
. tests/live/lib.sh
. tests/vm/kernel.bash

# functions_on PACKAGE TEST...: those of tests/live/query, on the kernel of that Debian package
functions_on() {
	local package=$1 c t lines some; shift
	[ "$(uname -m)" = x86_64 ] || skip_all 'this is no x86-64 machine'
	for c in qemu-system-x86_64 /usr/lib/qemu/virtiofsd busybox cpio modprobe depmod xz \
		apt-get dpkg-deb; do
		command -v "$c" >/dev/null || skip_all "no $c on this machine"
	done
	[ "$(id -u)" = 0 ] || skip_all "serving this machine's files to the guest needs root"
	mkdir -p "$B/vm"
	RN_VM_SECONDS=1400 tests/vm/boot.sh "$PWD/$B/vm" "$package" \
		"export RN_MODULES=$PWD/$B/vm/$package RN_TEST_SMALL=1 RN_TEST_TIMEOUT=600 B=$B
		for t in $*; do
			from=\$SECONDS
			echo \"# \$t.sh begins\"
			bash tests/live/query/\$t.sh
			echo \"# \$t.sh took \$((SECONDS - from)) s\"
		done" >"$tmp/guest" 2>"$tmp/boot"
	[ $? != 125 ] || set_up_failed "$package comes up: $(tail -n 1 "$tmp/boot")"
	tr -d '\r' <"$tmp/guest" >"$tmp/lines"
	grep -E "^not ok|^1\.\.0|^# .*\.sh took" "$tmp/lines"
	for t; do
		lines=$(sed -n "/^# $t.sh begins/,/^# $t.sh took/p" "$tmp/lines")
		some=$(grep -c '^ok' <<<"$lines" | sed 's/^[1-9][0-9]*$/some/')
		same "$t.sh on $package" "$(grep -c '^not ok' <<<"$lines") $some $(
			grep -cE '^1\.\.[1-9]' <<<"$lines")" '0 some 1'
	done
	done_testing
}
