// The other end of `connection-tunnel.ts`, inside the container, for an image with Node alone.
const net = require('node:net');
const WINDOW = 262144,
  PIECE = 65536;
const READY = 0,
  OPEN = 1,
  DATA = 2,
  END = 3,
  RESET = 4,
  TAKEN = 5;
const connections = new Map();
let last = 0,
  pending = Buffer.alloc(0);
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
