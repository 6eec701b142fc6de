import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { Sandbox } from '../../../../src/main/sandbox/sandbox.ts';
import { codeOf, valueOf } from '../../../contracts/sandbox-contract.ts';

const none = new AbortController().signal;

/**
 * Links that a second process swaps in during an operation are tested in
 * `tests/main/lib/files/host-folder-race.test.ts`.
 */
describe('links on the host', () => {
  let folder: string;
  let sandbox: Sandbox;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-links-')));
    await mkdir(join(folder, 'work/d'), { recursive: true });
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/f'), 'secret');
    await writeFile(join(folder, 'work/d/f'), 'public');
    sandbox = createReadOnlySandbox({ workspacePath: join(folder, 'work'), because: null });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (path: string): Promise<string> => {
    const reply = await sandbox.files.read(path, {}, none);
    return reply.ok ? Buffer.from(reply.value.bytes).toString() : reply.error.code;
  };

  it('are followed inside the workspace and nowhere else', async () => {
    const work = join(folder, 'work');
    await symlink('d/f', join(work, 'inside'));
    await symlink('d', join(work, 'folder'));
    await symlink('../d/../d', join(work, 'd/up'));
    await symlink('../outside', join(work, 'out'));
    await symlink(join(folder, 'outside'), join(work, 'absolute'));
    await symlink('loop', join(work, 'loop'));
    await symlink('nowhere', join(work, 'broken'));
    expect(
      await Promise.all(['inside', 'folder/f', 'd/up/f', 'out/f', 'absolute/f', 'loop', 'broken'].map(read)),
    ).toEqual(['public', 'public', 'public', 'refused', 'refused', 'bad-input', 'not-found']);
    expect(valueOf(await sandbox.files.stat('out', none)).kind).toBe('link');
    expect(codeOf(await sandbox.files.list('out', {}, none))).toBe('refused');
    expect(codeOf(await sandbox.files.search({ pattern: 'secret', path: 'out' }, none))).toBe('refused');
    const listed = valueOf(await sandbox.files.list('.', { all: true }, none)).entries;
    expect(listed.find((entry) => entry.path === 'out')?.kind).toBe('link');
    expect(listed.some((entry) => entry.path.startsWith('out/'))).toBe(false);
    expect(valueOf(await sandbox.files.search({ pattern: 'secret' }, none)).matches).toEqual([]);
  });

  it('to pipes and devices do not block a reader', async () => {
    await promisify(execFile)('mkfifo', [join(folder, 'work/pipe')]);
    expect(await read('pipe')).toBe('bad-input');
    const { matches } = valueOf(await sandbox.files.search({ pattern: 'public' }, none));
    expect(matches.map((match) => match.path)).toEqual(['d/f']);
  });
});
