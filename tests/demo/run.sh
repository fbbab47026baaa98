#!/bin/bash
# run.sh RUNNEL - the main job on live input; where tracing is not permitted, the same queries over
# a recorded trace.
rn=$1 here=$(dirname "$0")
dir=$(mktemp -d /tmp/runnel-demo.XXXX); trap 'rm -rf "$dir"' EXIT
export RUNNEL_CATALOG=$dir/catalog.db
# A command as it can be pasted: what is not plain stands in single quotes.
quoted() {
	local a
	for a; do
		[[ $a =~ ^[A-Za-z0-9_./=:-]+$ ]] && printf ' %s' "$a" ||
			printf " '%s'" "${a//\'/\'\\\'\'}"
	done
}
show() { echo; echo "\$ runnel$(quoted "$@")"; "$rn" "$@"; }
if "$rn" doctor >"$dir/doctor" 2>&1; then
	echo "A file with the marker fix283 in it is copied, piped through cat, sent with nc and written again."
	echo "Nothing that is watched is changed; the marker is searched for in the kernel, at every I/O call."
	show -c "bash $here/scenario.sh $dir" 'flow of tag fix283'
	echo; echo "And what did these programs read and write, and how long did it take them?"
	show -c "bash $here/scenario.sh $dir" \
		'count, sum(bytes), p99(latency) of io by proc, file top 8 by sum(bytes)'
else
	echo "This machine does not permit tracing:"
	grep -v '^ *ok' "$dir/doctor" | tail -3
	echo; echo "The same queries over a trace that was recorded where it is permitted:"
	show "flow of tag fix283 from \"$here/flow.rnt\""
	show "count, sum(bytes), p99(latency) of io by proc, file top 8 by sum(bytes) from \"$here/io.rnt\""
fi
