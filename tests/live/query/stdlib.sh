#!/bin/bash
# stdlib.sh [FILE...] - every view of the standard library, live for a second, while
# tests/programs/bustle does a bit of everything: it gives rows, or is one that has nothing to show
# on a machine where nothing goes wrong. Its columns are those that its documentation names.
. tests/live/lib.sh
need_bpf
need jq

# Arguments of those views that want one, or whose default threshold nothing here reaches.
args() { # VIEW
	case $1 in
	slow_reads | slow_writes | slow_calls | held_open | runqslower) echo '(1ns)' ;;
	many_threads) echo '(1)' ;;
	*) [ "$module" = tags ] && echo '("bustle-tag-4711")' ;;
	esac
}
# Why a view may be empty here.
empty() { # VIEW
	case $1 in
	oomkill) echo 'no process is ended for want of memory' ;;
	tcpretrans) echo 'no segment is lost' ;;
	drsnoop) echo 'memory is not short' ;;
	migrations) [ "$(nproc)" = 1 ] && echo 'this machine has one CPU' ;;
	bitesize | bio* | disk_latency) [ "$(stat -f -c %T "$tmp")" = tmpfs ] &&
		echo 'files are in memory here';;
	*) return 1 ;;
	esac
}
# MODULE VIEW ARGS: rows to $tmp/VIEW.out; on a slow machine a second has little in it: then it is
# asked for longer
ask() {
	local seconds
	for seconds in 1 5 20; do
		timeout 300 "$RN" -o json "use $1; events of $2$3 for ${seconds}s" >"$tmp/$2.out" \
			2>"$tmp/$2.err" </dev/null || echo "exit $?" >>"$tmp/$2.err"
		[ ! -s "$tmp/$2.out" ] && ! empty "$2" >/dev/null &&
			! grep -q '^exit' "$tmp/$2.err" || return
	done
}
# What the lines above a view document, in alphabetical order: columns, and the parameters that its
# first line names.
documented() { # MODULE VIEW
	awk -v v="$2" '/^--\|/ { if (match($0, /^--\| [a-z_0-9]+: /)) doc[++n] = substr($2, 1, length($2) - 1); next }
		$1 == "view" { name = $2; sub(/\(.*/, "", name); if (name == v) { s = $0; sub(/^[^(]*\(/, "", s); sub(/\).*/, "", s)
			gsub(/=[^,]*/, "", s); k = split(s, p, /[ ,]+/); for (i = 1; i <= k; i++) isp[p[i]] = 1
			for (i = 1; i <= n; i++) if (!(doc[i] in isp)) print doc[i] } }
		{ n = 0 }' "stdlib/$1.rnl" | sort | paste -sd' '
}
judge() { # MODULE VIEW
	local why cols
	if grep -q 'this kernel has no tracepoint' "$tmp/$2.err"; then
		skip "$1 $2: $(grep -om1 'this kernel has no tracepoint.*' "$tmp/$2.err")"
	elif grep -q '^error\|^exit\|: error:' "$tmp/$2.err"; then
		not_ok "$1 $2: $(grep -m1 'error\|exit' "$tmp/$2.err")"
	elif [ ! -s "$tmp/$2.out" ]; then
		if why=$(empty "$2"); then
			ok "$1 $2: none, $why"
		else
			not_ok "$1 $2: no rows"
			cat "$tmp/$2.err"
		fi
	else
		cols=$(head -n1 "$tmp/$2.out" | jq -r 'del(.other) | keys[]' | sort | paste -sd' ')
		same "$1 $2" "$cols" "$(documented "$1" "$2")"
	fi
}

"$PWD/$B/tests/programs/bustle" 0 "$tmp" 20000 >/dev/null 2>&1 & busy=$!
at_exit 'kill $busy 2>/dev/null; wait $busy 2>/dev/null'
n=0
# shellcheck disable=SC2048 # a list
for f in ${*:-stdlib/*.rnl}; do
	module=${f##*/}; module=${module%.rnl}
	# shellcheck disable=SC2013 # a word a line
	for view in $(sed -n 's/^view \([a-z_0-9]*\)(.*/\1/p' "$f"); do
		ask "$module" "$view" "$(args "$view")" & jobs="${jobs:-} $!"
		n=$((n + 1)); names="${names:-} $module:$view"
		# shellcheck disable=SC2086 # a list
		[ $((n % 3)) = 0 ] && { wait $jobs; jobs=; }
	done
done
# shellcheck disable=SC2086 # a list
[ -z "$jobs" ] || wait $jobs # without a name it would wait for the workload
for v in $names; do judge "${v%:*}" "${v#*:}"; done
kill -0 $busy 2>/dev/null || not_ok "the workload ended early"
done_testing
