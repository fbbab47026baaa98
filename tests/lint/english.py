"""english.py - what plain English is, as far as a machine knows it. For prose.py and messages.py."""
import re

LONGEST = 40  # words of a sentence
# What has to be read twice, and what to write instead.
BAD = [
    (r'who asks?\b', 'name the actor: the caller, the client, the coordinator'),
    (r'(is|are|was|were|be|been) told\b', 'say what happens: the message says, the ledger counts'),
    (r'(is|are|was|were|be|been) said of\b', 'say it as subject and verb'),
    (r'what is (asked|meant|wanted)\b', 'name the thing: the query, the sources, the answer'),
    (r'(is|are) not meant\b', 'say what it does not choose, or does not match'),
    (r'that which\b', 'name the thing'),
    (r'whoever\b', 'name the actor'),
    (r'but for\b', 'except, without'),
    (r'\w+ of whose\b', 'two sentences'),
    (r'in (its|mid-)course\b', 'while it runs'),
    (r'what of (the|it|them|a|this|that)\b', 'name the part'),
    (r'anew\b', 'again'),
    (r'has to do with\b', 'concerns, uses'),
]


def plain(text):
    """One word for each span of code and each link."""
    text = re.sub(r'``.*?``|`[^`]*`', 'CODE', text)
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
    return text.replace('**', '').replace('*', '')


def sentences(text):
    """A sentence ends at a stop before a blank and a capital, a name of a file, or a function."""
    text = re.sub(r'\s+', ' ', plain(text)).strip()
    return [s for s in re.split(r'(?<=[.!?])["\')]*\s+(?=[^a-z(,;:]|\w\S*[/_(.]\w|\w+\()', text) if s]


def words(sentence):
    return len(re.findall(r'\S*\w\S*', sentence))


def faults(sentence):
    """What is wrong with a sentence, each as a text."""
    n = words(sentence)
    if n > LONGEST:
        yield f'a sentence of {n} words'
    if re.match(r'["\'(]*Of\s', sentence):
        yield 'a sentence begins with "Of"'
    if re.match(r'["\'(]*Who(se|m)?\s[^?]*$', sentence):
        yield 'a sentence begins with "Who" and asks nothing'
    for bad, better in BAD:
        m = re.search(r'\b' + bad, sentence, re.I)
        if m:
            yield f'"{m[0]}" ({better})'
