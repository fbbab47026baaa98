# terminal.bash - a command as a person sees it who types it at a terminal of 100 columns:
# `. tests/docs/terminal.bash` first, after check.bash.
# shellcheck disable=SC2154 # $tmp is of check.bash
need tmux
pane() { tmux -S "$tmp/tmux" -f /dev/null "$@" 2>/dev/null; }
at_exit 'pane kill-server'
# at_terminal DIR FILE: runs the file in the directory. What is on the terminal then is in
# $tmp/got/out, its status in $tmp/got/status. If the command has a pipe or another format than
# tables, its stderr is in $tmp/got/err: it is for a program, which does not read that.
at_terminal() {
	local aside=''
	grep -qE ' -o | \| |\$\(' "$2" && aside="2>$tmp/got/err"
	rm -f "$tmp/got/"*
	: >"$tmp/got/err"
	cat >"$tmp/got/run" <<-END
		cd "$1" || exit
		timeout --foreground -s KILL 300 bash "$2" $aside
		echo \$? >"$tmp/got/status"
		tmux -S "$tmp/tmux" wait-for -S ended
		sleep 100
	END
	pane kill-server
	rm -f "$tmp/tmux"
	pane new-session -d -x 100 -y 200 "bash $tmp/got/run"
	pane set-option -g status off
	pane wait-for ended
	sleep 0.1
	pane capture-pane -pJ | sed -e 's/ *$//' -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$tmp/got/out"
	pane kill-server
}
# What is long is shown in part: its beginning, and the lines that say how much there is. A picture
# (it has a `●`) may be longer than rows.
shortened() { # FILE
	awk '
	BEGIN { most = 12 }
	{ line[NR] = $0 }
	/●/ { most = 20 }
	!end && /^\([0-9,]+ rows?\)|^ledger: / { end = NR - 1 }
	END {
		if (!end) end = NR
		for (i = 1; i <= (end > most ? 9 : end); i++) print line[i]
		if (end > most) print "..."
		for (i = end + 1; i <= NR; i++) print line[i]
	}' "$1"
}
