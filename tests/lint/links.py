#!/usr/bin/env python3
"""links.py [FILE...] - does every link of the documents lead to something, and are pages short?

A link inside this tree names a file, and behind `#` a heading of it, as web pages of repositories
name headings: in small letters, blanks as hyphens, without punctuation. LINES says how long a page
may be.
"""
import fnmatch
import os
import re
import sys

from findings import complain, done

LINES = [
    ('docs/language/*.md', 250),
    ('docs/language.md', 250),
    ('README.md', 120),
    ('ARCHITECTURE.md', 200),
]


def pages():
    for where, folders, names in os.walk('.'):
        folders[:] = [f for f in folders if f != 'build' and f != '.git']
        for name in sorted(names):
            if name.endswith('.md'):
                yield os.path.normpath(os.path.join(where, name))


def text_of(path):
    """The lines of a page, with those of code empty."""
    fenced = False
    for line in open(path):
        if line.startswith('```'):
            fenced = not fenced
            line = ''
        yield '' if fenced or line.startswith('    ') else line.rstrip('\n')


def anchors(path):
    """The names of a page's headings. A second heading of the same name gets a number."""
    seen = {}
    for line in text_of(path):
        if not line.startswith('#'):
            continue
        words = re.sub(r'[^\w\- ]', '', line.lstrip('#').strip().lower()).replace(' ', '-')
        n = seen.get(words, 0)
        seen[words] = n + 1
        yield f'{words}-{n}' if n else words


def check(path):
    text = re.sub(r'`[^`]*`', '', '\n'.join(text_of(path)))
    for found in re.finditer(r'\]\(([^()\s]+)\)', text):
        target, _, heading = found[1].partition('#')
        line = text[:found.start()].count('\n') + 1
        if re.match(r'[a-z]+:', target):
            continue
        to = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(to):
            complain(f'{path}:{line}: there is no {to}')
        elif heading and heading not in anchors(to):
            complain(f'{path}:{line}: {to} has no heading #{heading}')


def length(path):
    for pattern, most in LINES:
        if fnmatch.fnmatchcase(path, pattern):
            n = sum(1 for _ in open(path))
            if n > most:
                complain(f'{path}: {n} lines, {most} are the most')
            return


for page in sys.argv[1:] or pages():
    check(page)
    length(page)
done()
