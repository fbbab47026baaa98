# lab.bash - for the scripts of the cases: `. docs/cases/lab.bash` first, in the root of the
# repository. The case NAME.sh brings its cluster up, then calls these in turn:
#
#   record [CONDITION]    begins to record the tag: `events of tag $tag [where CONDITION]`
#   run_in N CMD...       runs CMD in node N
#   recorded              ends the recording, draws it, shows how it differs from NAME.golden
#
# It writes NAME.rnt and NAME.svg into the directory that its first argument names: build/cases if
# there is none. With STRACE=1 there are two more: NAME.strace has the lines of strace that hold the
# tag, and names their processes and sockets; build/cases/NAME.strace.all has all lines. Nodes and
# their agents are those of tests/systems/systems.bash and tests/support/lab.bash; results are lines
# of TAP (tests/support/check.bash). A node ends with its script, also if that is killed.
. tests/systems/systems.bash
[ -z "${STRACE:-}" ] || need strace ss
out=${1:-build/cases}
export TZ=UTC
mkdir -p "$out" build/cases
all=build/cases/$name.strace.all
case_strace=()
at_exit 'kill "${case_strace[@]}" 2>/dev/null; kill $(jobs -p) 2>/dev/null'
# strace stands outside of the nodes, so that what it reads and writes is no event of theirs. It has
# room for what a call moves, as a tag may stand at its end.
case_straced() ( # FILE ARGUMENT...
	file=$1; shift
	exec strace -f -ttt -yy -s 262144 -o "$tmp/strace.$file" "$@"
)
case_attached() { # COUNT: so many processes
	[ "$(grep -c '^strace: Process [0-9]* attached' "$tmp/attach.log")" -ge "$1" ]
}
# All processes that the nodes have now, with their threads.
case_attach() {
	local i pids
	pids=$(for i in $(seq "$lab_nodes"); do node_pids "$i"; done)
	# shellcheck disable=SC2086 # a list
	case_straced daemons $(printf -- '-p %s ' $pids) 2>"$tmp/attach.log" &
	case_strace+=($!)
	lab_await 'strace' case_attached "$(wc -w <<<"$pids")" || set_up_failed 'strace attaches'
}
record() { # [CONDITION]
	[ -z "${STRACE:-}" ] || { case_attach; case_sockets; }
	ask "events of tag $tag${1:+ where $1} into \"$out/$name.rnt\" replace"
}
run_in() { # N CMD...
	local n=$1; shift
	[ -n "${STRACE:-}" ] || { on "$n" "$@"; return; }
	case_straced "run.$SECONDS.$BASHPID" nsenter -t "$(lab_holder "node$n")" -n -m -u -- "$@"
}
# The lines of $all that hold the tag, with the other half of a call that strace shows in two lines,
# and the calls that made a thread or a socket of these.
case_lines() {
	awk -v tag="$tag" '
		FNR == 1 { pass++ }
		pass == 1 {
			if (/<unfinished \.\.\.>$/) { begun[$1] = FNR; delete hit[$1] }
			if (index($0, tag)) {
				keep[FNR] = hit[$1] = threads[$1] = 1
				if (match($0, /:\[[0-9]+\]>/)) sockets[substr($0, RSTART, RLENGTH)] = 1
			}
			if (/<\.\.\. [a-z0-9_]+ resumed>/) {
				if (hit[$1] || FNR in keep) {
					keep[FNR] = keep[begun[$1]] = 1
					if (match(text[$1], /:\[[0-9]+\]>/))
						sockets[substr(text[$1], RSTART, RLENGTH)] = 1
				}
				delete hit[$1]
			}
			text[$1] = $0
			next
		}
		/ execve\(.* = -1 / { next }
		FNR in keep || ($1 in threads && / execve\(/) { print; next }
		/ (clone|clone3|fork|vfork)[( ]|<... (clone|clone3|fork|vfork) resumed/ {
			if ($NF in threads) print
		}
		/ (connect|accept|accept4)[( ]|<... accept4? resumed/ {
			if (match($0, /:\[[0-9]+\]>(, [{]|$)/) &&
				substr($0, RSTART, index(substr($0, RSTART), ">")) in sockets) print
		}
	' "$all" "$all" | sed -E 's/x{40,}/x...x/g'
}
# Processes that are still there, with those of their threads that made the calls of the FILE, and
# the sockets of the FILE.
case_processes() { # FILE
	local i p threads
	for ((i = 1; i <= lab_nodes; i++)); do
		for p in $(node_pids $i); do
			threads=$(ls "/proc/$p/task" | grep -Fxf <(cut -d' ' -f1 "$1") | paste -sd' ')
			[ -z "$threads" ] ||
				echo "# node$i $(cat "/proc/$p/comm") $p: threads $threads"
		done
	done
	grep -oE '(TCP|TCPv6):\[[0-9]+\]' "$1" | grep -oE '[0-9]+\]' | tr -d ']' | sort -u |
		grep -Ff - "$tmp/sockets" | sort -u
}
case_sockets() {
	local i
	for ((i = 1; i <= lab_nodes; i++)); do
		on $i ss -Htane |
			sed -nE "s/^[A-Z0-9-]+ +[0-9]+ +[0-9]+ +([^ ]+) +([^ ]+) .*ino:([0-9]+).*/# node$i socket \3: \1 -> \2/p"
	done >>"$tmp/sockets"
}
recorded() {
	[ -z "${STRACE:-}" ] || case_sockets
	answer
	if [ -n "${STRACE:-}" ]; then
		kill "${case_strace[@]}"; wait "${case_strace[@]}"; case_strace=()
		sort -s -k2,2 "$tmp"/strace.* >"$all"
		case_lines >"$tmp/lines"
		{ case_processes "$tmp/lines"; cat "$tmp/lines"; } >"$out/$name.strace"
	fi
	local flow=docs/cases/$name.golden
	flow=$(docs/cases/golden.py --query "$flow" 2>/dev/null) || flow="flow of tag $tag"
	"$RN" -q -o svg -O "$out/$name.svg" "$flow from \"$out/$name.rnt\"" 2>"$tmp/err" ||
		not_ok "the picture: $(cat "$tmp/err")"
	echo "written: $out/$name.rnt $out/$name.svg"
	[ ! -e "docs/cases/$name.golden" ] || case_compared "$flow"
}
# A new run may have another order, so a difference is shown, and is no failure. tests/cli/cases.sh
# compares the committed run.
case_compared() { # FLOW
	"$RN" -q -o json "$1 from \"$out/$name.rnt\"" >"$tmp/rows"
	if docs/cases/golden.py "docs/cases/$name.golden" "$tmp/rows" >"$tmp/differs"; then
		echo "the same as docs/cases/$name.golden"
	else
		echo "this run differs from docs/cases/$name.golden:"
		sed 's/^/  /' "$tmp/differs"
	fi
}
