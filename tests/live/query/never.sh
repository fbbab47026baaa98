#!/bin/bash
# never.sh - what the notes N-NEVER say is true of the live kernel: the condition finds nothing, and
# the way out that is named finds what a program did.
. tests/live/lib.sh
need_bpf; need jq
long=a-name-of-more-than-15; cp "$(command -v cat)" "$tmp/$long"
seq 1000 >"$tmp/data.txt"
reads() { # CONDITION: how many reads of a cat of that file fulfil it, and how many notes there were
	q -c "$tmp/$long $tmp/data.txt >/dev/null" \
		"count of read where file = \"$tmp/data.txt\" and ($1)"
	echo "$(field .count) $(grep -c N-NEVER "$tmp/err")"
}
all=$(reads "pid > 0"); same "reads of the file: 4 KB are one read and the end" "$all" "2 0"
never() { # CONDITION WAY-OUT
	same "never: $1" "$(reads "$1")" '0 1'
	grep -qF -- "$2" "$tmp/err" && ok "way out: $2" || {
		not_ok "no way out '$2' in:"
		cat "$tmp/err"
	}
	same "instead: $2" "$(reads "$2")" "$all"
}
always() { same "always: $1" "$(reads "$1")" "${all% *} 1"; }
never 'file ~ "data.txt"' 'file ~ "*/data.txt"'
never "file ~ \"$tmp\"" "file ~ \"$tmp/*\""
never "file = \"$tmp/*\"" "file ~ \"$tmp/*\""
never "proc = \"$long\"" "proc = \"${long:0:15}\""
never "exe ~ \"$long\"" "exe ~ \"*/$long\""
always 'file !~ "data.txt"'
always "proc != \"$long\""
always 'error != -2'
always 'user != "no such user"'
same 'never: a user' "$(reads 'user = "no such user"')" '0 1'
same 'never: a descriptor' "$(reads 'fd < -1')" '0 1'
# an error is a positive number: cat's failed open, by a path as it was given
opens() {
	(cd "$tmp" && "$RN" -q -o json -c "$tmp/$long nothere.txt" \
		"count of open where file ~ \"nothere*\" and $1" 2>/dev/null | jq .count)
}
same 'an error by its name, of a path as given' \
	"$(opens 'error = ENOENT') $(opens 'error = -2') $(opens 'error < 0')" '1 0 0'
done_testing
