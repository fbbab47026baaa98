#!/usr/bin/env python3
"""cancel_query.py LIBRARY QUERY: cancels the query when it has taken half a second of CPU, and prints how it ended."""
import ctypes, sys, threading, time

rn = ctypes.CDLL(sys.argv[1])
for name in ("runnel_open", "runnel_query_new"):
    getattr(rn, name).restype = ctypes.c_void_p
session = ctypes.c_void_p(rn.runnel_open(None))
query = ctypes.c_void_p(rn.runnel_query_new(session, sys.argv[2].encode()))
assert rn.runnel_prepare(query) == 0

def cancel():
    while time.process_time() < 0.5:
        time.sleep(0.01)
    rn.runnel_query_cancel(query)

threading.Thread(target=cancel, daemon=True).start()
rn.runnel_step.argtypes = (ctypes.c_void_p, ctypes.c_int)
while (status := rn.runnel_step(query, -1)) == 1:
    pass
rn.runnel_query_free(query)
rn.runnel_close(session)
print({2: "done", 4: "interrupted"}.get(status, status))
