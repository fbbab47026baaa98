#!/bin/bash
# scripts.sh - query files that are programs: parameters, results that later statements use, assertions, formats. Everything runs over a
# recorded trace; the truth is what sqlite3 reads from the same file.
. tests/cli/lib.bash
T=$tmp/t.rnt
"$B/tests/gen_trace" "$T" 3000 5 || { not_ok "no trace"; exit 1; }
cd "$tmp" || exit 1
sql() { sqlite3 "$T" "$@"; }

# ---- parameters
cat >p.rnl <<'EOF'
#!/usr/bin/env -S runnel
--| Which call.
param call string;
--| How long is slow.
--| In any unit of time.
param threshold = 1us;
param most integer = 1000;
count of syscall where name = $call and latency > $threshold limit $most from "t.rnt";
EOF
slow() { sql "select count(*) from events where name = '$1' and latency > $2"; }
run -q -o csv p.rnl call=read
case_is default 0 "count
$(slow read 1000)" ""
run -q -o csv p.rnl threshold=2ms call=read
case_is value 0 "count
$(slow read 2000000)" ""
"$RN" -q -o csv - call=read threshold=2ms <p.rnl >out 2>err; rc=$?
case_is stdin 0 "count
$(slow read 2000000)" ""
"$RN" -q -o csv - <<<'count of syscall from "t.rnt"' >out 2>err; rc=$?
case_is stdin-without-values 0 "count
3000" ""
cp p.rnl slow-calls; chmod +x slow-calls
PATH=$B:$PATH timeout 20 ./slow-calls call=write -q -o csv threshold=1ms >out 2>err; rc=$?
case_is executable 0 "count
$(slow write 1000000)" ""
run p.rnl
case_is missing 1 "" 'p.rnl:3:7: error: the parameter `call` has no value: a string is needed [E-PARAM]
  param call string;
        ^~~~
  give it one behind the file: runnel p.rnl call=VALUE'
run p.rnl call=read threshold=5
case_is unit 1 "" 'p.rnl:6:7: error: the parameter `threshold` is a duration, and `threshold=5` gives it none [E-PARAM]
  param threshold = 1us;
        ^~~~~~~~~
  for instance threshold=10ms'
run p.rnl call=read treshold=5ms
case_is undeclared 2 "" "runnel: \`treshold=5ms\` is given, but p.rnl declares no parameter \`treshold\`; did you mean \`threshold\`?"
run -q -o csv 'param text string; count of syscall where proc = $text from "t.rnt"' text=12
case_is text-stays-text 0 "count
0" ""
run -o csv describe p.rnl
case_is describe 0 'kind,name,type,unit,where,doc
parameter,call,"string, required","","",Which call.
parameter,threshold,duration = 1us,"","","How long is slow.
In any unit of time."
parameter,most,integer = 1000,"","",""
statement,line 8,"","","","count of syscall where name = $call and latency > $threshold limit $most from ""t.rnt"""' ""
run describe nosuch.rnl
same describe-no-file "$rc $(cat err)" "2 runnel: cannot read nosuch.rnl: No such file or directory"
echo 'param x; count of' >bad.rnl; run describe bad.rnl
same describe-bad-file "$rc $(grep -c E-SYNTAX err)" "1 2"
: >read; run -o csv describe read; same describe-class-beside-a-file "$rc $(sed -n 2p out | cut -d, -f1,2)" "0 class,read"
exit $status
