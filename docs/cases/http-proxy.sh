#!/bin/bash
# http-proxy.sh [DIR] - HTTP: curl on node1 gets a file of node3 from a proxy on node2, which limits
# the rate. Both servers are nginx. docs/cases/http-proxy.md tells the case.
. docs/cases/lab.bash
need nginx curl
cluster || set_up_failed 'the lab'
for i in 1 2 3; do private $i /srv; done
serve() { # N SERVER: nginx with this server
	cat >"$tmp/lab/node$1/srv/nginx.conf" <<C
user root; worker_processes 1; daemon off; error_log /srv/error.log; pid /srv/pid;
events { worker_connections 64; }
http {
	access_log /srv/access.log;
	client_body_temp_path /srv/body; proxy_temp_path /srv/proxy; fastcgi_temp_path /srv/f;
	uwsgi_temp_path /srv/u; scgi_temp_path /srv/s;
	sendfile on;
	server { listen 80; $2 }
}
C
	spawn "$1" nginx -p /srv -c /srv/nginx.conf </dev/null >"$tmp/nginx$1" 2>&1
}
mkdir "$tmp/lab/node3/srv/www"
filler() { head -c 200000 /dev/zero | tr '\0' x; echo; }
{ filler; echo "order $tag"; filler; } >"$tmp/lab/node3/srv/www/report.txt"
serve 3 'root /srv/www;'
serve 2 'location / { proxy_pass http://node3; limit_rate 200k; }'
works() { [ "$(on 1 curl -s -o /dev/null -w '%{http_code}' http://node2/ 2>&1)" = 403 ]; }
lab_await 'the proxy' works || { cat "$tmp"/nginx?; set_up_failed 'the servers'; }
record
run_in 1 curl -s -o /srv/report.txt http://node2/report.txt || failed 'the file is fetched'
recorded
silent 'the file is whole' \
	cmp "$tmp/lab/node3/srv/www/report.txt" "$tmp/lab/node1/srv/report.txt"
done_testing
