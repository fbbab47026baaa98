#!/bin/bash
# recorded_before.sh - recordings that version 0.1.0 made (tests/demo) still answer, and know the
# latency of all of their events.
. tests/cli/lib.bash
demo=$PWD/tests/demo; cd "$tmp" || exit 1
sql() { sqlite3 "$demo/$1" "$2"; }
over() { run -o json "$1 from \"$demo/$2\""; } # QUERY FILE
same version "$(sql flow.rnt "select value from meta where key = 'version'")" 0.1.0
over 'events of tag fix283' flow.rnt
same events "$rc $(jq -r '[.name, .bytes, .latency] | map(tostring) | join("|")' out)" \
	"0 $(sql flow.rnt 'select name, bytes, latency from events order by time')"
over 'flow of tag fix283' flow.rnt
same flow "$rc $(jq -r '[.name, .bytes, .latency] | map(tostring) | join("|")' out | sort)" \
	"0 $(sql flow.rnt 'select name, bytes, latency from events' | sort)"
same 'flow in order' "$(jq -r .hop out | tr '\n' ' ')" '1 2 3 4 5 6 7 8 '
same 'flow linked' "$(jq -s 'map(select(.from > 0 and .from < .hop)) | length' out)" 7
over 'count, max(latency) of tag fix283 where latency > 0 by name' flow.rnt
same aggregate \
	"$rc $(jq -r '[.name, .count, .["max(latency)"]] | map(tostring) | join("|")' out | sort)" \
	"0 $(sql flow.rnt 'select name, count(*), max(latency) from events where latency > 0 group by 1 order by 1')"
same 'nothing is left out' "$(jq -r '.ledger | [.matched, .unpaired // 0] | join(" ")' err)" '8 0'
over 'name, latency of tag fix283 order by latency' flow.rnt
same order "$rc $(jq -r .latency out)" \
	"0 $(sql flow.rnt 'select latency from events order by latency')"
over 'count, sum(bytes) of io by proc' io.rnt
same io "$rc $(jq -r '[.proc, .count, .["sum(bytes)"]] | map(tostring) | join("|")' out | sort)" \
	"0 $(sql io.rnt 'select proc, count(*), sum(bytes) from events group by 1' | sort)"
done_testing
