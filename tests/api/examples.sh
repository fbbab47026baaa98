#!/bin/bash
# examples.sh - the examples, built by the installed pkg-config and run, over a recording and (where
# that is permitted) over this machine.
. tests/api/lib.bash
cd "$prefix/share/doc/runnel/examples" || exit 1

for c in c/*.c; do
	if build_c "$c" "$tmp/$(basename "$c" .c)"; then ok "builds $c"; else not_ok "builds $c"; fi
done
# shellcheck disable=SC2046 # a list
# shellcheck disable=SC2046 # a list
if cc -Wall -Werror c/oneshot.c -o "$tmp/static" $(pkg-config --cflags runnel) \
	"$prefix/lib/librunnel.a" \
	$(pkg-config --static --libs-only-l runnel | sed 's/-lrunnel//'); then
	same static "$("$tmp/static" "count of syscall from \"$trace\"" 2>/dev/null | sed -n 2p)" \
		20000
else
	not_ok static
fi
if command -v c++ >/dev/null; then
	echo '#include <runnel.h>
	int main() { struct runnel *r = runnel_open(nullptr); runnel_close(r); return runnel_version()[0] == 0; }' >"$tmp/x.cc"
	# shellcheck disable=SC2046 # a list
	c++ -Wall -Werror "$tmp/x.cc" -o "$tmp/x" $(pkg-config --cflags --libs runnel) &&
		"$tmp/x" && ok c++ || not_ok c++
fi

"$tmp/oneshot" "count of syscall where proc = \$who by proc, name from \"$trace\"" who=java \
	>"$tmp/out" 2>"$tmp/err"
rc=$?
same oneshot "$rc $(sed 1d "$tmp/out" | tr '\t' ',')" \
	"0 $("$RN" -q -o csv "count of syscall where proc = java by proc, name from \"$trace\"" | sed 1d)"
holds oneshot-ledger 'from the recording' "$tmp/err"
"$tmp/oneshot" 'count of sycall' >"$tmp/out" 2>"$tmp/err"; rc=$?
case_is oneshot-wrong 1 "" \
	"query:1:10: error: \`sycall\` is not an event class, table or view [E-NAME-SOURCE]
  count of sycall
           ^~~~~~
  did you mean \`syscall\`?"
"$tmp/errors" >"$tmp/out" 2>"$tmp/err"; rc=$?
case_is errors 1 \
	"E-NAME-FIELD at query:1:5, bytes 4 to 10, \`latncy\`: \`latncy\` is not a field of \`read\`
  did you mean \`latency\`? \`runnel describe read\` lists them
E-UNIT at query:1:37, bytes 36 to 38, \`10\`: units differ: a duration and a plain number
  write 10ms, not 10: \`latency\` is a duration" ""
reads=$("$RN" -q -o csv "count of read from \"$trace\"" | sed 1d) \
	writes=$("$RN" -q -o csv "count of write from \"$trace\"" | sed 1d)
same sessions "$("$tmp/sessions" "count of read from \"$trace\"" "count of write from \"$trace\"" | sed 's/.*: //' | paste -sd,)" \
	"count = $reads,count = $writes"
same windows "$("$tmp/windows" "count of syscall by proc every 1s from \"$trace\"" 1 | grep -c '^window')" \
	1

# Python
export PYTHONPATH=$PWD/python RUNNEL_LIBRARY=$prefix/lib/librunnel.so.1 PYTHONDONTWRITEBYTECODE=1
same python "$(python3 python/slowest.py "count, sum(bytes) as b of io where proc = \$p by proc from \"$trace\"" p=java)" \
	"proc	count	b
$("$RN" -q -o csv "count, sum(bytes) as b of io where proc = java by proc from \"$trace\"" | sed 1d | tr ',' '\t')
complete"
python3 python/slowest.py 'count of sycall' >"$tmp/out" 2>"$tmp/err"; rc=$?
same python-wrong "$rc $(cat "$tmp/out")" \
	"1 E-NAME-SOURCE at 1:10: \`sycall\` is not an event class, table or view"
cat >"$tmp/x.py" <<-X
	import runnel, sys
	with runnel.open() as s:
	    q = s.query('count, hist(latency) of read where latency > \$least by proc from "$trace" top 1', least=1000000)
	X
python3 "$tmp/x.py" 2>&1 | grep -q E-UNIT && ok python-units || not_ok python-units
cat >"$tmp/x.py" <<-X
	import runnel, sys
	with runnel.open() as s:
	    q = s.query('count, hist(latency) of read by proc from "$trace" top 1')
	    (row,) = list(q)
	    assert sum(b.count for b in row.hist_latency) == row.count, row
	    assert q.columns[2].unit == runnel.NS and q.columns[0].type_name == "string"
	    (again,) = list(s.query('count of read where proc = \$p and latency >= 0 from "$trace"', p=row.proc))
	    assert again.count == row.count
	    # lists are lists, of what they hold
	    (row,) = list(s.query('count, set(name) as s, top(proc, 2) as t, set(pid, 500) as p of read from "$trace"'))
	    assert isinstance(row.s, list) and "read" in row.s and isinstance(row.p[0], int) and len(row.t) == 2, row
	    # again, two at once, a duration, leaving the loop, what is closed
	    n = len(list(q)); assert n == 1 and len(list(q)) == n
	    a, b = (s.query('time, pid of read from "$trace" limit 100') for i in range(2))
	    assert all(x == y for x, y in zip(a, b)) and len(list(a)) == 100
	    assert s.query('count of read where latency > \$t from "$trace"', t=runnel.value("0ns")).start()
	    with s.query('time of syscall from "$trace"') as many:
	        for row in many:
	            assert many.ledger() in ({}, many.ledger())
	            break
	        assert len(list(many)) == 20000 and many.ledger()["complete"] is True and many.complete()
	    # what the library would cut off is refused
	    least = 'count of read where ret >= \$n from "$trace"'
	    (row,) = list(s.query(least, n=-2**63))
	    assert row.count > 0
	    for wrong, args in (('count of read from "$trace"\0 where pid = 1', {}), (least, {"n": 2**63}), (least, {"n": -2**63 - 1}),
	                        (least, {"n": runnel.value("1\0")}), (least, {"n\0": 1}), (least, {"n": "1\0"})):
	        try:
	            s.query(wrong, **args)
	        except (runnel.Error, ValueError, OverflowError):
	            continue
	        raise AssertionError(wrong)
	    for wrong, args in (('count of sycall', {}), ('count of read where pid = \$p', {}), ('count of read where pid = \$p', {"p": "x"})):
	        try:
	            s.query(wrong, **args)
	        except runnel.Error as e:
	            place = e.places[0]
	            assert e.code.startswith("E-") and wrong.encode()[place.start:place.end] in (b"sycall", b"\$p", b"pid", b"pid = \$p"), (e, place)
	        else:
	            raise AssertionError(wrong)
	try:
	    list(many)
	except runnel.Error as e:
	    assert "closed" in str(e)
	X
python3 "$tmp/x.py" && ok python-module || not_ok python-module

if ! can_trace; then
	skip "this user may not trace here"
	done_testing
fi
probe=rn_p$$ # nobody else on this machine is called so
noise_begins $probe
same windows-live "$(timeout 300 "$tmp/windows" "count of syscall where proc = $probe by proc every 100ms" 2 | grep -E '^(window|ended)' | paste -sd,)" \
	"window 1,window 2,ended"
# A command acts on the rows that it gets: here on the first failing call of a program with a name
# of its own.
QUERY="count of openat where proc = $probe and error != 0 by proc, name, error every 200ms" LAST=1 \
	RUNNEL=$RN timeout 300 bash alert.sh 1 echo >"$tmp/out" 2>"$tmp/err"
noise_ends
same alert "$(cut -d' ' -f1-3 "$tmp/out")" "$probe openat ENOENT"
# one of that name, and no other on this machine, makes calls that are counted
cp "$(command -v perl)" "$tmp/rn_c$$"
cat >"$tmp/x.py" <<-X
	import runnel, os, subprocess, threading
	with runnel.open() as s:
	    q = s.query('count of getppid where proc = rn_c$$').start()
	    subprocess.run(["$tmp/rn_c$$", "-e", "getppid() for 1..500"], check=True)
	    s.stop()
	    (row,) = list(q)
	    assert row.count == 500, row
	X
timeout 300 python3 "$tmp/x.py" && ok python-live || not_ok python-live
# Ctrl-C ends a query, and Python reports it in its own way. With several windows the ledger comes
# meanwhile.
noise_begins $probe
cat >"$tmp/x.py" <<-X
	import os, runnel, signal, threading, time
	with runnel.open() as s:
	    q = s.query('count of openat where proc = $probe every 50ms')
	    seen = 0
	    for i, row in enumerate(q):
	        ledger = q.ledger()
	        seen += row.count
	        assert ledger["so_far"] and ledger["complete"] is None and ledger["seen"] >= seen, (seen, ledger)
	        if i == 3:
	            break
	    try:
	        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
	        list(s.query('count of syscall'))
	    except KeyboardInterrupt:
	        print("interrupted")
	    print(len(list(s.query('count of syscall for 50ms'))))
	X
same python-interrupted "$(timeout 300 python3 "$tmp/x.py" 2>&1 | paste -sd' ')" "interrupted 1"
noise_ends
# A cluster, of two nodes that are this machine; twice over the same links.
printf 'a local:\nb local:\n' >"$tmp/hosts"
cat >"$tmp/x.py" <<-X
	import runnel, subprocess
	with runnel.open(hosts="$tmp/hosts", program="$RN") as s:
	    for i in range(2):
	        q = s.query('count of getppid where proc = rn_c$$ by node').start()
	        subprocess.run(["$tmp/rn_c$$", "-e", "getppid() for 1..500"], check=True)
	        s.stop()
	        assert sorted(list(q)) == [("a", 500), ("b", 500)] and q.complete(), q.ledger()
	X
timeout 300 python3 "$tmp/x.py" && ok python-cluster || not_ok python-cluster
done_testing
