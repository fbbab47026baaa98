"""nginx.py - both ends of the test nginx.sh: `server DIR PORT`, a threaded server that keeps what it gets in DIR and sends it back;
`clients PORT TAG N KIND`, N requests at once, each of its own length, and each on a connection of its own. Bodies of the kind `id` say
which one they are and are longer than buffers for headers; of another kind they differ by their lengths alone. Clients print `i port`.
The server appends `i port port` to DIR.ports: the port at haproxy, which a header tells it, and its own client's."""
import http.server, os, socket, sys, threading

def length(i, with_id):
    return 300 * (i + 1) if with_id else 106 + 10 * i


def number(n):
    return n // 300 - 1 if n % 300 == 0 else (n - 106) // 10


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        with open(os.path.join(sys.argv[2], f'{self.client_address[1]}.body'), 'wb', 0) as f:
            f.write(body)
        with open(sys.argv[2] + '.ports', 'ab', 0) as f:
            f.write(f"{number(len(body))} {self.headers['X-From-Port']} {self.client_address[1]}\n".encode())
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *a):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def body(i, tag, with_id):
    text = f'{i:02d} data {tag} {i:02d} ' if with_id else f'data {tag} '
    return (text + 'x' * length(i, with_id))[:length(i, with_id)].encode()


def request(i, port, tag, with_id, barrier, out):
    data = body(i, tag, with_id)
    head = f'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n'.encode()
    s = socket.create_connection(('127.0.0.1', port))
    out[i] = s.getsockname()[1]
    barrier.wait()
    if i % 2:
        s.sendall(head + data)
    else:
        s.sendall(head)
        s.sendall(data)
    got = b''
    while more := s.recv(65536):
        got += more
    if got.partition(b'\r\n\r\n')[2] != data:
        out[i] = -1


def clients(port, tag, n, with_id):
    barrier, out = threading.Barrier(n), [0] * n
    all_of_them = [threading.Thread(target=request, args=(i, port, tag, with_id, barrier, out)) for i in range(n)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    for i, p in enumerate(out):
        print(i, p)


if sys.argv[1] == 'server':
    Server(('127.0.0.1', int(sys.argv[3])), Handler).serve_forever()
else:
    clients(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5] == 'id')
