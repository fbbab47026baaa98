#!/bin/bash
# examples.sh - every command that the documents show is run, in a directory of its own and beside a
# small workload. A query that would go on until Ctrl-C gets one four seconds after it has attached
# (interrupted.bash). It must end as the document shows: a message word for word, else with status
# 0, and its first line with the same columns.
. tests/support/check.bash
B=${B:-build}
root=$PWD
at_exit 'kill $(jobs -p) 2>/dev/null'
mkdir "$tmp/bin" "$tmp/run" "$tmp/work" "$tmp/got"
ln -s "$root/tests/docs/interrupted.bash" "$tmp/bin/runnel"
export RN_DOC_PROGRAM=$root/$B/runnel
export PATH=$tmp/bin:$PATH RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY='' HOME=$tmp LC_ALL=C.UTF-8
ln -s "$root/tests" "$root/docs" "$tmp/run/"
"$B/runnel" doctor 2>/dev/null | grep -q 'permission to trace *ok' ||
	skip_all "this machine does not permit tracing"
"$root/tests/docs/workload.bash" "$tmp/work" &

# A line as it is compared: JSON by its keys, else by its words, without the numbers.
shape() { # LINE
	case $1 in
	'{'*) jq -rc 'keys_unsorted | join(" ")' <<<"$1" 2>/dev/null || echo "not JSON: $1" ;;
	*) sed -E 's/[0-9][0-9.,:]*/0/g; s/ +/ /g; s/^ //; s/ $//' <<<"$1" ;;
	esac
}
check() { # N: has it ended as it should?
	local want first got status=$2
	want=$(cat "$d/$1.out") first=$(head -n1 "$d/$1.out") got=$(cat "$tmp/got/out")
	case $want in
	*:*': error: '* | error:*)
		[ "$status" = 0 ] && { echo "status 0 where an error is shown"; return; }
		[ "$(cat "$tmp/got/err")" = "$want" ] || {
			echo "another message:"
			diff <(echo "$want") "$tmp/got/err"
		}
		return ;;
	esac
	[ "$status" = 0 ] || { echo "status $status: $(head -c 600 "$tmp/got/err")"; return; }
	[ -z "$want" ] && return
	[ -n "$got" ] || [[ $first == ledger:* ]] || grep -q '^no rows: ' "$tmp/got/err" || {
		echo "it printed nothing"
		head -c 600 "$tmp/got/err"
		return
	}
	[ "$(shape "$first")" = "$(shape "$(head -n1 "$tmp/got/out")")" ] ||
		[[ $first == ledger:* ]] ||
		{
			echo "it begins with:"
			head -n1 "$tmp/got/out"
			echo "shown is:"
			echo "$first"
		}
}
# shellcheck disable=SC2048 # a list
for doc in ${*:-README.md docs/tutorial.md docs/cookbook.md docs/generated/stdlib.md docs/language.md docs/language/*.md docs/library.md docs/trace-format.md};
	do
	[ -f "$doc" ] || continue
	d=$tmp/${doc##*/}; mkdir "$d"
	rm -f "$tmp/run"/*.rnt # each page begins in a directory without recordings
	awk -v DIR="$d" -f tests/docs/extract.awk "$doc"
	find "$d" -name '*.cmd' -exec sed -i "s| /tmp/| $tmp/work/|g" {} + # nobody else's files
	for f in $(ls "$d" | grep '\.cmd$' | sort -n); do
		n=${f%.cmd} where=$(cat "$d/$n.line")
		[ -f "$d/$n.why" ] && continue
		(cd "$tmp/run" && timeout -s KILL 300 bash "$d/$f") \
			>"$tmp/got/out" 2>"$tmp/got/err" </dev/null
		wrong=$(check "$n" $?)
		if [ -z "$wrong" ]; then ok "$where"; else
			not_ok "$where: $(head -n1 "$d/$f")"
			# shellcheck disable=SC2001 # each line
			sed 's/^/    /' <<<"$wrong"
		fi
	done
done
done_testing
