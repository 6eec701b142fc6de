import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editorArguments, findEditor } from '../../../../src/main/hosts/desktop/editor-programs.ts';
import { createFileOpener } from '../../../../src/main/hosts/desktop/open-file.ts';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import { createRouterClient } from '@orpc/server';
import { createRouter } from '../../../../src/main/server/router.ts';
import { emptyMoney } from '@shared/money/session-money.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { editorIds } from '@shared/settings/known-editors.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

let folder: string;
let project: string;
let workspace: string;

beforeEach(async () => {
  folder = realpathSync(await mkdtemp(join(tmpdir(), 'dewpoint-editor-')));
  project = join(folder, 'project');
  workspace = join(folder, 'copy');
  for (const path of [join(project, 'src'), join(workspace, 'src'), join(folder, 'bin'), join(folder, 'home')])
    await mkdir(path, { recursive: true });
  await writeFile(join(workspace, 'src/app.py'), 'print(1)\n');
  await writeFile(join(workspace, 'notes.md'), 'notes\n');
  await writeFile(join(project, 'only-there.md'), 'notes\n');
  await writeFile(join(folder, 'secret.md'), 'secret\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that records its working folder and its arguments. */
async function program(path: string): Promise<void> {
  await writeFile(
    path,
    `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > ${folder}/said.tmp\nmv ${folder}/said.tmp ${folder}/said\n`,
  );
  await chmod(path, 0o755);
}

async function said(): Promise<readonly string[]> {
  await expect.poll(() => readFile(join(folder, 'said'), 'utf8').catch(() => '')).not.toBe('');
  return (await readFile(join(folder, 'said'), 'utf8')).trimEnd().split('\n');
}

function opener(editor: string) {
  const core = createScriptedCore();
  const state = { ...emptySession, workspace: { mode: 'copy', path: workspace } as const, projectPath: project };
  core.replace({
    sessions: { show: () => ({ state, money: emptyMoney }) },
    settings: { get: () => editor },
  });
  const env = { PATH: `${join(project, 'bin')}:${join(folder, 'bin')}:/usr/bin:/bin` };
  const programs = createHostPrograms({ home: join(folder, 'home'), env, projects: async () => [project, workspace] });
  const files = createFileOpener({
    client: async () => createRouterClient(createRouter(core.handlers)),
    programs,
    machine: { platform: 'linux', env },
  });
  return { files, open: (path: string, line?: number) => files.open({ sessionId: 's', path, line }) };
}

describe('a file of a session', () => {
  it('is opened at its line, by a program that starts in an empty folder', async () => {
    await program(join(folder, 'bin/code'));
    const { files, open } = opener('auto');
    expect(await files.editors()).toEqual(['vscode']);
    expect(await open('src/app.py', 7)).toEqual({ editor: 'VS Code' });
    expect(await said()).toEqual([join(folder, 'home/empty'), '--goto', `${join(workspace, 'src/app.py')}:7`]);
  });

  it('may be named by its whole path, and lie only in the project', async () => {
    await program(join(folder, 'bin/subl'));
    const { open } = opener('sublime');
    await open(join(project, 'only-there.md'));
    expect((await said()).slice(1)).toEqual([join(project, 'only-there.md')]);
  });

  it.each([
    ['code', 'vscode', ['x.code-workspace', 'X.CODE-WORKSPACE', 'x.code-workspace:3', 'src/a.code-workspace']],
    ['subl', 'sublime', ['x.sublime-project', 'x.Sublime-Workspace']],
    ['idea', 'idea', ['src/pom.xml', 'POM.XML', 'build.gradle', 'settings.gradle.kts', 'a.ipr', 'Cargo.toml']],
    ['goland', 'goland', ['.idea/misc.xml', '.IDEA/runConfigurations/a.xml', 'App.sln', 'app.csproj', 'app.\u017Fln']],
    ['xdg-open', 'system', ['x.code-workspace', 'pom.xml', 'src/.idea/a.txt']],
  ])('is not opened where %s may take it for a project', async (name, choice, paths) => {
    await program(join(folder, 'bin', name));
    for (const path of paths) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), '');
      const opened = opener(choice).open(path, 7);
      await expect(opened, path).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('project'),
      });
    }
    expect(existsSync(join(folder, 'said'))).toBe(false);
    await opener(choice).open('notes.md');
    expect((await said()).at(-1)).toContain('notes.md');
  });

  it('is opened in a folder whose path has the name of a project outside of the session', async () => {
    await program(join(folder, 'bin/idea'));
    workspace = join(folder, 'workspace', 'build');
    await mkdir(join(workspace, 'build'), { recursive: true });
    await writeFile(join(workspace, 'build', 'a.py'), '');
    expect(await opener('idea').open('build/a.py')).toEqual({ editor: 'IntelliJ IDEA' });
    // The program that was started still writes: the folder is removed after it, not beside it.
    expect((await said()).at(-1)).toBe(join(workspace, 'build', 'a.py'));
  });

  it('is not opened when it is outside, behind a link, or not a file', async () => {
    await program(join(folder, 'bin/code'));
    await symlink(join(folder, 'secret.md'), join(workspace, 'link.md'));
    await symlink(folder, join(workspace, 'up'));
    const { open } = opener('auto');
    const names = [
      '../secret.md',
      join(folder, 'secret.md'),
      'link.md',
      'up/secret.md',
      'src',
      'missing.py',
      '',
      '--help',
    ];
    for (const path of [...names, 'src/../../secret.md', `${project}/../secret.md`, 'a\0b'])
      await expect(open(path), path).rejects.toMatchObject({ code: 'not-found' });
    await expect(readFile(join(folder, 'said'))).rejects.toThrow('ENOENT');
  });

  it('is opened by no program of a project, and the error names what is missing', async () => {
    await mkdir(join(project, 'bin'));
    await program(join(project, 'bin/code'));
    await expect(opener('auto').open('notes.md')).rejects.toMatchObject({
      message: 'No known editor was found on this machine.',
    });
    await expect(opener('zed').open('notes.md')).rejects.toMatchObject({ message: 'Zed was not found.' });
    await expect(readFile(join(folder, 'said'))).rejects.toThrow('ENOENT');
  });

  it('is given to the system only if it is a text that the system does not run', async () => {
    await program(join(folder, 'bin/xdg-open'));
    const { open } = opener('system');
    await open('notes.md');
    expect((await said()).slice(1)).toEqual([join(workspace, 'notes.md')]);
    await rm(join(folder, 'said'));
    for (const name of ['page.html', 'drawing.svg', 'run.sh', 'tool', 'a.desktop', 'b.txt.exe', 'sums.csv', '.md'])
      await writeFile(join(workspace, name), '');
    await writeFile(join(workspace, 'may-run.txt'), '#!/bin/sh\n');
    await chmod(join(workspace, 'may-run.txt'), 0o755);
    const names = ['page.html', 'drawing.svg', 'run.sh', 'tool', 'a.desktop', 'b.txt.exe', 'sums.csv', '.md'];
    for (const name of [...names, 'may-run.txt', 'src/app.py'])
      await expect(open(name), name).rejects.toMatchObject({ code: 'refused' });
    await expect(readFile(join(folder, 'said'))).rejects.toThrow('ENOENT');
  });
});

