import { describe, expect, it } from 'vitest';
import { createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import type { MemorySandboxOptions } from '../../../fakes/sandbox/memory-sandbox.ts';

type Exec = Awaited<ReturnType<NonNullable<MemorySandboxOptions['exec']>>>;

/** What the model sees of a command that did this, and the whole that is stored beside it. */
async function seen(exec: Exec): Promise<{ readonly text: string; readonly status: string; readonly whole: string }> {
  const kit = createAgentKit({
    replies: [{ calls: [{ name: 'run_command', input: { command: 'try it' } }] }],
    sandbox: { exec: () => exec },
  });
  await kit.runner.send('Do the work.', turnOptions);
  const end = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_command');
  const full = end?.full ?? null;
  const bytes = full === null ? null : await kit.journal.getBlob(full);
  return {
    text: end?.output ?? '',
    status: end?.status ?? '',
    whole: bytes === null ? '' : Buffer.from(bytes).toString('utf8'),
  };
}

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');
const many = lines(800_000);
const endless = 'x'.repeat(10_000_000);
const whole = String.raw`read_file with path "result:[^"]+" shows all of it`;

const short: readonly (readonly [what: string, exec: Exec, status: string, text: string])[] = [
  ['no output', {}, 'ok', 'exit code 0'],
  ['no output after a while', { durationMs: 2_340 }, 'ok', 'exit code 0 in 2.3 s'],
  ['only errors', { exitCode: 2, stderr: 'no such file\n' }, 'ok', 'exit code 2\nstderr:\nno such file'],
  ['both streams', { stdout: 'one\n', stderr: 'two\n' }, 'ok', 'exit code 0\none\ntwo'],
  ['CRLF', { stdout: 'one\r\ntwo\r\n' }, 'ok', 'exit code 0\none\ntwo'],
  ['a line that is written over', { stdout: ' 10%\r 55%\r100%\ndone\r\n' }, 'ok', 'exit code 0\n100%\ndone'],
  [
    'colors',
    { stdout: '\u001b[1;31mred\u001b[0m \u001b]8;;http://a\u0007link\u001b]8;;\u0007\n' },
    'ok',
    'exit code 0\nred link',
  ],
  [
    'a sequence that is no UTF-8',
    { stdout: Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) },
    'ok',
    'exit code 0\ncaf\u{fffd}',
  ],
  [
    'a NUL between names',
    { stdout: 'src/one.ts\0src/two.ts\0' },
    'ok',
    'exit code 0\nsrc/one.ts\u{fffd}src/two.ts\u{fffd}',
  ],
  [
    'binary bytes',
    { stdout: Uint8Array.from({ length: 4_096 }, (_, at) => (at * 7919) % 256) },
    'ok',
    'exit code 0\n[binary, 4,096 bytes, not shown: print it with xxd, or save it to a file]',
  ],
  ['a crash by a signal', { exitCode: 139, durationMs: 400 }, 'ok', 'exit code 139 (SIGSEGV) in 0.4 s'],
  ['an end by SIGTERM', { exitCode: 143, stdout: 'half\n' }, 'ok', 'exit code 143 (SIGTERM)\nhalf'],
  [
    'too little memory',
    { exitCode: 137, outcome: 'killed', killedFor: 'memory', stdout: 'loading\n', durationMs: 8_000 },
    'error',
    'killed (exit code 137) after 8.0 s because it ran out of memory\nloading',
  ],
  [
    'SIGKILL from elsewhere',
    { exitCode: 137, outcome: 'killed', killedFor: 'signal', durationMs: 8_000 },
    'error',
    'killed (exit code 137) after 8.0 s by a signal; the limit of memory was not reached',
  ],
  [
    'a full disk',
    { exitCode: null, outcome: 'killed', killedFor: 'disk', durationMs: 8_000 },
    'error',
    'killed (exit code none) after 8.0 s because the disk is nearly full',
  ],
  [
    'its time limit',
    { exitCode: null, outcome: 'timed-out', stdout: 'still at it\n', durationMs: 120_400 },
    'timed-out',
    'killed: still running after 120 s\nstill at it',
  ],
  ['a cancel', { exitCode: null, outcome: 'cancelled', durationMs: 3_000 }, 'cancelled', 'cancelled after 3.0 s'],
  [
    'a sandbox that is gone',
    { exitCode: null, outcome: 'lost' },
    'unknown',
    'nobody knows how this ended: the sandbox was lost while it ran\nNo file is different from before it.',
  ],
];

describe('what a model sees of a command with', () => {
  it.each(short)('%s', async (_what, exec, status, text) => {
    expect(await seen(exec)).toMatchObject({ status, text });
  });

  /** Catches: a flood of which the model is told that 230 kB are left out, where 10 MB are. */
  it('10 MB of output says how much of all is left out, and where the whole is', async () => {
    const { text, whole: stored } = await seen({ stdout: many, durationMs: 5_000 });
    expect(text).toMatch(/^exit code 0 in 5\.0 s\nline 1\n/u);
    expect(text).toMatch(/\nline 800000$/u);
    const left = Number(new RegExp(`\\n\\[… (\\d+) bytes left out here; ${whole} …\\]\\n`, 'u').exec(text)?.[1]);
    expect(left + Buffer.byteLength(text)).toBeGreaterThan(many.length);
    expect(left).toBeLessThan(many.length);
    expect(Buffer.byteLength(text)).toBeLessThan(34_000);
    expect(stored.length).toBe(many.length);
  });

  it('an endless line shows its begin and end, and where the whole is', async () => {
    const { text, whole: stored } = await seen({ stdout: endless });
    expect(text).toMatch(new RegExp(`^exit code 0\\nx+\\n\\[… \\d+ bytes left out here; ${whole} …\\]\\nx+$`, 'u'));
    expect(Buffer.byteLength(text)).toBeLessThan(34_000);
    expect(stored.length).toBe(endless.length);
  });

  it('a flood of errors shows the last of them', async () => {
    const { text } = await seen({ exitCode: 1, stderr: many });
    expect(text).toMatch(/^exit code 1\nstderr:\nline 1\n/u);
    expect(text).toMatch(/\nline 800000$/u);
  });
});
