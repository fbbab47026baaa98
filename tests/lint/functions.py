#!/usr/bin/env python3
"""functions.py [-a] [FILE...] - is each function short enough to read at once?

A function has at most LINES lines, from its name to its last brace, and at most STEPS steps of
`if (!r) r = ...`: more are a table of steps, or functions. A table among its declarations does not
count. -a prints the length of each function.

The sources are in one dialect (.clang-format): a function begins with a line that starts in the
first column and does not end in `;`, its body with `{` and ends with `}` in that column.
"""
import os
import re
import sys

from findings import complain, done

LAYERS = ['lang', 'planner', 'exec', 'probes', 'repl', 'tests', 'docs']
LINES, STEPS = 60, 8
STEP = re.compile(r'^\t+(else )?if \(!(r|err|ret|bad|failed|status|code)\b')


def sources():
    for layer in LAYERS:
        for where, _, names in os.walk(layer):
            for n in sorted(names):
                if n.endswith(('.c', '.h')):
                    yield os.path.join(where, n)


def functions(path):
    """(name, first line, lines) of each function."""
    with open(path) as f:
        lines = f.read().split('\n')
    start, name = None, None
    for i, line in enumerate(lines):
        if line == '{' and start is not None:
            end = i
            while lines[end] != '}':
                end += 1
            yield name, start + 1, lines[start:end + 1]
            start = None
        elif re.match(r'[A-Za-z_]', line) and not line.startswith(('typedef', 'struct {', 'enum {')):
            m = re.search(r'(\w+)\s*\((?!\()', re.sub(r'__attribute__\(\(.*?\)\)\)?', '', line))
            if m or start is None:
                start, name = (i, m[1]) if m else (None, None)
            if line.endswith(';'):
                start = None
        elif re.match(r'[#/}]|$', line):
            start = None


def length(lines):
    """Lines without those of tables: `} name[] = {` to `};`, in the outermost block."""
    n, table = 0, False
    for line in lines:
        if re.match(r'\t.*\w(\[[^\]]*\])+ = \{$', line):
            table = True
        n += not table
        table = table and line != '\t};'
    return n


def steps(lines):
    return sum(1 for line in lines if STEP.match(line))


every = '-a' in sys.argv[1:]
named = [a for a in sys.argv[1:] if a != '-a']
for path in named or sources():
    for name, at, lines in functions(path):
        if every:
            print(f'{length(lines):4} {path}:{at} {name}')
        wrong = []
        if length(lines) > LINES:
            wrong.append(f'{length(lines)} lines, {LINES} are the most')
        if steps(lines) > STEPS:
            wrong.append(f'{steps(lines)} steps of `if (!r)`, {STEPS} are the most')
        if wrong:
            complain(f'{path}:{at}: {name} has {" and ".join(wrong)}')
done()
