# The other end of `connection-tunnel.ts`, inside the container, for an image with Python.
import os, selectors, socket, struct, sys
WINDOW, PIECE = 262144, 65536
READY, OPEN, DATA, END, RESET, TAKEN = range(6)
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
poll = selectors.DefaultSelector()
out, inp, connections, last = bytearray(), bytearray(), {}, 0

def send(kind, number, payload=b''):
    out.extend(struct.pack('>BII', kind, number, len(payload)))
    out.extend(payload)

def watch(thing, data, events):
    try:
        known = poll.get_key(thing)
    except KeyError:
        if events:
            poll.register(thing, events, data)
        return
    if not events:
        poll.unregister(thing)
    elif known.events != events:
        poll.modify(thing, events, data)

class Connection:
    def __init__(self, sock, number):
        self.sock, self.number = sock, number
        self.credit, self.waiting = WINDOW, bytearray()
        self.read_over = self.write_over = self.ending = False

    def update(self):
        events = 0
        if not self.read_over and self.credit > 0:
            events |= READ
        if self.waiting:
            events |= WRITE
        elif self.ending and not self.write_over:
            self.write_over = True
            try:
                self.sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        if self.read_over and self.write_over:
            self.drop(False)
        else:
            watch(self.sock, self, events)

    def drop(self, tell):
        if connections.pop(self.number, None) is None:
            return
        watch(self.sock, self, 0)
        self.sock.close()
        if tell:
            send(RESET, self.number)

    def readable(self):
        try:
            data = self.sock.recv(min(self.credit, PIECE))
        except BlockingIOError:
            return
        except OSError:
            return self.drop(True)
        if data:
            self.credit -= len(data)
            send(DATA, self.number, data)
        else:
            self.read_over = True
            send(END, self.number)

    def writable(self):
        try:
            count = self.sock.send(self.waiting)
        except BlockingIOError:
            return
        except OSError:
            return self.drop(True)
        del self.waiting[:count]
        send(TAKEN, self.number, struct.pack('>I', count))

def accept():
    global last
    try:
        sock, _ = listener.accept()
    except OSError:
        return
    sock.setblocking(False)
    last += 1
    connections[last] = Connection(sock, last)
    send(OPEN, last)
    connections[last].update()

def receive():
    data = os.read(0, 1 << 20)
    if not data:
        sys.exit(0)
    inp.extend(data)
    at = 0
    while len(inp) - at >= 9:
        kind, number, length = struct.unpack_from('>BII', inp, at)
        if len(inp) - at < 9 + length:
            break
        payload = bytes(inp[at + 9:at + 9 + length])
        at += 9 + length
        connection = connections.get(number)
        if connection is None:
            continue
        if kind == DATA:
            connection.waiting.extend(payload)
        elif kind == END:
            connection.ending = True
        elif kind == RESET and not connection.ending:
            connection.drop(False)
            continue
        elif kind == RESET:
            # After an end: nobody reads any more, and what came before it is still delivered.
            connection.read_over = True
        elif kind == TAKEN:
            connection.credit += struct.unpack('>I', payload)[0]
        connection.update()
    del inp[:at]

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('127.0.0.1', int(sys.argv[1])))
listener.listen(128)
listener.setblocking(False)
os.set_blocking(1, False)
poll.register(listener, READ, 'listener')
poll.register(0, READ, 'input')
send(READY, 0)
while True:
    watch(1, 'output', WRITE if out else 0)
    for key, events in poll.select():
        if key.data == 'listener':
            accept()
        elif key.data == 'input':
            receive()
        elif key.data == 'output':
            try:
                del out[:os.write(1, out[:1 << 18])]
            except BlockingIOError:
                pass
        elif key.data.number in connections:
            if events & READ:
                key.data.readable()
            if events & WRITE and key.data.number in connections:
                key.data.writable()
            if key.data.number in connections:
                key.data.update()
