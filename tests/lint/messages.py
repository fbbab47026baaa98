#!/usr/bin/env python3
"""messages.py - is the English of messages plain? It judges each text of four words and more in the
sources, by the rules for documents (english.py), and refuses a few words that make one read twice.
"""
import os
import re

from english import faults, sentences
from findings import complain, done

LAYERS = ['lang', 'planner', 'exec', 'probes', 'repl']
RUN = re.compile(r'"(?:\\.|[^"\\\n])*"(?:(?:\s|\\\n|PRI\w+)*"(?:\\.|[^"\\\n])*")*')
PART = re.compile(r'"((?:\\.|[^"\\\n])*)"')
SQL = re.compile(r'\s*(select|insert|create|update|delete|pragma|with|alter|drop table)\b', re.I)
TWICE = [
    (r'for want of', 'without, too little'),
    (r'where (it|they|there|the [a-z]+) (has|have|is|are|does|do|can|may)\b', 'if'),
    (r'of which\b', 'two sentences'),
    (r'being (read|written|asked|made|sent)\b(?! by)(?<!still being written)', 'name the actor'),
    (r'stands? behind\b', 'follows'),
]


def texts(path):
    """(line, text) of each literal of a file."""
    with open(path) as f:
        code = f.read()
    code = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), code, flags=re.S)
    for m in RUN.finditer(code):
        text = ''.join(PART.findall(m[0])).replace('\\n', '\n').replace('\\"', '"')
        if len(re.findall(r"[A-Za-z']{2,}", text)) >= 4 and not SQL.match(text):
            yield code.count('\n', 0, m.start()) + 1, text


for layer in LAYERS:
    for where, _, names in os.walk(layer):
        for name in sorted(names):
            path = os.path.join(where, name)
            if not name.endswith(('.c', '.h', '.re', '.y')) or where.startswith('probes/bpf'):
                continue
            for line, text in texts(path):
                # each line of a help text says one thing
                for s in (s for part in text.split('\n') for s in sentences(part)):
                    for fault in faults(s):
                        complain(f'{path}:{line}: {fault}: {s[:90]}')
                    for bad, better in TWICE:
                        m = re.search(r'\b' + bad, s)
                        if m:
                            complain(f'{path}:{line}: "{m[0]}" ({better}): {s[:90]}')
done()
