# runnel.bash - completion for bash: options, formats, subcommands, files and their parameters,
# views, and inside a query what may follow `of`. What the program knows is asked of the program, so
# this file does not have to follow it.

_runnel_program() { "${_runnel_command:-runnel}" "$@" 2>/dev/null; }
# Names of a kind, of `runnel list`: "view", "class|table|view".
_runnel_names() {
	_runnel_program -o csv list ${2:+"$2"} |
		sed -nE "s/^($1),\"?([A-Za-z_][A-Za-z0-9_]*)\"?,.*/\2/p"
}
# The words that the help has behind an option: table, json, csv.
_runnel_words() {
	_runnel_program --help | sed -n "s/^.*--$1 [A-Z]* *//p" |
		sed 's/;.*//; s/ and / /; s/ or / /' | tr -d ','
}
_runnel_options() {
	_runnel_program --help | grep '^ *-' | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' |
		sort -u
}
_runnel_subcommands() { _runnel_program --help | sed -n \
	's/^ *\(usage: \)\{0,1\}runnel \(\[OPTION\]\.\.\. *\)\{0,1\}\([a-z][a-z].*\)/\3/p' |
	tr '|' '\n' | sed -n 's/^ *\([a-z]*\).*/\1/p' | sort -u; }
_runnel_stages() { _runnel_program --help | sed -n 's/^ *--dump=[^ ]* *show //p' |
	sed 's/;.*//; s/ and / /; s/ or / /' | tr -d ','; }
# The parameters of a file of statements or of a view, as NAME=.
_runnel_params() {
	_runnel_program -o csv describe "$1" | sed -n 's/^parameter,\([^,]*\),.*/\1=/p'
}

_runnel_reply() { # WORD... of which those are offered that begin with $cur
	local word
	COMPREPLY=()
	while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$*" -- "$cur")
}
_runnel_files() { # GLOB: those, and directories to go through
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(compgen -f -X "!$1" -- "$cur"; compgen -d -- "$cur")
	compopt -o filenames 2>/dev/null
}
# Inside of a quoted query: the word behind `of`.
_runnel_query() {
	local text=${cur#[\'\"]} last word behind='(^|[ (])of \(?$'
	last=${text##*[ (]}
	[[ ${text%"$last"} =~ $behind ]] || return
	while IFS= read -r word; do
		COMPREPLY+=("${text%"$last"}$word")
	done < <(compgen -W "$(_runnel_names 'class|table|view' '*')" -- "$last")
	compopt -o nospace 2>/dev/null
}

_runnel() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word sub= file= \
		view= i
	local _runnel_command=${COMP_WORDS[0]}
	COMPREPLY=()
	[ "$cur" = '=' ] && cur=
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		*.rnl) file=$word ;;
		-*) ;;
		[a-z]*)
			if [ -n "$sub" ]; then
				view=${view:-$word}
			elif _runnel_subcommands | grep -qx "$word"; then
				sub=$word
			fi
			;;
		esac
	done
	case $prev in
	-o | --format) _runnel_reply "$(_runnel_words format)"; return ;;
	-c | --command) COMPREPLY=($(compgen -c -- "$cur")); return ;;
	-p | --pid) _runnel_reply "$(ps -e -o pid= 2>/dev/null)"; return ;;
	-H | --hosts) _runnel_files '*.hosts'; return ;;
	-O | --output | --catalog) _runnel_files '*'; return ;;
	--lease | --every | --prometheus) return ;;
	esac
	case $cur in
	--dump=* | --stop-after=*) COMPREPLY=(); prev=${cur%%=*}; cur=${cur#*=}; _runnel_reply \
		"$(_runnel_stages)"; return;;
	-*) _runnel_reply "$(_runnel_options)"; return ;;
	\'* | \"*) _runnel_query; return ;;
	esac
	case $prev in --dump | --stop-after) _runnel_reply "$(_runnel_stages)";
		return;; esac
	case $sub in
	list | describe) _runnel_reply "$(_runnel_names '[a-z]*' '*')"; [ "$sub" = list ] ||
		[ -n "${COMPREPLY[*]}" ] || _runnel_files '*.rnl'; return;;
	watch | export)
		if [ -n "$view" ]; then
			_runnel_reply "$(_runnel_params "$view")"
			compopt -o nospace 2>/dev/null
		else
			_runnel_reply "$(_runnel_names view)"
		fi
		return ;;
	import) _runnel_files '*.rnl'; return ;;
	doctor | agent | relay) return ;;
	esac
	if [ -n "$file" ]; then
		_runnel_reply "$(_runnel_params "$file")"
		compopt -o nospace 2>/dev/null
		return
	fi
	_runnel_files '*.rnl'
	[ "$COMP_CWORD" -gt 1 ] || COMPREPLY+=($(compgen -W "$(_runnel_subcommands)" -- "$cur"))
}
complete -F _runnel runnel
