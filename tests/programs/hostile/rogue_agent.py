#!/usr/bin/env python3
# rogue_agent.py PORT USER MODE [N]: an agent of NATS that may do what any agent may, and speaks for others.
#
#   twin     answers `who` in the names n1 and n2
#   flood    answers `who` in N names that nobody has, then in n1 and n2
#   echo     answers `who` as itself, and questions to itself in the name n1; and what n1 could be asked with numbers that it guesses
#   listen   subscribes to what n1 and all others are asked
#
# It says `ready` once it listens, `answered N` for each `who`, and what the server refuses.
import random
import socket
import sys

port, user, mode = int(sys.argv[1]), sys.argv[2], sys.argv[3]
count = int(sys.argv[4]) if len(sys.argv) > 4 else 0
s = socket.create_connection(("127.0.0.1", port))
f = s.makefile("rb")
f.readline()


def card(name, kind="node"):
    return f"runnel\n1\n{kind}\n{random.getrandbits(64):016x}\n0.1.0\nrogue, process 1\n{name}\n".encode()


def publish(subject, bytes_):
    return b"PUB %s %d\r\n%s\r\n" % (subject, len(bytes_), bytes_)


def who(reply):
    if mode == "twin" or mode == "listen":
        return [publish(reply, card(n)) for n in ("n1", "n2")]
    if mode == "flood":
        return [publish(reply, card(n)) for n in [f"f{i}" for i in range(count)] + ["n1", "n2"]]
    asker = reply[: reply.index(b".who.")]
    guesses = [publish(b"%s.%016x.o" % (asker, random.getrandbits(64)), card("n1")) for _ in range(100)]
    return [publish(reply, card(user))] + guesses


subjects = ["runnel.who", f"runnel.node.{user}.>"]
if mode == "listen":
    subjects += ["runnel.node.n1.>", "runnel.node.>", "runnel.>", ">"]
hello = '{"verbose":false,"pedantic":false,"user":"%s","pass":"p","lang":"x","version":"1","protocol":1,"headers":true,"no_responders":true}' % user
s.sendall(f"CONNECT {hello}\r\n".encode() + b"".join(b"SUB %s %d\r\n" % (x.encode(), i + 1) for i, x in enumerate(subjects)) + b"PING\r\n")
while True:
    line = f.readline()
    if not line:
        sys.exit(0)
    if line.startswith(b"PING"):
        s.sendall(b"PONG\r\n")
    elif line.startswith(b"PONG"):
        print("ready", flush=True)
    elif line.startswith(b"-ERR"):
        print(line.decode().strip(), flush=True)
    elif line.startswith(b"MSG"):
        word = line.split()
        f.read(int(word[-1]) + 2)
        if word[1] == b"runnel.who":
            cards = who(word[3])
            s.sendall(b"".join(cards))
            print("answered", len(cards), flush=True)
        elif mode == "echo":
            s.sendall(publish(word[3] + b".o", card("n1")) + publish(word[3] + b".o", card("n1")))
            print("echoed", flush=True)
