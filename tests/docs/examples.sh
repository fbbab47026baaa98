#!/bin/bash
# examples.sh [PAGE...] - every command that the documents show is run beside the small workload of
# tests/demo, on a terminal of 100 columns, in a directory that it sees as /srv/app. A query that
# would go on until Ctrl-C gets one after seven seconds (interrupted.bash). It must
# end as the document shows: a message word for word, else with status 0, and its first line with
# the same columns. What shows rows must have rows, and what has rows must show them. BLESS=1 writes
# what it prints into the pages instead: `make examples`.
. tests/support/check.bash
B=${B:-build}
root=$PWD
"$B/runnel" doctor 2>/dev/null | grep -q 'permission to trace *ok' ||
	skip_all "this machine does not permit tracing"
# /srv is our own here: paths in answers do not depend on where this runs.
if [ -z "${RN_DOC_SRV:-}" ] && unshare -m true 2>/dev/null; then
	exec unshare -m env RN_DOC_SRV=1 bash "$0" "$@"
fi
. tests/docs/terminal.bash
srv=$tmp/srv
mkdir -p "$tmp/bin" "$tmp/got" "$srv/app/data" "$srv/app/build"
if [ -n "${RN_DOC_SRV:-}" ] && mount --bind "$srv" /srv; then srv=/srv; fi
run=$srv/app work=$srv/app/data
at_exit 'kill $(jobs -p) 2>/dev/null'
ln -s "$root/tests/docs/interrupted.bash" "$tmp/bin/runnel"
export RN_DOC_PROGRAM=$root/$B/runnel PAGER='' TZ=UTC
export PATH=$tmp/bin:$PATH RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY='' HOME=$tmp LC_ALL=C.UTF-8
unset NO_COLOR TMUX
ln -s "$root/tests" "$root/docs" "$run/"
"$root/tests/demo/workload.bash" "$work" &

# A line as it is compared: JSON by its keys, else by its words, without the numbers.
shape() { # LINE
	case $1 in
	'{'*)
		jq -rc 'del(.partial) | keys_unsorted | join(" ")' <<<"$1" 2>/dev/null ||
			echo "not JSON: $1" ;;
	*)
		sed -E -e 's/ \([0-9.]+ of [0-9]+ m?s\)//; s/[0-9][0-9.,:-]*/0/g; s/node [^ ,]+/node/' \
			-e 's/ +/ /g; s/^ //; s/ $//' <<<"$1" ;;
	esac
}
rows() { grep -vcE '^(\([0-9,]+ rows?\)|ledger: |note: |no rows: |\.\.\.$|$)' "$1"; } # FILE
check() { # N: has it ended as it should?
	local want=$d/$1.out got=$tmp/got/out status first
	status=$(cat "$tmp/got/status") first=$(head -n1 "$want")
	case $(cat "$want") in
	*:*': error: '* | error:*)
		[ "$status" = 0 ] && { echo "status 0 where an error is shown"; return; }
		cmp -s "$want" "$got" || { echo "another message:"; diff "$want" "$got"; }
		return ;;
	esac
	[ "$status" = 0 ] || { echo "status $status:"; head -c 600 "$got" "$tmp/got/err"; return; }
	[ "$(rows "$got")" != 0 ] || [ "$(rows "$want")" = 0 ] || {
		echo "it has no rows:"
		head -c 600 "$got"
		return
	}
	[ "$(rows "$want")" != 0 ] || [ "$(rows "$got")" = 0 ] || {
		echo "the page shows none of its rows: \`make examples\`"
		return
	}
	[ "$(shape "$first")" = "$(shape "$(head -n1 "$got")")" ] || {
		echo "it begins with:"
		head -n1 "$got"
		echo "shown is:"
		echo "$first"
	}
}
[ $# != 0 ] || set -- README.md docs/{tutorial,cookbook,library,trace-format}.md docs/language/*.md
for doc; do
	d=$tmp/${doc##*/}; mkdir "$d"
	rm -f "$run"/*.rnt # each page begins in a directory without recordings
	awk -v DIR="$d" -f tests/docs/extract.awk "$doc"
	for f in $(ls "$d" | grep '\.cmd$' | sort -n); do
		n=${f%.cmd} where=$(cat "$d/$n.line")
		[ -f "$d/$n.why" ] && continue
		at_terminal "$run" "$d/$f"
		if [ -n "${BLESS:-}" ]; then
			shortened "$tmp/got/out" >"$d/$n.new"
			echo "$where: status $(cat "$tmp/got/status"), $(rows "$d/$n.new") lines"
			continue
		fi
		wrong=$(check "$n")
		if [ -z "$wrong" ]; then ok "$where"; else
			not_ok "$where: $(head -n1 "$d/$f")"
			# shellcheck disable=SC2001 # each line
			sed 's/^/    /' <<<"$wrong"
		fi
	done
	if [ -n "${BLESS:-}" ]; then
		awk -v DIR="$d" -f tests/docs/rewrite.awk "$doc" >"$tmp/page" &&
			cat "$tmp/page" >"$doc"
	fi
done
[ -n "${BLESS:-}" ] || done_testing
