"""fuse.py DIR TAG - a file system of FUSE at DIR whose server splices its requests, and threads that use it all at the same time.

They write TAG to one file and to files of their own, and read those. No two calls have the same length. Names have TAG in them, too."""
import ctypes
import os
import struct
import sys
import threading

LOOKUP, GETATTR, OPEN, READ, WRITE, RELEASE, FLUSH, INIT, CREATE = 1, 3, 14, 15, 16, 18, 25, 26, 35
FORGET, INTERRUPT, DESTROY, BATCH_FORGET = 2, 36, 38, 42
ENOENT, ENOSYS, DIRECT_IO, CLONE_NEWNS, PRIVATE = 2, 38, 1, 0x20000, 0x44000
IN, WRITE_IN = 40, 40
CLIENTS, ROUNDS, SERVERS, SIZE, MOST = 6, 6, 4, 65536, 16384  # MOST: bytes of a request; a pipe has room for it
names, contents, lock = {}, {}, threading.Lock()


def attributes(node):
    kind = 0o40755 if node == 1 else 0o100644
    return struct.pack("=6Q10I", node, SIZE, 0, 0, 0, 0, 0, 0, 0, kind, 1, 0, 0, 0, 4096, 0)


def entry(node):
    return struct.pack("=4Q2I", node, 0, 0, 0, 0, 0) + attributes(node)


def node_of(name, create):
    with lock:
        if create and name not in names:
            names[name] = len(names) + 2
            contents[names[name]] = bytearray(SIZE)
        return names.get(name)


def answer(op, node, body):
    """The reply's error and body; None: there is no reply."""
    if op in (FORGET, BATCH_FORGET, INTERRUPT):
        return None
    if op == INIT:
        return 0, struct.pack("=4I2H2I2H8I", 7, 31, 0, 0, 16, 12, MOST, 1, 0, 0, *[0] * 8)
    if op == LOOKUP:
        found = node_of(body.rstrip(b"\0"), False)
        return (0, entry(found)) if found else (ENOENT, b"")
    if op == CREATE:
        found = node_of(body[16:].rstrip(b"\0"), True)
        return 0, entry(found) + struct.pack("=Q2I", 0, DIRECT_IO, 0)
    if op == GETATTR:
        return 0, struct.pack("=Q2I", 0, 0, 0) + attributes(node)
    if op == OPEN:
        return 0, struct.pack("=Q2I", 0, DIRECT_IO, 0)
    if op == WRITE:
        offset, size = struct.unpack_from("=QI", body, 8)
        contents[node][offset:offset + size] = body[WRITE_IN:]
        return 0, struct.pack("=2I", size, 0)
    if op == READ:
        offset, size = struct.unpack_from("=QI", body, 8)
        return 0, bytes(contents[node][offset:offset + size])
    return (0, b"") if op in (FLUSH, RELEASE, DESTROY) else (ENOSYS, b"")


def serve(dev):
    out, into = os.pipe()
    while True:
        try:
            n = os.splice(dev, into, MOST + 8192)
        except OSError as e:
            if e.errno == ENOENT:
                continue
            return  # the file system is gone
        request = os.read(out, n)
        _, op, unique, node = struct.unpack_from("=2I2Q", request)
        reply = answer(op, node, request[IN:])
        if reply:
            os.writev(dev, [struct.pack("=IiQ", 16 + len(reply[1]), -reply[0], unique), reply[1]])


def run(threads):
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def client(top, tag, i, barrier):
    one = os.open(f"{top}/{tag}-one", os.O_CREAT | os.O_RDWR)
    own = os.open(f"{top}/{tag}-{i}", os.O_CREAT | os.O_RDWR)
    barrier.wait()
    for k in range(ROUNDS):
        length = 100 + 3 * (i * ROUNDS + k)
        data = tag.encode().ljust(length, b"%d" % i)
        os.pwrite(one, data, 0)
        os.pwrite(own, data + b".", 0)
        os.pread(own, length + 2, 0)
    os.close(one)
    os.close(own)
    os.close(os.open(f"{top}/{tag}-{i}-late", os.O_CREAT | os.O_RDWR))  # a name, when there is much that it could come from


def use(top, tag):
    barrier = threading.Barrier(CLIENTS)
    run([threading.Thread(target=client, args=(top, tag, i, barrier)) for i in range(CLIENTS)])


def main(top, tag):
    libc = ctypes.CDLL(None, use_errno=True)
    dev = os.open("/dev/fuse", os.O_RDWR)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, PRIVATE, None):
        sys.exit("no mount namespace of its own")
    if libc.mount(b"splices", top.encode(), b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % dev):
        sys.exit("a FUSE file system cannot be mounted")
    child = os.fork()
    if not child:
        os.close(dev)
        use(top, tag)
        libc.umount2(top.encode(), 2)
        os._exit(0)
    run([threading.Thread(target=serve, args=(dev,)) for _ in range(SERVERS)])
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main(*sys.argv[1:])
