import type { Socket } from 'node:net';

const answerMs = 30_000;
const longestAnswer = 16 * 1024;

/** The credentials for a proxy of this machine, from its address. Null: it has none. */
export function proxyCredentials(proxy: URL): string | null {
  if (proxy.username === '' && proxy.password === '') return null;
  const text = `${decoded(proxy.username)}:${decoded(proxy.password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

/**
 * Decodes a part of the address. A password with a bare percent sign is used as it is, and must not end the program.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Asks a proxy of this machine to connect to a host. Returns false if it refuses. Takes none of the host's own data
 * off the socket.
 */
export function openThroughProxy(
  socket: Socket,
  proxy: URL,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<boolean> {
  const credentials = proxyCredentials(proxy);
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(credentials === null ? [] : [`Proxy-Authorization: ${credentials}`]),
  ];
  return new Promise((resolve) => {
    let text = Buffer.alloc(0);
    const settle = (isOpen: boolean): void => {
      clearTimeout(timer);
      socket.off('readable', look).off('close', onEnd).off('end', onEnd);
      resolve(isOpen);
    };
    const onEnd = (): void => settle(false);
    const look = (): void => {
      for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read())
        text = Buffer.concat([text, chunk]);
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) {
        if (text.length > longestAnswer) settle(false);
        return;
      }
      if (text.length > end + 4) socket.unshift(text.subarray(end + 4));
      settle(/^HTTP\/1\.[01] 200[ \r]/.test(text.toString('latin1')));
    };
    const timer = setTimeout(onEnd, answerMs);
    socket.on('readable', look).once('close', onEnd).once('end', onEnd);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}
