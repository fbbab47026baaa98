#!/bin/bash
# policy.sh - payload is refused unless the node's policy allows it, before anything is loaded;
# slips in the file close the node.
. tests/cli/lib.bash
need_bpf
export RUNNEL_POLICY=$tmp/policy
run 'time, data of write limit 1'
case_is no-file 4 "" \
"query:1:7: error: the policy of this node does not let a query have payload, the field data: $tmp/policy does not allow it [E-POLICY]
  time, data of write limit 1
        ^~~~
  the owner of the node can write \`payload = allow\` into $tmp/policy; tags, hash and similar() need no leave"
printf '# by the owner\npayload = deny\n' >"$tmp/policy"
run 'count of write where data ~ "GET *"'
same denied "$rc $(grep -c "^query:1:22: .* data: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" "4 1"
run 'let got := first(data) of write by proc for 1ms; count of got'
same in-a-let "$rc $(grep -c "^query:1:18: .* data: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" "4 1"
printf 'payload = yes\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is slip 4 "" "error: $tmp/policy:1: \`payload\` is allow or deny, not \`yes\` [E-POLICY]"
run doctor
same doctor "$(grep -c "^policy of this node  *no  *$tmp/policy:1:" "$tmp/out")" 1
printf 'classes = read, tracepoint sched:*\nmax_events = many\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is limit 4 "" \
	"error: $tmp/policy:2: \`max_events\` is a whole number from 1 on, not \`many\` [E-POLICY]"
printf '\nclasses = read, tracepoint sched:*\nask = nobody@nowhere\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is classes 4 "" "query:1:10: error: the policy of this node does not let a query have events of the class write: $tmp/policy:2 [E-POLICY]
  count of write for 1ms
           ^~~~~
  the owner of the node can add the line \`classes = write\` to $tmp/policy"
run 'count of between read and tracepoint "irq:softirq_entry" on cpu for 1ms'
same end-of-a-pair "$rc $(sed -n '1s/ error: .*irq:softirq_entry: .*//p; 3p' "$tmp/err")" \
	"4 query:1:27:
                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
run 'count of between (events of read where ret > 0) and (events of write where ret > 0) on tid for 1ms'
same end-with-a-condition "$rc $(sed -n '1s/ error: .* class write: .*//p; 3p' "$tmp/err")" \
	"4 query:1:64:
                                                                 ^~~~~"
printf 'view sent := bytes, proc of write where ret > 0;\ncount of sent by proc for 1ms\n' \
	>"$tmp/view.rnl"
run "$tmp/view.rnl"
same in-a-view "$rc $(grep -A2 ' class write: ' "$tmp/err" | sed -n '1s/ error: .*//p; 3p')" \
	"4 view sent:1:29:
                              ^~~~~"
run --explain 'time, data of write'
same explain-needs-none "$rc" 0
"$B/tests/gen_trace" "$tmp/t.rnt" 10 1
run -o csv "count of io from \"$tmp/t.rnt\""
same recordings-need-none "$rc $(head -n1 "$tmp/out")" "0 count"
done_testing
