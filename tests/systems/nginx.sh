#!/bin/bash
# nginx, haproxy and a threaded server, one behind the other: 12 requests of one tag at once, RUNS
# times. Each has its own length, which tells what connection carried which request. A link with one
# choice is right; of any other the true hop is among its choices.
[ "${1:-}" = inside ] || exec unshare -n -- "$0" inside
. tests/live/lib.sh
need_bpf; need jq nginx haproxy python3 ip
runs=${RUNS:-20} n=12
ip link set lo up || skip_all 'no network namespace of its own'
mkdir "$tmp/nginx" "$tmp/bodies"
cat >"$tmp/nginx.conf" <<C
daemon off; worker_processes 1; error_log $tmp/nginx/error.log; pid $tmp/nginx/pid; user root;
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path $tmp/nginx/body; proxy_temp_path $tmp/nginx/proxy; fastcgi_temp_path $tmp/nginx/f;
	uwsgi_temp_path $tmp/nginx/u; scgi_temp_path $tmp/nginx/s;
	server { listen 127.0.0.1:8081; location / { proxy_pass http://127.0.0.1:8082; } }
}
C
cat >"$tmp/haproxy.cfg" <<C
defaults
	mode http
	option httpclose
	timeout connect 20s
	timeout client 20s
	timeout server 20s
listen all
	bind 127.0.0.1:8082
	http-request set-header X-From-Port %[src_port]
	server one 127.0.0.1:8083
C
python3 -S tests/systems/nginx.py server "$tmp/bodies" 8083 2>"$tmp/server" & servers=$!
haproxy -db -f "$tmp/haproxy.cfg" >"$tmp/haproxy" 2>&1 & servers="$servers $!"
nginx -p "$tmp/nginx" -c "$tmp/nginx.conf" >"$tmp/nginx.out" 2>&1 & servers="$servers $!"
# shellcheck disable=SC2086 # a list
tidy_up() { kill $servers; wait $servers; }
at_exit tidy_up
works() {
	[ "$(curl -s --max-time 5 --data 'hello there' http://127.0.0.1:8081/ 2>&1)" = \
		'hello there' ]
}
await works || {
	cat "$tmp/nginx.out" "$tmp/haproxy" "$tmp/server"
	set_up_failed 'the servers'
}

# The request that each hop belongs to (.is), by its connection: each carries one. The
# clients and the last server say which port had which request; one port may be used towards several
# servers. Then what each hop of the servers that puts something out could be from (.true: hops of
# the same request; .all).
cat >"$tmp/truth.jq" <<'J'
def side: .object | capture("127.0.0.1:(?<a>[0-9]+) -> 127.0.0.1:(?<b>[0-9]+)") | if .a | test("^808[123]$") then "\(.a) \(.b)" else "\(.b) \(.a)" end;
map(select(.object | test("^127.0.0.1:|/bodies/"))) as $all
| (($clients | map({key: "8081 \(.[1])", value: .[0]})) + ($ports | map({key: "8082 \(.[1])", value: .[0]}, {key: "8083 \(.[2])", value: .[0]}))
	| from_entries) as $request
| [$all[] | .is = $request[if .object | test("/bodies/") then "8083 " + (.object | capture("/(?<p>[0-9]+)[.]body$").p) else side end]] as $hops
| [$hops[] | select(.dir == "out" and (.proc == "nginx" or .proc == "haproxy" or .proc == "python3")) | . as $h
	| [$hops[] | select(.dir == "in" and .pid == $h.pid and .hop < $h.hop)] as $before
	| .all = ($before | length) | .true = [$before[] | select(.is == $h.is) | .hop] | select(.true != [] or .from > 0)]
J
# A link with one choice is of the same request. If no evidence chose, all were choices; if it did,
# it left those of the same request. What the clients send is their own: that is always a choice.
wrong='map(select(if .true == [] then .choices == 1 elif .choices == 1 or .link != "process" then .from as $f | .true | index($f) | not else .choices != .all end))'
for ((r = 1; r <= runs; r++)); do
	tag=$(printf 'zqng%02d' $r) with=$([ $((r % 2)) = 1 ] && echo id || echo no)
	: >"$tmp/bodies.ports"
	during "flow of tag $tag" sh -c \
		"python3 -S tests/systems/nginx.py clients 8081 $tag $n $with >$tmp/clients"
	for f in clients bodies.ports; do
		jq -R 'split(" ") | map(tonumber)' "$tmp/$f" | jq -s . >"$tmp/$f.json"
	done
	same "run $r: every client gets its own back" \
		"$(jq -c '[.[] | select(.[1] <= 0)]' "$tmp/clients.json")" '[]'
	same "run $r: nothing lost" "$(lost)" 0
	jq -s --argjson clients "$(cat "$tmp/clients.json")" --argjson ports \
		"$(cat "$tmp/bodies.ports.json")" -f "$tmp/truth.jq" "$tmp/out" >"$tmp/linked"
	same "run $r: requests that nginx passed on" \
		"$(jq '[.[] | select(.proc == "nginx" and (.object | test("-> 127.0.0.1:8082$")))] | length' "$tmp/linked")" \
		$n
	same "run $r: links that are wrong" \
		"$(jq -c "$wrong | map([.hop, .proc, .object, .bytes, .from, .link, .choices, .true])" "$tmp/linked")" \
		'[]'
	one=$(jq '[.[] | select(.proc == "nginx" and .choices == 1 and (.object | test("-> 127.0.0.1:8082$")))] | length' "$tmp/linked")
	same "run $r: at nginx at least 10 of $n have one choice ($one)" "$((one >= 10))" 1
	jq -r 'group_by([.proc, .link, .choices])[] | "\(.[0].proc) \(.[0].link) \(.[0].choices): \(length)"' \
		"$tmp/linked" | paste -sd';'
done
done_testing
