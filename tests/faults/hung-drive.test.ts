import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neverAborts } from '../../src/main/lib/async/abort.ts';
import { readFileBelow } from '../../src/main/lib/files/host-folder.ts';
import { createLookAtFiles } from '../../src/main/safety/file-look.ts';
import { createReadOnlySandbox } from '../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createSafeFolder } from '../../src/main/sessions/changes/safe-folder.ts';
import { complete, createProgram, sessionOf, tool, type Program } from './program.ts';
import { hungDisk } from './hung-disk.ts';

const disk = await hungDisk();
const said = 'does not answer: its drive is served by another machine or program';

describe.skipIf(disk === null)('a project on a network drive that hangs', () => {
  let program: Program;
  const onDisk = join(disk?.path ?? '', 'project');
  const chosen = join(disk?.path ?? '', 'chosen');

  beforeAll(async () => {
    program = await createProgram({
      'a.ts': 'export function here() {\n  return 1;\n}\n',
      'notes.md': 'Here are the words.\n',
    });
    for (const folder of [onDisk, chosen]) await mkdir(folder);
    await writeFile(join(onDisk, 'b.ts'), 'export function far() {\n  return 2;\n}\n');
    await writeFile(join(chosen, 'far.md'), 'Far away are the words.\n');
    const added = await program.run(['projects', 'folders', 'add', chosen, '--project', program.project]);
    expect({ code: added.code, stderr: added.stderr }).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    disk?.answer();
    await program[Symbol.asyncDispose]();
    await disk?.[Symbol.asyncDispose]();
  });

  it('is named in a sentence by every command that reads it, and has its names again once the drive answers', async () => {
    disk?.hang();
    for (const args of [
      ['projects', 'map', onDisk],
      ['projects', 'search', onDisk, 'words'],
      ['projects', 'git', 'status', '--project', onDisk],
      ['run', '--project', onDisk, 'Fix it.'],
    ]) {
      const ended = await program.run(args);
      expect({ args, ...ended }).toMatchObject({ args, signal: null, stdout: '' });
      expect(ended.code).not.toBe(0);
      expect(ended.stderr).toContain(`The folder ${onDisk} ${said}`);
    }
    disk?.answer();
    const map = await program.run(['projects', 'map', onDisk, '--about', 'far']);
    expect({ code: map.code, stderr: map.stderr }).toMatchObject({ code: 0 });
    expect(map.stdout).toContain('far');
  });

  it('stops no other project, also one that it was chosen for', async () => {
    disk?.hang();
    const map = await program.run(['projects', 'map', program.project, '--about', 'here']);
    expect({ code: map.code, stderr: map.stderr }).toMatchObject({ code: 0 });
    expect(map.stdout).toContain('here');
    const folders = await program.run(['projects', 'folders', 'list', program.project]);
    expect(folders.stdout).toContain(chosen);
    expect((await program.run(['sessions', 'list'])).code).toBe(0);
    const found = await program.run(['projects', 'search', program.project, 'words']);
    expect(found.stdout).toContain('notes.md');
    expect(found.stderr).toContain('chosen');
    disk?.answer();
    const both = await program.run(['projects', 'search', program.project, 'words']);
    expect(both.stdout).toContain('chosen/far.md');
  });

  // Catches: reads that never return, each with a thread of the process: four of them stopped all files of the machine.
  it('ends what is read from it in mid-work, and leaves threads for the files of this machine', async () => {
    disk?.answer();
    const { files } = createReadOnlySandbox({ workspacePath: onDisk, because: null });
    expect(await files.read('b.ts', {}, neverAborts)).toMatchObject({ ok: true });
    disk?.hang();
    const work = [
      ...Array.from({ length: 8 }, () => files.read('b.ts', {}, neverAborts)),
      files.list('.', {}, neverAborts),
      files.scan(neverAborts),
      files.stat('b.ts', neverAborts),
    ];
    expect(await readFile(join(program.project, 'notes.md'), 'utf8')).toContain('words');
    for (const ended of await Promise.all(work))
      expect(ended).toMatchObject({
        ok: false,
        error: { code: 'timeout', message: `The folder ${onDisk} ${said} that is silent.` },
      });
    expect(await readFile(join(program.project, 'notes.md'), 'utf8')).toContain('words');
    disk?.answer();
    await expect.poll(() => files.read('b.ts', {}, neverAborts), { timeout: 15_000 }).toMatchObject({ ok: true });
  });

  it('holds up nobody who cancels a read', async () => {
    const { files } = createReadOnlySandbox({ workspacePath: onDisk, because: null });
    expect(await files.read('b.ts', {}, neverAborts)).toMatchObject({ ok: true });
    disk?.hang();
    const stop = new AbortController();
    const read = files.read('b.ts', {}, stop.signal);
    stop.abort();
    expect(await read).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    disk?.answer();
  });

  it('is named by what an undo and a restore write with, and no rule or look counts as none', async () => {
    const undo = createSafeFolder(onDisk);
    await expect.poll(() => undo.look('b.ts').catch(() => null), { timeout: 15_000 }).toMatchObject({ type: 'file' });
    disk?.hang();
    const file = { bytes: Buffer.from('new'), mode: 0o644 };
    await expect(undo.write('made.txt', file, () => true)).rejects.toThrow(said);
    await expect(createLookAtFiles(onDisk)(['b.ts'])).rejects.toThrow(said);
    await expect(readFileBelow(onDisk, ['b.ts'], 1000)).rejects.toThrow(said);
    disk?.answer();
  });

  // Catches: the folders of all sessions were followed at once for every program that was looked for. It held the core.
  it('ends a task that works on it, and lets the next start of Dewpoint know its sessions', async () => {
    disk?.answer();
    await program.script([tool('read_file', { path: 'b.ts' }, 2_000), complete()]);
    const running = program.start([
      'run',
      '--project',
      onDisk,
      '--sandbox',
      'read-only',
      '--json',
      '--',
      'What does the function far return?',
    ]);
    await running.until('model-call-started');
    disk?.hang();
    const ended = await running.ended;
    expect(ended.stderr).toContain(`The folder ${onDisk} ${said}`);
    expect(ended.code).not.toBe(0);
    expect(ended.events.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'error', failure: { code: 'timeout' } });
    expect((await program.run(['sessions', 'list'])).stdout).toContain('far');
    const map = await program.run(['projects', 'map', program.project, '--about', 'here']);
    expect({ code: map.code, stderr: map.stderr }).toMatchObject({ code: 0 });
    const undone = await program.run(['changes', sessionOf(ended.events), 'undo']);
    expect({ code: undone.code, stderr: undone.stderr }).toMatchObject({ code: 0 });
    disk?.answer();
  });
});
