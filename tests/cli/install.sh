#!/bin/bash
# install.sh - `make install` and `make uninstall` below DESTDIR: what is there runs from there, and all of it goes again.
. tests/cli/lib.bash
case ${B#"$PWD"/} in build) san= ;; build/san) san=SAN=1 ;; *) echo "skip install: $B is no build directory of this tree"; exit 0 ;; esac
mk() { make --no-print-directory $san DESTDIR="$tmp/root" PREFIX=/opt/rn "$1" >"$tmp/log" 2>&1; }
mk install || { not_ok install; tail -n5 "$tmp/log"; exit 1; }
same files "$(cd "$tmp/root" && find . -type f | sort | tr '\n' ' ')" \
	"./opt/rn/bin/runnel ./opt/rn/lib/librunnel.a ./opt/rn/lib/librunnel.so ./opt/rn/lib/systemd/system/runnel-agent.service \
./opt/rn/share/man/man1/runnel.1 ./opt/rn/share/man/man8/runnel-agent.8 "
unit=$tmp/root/opt/rn/lib/systemd/system/runnel-agent.service
same unit "$(grep -o '^ExecStart=[^ ]*' "$unit")" ExecStart=/opt/rn/bin/runnel
if command -v systemd-analyze >/dev/null; then # what it runs must be there: then it has nothing to say
	mkdir "$tmp/unit"; sed "s|/opt/rn/bin/runnel|$RN|" "$unit" >"$tmp/unit/runnel-agent.service"
	same unit-is-understood "$(systemd-analyze verify --man=no "$tmp/unit/runnel-agent.service" 2>&1 | grep runnel)" ""
else
	echo "skip install unit: no systemd-analyze on this machine"
fi
same runs "$(cd / && "$tmp/root/opt/rn/bin/runnel" --version)" "$("$RN" --version)"
(cd / && "$tmp/root/opt/rn/bin/runnel" --stop-after=plan 'use io; events of top_files') >"$tmp/out" 2>"$tmp/err"; rc=$?
case_is standard-library 0 "" ""
mk uninstall
same uninstall "$(find "$tmp/root" -type f)" ""
exit $status
