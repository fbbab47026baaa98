#!/usr/bin/env python3
"""library.py - does each number in a view of the standard library say what it means?

A flag, a state or a signal has a name in the language (lang/values/named.c). A quantity, such as how
many rows or how long, is a parameter with a default. So the query of a view has no numbers but 0, 1
and -1, with a unit or without; and no default is hexadecimal, as flags are. EXCUSED has the others.
"""
import glob
import re

from findings import complain, done

# (view, number): why it has neither a name nor a parameter
EXCUSED = {}
NUMBER = re.compile(r'(?<![\w$.])(0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?)([A-Za-z%/]*)')
VIEW = re.compile(r'^view (\w+)\(([^)]*)\) :=(.*?);', re.M | re.S)


def blank(match):
    return re.sub(r'[^\n]', ' ', match[0])


used = set()
for path in sorted(glob.glob('stdlib/*.rnl')):
    with open(path) as f:
        text = re.sub(r'"[^"\n]*"|--[^\n]*', blank, f.read())
    views = list(VIEW.finditer(text))
    if len(views) != len(re.findall(r'^view ', text, re.M)):
        complain(f'{path}: library.py reads {len(views)} of its views: their form is new')
    for view in views:
        for part, plain in ((2, None), (3, ('0', '1'))):
            for m in NUMBER.finditer(view[part]):
                key = (view[1], m[1])
                if (m[1] in plain if plain else not m[1].startswith('0x')):
                    continue
                if key in EXCUSED:
                    used.add(key)
                    continue
                line = text.count('\n', 0, view.start(part) + m.start()) + 1
                complain(f'{path}:{line}: {view[1]} has the number {m[0]}: write its name '
                         '(lang/values/named.c), or make it a parameter with a default')
for view, number in sorted(EXCUSED.keys() - used):
    complain(f'tests/lint/library.py: {view} has no number {number}: take it out of EXCUSED')
done()
