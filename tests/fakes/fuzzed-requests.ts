/** What one client writes on one connection, and what the upstream may receive. */
export interface FuzzedClient {
  readonly writes: readonly Buffer[];
  /** By path: the body that a host may receive. Null: the host may not receive a whole request. */
  readonly bodies: ReadonlyMap<string, string | null>;
}

const host = 'files.example.org';
const smuggled = `GET http://${host}/smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const bodies = ['', 'hi', smuggled, `0\r\n\r\n${smuggled}`, `\r\n\r\n${smuggled}`, 'a'.repeat(70_000)] as const;
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** Headers that do not change how a message is read. */
const harmless = [
  'X-Kept: 1',
  'Connection: x-own\r\nX-Own: 1',
  'Connection: close-not, te\r\nTE: trailers',
  'Connection: upgrade\r\nUpgrade: h2c',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Proxy: http://127.0.0.1/',
  'Proxy-Connection: keep-alive',
  'Trailer: content-length',
  'Content_Length: 7',
  'Transfer_Encoding: chunked',
  'X-High: \xe9\xff',
  'Cookie: a=b\r\nCookie: c=d',
] as const;

/** Headers that two readers may interpret differently. */
const doubtful = [
  'Connection: content-length',
  'Connection: close, Content-Length',
  'Connection:\tCONTENT-LENGTH\t,',
  'Connection: x\r\nConnection: y,transfer-encoding',
  'Connection: Host',
  'Content-Length: 0\r\nContent-Length: 5',
  'Content-Length: 3\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding\t: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\r\n chunked',
  'X-A: b\r\n\tContent-Length: 5',
  'X-A: b\rContent-Length: 5',
  'X-A: b\nContent-Length: 5',
  'X-A: b\x00c',
  'X-A: b\x0bc',
  'X-\x00A: b',
  'Content-Length: +5',
  'Content-Length: -5',
  'Content-Length: 0x5',
  'Content-Length: 5, 5',
  'Content-Length: 5 5',
  'Content-Length:',
  'Content-Length: 99999999999999999999',
  'Host: other.example.org',
  `${'a:\r\n'.repeat(300)}b:`,
  ': x',
  'no colon',
] as const;

/** Clients that try to send more than was judged, or something else. The same seed gives the same clients. */
export function* fuzzedRequests(count: number, seed: number): Generator<FuzzedClient> {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = <T>(from: readonly [T, ...T[]]): T => from[next(from.length)] ?? from[0];

  function framed(body: string): string {
    switch (next(4)) {
      case 0:
        return `Content-Length: ${body.length}\r\n\r\n${body}`;
      case 1:
        return `Content-Length:\t${body.length} \r\n\r\n${body}`;
      case 2:
        return `Transfer-Encoding: Chunked\r\n\r\n${inPieces(body)}0\r\n\r\n`;
      default:
        return `Transfer-Encoding: chunked\r\n\r\n${inPieces(body, ';a="b;c"')}0;last\r\nX-Trailer: ${host}\r\n\r\n`;
    }
  }
  function inPieces(body: string, extension = ''): string {
    const size = 1 + next(body.length + 1);
    return body === ''
      ? ''
      : Array.from({ length: Math.ceil(body.length / size) }, (_none, index) =>
          body.slice(index * size, (index + 1) * size),
        )
          .map((piece) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`)
          .join('');
  }

  for (let index = 0; index < count; index += 1) {
    const wanted = new Map<string, string | null>();
    let text = '';
    for (let part = 0, parts = 1 + next(3); part < parts; part += 1) {
      const path = `/r${index}-${part}`;
      const isDoubtful = next(3) === 0;
      const body = pick(bodies);
      wanted.set(path, isDoubtful ? null : body);
      const lines = [`${pick(methods)} http://${host}${path} HTTP/1.1`, `Host: ${host}`];
      for (let more = next(3); more > 0; more -= 1) lines.push(pick(harmless));
      if (isDoubtful) lines.splice(1 + next(lines.length), 0, pick(doubtful));
      text += `${lines.join('\r\n')}\r\n${framed(body)}`;
    }
    wanted.set(`/last${index}`, '');
    text += `GET http://${host}/last${index} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    yield { writes: cut(Buffer.from(text, 'latin1'), next), bodies: wanted };
  }
}

function cut(bytes: Buffer, next: (below: number) => number): readonly Buffer[] {
  const places = [0, ...Array.from({ length: next(4) }, () => next(bytes.length)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
