import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes, codeOf, valueOf } from '../contracts/sandbox-contract.ts';
import {
  begin,
  isWithoutEngine,
  none,
  output,
  requireEngine,
  startSandbox,
  type DockerUnderTest,
} from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('the sandbox that runs commands in a container', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox();
  });
  afterAll(() => under.close());

  const processes = async (): Promise<string[]> => {
    const lines = (await output(under.sandbox, 'ps -eo args')).split('\n').slice(1);
    return lines.filter(
      (line) =>
        line !== '' &&
        !/^(\/bin\/sh \/run\/dewpoint\/|\/usr\/local\/lib\/dewpoint\/runner$|cat$|ps -eo|\/bin\/bash -c ps)/.test(line),
    );
  };

  it('runs a command in the folder that was asked for, and says when there is none', async () => {
    await under.put('a folder/x', '');
    const inside = valueOf(await under.sandbox.exec({ command: 'pwd', cwd: 'a folder', timeoutMs: 60_000 }, none));
    const absolute = valueOf(await under.sandbox.exec({ command: 'pwd', cwd: '/scratch', timeoutMs: 60_000 }, none));
    expect([inside.stdout, absolute.stdout]).toEqual(['/workspace/a folder\n', '/scratch\n']);
    expect(codeOf(await under.sandbox.exec({ command: 'pwd', cwd: 'nowhere', timeoutMs: 60_000 }, none))).toBe(
      'not-found',
    );
  });

  it('passes input and environment to a command, and nothing else', async () => {
    const result = valueOf(
      await under.sandbox.exec(
        {
          command: 'cat; echo "$GREETING"; env | grep -c -i vitest',
          stdin: bytes('from stdin\n'),
          env: { GREETING: "it's" },
          timeoutMs: 60_000,
        },
        none,
      ),
    );
    expect(result.stdout).toBe("from stdin\nit's\n0\n");
    expect(codeOf(await under.sandbox.exec({ command: 'true', env: { 'A B': '1' }, timeoutMs: 60_000 }, none))).toBe(
      'bad-input',
    );
  });

  it('takes a megabyte of input whole', async () => {
    const stdin = new Uint8Array(1_000_000).fill(120);
    const result = valueOf(await under.sandbox.exec({ command: 'wc -c', stdin, timeoutMs: 60_000 }, none));
    expect(result.stdout.trim()).toBe('1000000');
  });

  it('counts 50 MB of output and keeps a part of it', async () => {
    let seen = 0;
    const result = valueOf(
      await under.sandbox.exec(
        {
          command: 'head -c 50000000 /dev/zero',
          timeoutMs: 60_000,
          onOutput: (chunk) => void (seen += chunk.bytes.length),
        },
        none,
      ),
    );
    expect([result.stdoutBytes, seen, result.exitCode]).toEqual([50_000_000, 50_000_000, 0]);
    expect(result.stdout.length).toBeLessThan(300_000);
  });

  it('ends a call together with its command and all that it left behind', async () => {
    const result = valueOf(
      await under.sandbox.exec(
        { command: 'sleep 61 & (setsid sleep 62 &); env -i setsid sleep 63 & echo done', timeoutMs: 60_000 },
        none,
      ),
    );
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'done\n' });
    expect(await processes()).toEqual([]);
  });

  it('kills a hanging command with detached children that ignore a polite request', async () => {
    const daemon = `python3 -c "
import os, signal, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(s, signal.SIG_IGN)
os.environ.clear()
time.sleep(600)"`;
    const command = `trap '' TERM; (setsid sleep 71 &); ${daemon}; env -i setsid sh -c 'trap "" TERM; while :; do sleep 72; done' & sleep 73`;
    const result = valueOf(await under.sandbox.exec({ command, timeoutMs: 1000 }, none));
    expect(result).toMatchObject({ outcome: 'timed-out', exitCode: null });
    expect(await processes()).toEqual([]);
    expect(under.losses).toEqual([]);
  });

  it('cancels a command with all it started', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { ended } = await begin(under.sandbox, { rest: 'sleep 81 & (setsid sleep 82 &) ; sleep 83', signal });
    controller.abort();
    expect(valueOf(await ended)).toMatchObject({ outcome: 'cancelled', exitCode: null });
    expect(await processes()).toEqual([]);
  });

  it('runs several commands at once, and killing one leaves the others alone', async () => {
    const hanging = under.sandbox.exec({ command: '(setsid sleep 91 &); sleep 92', timeoutMs: 700 }, none);
    const others = [1, 2, 3].map((number) =>
      under.sandbox.exec({ command: `(setsid sleep 2 &) ; sleep 2.5; echo ${number}`, timeoutMs: 60_000 }, none),
    );
    expect(valueOf(await hanging).outcome).toBe('timed-out');
    const ended = (await Promise.all(others)).map(valueOf);
    expect(ended.map((result) => [result.outcome, result.stdout])).toEqual([
      ['exited', '1\n'],
      ['exited', '2\n'],
      ['exited', '3\n'],
    ]);
    expect(await processes()).toEqual([]);
  });

  it('tells a command killed for its memory from one that ended', async () => {
    const small = await startSandbox({ settings: { memoryMb: 256 } });
    try {
      const result = valueOf(
        await small.sandbox.exec({ command: 'python3 -c "x = bytearray(600_000_000)"', timeoutMs: 60_000 }, none),
      );
      expect(result).toMatchObject({ outcome: 'killed', exitCode: 137, killedFor: 'memory' });
      expect(result.stderr).toContain('memory limit');
      const itself = await small.sandbox.exec({ command: 'kill -9 $$', timeoutMs: 60_000 }, none);
      expect(valueOf(itself)).toMatchObject({ outcome: 'killed', exitCode: 137, killedFor: 'signal', stderr: '' });
      expect(await output(small.sandbox, 'echo still here')).toBe('still here\n');
    } finally {
      await small.close();
    }
  });

  it('keeps a process open for its input, and closes it with all it started', async () => {
    const seen: string[] = [];
    const opened = valueOf(
      await under.sandbox.open(
        {
          command: '(setsid sleep 95 &); while read -r line; do echo "got $line"; done; exit 4',
          onOutput: (chunk) => seen.push(Buffer.from(chunk.bytes).toString()),
        },
        none,
      ),
    );
    await opened.write(bytes('one\n'));
    await expect.poll(() => seen.join('')).toBe('got one\n');
    await opened.close();
    expect(await opened.ended).toHaveProperty('exitCode');
    expect(await processes()).toEqual([]);
  });

  it('contains a fork bomb: it ends at its deadline and the next command runs', async () => {
    const bombed = await startSandbox({ settings: { pids: 64 } });
    try {
      const result = valueOf(
        await bombed.sandbox.exec({ command: 'bomb() { bomb | bomb & }; bomb; sleep 60', timeoutMs: 2000 }, none),
      );
      expect(['timed-out', 'exited']).toContain(result.outcome);
      expect(await output(bombed.sandbox, 'echo alive; ps -e | wc -l')).toMatch(/^alive\n\s*\d{1,2}\n$/);
    } finally {
      await bombed.close();
    }
  });

  it('leaves no litter of test runs in the workspace', async () => {
    await under.put('tests/test_one.py', 'def test_one():\n    assert 1 == 1\n');
    await output(under.sandbox, 'python3 -m pytest -q tests && python3 -m pytest -q --lf tests');
    expect((await output(under.sandbox, 'find . -name "__pycache__" -o -name ".pytest_cache"')).trim()).toBe('');
  });

  it('removes container and volume at the end, even during a command', async () => {
    const short = await startSandbox();
    const { ended } = await begin(short.sandbox);
    expect((await short.leftovers()).containers).toHaveLength(1);
    await short.close();
    expect(valueOf(await ended).outcome).toBe('lost');
    expect(await short.leftovers()).toEqual({ containers: [], volumes: [] });
    await short.sandbox.dispose();
    expect(codeOf(await short.sandbox.exec({ command: 'true', timeoutMs: 60_000 }, none))).toBe('sandbox-lost');
    expect(requireEngine().kind).toMatch(/docker|podman/);
  });
});
