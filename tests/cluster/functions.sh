#!/bin/bash
# A function of a program, counted over five nodes: which of them calls it otherwise than the rest?
# Each node of a lab has the program as a file of its own; the machine that asks has none. Then one
# file on all nodes. Each node's policy has to name the function, or the node is left out and says
# so.
. tests/live/lib.sh
. tests/support/lab.bash
need_bpf; need jq gcc
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no user functions here'
why=$(lab_possible) || skip_all "$why"
nodes='1 2 3 4 5'
APP=/opt/app
[ -d "${APP%/*}" ] || skip_all "no ${APP%/*} on this machine"
[ ! -e $APP ] || skip_all "this machine has a program $APP"
lab_up 5 || set_up_failed 'the lab'
cat >"$tmp/app.c" <<'END'
#include <stdlib.h>
__attribute__((noinline, noclone)) long do_step(long n)
{
	__asm__ volatile("" ::: "memory");
	return n;
}
int main(int argc, char **argv)
{
	(void)argc;
	for (long i = atol(argv[1]); i > 0; i--)
		do_step(atol(argv[2]));
	return 0;
}
END
gcc -O2 -o "$tmp/app" "$tmp/app.c" || set_up_failed 'the program'
for i in $nodes; do
	private "$i" /opt && cp "$tmp/app" "$tmp/lab/node$i$APP" ||
		set_up_failed "the program of node$i"
	echo "node$i exec: nsenter -t $(lab_holder "node$i") -n -m -u -- $RN agent --stdio" \
		"--scope netns --policy $tmp/policy$i"
done >"$tmp/hosts"
policies() { # CLASSES: of each node
	local i
	for i in $nodes; do echo "classes = $1" >"$tmp/policy$i"; done
}
# Four nodes call it with 1, and one of them with 2; as often on each.
work() { # PROGRAM N
	local i
	for i in $nodes; do on "$i" "$1" "$2" $((i == 4 ? 2 : 1)); done
	"$tmp/app" "$2" 3 # on no node
}
step="count, set(node) of user \"$APP:do_step\" by arg0"
rows() {
	jq -c 'select(.ledger | not) | [.arg0, .count, (."set(node)" | sort | join(","))]' \
		"$tmp/out" | sort | paste -sd' '
}
nodes_of() { # FILTER: the nodes of the ledger that it holds for
	grep '^{"ledger"' "$tmp/err" | jq -r ".ledger.nodes[] | select($1) | .node" | paste -sd,
}
said() { # NODE
	grep '^{"ledger"' "$tmp/err" | jq -r ".ledger.nodes[] | select(.node == \"$1\") | .why"
}

# ---- which node differs ----
policies "\"user $APP:*\""
among=$tmp/hosts during "$step" work $APP 700
same 'the node that differs' "$(rows)" \
	'[1,2800,"node1,node2,node3,node5"] [2,700,"node4"]'
same 'all five answer' "$(nodes_of .answered)" node1,node2,node3,node4,node5
same 'each has seen its own calls' "$(nodes_of '.matched == 700')" \
	node1,node2,node3,node4,node5
same 'nothing is lost' "$(lost)" 0
same 'the machine that asks has no such file' "$("$RN" "$step for 1ms" 2>&1 |
	grep -c "$APP: No such file")" 1

# ---- one file on all nodes: the node is where the process is ----
policies "\"user $tmp/app:*\""
among=$tmp/hosts during "count, set(node) of user \"$tmp/app:do_step\" by arg0" work "$tmp/app" 300
same 'one file on all nodes' "$(rows)" \
	'[1,1200,"node1,node2,node3,node5"] [2,300,"node4"]'

# ---- who may ask ----
policies read
q -H "$tmp/hosts" "$step for 1ms"
same 'no policy names it: the query fails' \
	"$? $(grep -c 'none of 5 nodes answers; node node1: the policy.*E-POLICY' "$tmp/err")" '4 1'
same 'the way out is told' "$(grep -c "add the line .classes = user $APP:do_step. to" \
	"$tmp/err")" 1
policies "\"user $APP:*\""
echo 'classes = read, "user /opt/other:*"' >"$tmp/policy2"
rm "$tmp/lab/node5$APP"
among=$tmp/hosts during "$step" work $APP 500 2>"$tmp/work"
same 'one policy does not name it, one node does not have it: the others answer' "$(rows)" \
	'[1,1000,"node1,node3"] [2,500,"node4"]'
same 'the ledger has both' "$(nodes_of '.answered | not')" node2,node5
same 'why: the policy' "$(said node2 |
	grep -c "policy of this node does not .* user $APP:do_step: $tmp/policy2:1 \[E-POLICY\]")" 1
same 'why: no such file' "$(said node5 | grep -c "$APP: No such file")" 1
done_testing
