#!/bin/bash
# format.sh - the dialect of the house, as far as a machine knows it: C as .clang-format has it,
# lines no wider than they may be, shell without what shellcheck finds, words as codespell has them.
set -u
bad=0
clean=${B:-build}/tests/shellcheck.clean
said() { # NAME COMMAND...: what the command prints is what is wrong
	local name=$1 out
	shift
	out=$("$@" 2>&1)
	if [ -z "$out" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		head -n 100 <<<"$out"
		bad=1
	fi
}
files() { find . -name build -prune -o -name .git -prune -o -type f "$@" -print | sort; }
c() { files '(' -name '*.c' -o -name '*.h' ')'; }
shell() { files '(' -name '*.sh' -o -name '*.bash' ')'; }
# Those that are run; shellcheck follows them into those that they source. Once all were clean, only
# those that have changed since are looked at, unless one that others source has changed.
scripts() {
	local newer=()
	[ ! -e "$clean" ] || [ -n "$(files -name '*.bash' -newer "$clean")" ] ||
		[ .shellcheckrc -nt "$clean" ] || newer=(-newer "$clean")
	files -name '*.sh' "${newer[@]}" | xargs -r grep -lE '^#!'
}
formatted() { c | xargs -P2 -n 40 clang-format --dry-run -Werror 2>&1 | grep 'error:'; }
documents() { files '(' -name '*.md' -o -name '*.[138]' ')'; }
grammars() { files '(' -name '*.re' -o -name '*.y' ')'; }
wide() { { c; grammars; shell; documents; } | xargs python3 tests/lint/width.py; }
shellchecked() { scripts | xargs -r -P2 -n 8 shellcheck -x -f gcc && touch "$clean"; }
said 'formatted, else: make format' formatted
said 'no line is too wide' wide
said shellcheck shellchecked
said codespell codespell .
exit $bad
