import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { startHeldModel } from './held-model.ts';
import { underPermissions } from './limits.ts';
import { mountReadOnly } from './mounts.ts';
import { command, complete, createProgram, ofType, sessionOf, tool } from './program.ts';
import { sampled } from '../fakes/sampled.ts';

const manyFiles = sampled(100_000, 20_000);

describe.skipIf(isWithoutEngine)('the project folder', () => {
  it('is refused with its name when it is missing, a file or the whole disk', async () => {
    await using program = await createProgram({ 'a.txt': 'a' });
    await program.script([complete()]);
    const missing = join(program.folder, 'gone');
    const refused = async (project: string): Promise<string> => {
      const end = await program.run(['run', '--project', project, 'Fix it.']);
      expect(end).toMatchObject({ code: 2, stdout: '' });
      return end.stderr;
    };
    expect(await refused(missing)).toContain(`The folder ${missing} was not found.`);
    expect(await refused(join(program.project, 'a.txt'))).toContain('is a file, not a folder');
    expect(await refused(join(program.project, 'a.txt', 'below'))).toContain('below something that is not a folder');
    expect(await refused('/')).toContain('the whole disk');
    expect(await refused(program.home)).toContain("Dewpoint's data");
    expect(await program.sessionIds()).toEqual([]);
  });

  it('is refused when it is read-only, with a way out that works', async () => {
    await using program = await createProgram({ 'a.txt': 'a\n' });
    await program.script([command('echo b > a.txt'), complete()]);
    await chmod(program.project, 0o555);
    const asItIs = { under: underPermissions };
    const refused = await program.startTask(undefined, [], asItIs).ended;
    expect(refused).toMatchObject({ code: 2, events: [] });
    expect(refused.stderr).toContain('its permissions do not allow it');
    expect(refused.stderr).toContain('--workspace copy');
    const copied = await program.startTask(undefined, ['--workspace', 'copy'], asItIs).ended;
    expect({ code: copied.code, stderr: copied.stderr }).toMatchObject({ code: 0 });
    expect(ofType(copied.events, 'file-changed').map(({ path }) => path)).toEqual(['a.txt']);
    const taken = await program.run(['changes', 'last', 'take'], asItIs);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain('not changed a.txt');
    expect(await program.text('a.txt')).toBe('a\n');
    // Nobody can copy what nobody can read, so that is not advised.
    await chmod(program.project, 0o300);
    for (const args of [
      ['run', '--project', program.project, 'Fix it.'],
      ['projects', 'folders', 'add', program.project, '--project', program.folder],
    ]) {
      const unread = await program.run(args, asItIs);
      expect(unread.stderr).toContain('cannot be read: its permissions do not allow it');
      expect(unread.stderr).not.toContain('--workspace copy');
    }
    await chmod(program.project, 0o755);
    // The whole file system is read-only, if this user may mount such a one.
    await using mounted = await mountReadOnly(program.project);
    if (mounted === null) return;
    const onSuchDisk = await program.startTask().ended;
    expect(onSuchDisk).toMatchObject({ code: 2, events: [] });
    expect(onSuchDisk.stderr).toMatch(/read-only.*--workspace copy/s);
  });

  it('ends the task when it is renamed, and a new folder of that name stays unchanged', async () => {
    await using program = await createProgram({ 'a.txt': 'a\n' });
    await using model = await startHeldModel([
      tool('read_file', { path: 'a.txt' }),
      { ...tool('write_file', { path: 'a.txt', content: 'changed\n' }), isHeld: true },
      command('echo made > made.txt'),
      complete('This call is never made.'),
    ]);
    await program.settings(model.settings);
    const running = program.startTask();
    await running.until('tool-ended', (event) => event.tool === 'read_file');
    const moved = join(program.folder, 'moved');
    await rename(program.project, moved);
    await mkdir(program.project);
    await program.put('a.txt', 'of somebody else\n');
    model.release();
    const end = await running.ended;
    const failed = ofType(end.events, 'tool-ended').filter(({ status }) => status !== 'ok');
    expect(failed.map(({ tool: name, output }) => [name, output])).toEqual([
      ['write_file', expect.stringContaining('moved')],
    ]);
    expect(ofType(end.events, 'turn-ended').map(({ reason }) => reason)).toEqual(['sandbox-lost']);
    expect(ofType(end.events, 'model-call-started')).toHaveLength(2);
    expect(ofType(end.events, 'file-changed')).toEqual([]);
    expect(await readdir(program.project)).toEqual(['a.txt']);
    expect(await program.text('a.txt')).toBe('of somebody else\n');
    expect(await readFile(join(moved, 'a.txt'), 'utf8')).toBe('a\n');
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  });

  it(`can have ${manyFiles.toLocaleString('en-US')} files, with changes found and undone`, async () => {
    await using program = await createProgram();
    makeManyFiles(program.project, 100, manyFiles / 100);
    await program.script([command('echo changed > d42/f7.txt; rm d99/f199.txt'), tool('list_files', {}), complete()]);
    const started = performance.now();
    const end = await program.startTask().ended;
    process.stdout.write(`${manyFiles} files: ${((performance.now() - started) / 1000).toFixed(1)} s for a run\n`);
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    const changed = ofType(end.events, 'file-changed').map(({ path, after }) => [path, after === null]);
    expect(changed).toEqual([
      ['d42/f7.txt', false],
      ['d99/f199.txt', true],
    ]);
    expect((await program.run(['changes', 'last', 'undo'])).code).toBe(0);
    expect(await program.text('d42/f7.txt')).toBe('42 7\n');
    expect(await program.text('d99/f199.txt')).toBe('99 199\n');
  }, 300_000);

  it('can have file names in other scripts, with spaces, quotes and line breaks', async () => {
    const names = [
      'файл.txt',
      '文件 名/説明.txt',
      'ünï cødé.txt',
      '🙂.txt',
      'it\'s "quoted" `$(now)`.txt',
      'new\nline.txt',
      'tab\there.txt',
      ' leading and trailing .txt ',
      '-rf.txt',
      'back\\slash.txt',
      'e\u0301.txt',
      '\u00e9.txt',
      'esc\u001b[31m.txt',
    ];
    await using program = await createProgram(Object.fromEntries(names.map((name) => [name, 'one\n'])));
    const last = names[0] ?? '';
    await program.script([
      command("find . -type f -print0 | while IFS= read -r -d '' f; do printf 'two\\n' >> \"$f\"; done"),
      tool('read_file', { path: last }),
      tool('edit_file', { path: last, old: 'two', new: 'three' }),
      complete(),
    ]);
    const end = await program.startTask().ended;
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(end.stderr).not.toContain('\u001b');
    const changed = ofType(end.events, 'file-changed').map(({ path }) => path);
    expect(changed.toSorted(byText)).toEqual([...names, last].toSorted(byText));
    expect(await program.text(last)).toBe('one\nthree\n');
    const shown = await program.run(['changes', 'last', '--json']);
    const listed: unknown = JSON.parse(shown.stdout);
    expect(pathsOf(listed)).toEqual(names.toSorted(byText));
    expect((await program.run(['changes', 'last'])).stdout).not.toContain('\u001b');
    const undone = await program.run(['changes', 'last', 'undo']);
    expect({ code: undone.code, stderr: undone.stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of names) expect([name, await program.text(name)]).toEqual([name, 'one\n']);
    expect((await program.run(['replay', sessionOf(end.events)])).code).toBe(0);
  });

  it('can have names that are no text, and the run says what it cannot keep', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const name = Buffer.concat([
      Buffer.from(join(program.project, 'x')),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('.txt'),
    ]);
    await writeFile(name, 'bytes\n');
    await program.script([command('for f in *; do echo two >> "$f"; done'), tool('list_files', {}), complete()]);
    const end = await program.startTask().ended;
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(ofType(end.events, 'file-changed').map(({ path }) => path)).toContain('a.txt');
    expect((await program.run(['changes', 'last', 'undo', 'a.txt'])).code).toBe(0);
    expect(await program.text('a.txt')).toBe('one\n');
    expect(await readFile(name, 'utf8')).toBe('bytes\ntwo\n');
  });
});

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

function pathsOf(listed: unknown): readonly string[] {
  const files: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return files.map((file) => String(Reflect.get(Object(file), 'path'))).toSorted(byText);
}

/**
 * Synchronous writes, which are many times faster than 100,000 promises. Three in ten files have content, including
 * those that the test needs: each one is a block that the disk must write.
 */
function makeManyFiles(root: string, folders: number, files: number): void {
  for (let folder = 0; folder < folders; folder += 1) {
    mkdirSync(join(root, `d${folder}`));
    for (let file = 0; file < files; file += 1)
      writeFileSync(join(root, `d${folder}`, `f${file}.txt`), file % 10 > 6 ? `${folder} ${file}\n` : '');
  }
}
