#!/usr/bin/env python3
"""slowest.py - which files a program waits for: PYTHONPATH=docs/examples/python docs/examples/python/slowest.py [QUERY [NAME=VALUE...]]"""
import sys

import runnel

text = sys.argv[1] if len(sys.argv) > 1 else "count, p99(latency), hist(latency) of io by file top 5 by sum(latency) for 2s"
params = {name: runnel.value(given) for name, given in (arg.split("=", 1) for arg in sys.argv[2:])}
try:
    with runnel.open() as session:
        query = session.query(text, **params)
        print("\t".join(column.name for column in query.columns))
        for row in query:
            print("\t".join(" ".join("%d:%d" % (b.low, b.count) for b in value if b.count) if isinstance(value, list) else str(value) for value in row))
        print("complete" if query.complete() else query.ledger())
except runnel.Error as error:
    for place in error.places:
        print("%s at %d:%d: %s" % (place.code, place.line, place.column, place.message))
    sys.exit(str(error))
