#!/bin/bash
# Plaintext at the functions of libssl: found there exactly once each way, and not in what the
# sockets carry.
. tests/live/lib.sh
need_bpf; need jq
TLS=$PWD/$B/tests/programs/tls
"$TLS" >/dev/null; [ $? = 77 ] && skip_all 'libssl-dev is not installed'
"$RN" doctor >"$tmp/doctor" 2>&1
grep -q 'NO.*user functions' "$tmp/doctor" && skip_all 'this kernel has no probes on user functions'
sums() {
	grep '^{' "$tmp/out" | jq -r 'select(.name?) | "\(.name)=\(.count)/\(."sum(bytes)")"'
}
unprobed() { grep '"ledger"' "$tmp/err" | jq .ledger.unprobed; }
events() { field '"\(.thread) \(.name) \(.bytes)"' | sort | paste -sd,; } # of the query before

q -c "$TLS write=hello-fix283-bye" 'events of tag fix283'
same 'a tag: once written, once read, never in the ciphertext' "$(events)" \
	'client tls_write 16,server tls_read 16'
same 'both ends, with their times' \
	"$(field 'select(.latency > 0 and .ret == 16 and .tags == ["fix283"] or .tags == "fix283") | .thread' | sort | paste -sd,)" \
	'client,server'
q -c "$TLS writex=hello-fix283-bye" 'events of tag fix283'
same 'the _ex functions' "$(events)" 'client tls_write 16,server tls_read 16'
q -c "$TLS inner=hello-fix283-bye" 'events of tag fix283'
same 'TLS inside of TLS' "$(events)" 'client tls_write 16,server tls_read 16'
q -c "$TLS write=hello-fix writex=283-bye" 'events of tag fix283'
same 'a tag across two calls' "$(events)" 'client tls_write 7,server tls_read 7'
q -c "$TLS write=hello-fix again=1 write=283-bye" 'events of tag fix283'
same 'but not across two connections' "$(events)" ''
q -c "$TLS times=20 write=abcdefgh writex=abcdefghijkl" \
	'count, sum(bytes) of tls where thread = client by name'
same 'every write' "$(field '"\(.name) \(.count) \(."sum(bytes)")"') lost $(lost)" \
	'tls_write 40 400 lost 0'
q -c "$TLS times=20 write=abcdefgh writex=abcdefghijkl" 'sum(bytes) of tls where thread = server'
same 'every byte read' "$(field '."sum(bytes)"')" 400
q -c "$TLS pause=1000 write=abc" 'max(latency) as m of tls where name = tls_read and bytes = 3'
same 'latency of a read that waits' "$(field '.m >= 500000000 and .m < 30000000000')" true
q -c "$TLS write=hello-fix283-bye writex=another" 'thread, hash of tls'
hashes() { field "select(.thread == \"$1\") | .hash" | sort | uniq -c | paste -sd,; }
same 'hashes of what was written and what was read' "$(hashes client)" "$(hashes server)"
same 'two of them' "$(field .hash | sort -u | wc -l)" 2
q -c "$TLS times=3 write=abc writex=abcdef" \
	'count, sum(bytes) as n, min(latency) > 0ns as timed of sslsnoop by name'
same 'the view sslsnoop' "$(field '"\(.name) \(.count) \(.n) \(.timed)"' | sort | paste -sd,)" \
	'tls_read 6 27 true,tls_write 6 27 true'
echo 'payload = allow' >"$tmp/policy"
RUNNEL_POLICY=$tmp/policy q -c "$TLS write=hello-there writex=another" 'events of sslsniff'
same 'the view sslsniff' "$(field '"\(.name) \(.bytes) \(.data)"' | sort | paste -sd,)" \
	'tls_read 11 hello-there,tls_read 7 another,tls_write 11 hello-there,tls_write 7 another'
