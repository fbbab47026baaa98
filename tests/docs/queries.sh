#!/bin/bash
# queries.sh - every query that docs/language/*.md show in a block is run for a moment: it is
# accepted and ends with status 0. A block of statements (with `;`) is a file, asked for shorter
# times than it says, and may use what the last `let` made; it may end with an assertion that does
# not hold. In other blocks each line is a query. Forms, messages, grammar are left out.
. tests/support/check.bash
B=${B:-build}
RN=$PWD/$B/runnel
export RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY='' RUNNEL_POLICY=$tmp/policy LC_ALL=C.UTF-8
echo 'payload = allow' >"$tmp/policy"
"$RN" doctor 2>/dev/null | grep -q 'permission to trace *ok' ||
	skip_all "this machine does not permit tracing"
verdict() { # WHERE STATUS TEXT
	if [ "$2" = 0 ]; then ok "$1"; else
		not_ok "$1: status $2: $3"; sed 's/^/    /' "$tmp/err"
	fi
}
query() { # WHERE TEXT
	local text=$2
	[[ $text =~ \ for\ [0-9] || ( $text =~ ^[^\(]*of\ proc\  && $text != *" every "* ) ||
		$text =~ from\ \" ]] || text="$text for 200ms"
	local status
	(cd "$tmp" && timeout 120 "$RN" "$text") >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	if grep -q 'kernel is built without probes on its functions' "$tmp/err"; then
		skip "$1: this kernel has no kprobes"
	else
		verdict "$1" $status "$text"
	fi
}
for doc in docs/language.md docs/language/*.md; do
	awk -v DIR="$tmp/${doc##*/}" '
	function done_() { if (n) close(f); n = 0 }
	/^# Grammar/ { exit }
	/^    / { if (!n++) { f = DIR "." FNR ".block"; } print substr($0, 5) >f; next }
	!NF && n { print "" >f; next }
	{ done_() }' "$doc"
	for f in $(ls "$tmp" | grep "^${doc##*/}\..*\.block$" | sort -t. -k3n); do
		line=${f#"${doc##*/}".} line=${line%.block}
		if grep -qE '^WHAT |\[E-|^ *\$ |^[a-z-]+:|"\|' "$tmp/$f"; then continue
		elif grep -qE ';$' "$tmp/$f"; then
			values=$(sed -n 's/^param \([a-z_]*\) string;.*/\1=bash/p' "$tmp/$f")
			grep -q '^assert' "$tmp/$f" || made=
			{ [ -z "${made:-}" ] || echo "$made"; cat "$tmp/$f"; } |
				sed -E 's/for [0-9]+s/for 300ms/; /:=/!s/([a-z]\([^ ]*\));$/\1 for 300ms;/' \
					>"$tmp/file.rnl"
			# What a text writes goes to the directory that it runs in.
			# shellcheck disable=SC2086 # a list
			(cd "$tmp" && timeout -s INT 120 "$RN" file.rnl $values) >"$tmp/out" \
				2>"$tmp/err" </dev/null
			rc=$?
			[ $rc = 1 ] && grep -q E-ASSERT "$tmp/err" && rc=0
			verdict "$doc:$line" $rc "$(head -n1 "$tmp/$f")"
			made=$(grep '^let ' "$tmp/$f")
		else
			while IFS= read -r text; do
				[[ $text == *' of '* ]] && query "$doc:$line" "${text%%  --*}"
				line=$((line + 1))
			done <"$tmp/$f"
		fi
	done
done
done_testing
