import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackgroundProcessState } from '../../src/main/sandbox/sandbox.ts';
import { codeOf, valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, output, requireEngine, startSandbox, type DockerUnderTest } from './docker-kit.ts';

const server = (port: number): string =>
  `exec python3 -u -c "
import http.server, os
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'hello from ${port}')
    def log_message(self, *args): print('asked', flush=True)
server = http.server.HTTPServer(('127.0.0.1', ${port}), Page)
print('listening', flush=True)
server.serve_forever()"`;
const ask = (port: number): string =>
  `python3 -c "import urllib.request; print(urllib.request.urlopen('http://localhost:${port}', timeout=30).read().decode())"`;

describe.skipIf(isWithoutEngine)('a service beside the commands of a session', () => {
  let under: DockerUnderTest;
  let states: BackgroundProcessState[];
  beforeEach(async () => {
    states = [];
    under = await startSandbox({ onService: (state) => void states.push(state) });
  });
  afterEach(() => under.close());

  const start = async (command: string): Promise<BackgroundProcessState> =>
    valueOf(await under.sandbox.backgroundProcesses.start({ command }, none));
  const printed = async (id: string): Promise<string> => (await under.sandbox.backgroundProcesses.read(id))?.text ?? '';
  const listens = (id: string): Promise<void> => expect.poll(() => printed(id)).toContain('listening');

  it('answers commands on localhost, outlives them, and ends when it is stopped', async () => {
    const [one, other] = [await start(server(8001)), await start(server(8002))];
    await listens(one.id);
    await listens(other.id);
    expect(await output(under.sandbox, ask(8001))).toBe('hello from 8001\n');
    expect(await output(under.sandbox, 'true; sleep 0.2')).toBe('');
    expect(await output(under.sandbox, ask(8002))).toBe('hello from 8002\n');
    await expect.poll(() => printed(one.id)).toContain('asked');
    expect(await under.sandbox.backgroundProcesses.stop(one.id)).toMatchObject({
      id: 's1',
      status: 'stopped',
      exitCode: null,
    });
    expect((await under.sandbox.exec({ command: ask(8001), timeoutMs: 60_000 }, none)).ok).toBe(true);
    expect(await output(under.sandbox, `${ask(8001)} 2>/dev/null || echo gone`)).toBe('gone\n');
    expect(await output(under.sandbox, ask(8002))).toBe('hello from 8002\n');
    expect(under.sandbox.backgroundProcesses.list().map(({ id, status }) => [id, status])).toEqual([
      ['s1', 'stopped'],
      ['s2', 'running'],
    ]);
    expect(states.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 running', 's2 running', 's1 stopped']);
    expect((await under.leftovers()).containers).toHaveLength(2);
  });

  it('has no way out, no more power than a command, and the same files', async () => {
    await under.put('in.txt', 'kept\n');
    const { id } = await start(
      'cat in.txt > out.txt; grep -E "CapEff|NoNewPrivs" /proc/self/status; ls /sys/class/net; touch /etc/x 2>&1; echo over',
    );
    await expect
      .poll(async () => (await under.sandbox.backgroundProcesses.read(id))?.state)
      .toMatchObject({ status: 'exited', exitCode: 0 });
    expect(await printed(id)).toMatch(/CapEff:\s0+\nNoNewPrivs:\s1\nlo\n.*Read-only file system\nover\n/s);
    expect(await under.text('out.txt')).toBe('kept\n');
  });

  it('is one of at most four, and all end with the sandbox', async () => {
    for (let round = 0; round < 4; round += 1) await start('sleep 1000');
    expect(codeOf(await under.sandbox.backgroundProcesses.start({ command: 'sleep 1' }, none))).toBe('too-large');
    await under.sandbox.dispose();
    expect(await under.leftovers()).toEqual({ containers: [], volumes: [] });
    expect(new Set(under.sandbox.backgroundProcesses.list().map(({ status }) => status))).toEqual(new Set(['stopped']));
  });

  it('is lost with the container whose network it uses, and the next one uses the new network', async () => {
    const { id } = await start(server(8001));
    await listens(id);
    const { docker } = requireEngine();
    const { containers } = await under.leftovers();
    for (const container of containers) {
      const { HostConfig } = await docker.getContainer(container).inspect();
      if (HostConfig.NetworkMode === 'none') await docker.getContainer(container).kill();
    }
    await expect.poll(async () => (await under.sandbox.backgroundProcesses.read(id))?.state.status).toBe('lost');
    const next = await start(server(8001));
    await listens(next.id);
    expect(await output(under.sandbox, ask(8001))).toBe('hello from 8001\n');
    await under.sandbox.backgroundProcesses.stopAll();
    // The container of the lost service ends by itself when nobody waits for it.
    await expect.poll(async () => (await under.leftovers()).containers).toHaveLength(1);
  });
});
