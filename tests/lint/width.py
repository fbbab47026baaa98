#!/usr/bin/env python3
"""width.py FILE... - lines of C and of shell above 100 columns, of documents above 120.

Some lines cannot be broken, and are left out: in shell, what stands in quotes, and a line whose
quoted text is too long alone; in documents, rows of tables, requests of roff, and blocks of code.
"""
import re
import sys

C, DOC = 100, 120


def width(line):
    return len(line.expandtabs(8))


def behind(s, i):
    """The place behind the quoted text, the substitution or the character that begins at i."""
    c = s[i]
    if c == "\\":
        return i + 2
    if c in "'`":
        j = s.find(c, i + 1)
        return len(s) if j < 0 else j + 1
    if c == '"':
        j = i + 1
        while j < len(s) and s[j] != '"':
            j = behind(s, j) if s[j] in "\\`" or s[j : j + 2] in ("$(", "${") else j + 1
        return j + 1
    if s[i : i + 2] in ("$(", "${"):
        opens, closes = s[i + 1], ")" if s[i + 1] == "(" else "}"
        j, depth = i + 2, 1
        while j < len(s) and depth:
            if s[j] == closes:
                depth -= 1
                j += 1
            elif s[j] == opens:
                depth += 1
                j += 1
            elif s[j] in "\\'\"`" or s[j : j + 2] in ("$(", "${"):
                j = behind(s, j)
            else:
                j += 1
        return j
    return i + 1


def shell(text):
    """Yields (line number, line) of lines that are too long and could be broken."""
    line_at = [0]
    for m in re.finditer("\n", text):
        line_at.append(m.end())
    widest, inside = {}, set()  # the widest word that begins on a line; lines that begin in quotes
    i, n, word, documents = 0, 1, None, []
    while i < len(text):
        c = text[i]
        if c == "\n":
            n, i, word = n + 1, i + 1, None
            while documents:
                mark = documents.pop(0)
                while n <= len(line_at):
                    end = text.find("\n", i)
                    end = len(text) if end < 0 else end
                    inside.add(n)
                    done = text[i:end].lstrip("\t") == mark
                    i, n = end + 1, n + 1
                    if done:
                        break
            continue
        if c == "#" and word is None:
            end = text.find("\n", i)
            i = len(text) if end < 0 else end
            continue
        if c in " \t;&|":
            word, i = None, i + 1
            continue
        m = re.match(r"<<-?\s*(['\"]?)(\w+)\1", text[i:])
        if m and text[i : i + 3] != "<<<":
            documents.append(m.group(2))
            i += m.end()
            continue
        if word is None:
            word = i
        j = min(behind(text, i), len(text))
        for _ in range(text.count("\n", i, j)):
            n += 1
            inside.add(n)
        end = text.find("\n", word)
        end = len(text) if end < 0 else min(end, j)
        at = text.count("\n", 0, word) + 1 if "\n" in text[word:j] else n
        widest[at] = max(widest.get(at, 0), end - word)
        i = j
    for k, line in enumerate(text.split("\n"), 1):
        if width(line) <= C or k in inside:
            continue
        indent = width(re.match(r"\t*", line).group(0))
        if line.lstrip().startswith("#") or indent + 8 + widest.get(k, 0) + 2 <= C:
            yield k, line


def document(text):
    fenced = code = False
    before = ""
    for k, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith("```"):
            fenced = not fenced
        if line.startswith("    ") and (not before.strip() or code):
            code = True
        elif line.strip():
            code = False
        if width(line) > DOC and not (fenced or code or line.lstrip().startswith(("|", "."))):
            yield k, line
        before = line


def lines(text):
    return ((k, line) for k, line in enumerate(text.split("\n"), 1) if width(line) > C)


bad = False
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    look = document if re.search(r"\.(md|[138])$", path) else shell if path.endswith((".sh", ".bash")) else lines
    for number, line in look(text):
        bad = True
        print(f"{path}:{number}: {width(line)} columns")
sys.exit(bad)
