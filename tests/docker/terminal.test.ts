import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeCommand, resizedFrame, shellCommand, typedFrames } from '../../src/main/sandbox/terminal-shell.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { type DockerUnderTest, isWithoutEngine, none, startSandbox } from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('a terminal of a person in the container', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox();
  });
  afterAll(async () => {
    await under?.close();
  });

  it('takes input, is resized and left, and is gone with its last process', async () => {
    let seen = '';
    const shell = valueOf(
      await under.sandbox.open(
        {
          command: shellCommand({ columns: 80, rows: 24 }),
          onOutput: ({ bytes }) => (seen += Buffer.from(bytes).toString()),
        },
        none,
      ),
    );
    await shell.write(typedFrames('stty size; echo "it is $TERM"\n'));
    await expect.poll(() => seen).toMatch(/24 80\r\n[^]*it is xterm-256color/u);
    await shell.write(resizedFrame({ columns: 132, rows: 50 }));
    await shell.write(typedFrames('stty size; pwd\n'));
    await expect.poll(() => seen).toMatch(/50 132\r\n[^]*\/workspace/u);
    await shell.write(typedFrames('exit 3\n'));
    expect(await shell.ended).toEqual({ exitCode: 3 });
  });

  it('ends with all that it started when it is closed', async () => {
    let seen = '';
    const shell = valueOf(
      await under.sandbox.open(
        {
          command: shellCommand({ columns: 80, rows: 24 }),
          onOutput: ({ bytes }) => (seen += Buffer.from(bytes).toString()),
        },
        none,
      ),
    );
    await shell.write(typedFrames('setsid sleep 4321 & echo "be"gun\n'));
    await expect.poll(() => seen).toContain('begun');
    await shell.close();
    const left = valueOf(
      await under.sandbox.exec({ command: 'pgrep -fc "sleep [4]321" || true', timeoutMs: 60_000 }, none),
    );
    expect(left.stdout.trim()).toBe('0');
  });

  /** Catches: wrongly quoted code, an error that is not shown, and network access for code of an answer. */
  it.each([
    ['shell', 'echo "it\'s $((40 + 2))"; nope', /it's 42\n[^]*nope: command not found/u, 127],
    ['python', 'import sys\nprint("a\'b", 1 + 1)\nsys.exit(3)', /^a'b 2\n$/u, 3],
    ['javascript', "console.log(`it's ${6 * 7}`)", /^it's 42\n$/u, 0],
    ['javascript', "import { sep } from 'node:path';\nconsole.log(sep)", /^\/\n$/u, 0],
    ['shell', 'cat; echo end', /^end\n$/u, 0],
    [
      'javascript',
      "fetch('http://1.1.1.1').then(() => console.log('reached'), () => console.log('not reached'))",
      /^not reached\n$/u,
      0,
    ],
  ] as const)('runs code of an answer once: %s %#', async (language, code, printed, exitCode) => {
    let seen = '';
    const run = valueOf(
      await under.sandbox.open(
        {
          command: codeCommand({ language, code }),
          onOutput: ({ bytes }) => (seen += Buffer.from(bytes).toString()),
        },
        none,
      ),
    );
    expect(await run.ended).toEqual({ exitCode });
    expect(seen).toMatch(printed);
  });

  it('has a view of what the container takes and keeps', async () => {
    const look = await under.sandbox.look(none);
    expect(look).toMatchObject({ isRunning: true, usage: { processes: expect.any(Number) } });
    expect(look.usage?.cpuNs).toBeGreaterThan(0);
    expect(look.usage?.memoryBytes).toBeGreaterThan(0);
    expect(look.usage?.memoryLimitBytes).toBe(2048 * 1024 * 1024);
    await under.sandbox.dispose();
    expect(await under.sandbox.look(none)).toMatchObject({ isRunning: false, usage: null });
  });
});
