#!/bin/bash
# install.sh - `make install` and `make uninstall` below DESTDIR: what is there runs from there, and
# all of it goes again.
. tests/cli/lib.bash
case ${B#"$PWD"/} in build) san=;; build/san) san=SAN=1;; 
*) skip_all "$B is no build directory of this tree" ;; esac
unset MAKELEVEL MAKEFLAGS MFLAGS # of the make that runs the tests
mk() { make --no-print-directory $san DESTDIR="$tmp/root" PREFIX=/opt/rn "$1" >"$tmp/log" 2>&1; }
mk install || { not_ok install; tail -n5 "$tmp/log"; exit 1; }
version=$("$RN" --version | awk '{print $NF}') p=./opt/rn
same files \
	"$(cd "$tmp/root" && find . -type f ! -path '*/share/doc/*' | LC_ALL=C sort | tr '\n' ' ')" \
	"$p/bin/runnel $p/include/runnel.h $p/lib/librunnel.a $p/lib/librunnel.so.1.$version $p/lib/pkgconfig/runnel.pc $p/lib/runnel/runnel_sqlite.so \
$p/lib/systemd/system/runnel-agent.service $p/share/bash-completion/completions/runnel \
$p/share/man/man1/runnel.1 $p/share/man/man3/librunnel.3 \
$p/share/man/man7/runnel.7 $p/share/man/man8/runnel-agent.8 $p/share/zsh/site-functions/_runnel "
same examples "$(cd "$tmp/root/opt/rn/share/doc/runnel" && find examples -type f | LC_ALL=C sort)" \
	"$(cd docs && { find examples -type f ! -name '*.pyc'; echo examples/scenario.sh; } | LC_ALL=C sort)"
doc=$tmp/root/opt/rn/share/doc/runnel
pages() {
	cd "$doc" || exit 1
	find . -name '*.md' ! -path './examples/*' | sed 's,^\./,,' | LC_ALL=C sort
}
same documents "$(pages | paste -sd' ')" \
	"README.md cluster.md cookbook.md generated/stdlib.md language.md language/aggregates.md language/fields.md language/flows.md language/functions.md language/grammar.md language/ledger.md language/pairs.md language/shape.md language/sources.md language/statements.md language/tags.md language/types.md library.md pictures.md security.md trace-format.md tutorial.md"
same licence "$(cmp LICENSE "$doc/LICENSE" 2>&1)" ""
# A link is relative to its page.
same documents-link-to-what-is-there \
	"$(pages | while read -r page; do
		cd "$doc/$(dirname "$page")" || exit 1
		grep -ohE '\]\([^)#]+' "${page##*/}" | sed 's/..//' | grep -vE '^[a-z]+://' | sort -u |
			while read -r f; do [ -e "$f" ] || echo "$page: $f"; done
	done)" ""
same commands-of-documents-name-what-is-there \
	"$(cd "$doc" && pages | xargs grep -HE '^    ' | grep -oE '^[A-Za-z/-]*\.md:.*[^a-z/](tests|docs|examples)/[A-Za-z0-9_./-]+' | sed -E "s,.*[^a-z/]((tests|docs|examples)/),\\1," | sort -u |
	while read -r f; do [ -e "$f" ] || echo "$f"; done)" ""
for v in PREFIX LIBDIR; do
	make --no-print-directory $san DESTDIR="$tmp/rel" $v=some/place install >"$tmp/log" 2>&1
	same "relative $v" \
		"$? $(sed 's/.*\*\*\* //; s/: .*//' "$tmp/log") $(ls "$tmp/rel" 2>/dev/null)" \
		"2 $v=some/place is no absolute path "
done
same library-links "$(readlink "$tmp/root/opt/rn/lib/librunnel.so")" "librunnel.so.1"
unit=$tmp/root/opt/rn/lib/systemd/system/runnel-agent.service
same unit "$(grep -o '^ExecStart=[^ ]*' "$unit")" ExecStart=/opt/rn/bin/runnel
# what it runs must be there: then it has nothing to say
if command -v systemd-analyze >/dev/null; then
	mkdir "$tmp/unit"; sed "s|/opt/rn/bin/runnel|$RN|" "$unit" >"$tmp/unit/runnel-agent.service"
	same unit-is-understood "$(systemd-analyze verify --man=no "$tmp/unit/runnel-agent.service" 2>&1 | grep runnel)" \
		""
else
	skip "no systemd-analyze on this machine"
fi
same runs "$(cd / && "$tmp/root/opt/rn/bin/runnel" --version)" "$("$RN" --version)"
(cd / && "$tmp/root/opt/rn/bin/runnel" --stop-after=plan 'use io; events of top_files') \
	>"$tmp/out" 2>"$tmp/err"
rc=$?
case_is standard-library 0 "" ""
for page in man1/runnel.1 man3/librunnel.3 man7/runnel.7 man8/runnel-agent.8; do
	same "manual ${page#*/}" "$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$tmp/root/opt/rn/share/man/$page" 2>&1 >/dev/null)" \
		""
done
mk uninstall
same uninstall "$(find "$tmp/root" -type f -o -type l)" ""
done_testing
