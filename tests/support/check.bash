# check.bash - the results of a test in shell, as lines of TAP (testanything.org). Source it first:
#
#   ok NAME; not_ok NAME           a result; what explains it is printed after it
#   same NAME GOT WANTED           ok if the two are equal
#   holds NAME TEXT FILE           ok if a line of the file has the text
#   silent NAME COMMAND...         ok if the command prints nothing
#   skip REASON                    a result that this machine cannot give
#   PROGRAM | results              results of a program: ok NAME, not ok NAME, skip REASON
#   skip_all REASON                ends a test that this machine cannot run
#   set_up_failed REASON           ends a test whose set-up did not come up; it is run once more
#   need PROGRAM...; need_bpf      skip_all if there is none, or if tracing is not permitted
#   await COMMAND...               waits until it succeeds, two minutes at most
#   at_exit COMMAND                cleans up, however the test ends; the last one given runs first
#   done_testing                   ends the test, and says how many results there had to be
#
# A test that ends without done_testing has no plan, and so it fails. Results of subshells count.
# $tmp is a directory of the test's own. $name is the test's name, $status 1 after a failure. Names
# that begin with tap_ belong to this file.
set -u
name=${0##*/}; name=${name%.sh}
status=0
tmp=$(mktemp -d)
tap_results=$(mktemp)
tap_at_exit=()
tap_end() {
	local tap_i
	for ((tap_i = ${#tap_at_exit[@]}; tap_i-- > 0; )); do eval "${tap_at_exit[tap_i]}"; done
	rm -rf "$tmp" "$tap_results"
}
trap tap_end EXIT
at_exit() { tap_at_exit+=("$*"); }
tap_result() { # RESULT TEXT: one line, whatever the text holds
	echo "$1" >>"$tap_results"
	printf '%s\n' "$1 ${2//$'\n'/ }"
}
ok() { tap_result ok "- $*"; }
not_ok() { tap_result 'not ok' "- $*"; status=1; }
skip() { tap_result ok "# SKIP $*"; }
results() {
	local tap_line
	while IFS= read -r tap_line; do
		case $tap_line in
		'ok '*) ok "${tap_line#ok }" ;;
		'not ok '*) not_ok "${tap_line#not ok }" ;;
		'skip '*) skip "${tap_line#skip }" ;;
		*) printf '%s\n' "$tap_line" ;;
		esac
	done
}
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}
set_up_failed() {
	not_ok "set-up did not come up: $*"
	exit 77
}
done_testing() {
	echo "1..$(wc -l <"$tap_results")"
	! grep -q '^not ok' "$tap_results" || status=1
	exit $status
}
same() { # NAME GOT WANTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: got '$2', want '$3'"; fi
}
holds() { # NAME TEXT FILE
	if grep -qF -- "$2" "$3"; then ok "$1"; else not_ok "$1: no '$2' in:"; cat "$3"; fi
}
silent() { # NAME COMMAND...: what the command prints is what is wrong
	local tap_what=$1 tap_out; shift
	tap_out=$("$@" 2>&1)
	if [ -z "$tap_out" ]; then ok "$tap_what"; else
		not_ok "$tap_what"
		head -n 200 <<<"$tap_out"
	fi
}
need() { # PROGRAM...
	local c
	for c; do command -v "$c" >/dev/null || skip_all "there is no $c on this machine"; done
}
need_bpf() {
	"$RN" doctor >"$tmp/doctor" 2>&1 ||
		skip_all "this machine does not permit tracing: $(tail -n 1 "$tmp/doctor")"
}
await() { # COMMAND...
	local tap_until=$((SECONDS + 120))
	until "$@"; do [ $SECONDS -lt $tap_until ] || return 1; sleep 0.05; done
}
