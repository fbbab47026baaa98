#!/bin/bash
# deb.sh - `make deb`: four packages that lintian has nothing against, and what is in them works
# when it is unpacked.
. tests/cli/lib.bash
case ${B#"$PWD"/} in build);; *) skip_all "$B is no build directory of this tree";;
	esac
for t in dh_builddeb lintian dpkg-architecture; do
	command -v $t >/dev/null || skip_all "there is no $t on this machine"
done
make --no-print-directory deb >"$tmp/log" 2>&1 || {
	not_ok "make deb"
	tail -n 20 "$tmp/log"
	exit 1
}
version=$("$RN" --version | awk '{print $NF}')
# shellcheck disable=SC2035 # names are shown
same packages "$(cd "$B/deb" && ls *.deb | LC_ALL=C sort | paste -sd' ')" \
	"librunnel-dev_${version}_amd64.deb librunnel1_${version}_amd64.deb \
libsqlite3-mod-runnel_${version}_amd64.deb runnel_${version}_amd64.deb"
lintian --allow-root --fail-on error,warning "$B"/deb/*.deb >"$tmp/out" 2>"$tmp/err"; rc=$?
same lintian "$rc $(grep -E '^[EW]:' "$tmp/out")" "0 "
for d in "$B"/deb/*.deb; do dpkg -x "$d" "$tmp/root"; done
r=$tmp/root lib=$tmp/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
same program "$(cd / && "$r/usr/bin/runnel" --version)" "$("$RN" --version)"
same program-needs-no-library "$(ldd "$r/usr/bin/runnel" | grep -c librunnel)" 0
"$B/tests/gen_trace" "$tmp/t.rnt" 5000 1 || exit 1
cc -I"$r/usr/include" "$r/usr/share/doc/librunnel-dev/examples/c/oneshot.c" -o "$tmp/oneshot" \
	-L"$lib" -lrunnel &&
	same library "$(LD_LIBRARY_PATH=$lib "$tmp/oneshot" "count of syscall from \"$tmp/t.rnt\"" 2>/dev/null | tail -n1)" \
	5000
same pkg-config "$(PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$r pkg-config --cflags --libs runnel | tr -s ' ')" \
	"-I$r/usr/include -L$r/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH) -lrunnel "
same extension "$(sqlite3 -batch -cmd ".load $lib/runnel/runnel_sqlite" :memory: "SELECT * FROM runnel('count of syscall from \"$tmp/t.rnt\"')")" \
	5000
same completion \
	"$(bash -c ". '$r/usr/share/bash-completion/completions/runnel' && complete -p runnel")" \
	'complete -F _runnel runnel'
same service \
	"$(grep -c '^ExecStart=/usr/bin/runnel ' "$r/lib/systemd/system/runnel-agent.service")" 1
done_testing
