/**
 * The other end of `connection-tunnel.ts`, inside the container. It listens on the container's loopback and carries
 * every connection over its own input and output. It decides nothing. It exists in Python and in JavaScript, because
 * an image has one or the other, and the shell script uses what is there. It ends with its input.
 */
export const forwarderPort = 3128;

/** The exit code if the image has neither. */
export const noForwarderExit = 127;

const chooseScript = `command -v python3 >/dev/null 2>&1 && exec python3 -I -S /run/dewpoint/forward.py "$1"
command -v node >/dev/null 2>&1 && exec node /run/dewpoint/forward.cjs "$1"
exit ${noForwarderExit}`;

const pythonScript = `import os, selectors, socket, struct, sys
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
`;

const nodeScript = `const net = require('node:net');
const WINDOW = 262144, PIECE = 65536;
const READY = 0, OPEN = 1, DATA = 2, END = 3, RESET = 4, TAKEN = 5;
const connections = new Map();
let last = 0, pending = Buffer.alloc(0);
function send(kind, number, payload) {
  const header = Buffer.alloc(9);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(number, 1);
  header.writeUInt32BE(payload ? payload.length : 0, 5);
  process.stdout.write(payload ? Buffer.concat([header, payload]) : header);
}
function accept(socket) {
  const number = ++last;
  const connection = { socket, credit: WINDOW };
  connections.set(number, connection);
  send(OPEN, number);
  const pump = () => {
    let data;
    while (connection.credit > 0 && socket.readableLength > 0) {
      data = socket.read(Math.min(connection.credit, PIECE, socket.readableLength));
      if (data === null) break;
      connection.credit -= data.length;
      send(DATA, number, data);
    }
    if (socket.readableLength === 0) socket.read(0);
  };
  connection.pump = pump;
  socket.on('readable', pump);
  socket.on('end', () => send(END, number));
  socket.on('error', () => undefined);
  socket.on('close', (hadError) => {
    if (connections.delete(number) && hadError) send(RESET, number);
  });
}
function take(kind, number, payload) {
  const connection = connections.get(number);
  if (connection === undefined) return;
  if (kind === DATA) {
    connection.socket.write(payload, (error) => {
      if (error) return;
      const taken = Buffer.alloc(4);
      taken.writeUInt32BE(payload.length, 0);
      send(TAKEN, number, taken);
    });
  } else if (kind === END) connection.socket.end();
  else if (kind === RESET) {
    connections.delete(number);
    // After an end: nobody reads any more, and what came before it is still delivered.
    if (connection.socket.writableEnded) connection.socket.destroySoon();
    else connection.socket.destroy();
  } else if (kind === TAKEN) {
    connection.credit += payload.readUInt32BE(0);
    connection.pump();
  }
}
process.stdin.on('data', (bytes) => {
  pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
  let at = 0;
  while (pending.length - at >= 9) {
    const end = at + 9 + pending.readUInt32BE(at + 5);
    if (pending.length < end) break;
    take(pending.readUInt8(at), pending.readUInt32BE(at + 1), pending.subarray(at + 9, end));
    at = end;
  }
  pending = pending.subarray(at);
});
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
net.createServer({ allowHalfOpen: true }, accept).listen(Number(process.argv[2]), '127.0.0.1', () => send(READY, 0));
`;

/** By their file names in the container. */
export const forwarderFiles = {
  forward: chooseScript,
  'forward.py': pythonScript,
  'forward.cjs': nodeScript,
} as const;
