# workloads.bash - the programs of programs.sh, which sources this file. NAME may have a dash, which
# is _ in the names of the functions:
#
#     prepare_NAME  once; a server is left running, with its process id in $server
#     before_NAME   before each run, if there is one, and no part of the time
#     work_NAME     the work, or a part of it: 1/$share. It may write what it took to $tmp/took, in
#                   any unit; else its time counts
#     finish_NAME   once, if there is one
#
# A run takes one to three seconds when nothing is attached; `make` takes a minute.
# shellcheck shell=bash disable=SC2154 # tmp and share are those of programs.sh

all_programs="tar tar-cold gzip fio-cached fio-direct redis pgbench nginx-file nginx-proxy git start \
build make"
# Under strace some programs would take minutes: they do only a part of their work.
declare -A strace_share=([tar]=3 [fio-cached]=10 [fio-direct]=4 [redis]=40 [pgbench]=10 [git]=5
	[start]=5 [make]=10)
# The most pairs of a program whose runs are long.
declare -A most_pairs=([make]=3)
# A compiler that takes its results from a cache builds nothing.
export CCACHE_DISABLE=1

fail() { echo "$*" >&2; exit 1; }
await() { # COMMAND...: for ten seconds
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	return 1
}
end_server() { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; server=; }

prepare_tar() {
	[ -d "$tmp/tree" ] && return
	mkdir "$tmp/tree" && cp -r /usr/include /usr/share/perl "$tmp/tree" 2>/dev/null
}
tar_tree() { tar cf "$tmp/out.tar" -C "$tmp" tree; }
work_tar() { for ((i = 0; i < 3 / share; i++)); do tar_tree; done; }

# The first time: nothing of the files is in memory, and no page is known to hold no tag.
prepare_tar_cold() { prepare_tar; }
before_tar_cold() {
	sync
	echo 3 >/proc/sys/vm/drop_caches || fail 'the page cache cannot be dropped'
}
work_tar_cold() { tar_tree; }

prepare_gzip() {
	cat /usr/lib/*/lib*.a /usr/bin/[a-p]* 2>/dev/null | head -c 100000000 >"$tmp/big"
}
work_gzip() { gzip -1 -c "$tmp/big" >"$tmp/big.gz"; }

# The time is fio's own, as it takes a third of a second to begin and to end. From the cache it
# reads each page eight times.
random_reads() { # MIB OPTION...
	local mib=$1; shift
	fio --name=reads --filename="$tmp/reads" --size=128m --io_size=$((mib / share))m \
		--rw=randread --bs=4k --norandommap --disk_util=0 \
		--output-format=terse --terse-version=3 "$@" >"$tmp/fio" && cut -d';' -f9 \
		"$tmp/fio" >"$tmp/took"
}
prepare_fio_cached() { share=32 random_reads 128 && cat "$tmp/reads" >/dev/null; }
work_fio_cached() { random_reads 1024 --ioengine=psync --invalidate=0; }
prepare_fio_direct() { prepare_fio_cached; }
work_fio_direct() { random_reads 256 --ioengine=libaio --iodepth=16 --direct=1; }

prepare_redis() {
	redis-server --port 26379 --save '' --appendonly no --dir "$tmp" >/dev/null & server=$!
	await redis-cli -p 26379 ping || fail 'redis-server did not start'
}
work_redis() {
	redis-benchmark -p 26379 -q -n $((200000 / share)) -c 20 -d 256 -t set,get >/dev/null 2>&1
}
finish_redis() { end_server; }

as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
prepare_pgbench() {
	pg=$(ls -d /usr/lib/postgresql/*/bin | tail -n1)
	mkdir "$tmp/pg" && chown postgres "$tmp/pg"
	as_postgres "$pg/initdb" -D "$tmp/pg" -A trust >/dev/null &&
		as_postgres "$pg/pg_ctl" -D "$tmp/pg" -s -w -o \
		"-p 25432 -k $tmp/pg -c fsync=off -c listen_addresses=127.0.0.1" -l "$tmp/pg/log" \
		start &&
		as_postgres "$pg/pgbench" -h 127.0.0.1 -p 25432 -i -q -s 5 postgres >/dev/null \
		2>&1 || fail 'PostgreSQL did not start'
	server=$(head -n1 "$tmp/pg/postmaster.pid")
}
work_pgbench() {
	as_postgres "$pg/pgbench" -h 127.0.0.1 -p 25432 -n -c 4 -j 1 -t $((4000 / share)) \
		postgres >/dev/null 2>&1
}
finish_pgbench() {
	as_postgres "$pg/pg_ctl" -D "$tmp/pg" -m immediate -s stop >/dev/null 2>&1
	server=
}

