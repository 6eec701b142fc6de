import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAllowListProxy } from '../../src/main/sandbox/network/allow-list-proxy.ts';
import { usualLimits } from '../../src/main/sandbox/network/network-decision.ts';
import { createTunnel } from '../../src/main/sandbox/network/connection-tunnel.ts';
import type { NetworkResult } from '../../src/main/sandbox/sandbox.ts';
import { standInInternet, type StandInInternet } from '../fakes/stand-in-internet.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, startSandbox, type DockerUnderTest } from './docker-kit.ts';

/** Python code that tries one thing after the other and prints each result. */
const tries = `import json, socket, ssl, struct, sys, urllib.request
PROXY = ('127.0.0.1', 3128)
def raw(data, wait=3):
    with socket.create_connection(PROXY, wait) as s:
        s.sendall(data)
        got = b''
        try:
            while True:
                piece = s.recv(65536)
                if not piece: break
                got += piece
                if b'\\r\\n\\r\\n' in got and b' 200 ' in got.split(b'\\r\\n')[0]: break
        except OSError: pass
        return got.split(b'\\r\\n')[0].decode('latin1')
def connect(target):
    return raw(b'CONNECT ' + target.encode('latin1') + b' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
def tls(target, name):
    s = socket.create_connection(PROXY, 30)
    s.sendall(b'CONNECT ' + target.encode() + b' HTTP/1.1\\r\\n\\r\\n')
    s.recv(65536)
    context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
    try:
        with context.wrap_socket(s, server_hostname=name) as t:
            t.sendall(b'GET /secret HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
            return 'answered ' + str(len(t.recv(65536)))
    except Exception as e:
        return 'cut'
def direct(address, kind=socket.SOCK_STREAM, family=socket.AF_INET):
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(2)
            s.connect(address)
            if kind == socket.SOCK_DGRAM: s.send(b'x'); s.recv(10)
            return 'REACHED'
    except Exception as e:
        return type(e).__name__
def said(f, *a):
    try: return f(*a)
    except Exception as e: return type(e).__name__ + ' ' + str(e)[:60]
`;

