import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neverAborts } from '../../src/main/lib/async/abort.ts';
import { createRouterClient } from '@orpc/server';
import { emptyMoney } from '@shared/money/session-money.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { cloneProject } from '../../src/main/git/clone/clone-project.ts';
import { createEditorSession } from '../../src/main/hosts/acp/editor-sessions.ts';
import { checkOutputFile } from '../../src/main/hosts/cli/terminal/output-file.ts';
import { attachableFile } from '../../src/main/hosts/cli/turn/attach-file.ts';
import { createFileOpener } from '../../src/main/hosts/desktop/open-file.ts';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createRouter } from '../../src/main/server/router.ts';
import { writeWhole } from '../../src/main/sessions/library/packed-log.ts';
import { createScriptedCore } from '../fakes/scripted-core.ts';
import { readFileBelow } from '../../src/main/lib/files/host-folder.ts';
import { createLookAtFiles } from '../../src/main/safety/file-look.ts';
import { findProtectedMounts } from '../../src/main/sandbox/docker/protection/protected-mounts.ts';
import { readProtected } from '../../src/main/sandbox/docker/protection/protected-watch.ts';
import { findToolchainImage } from '../../src/main/sandbox/images/toolchain-image.ts';
import { makeMountPoint } from '../../src/main/sandbox/packages/mount-points.ts';
import { readProject } from '../../src/main/sandbox/packages/package-files.ts';
import { statsBelow } from '../../src/main/sandbox/workspace/file-identity.ts';
import { findHardLinks } from '../../src/main/sandbox/workspace/hard-links.ts';
import { RepositoryGuard } from '../../src/main/sandbox/workspace/repositories/repository-guard.ts';
import { createReadOnlySandbox } from '../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createSafeFolder } from '../../src/main/sessions/changes/safe-folder.ts';
import { command, complete, createProgram, sessionOf, taskText, tool, type Program } from './program.ts';
import { hungDisk } from './hung-disk.ts';

