import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createSafeFolder } from '../../../src/main/sessions/safe-folder.ts';

const none = new AbortController().signal;
/** On a busy machine a single step of the race can take long. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
/** How often each strategy is tried against the race; `DEWPOINT_RACE_OPERATIONS=100000` for a real measurement. */
const operations = Number(process.env['DEWPOINT_RACE_OPERATIONS'] ?? 200);

// In a process of its own, so that it truly runs between the steps of ours.
const swapper = `
import { renameSync } from 'node:fs';
const [work] = process.argv.slice(1);
let strays = 0;
const move = (from, to) => { try { renameSync(work + '/' + from, work + '/' + to); return true; } catch { return false; } };
// A writer makes the folder anew in the instant in which it is away: that one is put aside.
const clear = () => { move('d', 'stray-' + strays++); };
process.stdout.write('going');
for (;;) {
  if (!move('d', 'real')) clear();
  if (!move('link', 'd')) clear();
  if (!move('d', 'link')) clear();
  if (!move('real', 'd')) clear();
}
`;

describe.skipIf(process.platform !== 'linux')('a folder that is swapped for a link all the time', () => {
  let folder: string;
  let racing: ChildProcess;
  const at = (path: string): string => join(folder, path);
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-race-')));
    await mkdir(at('work/d'), { recursive: true });
    await mkdir(at('outside'));
    await writeFile(at('outside/f'), 'secret');
    await writeFile(at('work/d/f'), 'public');
    await symlink(at('outside'), at('work/link'));
    racing = spawn(process.execPath, ['--input-type=module', '-e', swapper, at('work')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => racing.stdout?.once('data', resolve));
  });
  afterEach(async () => {
    const gone = new Promise((resolve) => racing.once('close', resolve));
    racing.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true });
  });

  /** How often each answer came. */
  async function tally(work: () => Promise<string>): Promise<Record<string, number>> {
    const seen: Record<string, number> = {};
    for (let count = 0; count < operations; count += 1) {
      const answer = await work();
      seen[answer] = (seen[answer] ?? 0) + 1;
    }
    return seen;
  }

  it('lets no reading, listing or looking lead out', async () => {
    const sandbox = createReadOnlySandbox({ workspacePath: at('work'), because: null });
    const read = await tally(async () => {
      const reply = await sandbox.readFile('d/f', {}, none);
      return reply.ok ? Buffer.from(reply.value.bytes).toString() : reply.error.code;
    });
    expect(read['secret'] ?? 0).toBe(0);
    expect(read['public'] ?? 0).toBeGreaterThan(0);
    await writeFile(at('outside/only-outside'), 'secret');
    const listed = await tally(async () => {
      const reply = await sandbox.list('d', { all: true }, none);
      return reply.ok && reply.value.entries.some(({ path }) => path.endsWith('only-outside')) ? 'leaked' : 'kept';
    });
    expect(listed['leaked'] ?? 0).toBe(0);
    const looked = await tally(async () => ((await sandbox.stat('d/only-outside', none)).ok ? 'leaked' : 'kept'));
    expect(looked['leaked'] ?? 0).toBe(0);
  });

  it('lets no writing or removing lead out', async () => {
    const safe = createSafeFolder(at('work'));
    let count = 0;
    const written = await tally(async () => {
      count += 1;
      const file = { bytes: Buffer.from('x'), mode: 0o644 };
      return safe
        .write(`d/new-${count % 50}`, file, () => true)
        .then(
          () => 'written',
          (error: unknown) => (error instanceof Error ? 'refused' : 'unknown'),
        );
    });
    const removed = await tally(() => safe.remove('d/f', () => true).then(String, () => 'refused'));
    expect(await readdir(at('outside'))).toEqual(['f']);
    expect(
      [written['written'] ?? 0, (removed['true'] ?? 0) + (removed['false'] ?? 0)].every((times) => times > 0),
    ).toBe(true);
  });
});
