# lib.bash - a scripted person at the prompt: `. tests/shell/lib.bash` first. The terminal is a pane
# of a tmux of our own; what is on it is compared with a file of golden/, numbers masked. BLESS=1
# writes these files instead.
. tests/support/check.bash
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
RN=$B/runnel
need tmux
[ -x "$RN" ] || { not_ok "there is no $RN: run \`make test-build\` first"; exit 1; }
tm() { tmux -S "$tmp/tmux" -f /dev/null "$@"; }
at_exit 'tm kill-server 2>/dev/null'
export RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY=$tmp/history HOME=$tmp HISTFILE= PAGER= \
	EDITOR=true VISUAL= TZ=UTC
unset NO_COLOR TMUX
permitted() { "$RN" doctor >/dev/null 2>&1; }
# at WIDTH HEIGHT [VARIABLE=VALUE...]: a terminal with a shell, in it the prompt; $opts are its
# options
at() {
	local w=$1 h=$2; shift 2
	tm kill-server 2>/dev/null
	rm -f "$tmp/tmux"
	tm new-session -d -s x -x "$w" -y "$h" "PS1='$ ' exec bash --norc --noprofile -i"
	tm set-option -g status off 2>/dev/null
	wait_last '$'
	type "clear; $* $RN ${opts:-}" '<Enter>'
	wait_prompt
	keys '<C-l>'
	wait_lines 1
}
# keys KEY...: `<Tab>` is a key of tmux, anything else is typed, and its echo waited for: an empty
# prompt that is there after it is another one than before.
keys() {
	local k
	for k; do
		case $k in
		'<'*'>') k=${k#<}; tm send-keys -t x "${k%>}" ;;
		*';') echoed "${k%;}\\;" ;;
		*) echoed "$k" ;;
		esac
	done
}
echoed() { # TEXT
	local i before=$(tm capture-pane -p -t x)
	tm send-keys -t x -l -- "$1"
	for ((i = 0; ${#1} && i < ${PATIENCE:-600}; i++)); do
		[ "$(tm capture-pane -p -t x)" != "$before" ] && return
		sleep 0.02
	done
}
type() { keys "$@"; }
line() { keys "$1" '<Enter>'; } # TEXT
screen() { tm capture-pane -p -t x | sed -e 's/ *$//' -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
give_up() { not_ok "$1"; screen; exit 1; }
wait_for() { # TEXT
	local i
	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		[[ $(tm capture-pane -p -t x) == *"$1"* ]] && return
		sleep 0.1
	done
	give_up "waited for '$1'"
}
wait_gone() { # TEXT
	local i
	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		[[ $(tm capture-pane -p -t x) != *"$1"* ]] && return
		sleep 0.1
	done
	give_up "waited for '$1' to go"
}
wait_lines() { # N: so many are on the screen
	local i
	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		[ "$(screen | wc -l)" = "$1" ] && return
		sleep 0.1
	done
	give_up "waited for $1 lines"
}
# The last line is this one; by default an empty prompt.
wait_last() { # TEXT
	local i
	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		[ "$(screen | tail -n 1)" = "$1" ] && return
		sleep 0.1
	done
	give_up "waited for a last line '$1'"
}
wait_prompt() { wait_last 'runnel>'; }
clear() { keys '<C-l>'; wait_lines 1; }
# masked: numbers are #, and blanks beside them one
masked() { sed -E -e "s|$tmp|TMP|g" -e 's/\b[0-9]+([.,:-][0-9]+)*/#/g' -e '/#/s/ {2,}/ /g'; }
golden() { # NAME [N]: the screen, or its first N lines, is as it should be, or is so soon
	local i want=tests/shell/golden/$1.txt
	for ((i = 0; i < 100; i++)); do
		screen | head -n "${2:-1000}" | masked >"$tmp/screen"
		if [ -n "${BLESS:-}" ]; then mkdir -p "${want%/*}"; cp "$tmp/screen" "$want"; fi
		if diff "$want" "$tmp/screen" >"$tmp/diff"; then ok "$1"; return; fi
		sleep 0.1
	done
	not_ok "$1"; cat "$tmp/diff"
}
# NAME WANTED COMMAND...: what it prints, at once or soon: a table is not always caught between two
# drawings
soon() {
	local i what=$1 want=$2 got; shift 2
	for ((i = 0; i < 100; i++)); do
		got=$("$@") && [ "$got" = "$want" ] && break
		sleep 0.1
	done
	same "$what" "$got" "$want"
}
# A query runs: the terminal makes signals of keys again.
wait_running() {
	local i tty=$(tm display-message -p -t x '#{pane_tty}')
	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		stty -a -F "$tty" | grep -qE '(^| )isig' && return
		sleep 0.1
	done
	give_up 'waited for a query to run'
}
