#!/bin/bash
# completions.sh - what bash and zsh offer: bash's function is called as bash would, zsh is driven
# through a terminal of its own.
. tests/cli/lib.bash
cat >"$tmp/q.rnl" <<-'X'
	param node = "web1";
	param threshold = 10ms;
	count of syscall where latency > $threshold and proc != $node by proc;
	X
PATH=$B:$PATH
. docs/packaging/completions/runnel.bash
offers() { # NAME WANTED WORD...: what is offered for the last word
	COMPREPLY=() COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
	_runnel
	same "bash $1" "$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd' ')" "$2"
}
same 'bash is-registered' "$(complete -p runnel)" 'complete -F _runnel runnel'
offers option '--format' runnel --fo
offers formats "$("$RN" --help | sed -n 's/.*--format FORMAT *//p' | sed 's/;.*//; s/ and / /; s/ or / /' | tr -d , | tr ' ' '\n' | grep -v '^$' | LC_ALL=C sort | paste -sd' ')" \
	runnel -o ''
offers stages plan runnel --dump=p
offers every-stage 'ast bpf plan split sql tokens types' runnel --stop-after ''
subcommands=$("$RN" --help | grep -oE '^(usage:)? *runnel [a-z].*|\| [a-z]+ ' |
	grep -oE '(runnel|\|) [a-z]+' | awk '{ print $2 }' | LC_ALL=C sort -u | paste -sd' ')
same subcommands-of-the-help "$subcommands" \
	'agent describe doctor export import list relay watch'
mkdir "$tmp/empty"
same 'bash every-subcommand' "$(cd "$tmp/empty" && COMPREPLY=() COMP_WORDS=(runnel '') \
	COMP_CWORD=1 && PATH=$OLDPWD/$B:$PATH _runnel && printf '%s\n' "${COMPREPLY[@]}" |
	LC_ALL=C sort | paste -sd' ')" "$subcommands"
# What stands behind each is said by both.
for sub in $subcommands; do
	for f in runnel.bash _runnel; do
		sed -n '/case .*sub\|case \$words/,/esac/p' "docs/packaging/completions/$f" |
			grep -qE "(^|[ 	|(])$sub( \||\||\)|$)" ||
			not_ok "docs/packaging/completions/$f does not say what stands behind $sub"
	done
done
offers subcommand 'doctor' runnel doct
offers class 'copy_file_range' runnel describe copy_file_r
offers view 'syscount' runnel describe syscou
offers file "$tmp/q.rnl" runnel "$tmp/q"
offers parameters 'node= threshold=' runnel "$tmp/q.rnl" ''
offers parameter 'threshold=' runnel -o json "$tmp/q.rnl" thr
offers watched 'syscount' runnel watch syscou
offers parameters-of-a-view "$("$RN" -o csv describe slow_reads | sed -n 's/^parameter,\([^,]*\),.*/\1=/p' | LC_ALL=C sort | paste -sd' ')" \
	runnel watch slow_reads ''
offers class-in-a-query "count of copy_file_range" runnel "'count of copy_file_r"
offers class-of-a-nested-one "top 3 of (count of copy_file_range" runnel \
	"'top 3 of (count of copy_file_r"
offers nothing-behind-by '' runnel "'count of read by pr"
every=$("$RN" --help | grep '^ *-' | grep -oE -- '--[a-z][a-z-]+' | sort -u | paste -sd' ')
offers every-option "$every" runnel --

if ! command -v zsh >/dev/null; then
	skip "there is none on this machine"
	done_testing
fi
if zsh -n docs/packaging/completions/_runnel 2>"$tmp/err"; then
	ok zsh syntax
else
	not_ok zsh syntax
	cat "$tmp/err"
fi
for o in $every; do
	grep -q -- "$o" docs/packaging/completions/_runnel ||
		not_ok "zsh: docs/packaging/completions/_runnel has no $o"
done
cat >"$tmp/drive" <<'X'
zmodload zsh/zpty || exit 3
zpty z zsh -f -i
send() { zpty -w -n z "$1" }
shows() { # NAME TEXT: within five minutes
	local got= piece; integer end=$((SECONDS + 300))
	while (( SECONDS < end )); do
		zpty -r -t z piece && got+=$piece
		[[ $got == *$2* ]] && { print -r -- "ok zsh $1"; return }
		sleep 0.05
	done
	print -r -- "not ok zsh $1: no $2 in ${(V)got}"
}
zpty -w z "PS1=; fpath=($PWD/docs/packaging/completions \$fpath); autoload -Uz compinit; compinit -u -D; print is-\${:-set}-up"
shows set-up is-set-up
send $'runnel --stri\t'; shows option --strict
send $'\C-urunnel describe copy_file_r\t'; shows class copy_file_range
send $'\C-urunnel -o cs\t'; shows format csv
send $'\C-urunnel \'count of copy_file_r\t'; shows class-in-a-query copy_file_range
send $'\C-urunnel '$1$' thresh\t'; shows parameter threshold=
zpty -d z
X
zsh -f "$tmp/drive" "$tmp/q.rnl" >"$tmp/out" 2>&1
results <"$tmp/out"
same 'zsh all' "$(grep -c '^ok' "$tmp/out")" 6
done_testing