echo 'payload = deny' >"$tmp/policy"
RUNNEL_POLICY=$tmp/policy q -c "$TLS write=hello-there" 'events of sslsniff'
same 'which no policy need allow' "$? $(field .data) $(grep -c E-POLICY "$tmp/err")" '4  1'
q -c "$TLS fail=1" 'events of tls where ret <= 0'
same 'a read that fails' "$(events)" 'client tls_read 0'
q -c "$TLS deep=$tmp/beyond" 'count of tls'
same 'calls within calls: those that find no place are counted' \
	"$(grep '"ledger"' "$tmp/err" | jq .ledger.lost_scratch) $(($(cat "$tmp/beyond") > 0))" \
	"$(cat "$tmp/beyond") 1"
q -c "$TLS write=hello-fix283-bye" 'count of tag fix283'
same 'its path in the ledger' "$(grep '"ledger"' "$tmp/err" | jq -r '.ledger.nodes[0].paths.tls | "\(.bytes_seen) \(.bytes_scanned)"')" \
	'32 32'
# a copy that no process has open, in a place where nobody looks, is known once somebody uses it
lib=$(ldd "$TLS" | awk '/libssl/ { print $3 }')
cp "$lib" "$tmp/${lib##*/}"
LD_LIBRARY_PATH=$tmp "$TLS" times=100000 pause=100 write=hello-fix283-bye & pid=$!
await grep -qs "$tmp/" /proc/$pid/maps
rm "$tmp/${lib##*/}"
# which come in turn
both_ends() {
	q -p "$pid" 'events of tag fix283 limit 4'
	grep -q tls_write "$tmp/out" && grep -q tls_read "$tmp/out"
}
await both_ends
kill $pid; wait $pid 2>/dev/null
same 'a library from elsewhere, deleted since' \
	"$(field '"\(.thread) \(.name) \(.bytes)"' | sort -u | paste -sd,)" \
	'client tls_write 16,server tls_read 16'

# ---- a library whose functions have no cheap places, and whose callbacks throw ----
# No probe of the kernel on returns may be there: an exception that passes would end the program.
if command -v g++ >/dev/null; then
	cat >"$tmp/ssl.cc" <<'END'
extern "C" {
int (*callback)(int);
__attribute__((noinline)) int SSL_write(void *, const void *, int n)
{
	int r = callback(n);
	__asm__ volatile("");
	return r;
}
int SSL_read(void *, void *, int n) { return callback(n); }
}
END
	cat >"$tmp/throws.cc" <<'END'
#include <cstdio>
extern "C" {
extern int (*callback)(int);
int SSL_write(void *, const void *, int n);
int SSL_read(void *, void *, int n);
}
static int odd(int n)
{
	if (n % 2)
		throw n;
	return n;
}
int main()
{
	static char ssl[4096], data[4096];
	int caught = 0;
	callback = odd;
	for (int i = 1; i <= 2000; i++)
		try {
			SSL_write(ssl, data, i);
		} catch (int) {
			caught++;
		}
	printf("%d\n", caught);
}
END
	g++ -O2 -shared -fPIC -fno-stack-protector -o "$tmp/libssl-x$$.so.3" "$tmp/ssl.cc" &&
		g++ -O1 -o "$tmp/throws" "$tmp/throws.cc" "$tmp/libssl-x$$.so.3" \
			-Wl,-rpath,"$tmp"
	LD_PRELOAD=$tmp/libssl-x$$.so.3 sleep 1000 & pid=$! # somebody has it mapped
	await grep -qs "libssl-x$$" /proc/$pid/maps
	q -c "$tmp/throws" 'count, sum(bytes) of tls where proc = throws by name'
	same 'exceptions pass through callbacks of a library' \
		"$(grep -h -x 1000 "$tmp/out" "$tmp/err") $(sums)" \
		"1000 tls_write=1000/$((1000 * 1001))"
	same 'a function that is left by a jump has no probe, and its library is counted' \
		"$(($(unprobed) > 0))" 1
	kill $pid; wait $pid 2>/dev/null
else
	skip 'a library that throws: no g++ here'
	skip 'its ledger: no g++ here'
fi
done_testing
