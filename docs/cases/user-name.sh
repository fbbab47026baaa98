#!/bin/bash
# user-name.sh [DIR] - PostgreSQL: somebody on node1 gives a name that the server on node2 does not
# know. docs/cases/user-name.md tells the case.
. docs/cases/lab.bash
need openssl runuser
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$bin" ] || skip_all 'no PostgreSQL on this machine'
cluster || set_up_failed 'the lab'
for i in 1 2; do private $i /srv; done
chmod 711 "$tmp" "$tmp/lab" "$tmp/lab/node2"; chown postgres "$tmp/lab/node2/srv"
data=$tmp/lab/node2/srv/data
as() { on 2 runuser -u postgres -- "$@"; }
as "$bin/initdb" -D /srv/data -A trust >"$tmp/initdb" 2>&1 || {
	cat "$tmp/initdb"
	set_up_failed 'initdb'
}
as openssl req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=node2 -keyout /srv/data/server.key \
	-out /srv/data/server.crt 2>"$tmp/openssl" || set_up_failed 'a certificate'
echo "host all all $lab_net.0/24 scram-sha-256" >>"$data/pg_hba.conf"
cat >>"$data/postgresql.conf" <<C
unix_socket_directories = '/srv'
listen_addresses = '*'
ssl = on
logging_collector = on
log_filename = 'server.log'
autovacuum = off
C
as "$bin/pg_ctl" -w -D /srv/data -l /srv/start start >"$tmp/start" 2>&1 || {
	cat "$tmp/start" "$tmp/lab/node2/srv/start"
	set_up_failed 'PostgreSQL'
}
record
# shellcheck disable=SC2016 # for the shell on node1
PGPASSWORD=secret run_in 1 sh -c 'exec "$0" -h node2 -U "$1" -d postgres 2>/srv/errors' \
	"$bin/psql" "$tag"
same 'the server refuses' $? 2
# The process that writes the log has it from a pipe.
lab_await 'the log' grep -q "$tag" "$data/log/server.log" || failed 'the log has the name'
recorded
done_testing