const disk = await hungDisk();
const far = 'export function far() {\n  return 2;\n}\n';
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
    await writeFile(join(onDisk, 'b.ts'), far);
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
    await expect.poll(() => files.read('b.ts', {}, neverAborts)).toMatchObject({ ok: true });
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
    await expect.poll(() => undo.look('b.ts').catch(() => null)).toMatchObject({ type: 'file' });
    disk?.hang();
    const file = { bytes: Buffer.from('new'), mode: 0o644 };
    await expect(undo.write('made.txt', file, () => true)).rejects.toThrow(said);
    await expect(createLookAtFiles(onDisk)(['b.ts'])).rejects.toThrow(said);
    await expect(readFileBelow(onDisk, ['b.ts'], 1000)).rejects.toThrow(said);
    disk?.answer();
  });

  // Catches: an editor that waits for ever, a clone that holds its form, and calls that are saved by nobody, without a word.
  it('is named to an editor, a clone, a file to open and a capsule to write', async () => {
    const undo = createSafeFolder(onDisk);
    await expect.poll(() => undo.look('b.ts').catch(() => null)).toMatchObject({ type: 'file' });
    disk?.hang();
    const core = createScriptedCore();
    const state = { ...emptySession, workspace: { mode: 'in-place', path: onDisk } as const, projectPath: onDisk };
    core.replace({ sessions: { show: () => ({ state, money: emptyMoney }) } });
    const client = async () => createRouterClient(createRouter(core.handlers));
    await expect(createEditorSession(await client(), { cwd: onDisk }, neverAborts)).rejects.toThrow(said);
    const env = { PATH: '/usr/bin:/bin' };
    const programs = createHostPrograms({ home: program.home, env, projects: async () => [onDisk] });
    const opener = createFileOpener({ client, programs, machine: { platform: 'linux', env } });
    await expect(opener.open({ sessionId: 's', path: 'b.ts' })).rejects.toThrow(said);
    const access = { exchange: () => Promise.reject(new Error('asked')), token: async () => null };
    const target = { url: 'https://git.example/a/b.git', folder: join(onDisk, 'clone'), branch: null, depth: null };
    const clone = cloneProject(target, { access, run: () => Promise.reject(new Error('asked')), signal: neverAborts });
    await expect(clone[Symbol.asyncIterator]().next()).rejects.toThrow(said);
    const pieces = (async function* () {
      yield 'x';
    })();
    const written = writeWhole(join(onDisk, 'a.capsule'), { pieces, isPacked: false }, neverAborts);
    await expect(written).rejects.toThrow(said);
    disk?.answer();
  });

  // Catches: the looks before a container starts, each a call that never returned, and a file named that nobody read.
  it('is named by what prepares a container there, and by a file that a person names', async () => {
    disk?.answer();
    const file = join(onDisk, 'b.ts');
    const pins = [{ path: 'b.ts', readOnly: true }];
    await expect.poll(() => readFileBelow(onDisk, ['b.ts'], 1000).catch(() => null)).not.toBeNull();
    const guard = await RepositoryGuard.start(
      { workspacePath: onDisk, homePath: program.home, sessionId: 's', onUntracked: () => undefined },
      neverAborts,
    );
    disk?.hang();
    const looks: readonly (() => Promise<unknown>)[] = [
      () => findProtectedMounts(onDisk, { data: [''], pointers: [] }),
      () => readProtected({ workspacePath: onDisk, pins, asking: 'waiting' }),
      () => statsBelow(onDisk, 'b.ts', 'waiting'),
      () => findHardLinks({ workspacePath: onDisk, isLeftOut: () => false, budgetMs: null }, neverAborts),
      () => readProject(onDisk, neverAborts),
      () => makeMountPoint(onDisk, '', 'node_modules'),
      () => findToolchainImage(onDisk, 'image'),
      () => checkOutputFile(join(onDisk, 'report.md')),
      () => attachableFile(file),
    ];
    for (const look of looks) await expect(look(), look.toString()).rejects.toThrow(said);
    expect(await guard.look()).toMatchObject([{ why: 'it could not be checked after a command' }]);
    expect(await guard.admit()).toMatchObject({ ok: false, error: { code: 'refused' } });
    disk?.answer();
    await expect.poll(() => guard.admit()).toMatchObject({ ok: true });
    await guard.dispose();
  });

  // Catches: each changed file was waited for by itself, and a restore took the talk back while the files stayed.
  it('changes nothing by an undo or a restore while it is silent, and both work once it answers', async () => {
    disk?.answer();
    const made = 'mkdir -p made; for i in $(seq 30); do echo $i > made/f$i.txt; done; echo more >> b.ts';
    await program.script([command(made), complete()]);
    const ran = await program.run(['run', '--project', onDisk, '--approve', 'allow', '--json', '--', taskText]);
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
    const id = sessionOf(ran.events);
    const began = (await program.run(['sessions', 'checkpoints', id])).stdout.split(/\s/u)[0] ?? '';
    const events = (await program.log(id)).length;
    disk?.hang();
    for (const args of [
      ['changes', id, 'undo'],
      ['sessions', 'restore', id, began],
      ['sessions', 'fork', id],
      ['sessions', 'commit', id],
    ]) {
      const ended = await program.run(args);
      expect({ args, ...ended }).toMatchObject({ args, stdout: '' });
      expect(ended.code).not.toBe(0);
      expect(ended.stderr).toContain(`The folder ${onDisk} ${said}`);
    }
    expect((await program.run(['changes', id])).stdout).toContain('made/f30.txt');
    expect(await program.log(id)).toHaveLength(events);
    disk?.answer();
    const files = (): Promise<readonly string[]> => readdir(join(onDisk, 'made')).catch(() => []);
    expect(await files()).toHaveLength(30);
    const undone = await program.run(['changes', id, 'undo']);
    expect({ code: undone.code, stderr: undone.stderr }).toMatchObject({ code: 0 });
    expect([await files(), await readFile(join(onDisk, 'b.ts'), 'utf8')]).toEqual([[], far]);
    const back = await program.run(['changes', id, 'undo']);
    expect({ code: back.code, files: (await files()).length }).toEqual({ code: 0, files: 30 });
    const restored = await program.run(['sessions', 'restore', id, began]);
    expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 });
    expect([await files(), await readFile(join(onDisk, 'b.ts'), 'utf8')]).toEqual([[], far]);
  });

  // Catches: what a command had changed before a crash counted as nothing, and could not be undone any more.
  it('keeps what a command changed before a crash, until the drive answers', async () => {
    disk?.answer();
    await program.script([command('echo 1 > before-crash.txt; sleep 100'), complete()]);
    const running = program.start(['run', '--project', onDisk, '--approve', 'allow', '--json', '--', taskText]);
    await running.until('tool-started', ({ tool: name }) => name === 'run_command');
    const made = join(onDisk, 'before-crash.txt');
    await expect.poll(() => readFile(made, 'utf8').catch(() => ''), { timeout: 60_000 }).toBe('1\n');
    running.child.kill('SIGKILL');
    const id = sessionOf((await running.ended).events);
    disk?.hang();
    const refused = await program.run(['changes', id, 'undo']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`The folder ${onDisk} ${said}`);
    disk?.answer();
    const undone = await program.run(['changes', id, 'undo']);
    expect({ code: undone.code, stderr: undone.stderr, stdout: undone.stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('before-crash.txt'),
    });
    expect(await readFile(made, 'utf8').catch(() => null)).toBeNull();
  });

  // Catches: the search for programs asked a folder of PATH at once and held the core, and so did the list of projects.
  it('is named by doctor and the list of projects, and programs in its folders of PATH are passed over', async () => {
    disk?.answer();
    await program.script([complete('It is here.'), complete('It is here.')]);
    for (const project of [onDisk, program.project]) await program.run(['projects', 'add', project]);
    const link = join(program.folder, 'tools');
    await symlink(chosen, link);
    disk?.hang();
    const env = { PATH: [chosen, link, process.env.PATH].join(':') };
    const listed = await program.run(['projects', 'list'], { env });
    expect({ code: listed.code, stderr: listed.stderr }).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain(`${onDisk}  (its drive does not answer)`);
    expect(listed.stdout).toContain(`${program.project}\n`);
    const doctor = await program.run(['doctor'], { env });
    expect(doctor.stdout).toContain(`${disk?.path} does not answer. Projects there wait`);
    const question = ['run', '--sandbox', 'read-only', '--project', program.project, '--', 'What does here return?'];
    const answered = await program.run(question, { env });
    expect({ code: answered.code, stderr: answered.stderr }).toMatchObject({ code: 0 });
    expect(answered.stdout).toContain('It is here.');
    const added = await program.run(['projects', 'add', chosen], { env });
    expect(added.code).not.toBe(0);
    expect(added.stderr).toContain(`The folder ${chosen} ${said}`);
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
