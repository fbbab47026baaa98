#!/bin/bash
# symbols.sh - what the libraries export is what runnel.h declares, nothing less and nothing more;
# the shared one has its soname.
. tests/cli/lib.bash
declared=$(sed -n 's/^RUNNEL_API.*[ *]\(runnel_[a-z0-9_]*\)(.*/\1/p' repl/api/runnel.h | sort)
same declares-enough "$(grep -c . <<<"$declared")" "$(grep -c '^RUNNEL_API' repl/api/runnel.h)"
same shared "$(nm -D --defined-only "$B/librunnel.so" | awk '{print $NF}' | sort)" "$declared"
same static "$(nm -g --defined-only "$B/librunnel.a" | awk 'NF == 3 {print $3}' | sort)" "$declared"
version=$("$RN" --version | awk '{print $NF}')
same version "$(sed -n 's/^#define RUNNEL_VERSION "\(.*\)"/\1/p' repl/api/runnel.h)" "$version"
same version-numbers "$(sed -n 's/^#define RUNNEL_VERSION_M.* //p; s/^#define RUNNEL_VERSION_PATCH //p' repl/api/runnel.h | paste -sd.)" \
	"$version"
same soname "$(objdump -p "$B/librunnel.so" | awk '/SONAME/ {print $2}')" \
	"librunnel.so.1"
same links "$(readlink "$B/librunnel.so") $(readlink "$B/librunnel.so.1")" \
	"librunnel.so.1 librunnel.so.1.$version"
# It prints nothing and ends nothing by itself: of what could, only abort (no memory) is called.
calls=$(nm -D --undefined-only "$B/librunnel.so" | awk '{print $NF}' | sed 's/@.*//' | grep -xE 'printf|puts|perror|exit|_exit|__printf_chk|signal|sigaction|setlocale|setrlimit64?|umask|atexit|on_exit|pthread_atfork|setenv|putenv|chdir|strtok|localtime|gmtime|getpwuid' | paste -sd' ')
same calls-nothing-loud "$calls" \
	"$(grep -rqE '\bsignal\(SIGPIPE, SIG_DFL\)' exec/link/stream.c && echo signal)"
done_testing
