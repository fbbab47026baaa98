#!/bin/bash
# Where tracing is not permitted the demo runs over the recorded traces of the repository, and the
# live tests say why they are skipped.
. tests/live/lib.sh
[ "$(id -u)" = 0 ] || skip_all 'needs root to become nobody'
command -v setpriv >/dev/null || skip_all 'no setpriv on this machine'
work=$(mktemp -d /tmp/runnel-demo-test.XXXX); at_exit 'rm -rf "$work"'
cp -r tests "$work/" && mkdir "$work/build" && cp "$RN" "$work/build/" && chmod -R a+rX "$work"
nobody() {
	(cd "$work" && setpriv --reuid=65534 --regid=65534 --clear-groups \
		env HOME=/nonexistent B=build "$@" 2>&1)
}
nobody tests/demo/run.sh build/runnel >"$tmp/demo"; same 'the demo ends well' "$?" 0
same 'it says why' "$(grep -c 'does not permit tracing' "$tmp/demo")" 1
same 'the whole flow, from the recording' \
	"$(awk '$1 ~ /^[0-9]+$/ && /fix283/ { n++ } END { print n + 0 }' "$tmp/demo")" 8
same 'the table of files, from the recording' "$(grep -c '^nc .* socket:' "$tmp/demo")" 2
same 'a live test skips with its reason' \
	"$(nobody tests/live/query/dd.sh | grep -c '^1..0 # SKIP this machine does not permit')" \
	1
done_testing
