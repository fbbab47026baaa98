#!/bin/bash
# options.sh - what is wrong with a command line is said in a line, and costs exit status 2.
. tests/cli/lib.bash
usage() { # NAME MESSAGE ARGUMENT...
	local n=$1 m=$2; shift 2
	run "$@"; case_is "$n" 2 "" "runnel: $m"
}
usage unquoted "\`of\` is one word too many; quote the query: runnel 'count of syscall by proc'" \
	count of read
usage explain-unquoted "\`explain\` is part of the query: runnel 'explain count of read', or runnel --explain 'count of read'" \
	explain 'count of read'
usage empty-query "the query is empty; try: runnel 'count of syscall by proc'" ''
usage blank-query "the query is empty; try: runnel 'count of syscall by proc'" ' ;'
formats='table, json, csv, heat, folded, timeline, tree, svg, dot'
usage format-later \
	"format \`perfetto\` comes with a later version; this one has $formats and html" \
	-o perfetto 'count of read'
usage format-unknown "there is no format \`xml\`; use $formats or html" -o xml 'count of read'
usage hosts-and-pids "-p is about processes of this machine, and does not go with -H" -H hosts \
	-p 1 'count of read'
usage lease "--lease takes seconds, from 1 to 3600, not \`0\`" --lease 0 'count of read'
usage agent \
	"how is the coordinator reached? --stdio, or --nats SERVERS; try \`runnel agent --help\`" \
	agent
usage relay "a relay needs the nodes below it: -H FILE" relay --stdio
usage agent-hosts "-H is for a relay: an agent has no nodes below it" agent --stdio -H hosts
usage pids "-p takes process ids separated by commas, not \`1,x\`" -p 1,x 'count of read'
usage pid-zero "-p takes process ids separated by commas, not \`0\`" -p 0 'count of read'
usage command-and-pid "-c and -p exclude each other" -c true -p 1 'count of read'
usage stage \
	"--dump has no stage \`foo\`; the stages are tokens, ast, types, plan, split, bpf, sql" \
	--dump=ast,foo 'count of read'
usage stop-after "--stop-after takes one stage" --stop-after=ast,plan 'count of read'
usage describe "describe needs a NAME; \`runnel list\` shows them" describe
usage doctor "\`doctor\` takes no operand" doctor now
usage parameter "\`x=1\` is given, but query has no \`\$x\`" 'count of read where proc = $xy' x=1 \
	xy=2
usage recording "tests/demo/io.rnt is no text but a database, as recordings are; one is read with \`from\`: runnel 'count of io from \"tests/demo/io.rnt\"'; \`runnel describe tests/demo/io.rnt\` tells what is in it" \
	tests/demo/io.rnt
run '-arg0 of read'
same text-like-options "$rc $(tail -n1 "$tmp/err")" \
	"2 runnel: write a query that begins with \`-\` after \`--\`: runnel -- 'QUERY'"
usage no-file "cannot read $tmp/nosuch.rnl: No such file or directory" "$tmp/nosuch.rnl"
usage command-without-live \
	"-c goes with one query of live events; query has none: a table is read once, whatever runs" \
	-c true 'count of processes'
usage watch-a-query "\`watch\` takes the name of a view; a query alone goes on until Ctrl-C: runnel 'count of ...'" \
	watch count of open
usage command-without-query "-c COMMAND needs a query: runnel -c CMD 'count of syscall by name'" \
	-c ls
usage command-two-queries "-c goes with one query of live events; query has 2" -c true \
	'count of read; count of write'

run --nosuch; same unknown-option "$rc $(tail -n1 "$tmp/err")" "2 runnel: try \`runnel --help\`"
run --help; holds help-formats "$formats, html; the first is the default" "$tmp/out"
run --version; case_is version 0 "runnel 0.1.0" ""
run --help
same help "$rc $(head -n1 "$tmp/out")" "0 usage: runnel [OPTION]... 'QUERY' [NAME=VALUE]..."
run; case_is empty-stdin 0 "" ""
for o in --help --version 'agent --help'; do
	# shellcheck disable=SC2086 # a list
	"$RN" $o >/dev/full 2>"$tmp/err" </dev/null
	same "written-in-full $o" "$? $(cat "$tmp/err")" \
		"4 runnel: the text could not be written in full: No space left on device"
done
head -c 3000000 /dev/zero | tr '\0' ' ' | "$RN" >"$tmp/out" 2>"$tmp/err"
same long-stdin "$? $(head -n1 "$tmp/err")" \
	"1 stdin:1:1: error: the text is longer than 1048576 bytes, the most that one may have [E-LIMIT-TEXT]"
done_testing
