#!/bin/bash
# install.sh - `make install` and `make uninstall` below DESTDIR: what is there runs from there, and all of it goes again.
. tests/cli/lib.bash
case ${B#"$PWD"/} in build) san= ;; build/san) san=SAN=1 ;; *) echo "skip install: $B is no build directory of this tree"; exit 0 ;; esac
mk() { make --no-print-directory $san DESTDIR="$tmp/root" PREFIX=/opt/rn "$1" >"$tmp/log" 2>&1; }
mk install || { not_ok install; tail -n5 "$tmp/log"; exit 1; }
same files "$(cd "$tmp/root" && find . -type f | sort | tr '\n' ' ')" \
	"./opt/rn/bin/runnel ./opt/rn/lib/librunnel.a ./opt/rn/lib/librunnel.so ./opt/rn/share/man/man1/runnel.1 "
same runs "$(cd / && "$tmp/root/opt/rn/bin/runnel" --version)" "$("$RN" --version)"
(cd / && "$tmp/root/opt/rn/bin/runnel" --stop-after=plan 'use io; events of top_files') >"$tmp/out" 2>"$tmp/err"; rc=$?
case_is standard-library 0 "" ""
mk uninstall
same uninstall "$(find "$tmp/root" -type f)" ""
exit $status