describe.skipIf(isWithoutEngine)('a command with a network', () => {
  let under: DockerUnderTest;
  let internet: StandInInternet;
  beforeAll(async () => {
    internet = await standInInternet({
      names: {
        'files.example.org': [['203.0.113.7']],
        'other.example.org': [['203.0.113.8']],
        'turning.example.org': [['203.0.113.9'], ['127.0.0.1']],
        'inner.example.org': [['192.168.1.1']],
      },
      answer: (request, response) => {
        if (request.url === '/moved')
          response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
        else if (request.url === '/flood') response.end(Buffer.alloc(32 * 1024 * 1024));
        else response.end(`${request.method} ${request.url}\n`);
      },
    });
    under = await startSandbox({ outward: internet.outward });
    await under.put('tries.py', tries);
  });
  afterAll(async () => {
    await under.close();
    await internet.close();
  });

  const run = async (
    command: string,
    hosts: readonly string[] = ['files.example.org'],
    limits = {},
  ): Promise<NetworkResult> =>
    valueOf(await under.sandbox.runWithNetwork({ command, hosts, limits, timeoutMs: 50_000 }, none));
  const python = (body: string): string => `python3 - <<'END'\nfrom tries import *\n${body}\nEND`;

  it('reaches the allowed host with and without TLS, and leaves nothing behind', async () => {
    const result = await run(`python3 - <<'END'
import urllib.request
print(urllib.request.urlopen('https://files.example.org/a').read().decode().strip())
print(urllib.request.urlopen('http://files.example.org/b').read().decode().strip())
END
echo done > made.txt`);
    expect([result.stdout, result.stderr]).toEqual(['GET /a\nGET /b\n', '']);
    expect(await under.text('made.txt')).toBe('done\n');
    expect(result.decisions.map(({ host, port, reason, address }) => ({ host, port, reason, address }))).toEqual([
      { host: 'files.example.org', port: 443, reason: 'listed', address: '203.0.113.7' },
      { host: 'files.example.org', port: 80, reason: 'listed', address: '203.0.113.7' },
    ]);
    expect((await under.leftovers()).containers.length).toBe(1);
  });

  it('uses the forwarder in JavaScript when the image has only Node', async () => {
    const proxy = createAllowListProxy({
      hosts: new Set(['files.example.org']),
      limits: usualLimits,
      outward: internet.outward,
      onDecision: () => undefined,
    });
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    let sending: Promise<void> = Promise.resolve();
    const tunnel = createTunnel({
      send: (bytes, sent) => void (sending = sending.then(() => forwarder.write(bytes)).then(sent)),
      onConnection: proxy.handle,
      onReady: () => isReady(),
      onBroken: () => expect.unreachable('The forwarder broke the rules.'),
    });
    const forwarder = valueOf(
      await under.sandbox.open(
        { command: 'exec node /run/dewpoint/forward.cjs 3129', onOutput: ({ bytes }) => tunnel.push(bytes) },
        none,
      ),
    );
    await ready;
    const command = `http_proxy=http://127.0.0.1:3129 python3 -c "
import urllib.request
print(len(urllib.request.urlopen('http://files.example.org/flood').read()))
print(urllib.request.urlopen('http://files.example.org/n').read().decode(), end='')"`;
    const result = valueOf(await under.sandbox.exec({ command, timeoutMs: 30_000 }, none));
    expect(result.stdout).toBe(`${32 * 1024 * 1024}\nGET /n\n`);
    proxy.close();
    tunnel.close();
    await forwarder.close();
  });

  it('carries many answers at once, each of them whole', async () => {
    const result = await run(
      python(`import concurrent.futures
def get(i): return len(urllib.request.urlopen('http://files.example.org/flood').read())
with concurrent.futures.ThreadPoolExecutor(4) as pool: print(set(pool.map(get, range(4))))`),
    );
    expect(result.stdout).toBe(`{${32 * 1024 * 1024}}\n`);
    expect(result.decisions.map(({ receivedBytes }) => receivedBytes)).toEqual(
      [1, 2, 3, 4].map(() => 32 * 1024 * 1024),
    );
  });

  it('reaches nothing else, whatever a hostile command tries', async () => {
    const before = internet.opened.length;
    const result = await run(
      python(`
targets = ['other.example.org:443', 'files.example.org.:443', 'files.example.org:22', 'files.example.org:80', '203.0.113.8:443', '127.0.0.1:443', '[::1]:443',
  '[::ffff:127.0.0.1]:443', '0x7f000001:443', '0177.0.0.1:443', '2130706433:443', '127.1:443', '169.254.169.254:443', 'metadata.google.internal:443', 'localhost:443',
  'inner.example.org:443', 'xn--fles-8va.example.org:443', 'files.example.org@other.example.org:443', 'files.example.org\\x00.other.example.org:443', 'files.example.org%2eother.example.org:443',
  'host.docker.internal:443', '172.17.0.1:2375']
out = {t: said(connect, t) for t in targets}
out['plain to another'] = said(raw, b'GET http://other.example.org/ HTTP/1.1\\r\\nHost: files.example.org\\r\\n\\r\\n')
out['plain to metadata'] = said(raw, b'GET http://169.254.169.254/latest/ HTTP/1.1\\r\\nHost: files.example.org\\r\\n\\r\\n')
out['no address'] = said(raw, b'GET / HTTP/1.1\\r\\nHost: other.example.org\\r\\n\\r\\n')
out['other scheme'] = said(raw, b'GET ftp://files.example.org/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
out['socks 5'] = said(raw, b'\\x05\\x01\\x00')
out['http 2'] = said(raw, b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n')
print(json.dumps([k for k, v in out.items() if ' 200 ' in v]))`),
      ['files.example.org', 'inner.example.org'],
    );
    expect([result.stdout.trim(), result.stderr]).toEqual(['[]', '']);
    expect(internet.opened.slice(before)).toEqual([]);
    expect(result.decisions.filter(({ isAllowed }) => isAllowed)).toEqual([]);
  });

  it('has no way around the forwarder', async () => {
    const result = await run(
      python(`
out = [direct(('203.0.113.7', 443)), direct(('172.17.0.1', 80)), direct(('8.8.8.8', 53), socket.SOCK_DGRAM), direct(('::1', 3128), family=socket.AF_INET6),
  direct(('2606:4700::1111', 443), family=socket.AF_INET6), said(socket.getaddrinfo, 'files.example.org', 443)]
for family in (socket.AF_VSOCK, 38, socket.AF_PACKET, socket.AF_BLUETOOTH): out.append(said(socket.socket, family, socket.SOCK_STREAM))
out.append(said(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1))
print('REACHED' in str(out), len(out))
print(open('/proc/net/dev').read().count(':'))`),
    );
    expect(result.stdout).toBe('False 11\n1\n');
  });

  it('lets no byte through under another TLS name, without one, or without TLS', async () => {
    const result = await run(
      python(`
print(tls('files.example.org:443', 'other.example.org'), tls('files.example.org:443', None))
s = socket.create_connection(PROXY, 30); s.sendall(b'CONNECT files.example.org:443 HTTP/1.1\\r\\n\\r\\n'); s.recv(9999)
s.sendall(b'GET / HTTP/1.1\\r\\nHost: other.example.org\\r\\n\\r\\n'); print(s.recv(9999))`),
    );
    expect(result.stdout).toBe("cut cut\nb''\n");
    expect(result.decisions.map(({ reason, sentBytes }) => [reason, sentBytes])).toEqual([
      ['other-name', 0],
      ['other-name', 0],
      ['not-tls', 0],
    ]);
  });

  it('refuses a name that resolves to an inner address, and a redirect to cloud metadata', async () => {
    const before = internet.opened.length;
    const result = await run(
      python(`
print(urllib.request.urlopen('http://turning.example.org/').read())
print(said(urllib.request.urlopen, 'http://turning.example.org/'))
print(said(urllib.request.urlopen, 'http://files.example.org/moved'))`),
      ['turning.example.org', 'files.example.org'],
    );
    expect(
      result.stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.slice(0, 19)),
    ).toEqual(['HTTPError HTTP Erro', 'HTTPError HTTP Erro']);
    expect(internet.opened.slice(before)).toEqual(['203.0.113.9:80', '203.0.113.7:80']);
  });

  it("gains nothing by writing the forwarder's frames itself or by ending the forwarder", async () => {
    const before = internet.opened.length;
    const result = await run(
      `pid=$(pgrep -f '^python3 .*/forward[.]py') || exit 9
python3 -c "
import struct, sys
f = lambda k, n, p=b'': struct.pack('>BII', k, n, len(p)) + p
sys.stdout.buffer.write(f(1, 9000) + f(2, 9000, b'CONNECT other.example.org:443 HTTP/1.1\\r\\n\\r\\n') + f(2, 9000, b'x' * 60000) * 20 + f(9, 1) + b'garbage' * 100)
" > /proc/$pid/fd/1
sleep 0.3
python3 -c "import urllib.request; urllib.request.urlopen('http://files.example.org/', timeout=3)" 2>&1 | tail -1`,
    );
    expect([result.outcome, result.exitCode]).toEqual(['exited', 0]);
    expect(internet.opened.slice(before)).toEqual([]);
    const after = await run(
      `curl -s http://files.example.org/again || python3 -c "import urllib.request; print(urllib.request.urlopen('http://files.example.org/again').read().decode(), end='')"`,
    );
    expect(after.stdout).toBe('GET /again\n');
  });

  it('ends an answer that is too large, and says so', async () => {
    const result = await run(
      python(`print(said(lambda: len(urllib.request.urlopen('http://files.example.org/flood').read())))`),
      ['files.example.org'],
      {
        maxReceivedBytes: 1_000_000,
      },
    );
    expect(result.stdout).not.toBe(`${32 * 1024 * 1024}\n`);
    expect(result.decisions).toMatchObject([{ isAllowed: false, reason: 'too-many-bytes' }]);
    expect(result.decisions[0]?.receivedBytes).toBeLessThanOrEqual(1_000_000);
  });

  it('leaves the session without a network during and after its run', async () => {
    const marker = run('sleep 1; echo slept');
    const inside = valueOf(
      await under.sandbox.exec(
        {
          command: python(`print(direct(('127.0.0.1', 3128)), 'HTTP_PROXY' in __import__('os').environ)`),
          timeoutMs: 20_000,
        },
        none,
      ),
    );
    expect(inside.stdout).toBe('ConnectionRefusedError False\n');
    expect((await marker).stdout).toBe('slept\n');
  });

  it('ends with everything it started when it is cancelled', async () => {
    const abort = new AbortController();
    const running = under.sandbox.runWithNetwork(
      {
        command: 'echo started; setsid sleep 1000 & sleep 1000',
        hosts: ['files.example.org'],
        timeoutMs: 50_000,
        onOutput: () => abort.abort(),
      },
      abort.signal,
    );
    expect(valueOf(await running).outcome).toBe('cancelled');
    expect((await under.leftovers()).containers.length).toBe(1);
  });

  it('is refused before anything starts when a host cannot be listed', async () => {
    for (const host of ['127.0.0.1', '*.example.org', 'files.example.org:443', 'localhost', '']) {
      const reply = await under.sandbox.runWithNetwork({ command: 'true', hosts: [host], timeoutMs: 1000 }, none);
      expect(reply.ok ? 'ran' : reply.error.code).toBe('bad-input');
    }
  });
});
