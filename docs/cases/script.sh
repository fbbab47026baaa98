#!/bin/bash
# script.sh [DIR] - bash: a script of node1 is run on node2 from a file, and on node3 from a pipe.
# docs/cases/script.md tells the case.
. docs/cases/lab.bash
need python3 curl
cluster || set_up_failed 'the lab'
for i in 1 2 3; do private $i /srv; done
cat >"$tmp/lab/node1/srv/job.sh" <<C
# Says what becomes of an order.
date >begun.txt
order=$tag
tr a-z A-Z <<<"\$order" >upper.txt
sh -c "echo sold \$order" >sold.txt
printf 'sent %s\\n' "\$order" | cat >sent.txt
C
spawn 1 python3 -S -m http.server -d /srv 80 </dev/null >"$tmp/server" 2>&1
serves() { on 2 curl -s -o /dev/null http://node1/; }
lab_await 'the server' serves || { cat "$tmp/server"; set_up_failed 'the server'; }
record
run_in 2 sh -c 'cd /srv && curl -s -O http://node1/job.sh && bash job.sh' || failed 'from a file'
run_in 3 sh -c 'cd /srv && curl -s http://node1/job.sh | bash' || failed 'from a pipe'
recorded
for i in 2 3; do
	same "node$i did it" "$(cat "$tmp/lab/node$i/srv/"{upper,sold,sent}.txt | paste -sd' ')" \
		"${tag^^} sold $tag sent $tag"
done
done_testing