it('an editor gets its arguments one by one, with the path as one of them', () => {
  const path = '/p/a b;rm -rf $(x).py';
  expect(Object.fromEntries(editorIds.map((id) => [id, editorArguments(id, path, 3)]))).toEqual({
    vscode: ['--goto', `${path}:3`],
    cursor: ['--goto', `${path}:3`],
    vscodium: ['--goto', `${path}:3`],
    zed: [`${path}:3`],
    sublime: [`${path}:3`],
    idea: ['--line', '3', path],
    pycharm: ['--line', '3', path],
    webstorm: ['--line', '3', path],
    goland: ['--line', '3', path],
  });
  for (const id of editorIds) expect(editorArguments(id, path, null)).toEqual([path]);
});

it('an editor is found in its usual place, but not inside a project', async () => {
  const place = join(folder, 'Applications/Zed.app/Contents/MacOS');
  await mkdir(place, { recursive: true });
  await program(join(place, 'cli'));
  const machine = { platform: 'darwin', env: { HOME: folder } } as const;
  const host = (isOutside: boolean) => ({ find: async () => null, isOutside: async () => isOutside });
  expect(await findEditor('zed', host(true), machine)).toBe(join(place, 'cli'));
  expect(await findEditor('zed', host(false), machine)).toBeNull();
});
