# lib.bash - for the tests of the library: what tests/cli/lib.bash has, an installation to build
# against, and a recording.
. tests/cli/lib.bash
case ${B#"$PWD"/} in build);; *) skip_all "$B is no build directory of this tree" ;; esac
root=$tmp/root prefix=$tmp/root/opt/rn trace=$tmp/t.rnt
# Below a prefix that is where the files are, so that pkg-config needs nobody's help.
make --no-print-directory PREFIX="$prefix" install >"$tmp/log" 2>&1 || {
	tail -n5 "$tmp/log"
	set_up_failed install
}
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
"$B/tests/gen_trace" "$trace" 20000 1 || set_up_failed gen_trace
can_trace() { "$RN" -q 'count of syscall for 10ms' >/dev/null 2>&1; }
# A program with a name of its own makes calls until it is ended: an idle machine has nothing to
# answer.
noise_begins() { # NAME
	cp "$(command -v cat)" "$tmp/$1"
	(
		while [ -e "$tmp/$1" ] && [ ! -e "$tmp/quiet" ]; do
			"$tmp/$1" /nonexistent 2>/dev/null
			sleep 0.02
		done
	) &
	noise=$!
}
noise_ends() { touch "$tmp/quiet"; wait "$noise"; rm "$tmp/quiet"; }
build_c() { # SOURCE PROGRAM [FLAG...]: with what pkg-config says
	cc -Wall -Wextra -Werror "$1" -o "$2" "${@:3}" $(pkg-config --cflags --libs runnel) \
		-lpthread
}
