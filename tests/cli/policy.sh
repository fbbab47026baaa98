#!/bin/bash
# policy.sh - payload is refused unless the node's policy allows it, before anything is loaded; slips in the file close the node.
. tests/cli/lib.bash
export RUNNEL_POLICY=$tmp/policy
run 'time, data of write limit 1'
case_is no-file 4 "" \
"error: the policy of this node does not let a query have payload, the field data: $tmp/policy does not allow it [E-POLICY]
  who owns the node can write \`payload = allow\` into $tmp/policy; tags, hash and similar() need no leave"
printf '# by the owner\npayload = deny\n' >"$tmp/policy"
run 'count of write where data ~ "GET *"'
same denied "$rc $(grep -c "data: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" "4 1"
printf 'payload = yes\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is slip 4 "" "error: $tmp/policy:1: \`payload\` is allow or deny, not \`yes\` [E-POLICY]"
run doctor
same doctor "$(grep -c "^policy of this node  *no  *$tmp/policy:1:" "$tmp/out")" 1
printf 'classes = read, tracepoint sched:*\nmax_events = many\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is limit 4 "" "error: $tmp/policy:2: \`max_events\` is a whole number from 1 on, not \`many\` [E-POLICY]"
printf '\nclasses = read, tracepoint sched:*\nask = nobody@nowhere\n' >"$tmp/policy"
run 'count of write for 1ms'
case_is classes 4 "" "error: the policy of this node does not let a query have events of the class write: $tmp/policy:2 [E-POLICY]
  who owns the node can write \`classes = write\` into $tmp/policy"
run --explain 'time, data of write'
same explain-needs-none "$rc" 0
"$B/tests/gen_trace" "$tmp/t.rnt" 10 1
run -o csv "count of io from \"$tmp/t.rnt\""
same recordings-need-none "$rc $(head -n1 "$tmp/out")" "0 count"
exit $status