# A page of 16 KiB, straight from its file, or through a proxy that keeps its connections.
prepare_nginx() {
	mkdir -p "$tmp/nginx/www"
	cat docs/*.md | head -c 16384 >"$tmp/nginx/www/page"
	cat >"$tmp/nginx/conf" <<-C
		daemon off; user root; worker_processes 1;
		pid $tmp/nginx/pid; error_log $tmp/nginx/error.log;
		events { worker_connections 256; }
		http {
			access_log off; sendfile on; keepalive_requests 100000000;
			client_body_temp_path $tmp/nginx/body; proxy_temp_path $tmp/nginx/proxy;
			fastcgi_temp_path $tmp/nginx/f; uwsgi_temp_path $tmp/nginx/u;
			scgi_temp_path $tmp/nginx/s;
			server { listen 127.0.0.1:26380; root $tmp/nginx/www; }
			upstream behind {
				server 127.0.0.1:26382; keepalive 32; keepalive_requests 100000000;
			}
			server {
				listen 127.0.0.1:26381;
				location / {
					proxy_pass http://behind; proxy_http_version 1.1;
					proxy_set_header Connection "";
				}
			}
			server { listen 127.0.0.1:26382; root $tmp/nginx/www; }
		}
	C
	nginx -p "$tmp/nginx" -c "$tmp/nginx/conf" >"$tmp/nginx/out" 2>&1 & server=$!
	await curl -sf http://127.0.0.1:26381/page ||
		fail "nginx did not start: $(cat "$tmp/nginx/out" "$tmp/nginx/error.log")"
}
# wrk asks for a time, not so many pages: what counts is the time for a page.
ask_nginx() { # PORT
	wrk -t1 -c16 -d2s "http://127.0.0.1:$1/page" >"$tmp/wrk" &&
		! grep -q 'Non-2xx\|Socket errors' "$tmp/wrk" &&
		awk '$1 == "Requests/sec:" { print 1e9 / $2 }' "$tmp/wrk" >"$tmp/took"
}
prepare_nginx_file() { prepare_nginx; }
work_nginx_file() { ask_nginx 26380; }
finish_nginx_file() { end_server; }
prepare_nginx_proxy() { prepare_nginx; }
work_nginx_proxy() { ask_nginx 26381; }
finish_nginx_proxy() { end_server; }

# 20,000 files. Settings of the user or the machine do not count.
repository() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C "$tmp/repository" -c user.name=b \
		-c user.email=b@localhost -c gc.auto=0 "$@"
}
prepare_git() {
	local dir file
	for dir in "$tmp/repository"/{1..20}/{1..20}; do
		mkdir -p "$dir"
		for file in {1..50}; do echo "file $file" >"$dir/$file"; done
	done
	repository init -q && repository add . && repository commit -q -m all ||
		fail 'there is no repository'
	sleep 1.1 # git reads files again that are as new as its index
	repository status --short
}
work_git() {
	for ((i = 0; i < 15 / share; i++)); do
		repository status --short >"$tmp/status" || return
	done
}

prepare_start() { :; }
work_start() { for ((i = 0; i < 15 / share; i++)); do python3 -c 'import json'; done; }

prepare_build() { make -s -j2 build/gen/lang/syntax/grammar.h >/dev/null; }
before_build() { rm -rf "$tmp/objects"; mkdir "$tmp/objects"; }
work_build() {
	printf "%s\n" lang/values/*.c planner/agg/*.c |
		xargs -P2 -I{} sh -c 'gcc -std=gnu11 -D_GNU_SOURCE -O2 -I. -Ibuild/gen -c -o "$0/$(echo {} | tr / _).o" {}' \
			"$tmp/objects"
}

# All of `make` of a copy of this project; a part is what is generated, and lang/values.
prepare_make() {
	mkdir "$tmp/project" && tar c --exclude=./build --exclude=./.git . | tar x -C "$tmp/project"
}
before_make() { rm -rf "$tmp/project/build"; }
work_make() {
	local part=()
	[ "$share" = 1 ] ||
		mapfile -t part < <(printf 'build/obj/%s.o\n' lang/values/*.c | sed 's/\.c\.o$/.o/')
	env -u MAKEFLAGS -u MAKELEVEL make -s -j2 -C "$tmp/project" "${part[@]}" >"$tmp/make" 2>&1
}
