# peers.bash - bpftrace and Runnel over the same run of the same program: `. tests/peers/peers.bash`
# first.
#
# runnel -c starts bpftrace, which -c starts the program: both are attached before it begins and end
# when it has ended, so both see all of it. The program has a name of its own, by which both filter:
# nobody else's events are in the answers.
. tests/live/lib.sh
need_bpf
need jq bpftrace unshare
WHO=peer$$
WORK=$PWD/$B/tests/programs/bustle
ROUNDS=20
cp "$WORK" "$tmp/$WHO" || exit 1
export BPFTRACE_STRLEN=200

# bpftrace wants the tracing file systems mounted: it gets a mount namespace of its own.
cat >"$tmp/bt" <<'END'
mount -t tracefs t /sys/kernel/tracing 2>/dev/null
mount -t debugfs d /sys/kernel/debug 2>/dev/null
exec "$@"
END
bt() { unshare -m sh "$tmp/bt" bpftrace "$@"; }
# Runs $theirs while QUERY is asked. EVERYWHERE=yes: the query is about all processes. It must be,
# if the events happen in threads of the kernel; nothing else on the machine may cause such events.
ours() { # QUERY
	if [ -n "${EVERYWHERE:-}" ]; then
		during "$1" sh -c "timeout 600 $theirs >/dev/null 2>$tmp/their.err"
		mv "$tmp/out" "$tmp/rn.json"
		cat "$tmp/their.err" >>"$tmp/err"
		! grep -q ' error: ' "$tmp/err"
	else
		timeout 600 "$RN" -o json -c "$theirs" "$1" >"$tmp/rn.json" 2>"$tmp/err" </dev/null
	fi
}
# once BPFTRACE RUNNEL: $tmp/bt.json, $tmp/rn.json; WHO stands for the program's name in the texts.
# Else why not, in $why: 1 is a failure, 2 something that bpftrace cannot do here, 3 that one of
# them has lost events and says so.
once() {
	printf '%s' "${1//WHO/$WHO}" >"$tmp/text.bt"
	rm -f "$tmp/bt.json"
	local theirs="unshare -m sh $tmp/bt bpftrace -f json -o $tmp/bt.json -c '${PROGRAM:-$tmp/$WHO $ROUNDS $tmp}' $tmp/text.bt"
	ours "${2//WHO/$WHO}" || {
			why="runnel: $(grep -m1 error "$tmp/err")"
			return 1
		}
	if ! grep -q attached_probes "$tmp/bt.json" 2>/dev/null; then
		why="bpftrace: $(grep -v MEMLOCK "$tmp/err" | grep -m1 'rror')"
		grep -qi 'attach\|not found\|permitted' <<<"$why" && return 2
		return 1
	fi
	why='bpftrace lost events'
	[ "$(cat "$tmp/err" "$tmp/bt.json" | grep -c '^Lost\|lost_events')" = 0 ] || return 3
	why='Runnel lost events'
	[ "$(lost)" = 0 ] || return 3
	why=
}
both() { once "$@"; rc=$?; [ $rc = 0 ] || [ $rc = 3 ]; } # leaves rc

# What bpftrace printed, as lines `KEY=NUMBER`: maps by key, histograms by the low end of each
# bucket that has something. Below 0 is 0. What bpftrace sees at sys_exit twice: a call that makes a
# task returns in the new task as well, with 0. (clone, fork, vfork, clone3)
NO_BIRTH='args->ret != 0 || (args->id != 56 && args->id != 57 && args->id != 58 && args->id != 435)'
bt_map='select(.type == "map") | .data[] | if type == "object" then to_entries[] | "\(.key)=\(.value)" else "=\(.)" end'
hist_lines='def lines: group_by(.[0])[] | [.[0][0], (map(.[1]) | add)] | select(.[1] > 0) | "\(.[0])=\(.[1])";'
bt_hist="$hist_lines"'select(.type == "hist") | .data[] | if type == "array" then . else .[] end
	| [.[] | [(.min // 0), .count]] | lines'
# The same of a histogram of Runnel's, whose column is given.
rn_hist() { echo "$hist_lines"'.'"$1"' | [.[] | [.[0], .[2]]] | lines'; }

# One run; leaves in $verdict ok, different, or why not, and in rc what `once` said.
compare_once() {
	local n
	both "$2" "$3" || { verdict=$why; return; }
	jq -r "$4" "$tmp/bt.json" 2>>"$tmp/err" | LC_ALL=C sort >"$tmp/bt.lines"
	jq -r "$5" "$tmp/rn.json" 2>>"$tmp/err" | LC_ALL=C sort >"$tmp/rn.lines"
	n=$(wc -l <"$tmp/rn.lines")
	if [ "$n" -lt "${6:-1}" ]; then verdict="$n lines of answer: $(tail -n1 "$tmp/err")"
	elif [ -n "${7:-}" ] && [ "$(paste -sd' ' "$tmp/rn.lines")" != "$7" ]; then
		verdict="known is '$7', Runnel has '$(paste -sd' ' "$tmp/rn.lines")'"
	elif cmp -s "$tmp/bt.lines" "$tmp/rn.lines"; then verdict="ok $n"
	elif theirs_is_part; then verdict='bpftrace (<) has a part of what Runnel has (>)'
	else verdict='bpftrace (<) and Runnel (>) differ'; fi
}
# Whether bpftrace has no more than Runnel under any key (a line that is no `KEY=NUMBER` is a key
# that counts once).
theirs_is_part() {
	awk '{ n = 1; key = $0; if (match($0, /=[0-9]+$/)) { n = substr($0, RSTART + 1); key = substr($0, 1, RSTART - 1) } }
		FNR == NR { theirs[key] += n; next } { ours[key] += n }
		END { for (key in theirs) if (theirs[key] > ours[key]) exit 1 }' "$tmp/bt.lines" "$tmp/rn.lines"
}
# Is at least one event missing, and at most a hundredth of all, or one?
little_is_missing() {
	awk '{ n = match($0, /=[0-9]+$/) ? substr($0, RSTART + 1) : 1 }
		FNR == NR { theirs += n; next } { ours += n }
		END { missing = ours - theirs; exit !(missing == 1 || missing * 100 <= ours) }' \
		"$tmp/bt.lines" "$tmp/rn.lines"
}
# compare NAME BPFTRACE RUNNEL JQ-OF-BPFTRACE JQ-OF-RUNNEL [LEAST [KNOWN]]: one run, the same lines;
# at least LEAST of them. KNOWN: what they are, joined by blanks, from what the program is known to
# do.
#
# The kernel leaves out what an interrupt brings amid another probe on the same CPU, of any program.
# Runnel's ledger counts it; bpftrace does not, and has less then. If Runnel has lost some, or if
# bpftrace has at most a hundredth less, nothing is said about the two: that is a counted skip. If
# Runnel has less and its ledger is complete, it is wrong.
compare() {
	compare_once "$@"
	case $rc:$verdict in
	?:ok\ *) ok "$1: ${verdict#ok } numbers" ;;
	2:* | 3:*) skip "$1: $why" ;;
	0:*' has a part of '*)
		if little_is_missing; then
			skip "$1: bpftrace has lost events, and does not say so"
		else
			not_ok "$1: $verdict"
			diff "$tmp/bt.lines" "$tmp/rn.lines" | head -n 20
		fi ;;
	*)
		not_ok "$1: $verdict"
		[ $rc != 0 ] || diff "$tmp/bt.lines" "$tmp/rn.lines" | head -n 20 ;;
	esac
}
