#!/bin/bash
# format.sh - the dialect of the house, as far as a machine knows it: C as .clang-format has it,
# lines no wider than they may be, shell without what shellcheck finds, words as codespell has them.
. tests/support/check.bash
clean=${B:-build}/tests/shellcheck.clean
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
scripts_of_pages() { files -name '*.js'; }
wide() { { c; grammars; shell; documents; scripts_of_pages; } | xargs python3 tests/lint/width.py; }
executable() {
	shell | while read -r f; do
		[ -x "$f" ] || ! head -n 1 "$f" | grep -q '^#!' || echo "$f"
	done
}
shellchecked() { scripts | xargs -r -P2 -n 8 shellcheck -x -f gcc && touch "$clean"; }
silent 'formatted, else: make format' formatted
silent 'no line is too wide' wide
silent 'scripts are executable, else: chmod +x' executable
silent shellcheck shellchecked
silent codespell codespell .
done_testing
